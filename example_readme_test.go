package crdkit_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/validation/cel"
)

// README.md shows the examples of this file. TestReadme compares them.

func Example_checkDefinition() {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		panic(err)
	}
	report := definition.Check(crd)
	fmt.Println(len(report.Errors), "errors", len(report.Warnings), "warnings")
	// Output:
	// 0 errors 0 warnings
}

func Example_admitObject() {
	def := compiled()
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	v, err := def.VersionFor(obj)
	if err != nil {
		panic(err)
	}
	result, err := v.Create(context.Background(), obj, crdkit.Strict) // prunes and defaults obj
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Err(), obj.Object["spec"])
	// Output:
	// <nil> map[cronSpec:0 3 * * * replicas:1]
}

func Example_bytes() {
	v := compiledVersion("v1")
	raw := []byte(`{"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": "a", "namespace": "b"}, "spec": {"cronSpec": "0 3 * * *"}}`)
	out, result, err := v.CreateJSON(context.Background(), raw)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Err(), strings.Contains(string(out), `"replicas":1`))
	// Output:
	// <nil> true
}

func Example_update() {
	v := compiledVersion("v1")
	old := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *", "replicas": int64(1)})
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 4 * * *", "replicas": int64(2)})
	result, err := v.Update(context.Background(), obj, old)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Err(), obj.Object["spec"])
	// Output:
	// <nil> map[cronSpec:0 4 * * * replicas:2]
}

func Example_storeAndRead() {
	v := compiledVersion("v1beta1")
	obj := cronTabObject("v1beta1", map[string]any{"cronSpec": "0 3 * * *"})
	if result, err := v.Create(context.Background(), obj); err != nil || result.Err() != nil {
		panic("not admitted")
	}
	stored, err := v.Store(context.Background(), obj)
	if err != nil {
		panic(err)
	}
	read, _, err := v.Read(context.Background(), stored)
	if err != nil {
		panic(err)
	}
	fmt.Println(stored.GetAPIVersion(), read.GetAPIVersion())
	// Output:
	// example.com/v1 example.com/v1beta1
}

func Example_rulesAlone() {
	rules, errs := cel.Compile(compiledVersion("v1").Schema())
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"cronSpec": "0 3 * * *"}}}
	result := rules.Eval(context.Background(), obj.Object)
	fmt.Println(len(result.Errors), "rules are broken")
	// Output:
	// 0 rules are broken
}

// TestReadme checks that README.md contains the examples of this file
// unchanged.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	jobs := 0
	for _, part := range strings.Split(string(source), "\nfunc Example_")[1:] {
		_, text, _ := strings.Cut(part, " {\n")
		text, _, _ = strings.Cut(text, "	// Output:")
		jobs++
		if block := "```go\n" + unindented(text) + "```\n"; !strings.Contains(string(readme), block) {
			t.Errorf("README.md does not show this block:\n%s", block)
		}
	}
	if blocks := strings.Count(string(readme), "```go\n"); jobs != blocks {
		t.Errorf("README.md has %d blocks of code, want %d", blocks, jobs)
	}
}

// unindented removes one tab from the start of each line.
func unindented(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll("\n"+text, "\n\t", "\n"), "\n")
}
