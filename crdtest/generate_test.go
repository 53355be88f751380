package crdtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// definitions are those of testdata that have a schema.
var definitions = []string{"bounds", "certificate", "crontab", "keywords", "route", "workload"}

// TestObjects generates objects for the storage versions of testdata, and admits them.
func TestObjects(t *testing.T) {
	for _, name := range definitions {
		t.Run(name, func(t *testing.T) {
			v := storageVersion(t, name)
			var first, second []string
			for _, texts := range []*[]string{&first, &second} {
				for obj, err := range crdtest.Objects(t.Context(), v, 7) {
					if err != nil {
						t.Fatal(err)
					}
					*texts = append(*texts, textOf(obj))
					if result, err := v.Create(t.Context(), obj); err != nil || !result.Admitted() {
						t.Errorf("%s is refused: %v, %v", textOf(obj), err, result.Err())
					}
					if len(*texts) == 20 {
						break
					}
				}
			}
			if strings.Join(first, "\n") != strings.Join(second, "\n") {
				t.Error("the same seed gives other objects")
			}
			distinct := map[string]bool{}
			for _, text := range first {
				distinct[text] = true
			}
			if len(distinct) < 10 {
				t.Errorf("%d of 20 objects differ, want most of them", len(distinct))
			}
		})
	}
}

func storageVersion(t *testing.T, name string) *crdkit.Version {
	t.Helper()
	s := crdtest.Load(t, "../testdata/"+name+"/crd.yaml")
	for _, d := range s.Catalog().Definitions() {
		return d.Storage()
	}
	return nil
}

func textOf(obj *unstructured.Unstructured) string {
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestBroken breaks each rule and each keyword of a definition. The record has the object
// and the errors of the server, or the cause.
func TestBroken(t *testing.T) {
	v := storageVersion(t, "crontab")
	var got strings.Builder
	generator, err := crdtest.NewGenerator(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range crdtest.Targets(v) {
		fmt.Fprintf(&got, "%s %s%s%s\n", target.SchemaPointer, target.Expression, target.Keyword, strings.TrimRight(" "+target.Name, " "))
		violation, err := generator.Broken(t.Context(), target, 1)
		if err != nil {
			fmt.Fprintf(&got, "\t%v\n", err)
			continue
		}
		fmt.Fprintf(&got, "\t%s\n", textOf(violation.Object))
		for _, e := range answer(t, v, violation).Errors {
			fmt.Fprintf(&got, "\t%v\n", e)
		}
	}
	testkit.Recorded(t, "testdata/broken.txt", got.String())
}

func answer(t *testing.T, v *crdkit.Version, b *crdtest.Violation) *crdkit.Result {
	t.Helper()
	request := func() (*crdkit.Result, error) {
		switch obj := b.Object.DeepCopy(); {
		case b.Old == nil:
			return v.Create(t.Context(), obj)
		case b.Status:
			return v.UpdateStatus(t.Context(), obj, b.Old)
		default:
			return v.Update(t.Context(), obj, b.Old)
		}
	}
	result, err := request()
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestBrokenRules breaks the rules of the definitions of testdata.
func TestBrokenRules(t *testing.T) {
	for _, name := range definitions {
		v := storageVersion(t, name)
		for _, target := range crdtest.Targets(v) {
			if target.Keyword != "" {
				continue
			}
			violation, err := crdtest.Broken(t.Context(), v, target, 1)
			if err != nil {
				t.Errorf("%s %s: %v", name, target.Expression, err)
				continue
			}
			for _, e := range answer(t, v, violation).Errors {
				if e.SchemaPointer != target.SchemaPointer || e.Rule != target.Rule {
					t.Errorf("%s %s: %s breaks %v too", name, target.Expression, textOf(violation.Object), e)
				}
			}
		}
	}
}

// TestBrokenRuleIsFalse finds an object for which a rule is false, although a smaller one
// ends it with an error, unless the rule only ends with errors.
func TestBrokenRuleIsFalse(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"a rule that reads an optional list", `{properties: {a: {type: array, maxItems: 5, items: {type: integer}}}, x-kubernetes-validations: [{rule: "self.a.all(x, x > 3)"}]}`,
			"spec: Invalid value: failed rule: self.a.all(x, x > 3)"},
		{"a rule that reads an optional field", `{properties: {a: {type: integer}, b: {type: string}}, x-kubernetes-validations: [{rule: "self.b == 'x' || self.a > 3"}]}`,
			"spec: Invalid value: failed rule: self.b == 'x' || self.a > 3"},
		{"a rule that is never false", `{properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: "self.a == self.a"}]}`,
			`spec: Invalid value: "object": no such key: a evaluating rule: self.a == self.a`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := specVersion(t, tt.schema)
			target := crdtest.Targets(v)[slices.IndexFunc(crdtest.Targets(v), func(t crdtest.Target) bool { return t.Expression != "" })]
			violation, err := crdtest.Broken(t.Context(), v, target, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := answer(t, v, violation).Errors; len(got) != 1 || !strings.HasPrefix(got[0].Error(), tt.want) {
				t.Errorf("%s: got %v, want %s", textOf(violation.Object), got, tt.want)
			}
		})
	}
}

// TestUnreachable reports what nothing breaks.
func TestUnreachable(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"a rule that is always true", `{x-kubernetes-validations: [{rule: "true"}]}`, "crdtest: the rule is always true"},
		{"a rule that follows from the schema", `{properties: {a: {type: integer, maximum: 3}}, required: [a], x-kubernetes-validations: [{rule: self.a < 5}]}`,
			"crdtest: it breaks only with others: spec.a: Invalid value: "},
		{"a rule of a value that cannot be", `{properties: {a: {type: object, maxProperties: 0, required: [b], properties: {b: {type: integer}}, x-kubernetes-validations: [{rule: self.b > 1}]}}}`,
			"crdtest: no admitted object has the value"},
		{"a tautology", `{x-kubernetes-validations: [{rule: self == self}]}`, "crdtest: no object that breaks it was found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := specVersion(t, tt.schema)
			for _, target := range crdtest.Targets(v) {
				if target.Expression == "" {
					continue
				}
				_, err := crdtest.Broken(t.Context(), v, target, 1)
				if _, ok := errors.AsType[*crdtest.UnreachableError](err); !ok || !strings.HasPrefix(err.Error(), tt.want) {
					t.Errorf("got %v, want %s", err, tt.want)
				}
			}
		})
	}
	v := specVersion(t, `{properties: {a: {type: integer}}, required: [a], x-kubernetes-validations: [{rule: self.a > 1 && self.a < 0}]}`)
	for _, err := range crdtest.Objects(t.Context(), v, 1) {
		if err == nil || err.Error() != "crdtest: no admitted object was found" {
			t.Errorf("got %v, want an error: no object is admitted", err)
		}
	}
}

// specVersion returns a version whose objects have a spec with a schema.
func specVersion(t *testing.T, spec string) *crdkit.Version {
	t.Helper()
	text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.org}\n" +
		"spec: {group: example.org, scope: Cluster, names: {plural: as, singular: a, kind: A, listKind: AList}, " +
		"versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: " +
		"{type: object, required: [spec], properties: {spec: {type: object, " + strings.TrimPrefix(spec, "{") + "}}}}]}\n"
	return crdtest.LoadFS(t, oneFile(text), "a.yaml").Version(t, "example.org/v1", "A")
}

func TestGenerateFails(t *testing.T) {
	for _, err := range crdtest.Objects(t.Context(), nil, 1) {
		if err == nil {
			t.Error("there are objects of a nil version")
		}
	}
	if _, err := crdtest.Broken(t.Context(), nil, crdtest.Target{}, 1); err == nil || crdtest.Targets(nil) != nil {
		t.Error("a nil version has targets")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := storageVersion(t, "crontab")
	for _, err := range crdtest.Objects(ctx, v, 1) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v after the end of the context", err)
		}
	}
	if _, err := crdtest.Broken(ctx, v, crdtest.Targets(v)[0], 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end of the context", err)
	}
}

// FuzzCreate is a fuzz test whose seeds are generated.
func FuzzCreate(f *testing.F) {
	s := crdtest.Load(f, "../testdata/crontab/crd.yaml")
	v := s.Version(f, "jobs.example.org/v1", "CronTab")
	n := 0
	for obj, err := range crdtest.Objects(f.Context(), v, 1) {
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(textOf(obj)))
		if n++; n == 10 {
			break
		}
	}
	fuzz.Run(f, func(t *testing.T, text []byte) {
		if _, _, err := v.CreateJSON(t.Context(), text); err != nil {
			t.Error(err)
		}
	})
}
