package apply_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/apply"
)

func Example_conflict() {
	ctx, applier := context.Background(), appliers()["v1"] // by apply.NewAll
	live := applied(nil, "spec: {replicas: 1, mode: fast}", "deployer")
	result, err := applier.Apply(ctx, apply.Request{Live: live, Config: widget("spec: {replicas: 3}"), Manager: "autoscaler"})
	if err != nil {
		panic(err)
	}
	for _, c := range result.Conflicts {
		fmt.Println(c)
	}
	body := []byte(`{"spec":{"replicas":3}}`)
	patched, err := applier.Patch(ctx, apply.Request{Live: live, PatchType: types.MergePatchType, Body: body, Manager: "kubectl"})
	if err != nil {
		panic(err)
	}
	fmt.Println(patched.Err(), patched.Object.Object["spec"])
	// Output:
	// .spec.replicas: 1, wanted 3, owned by "deployer" (Apply)
	// <nil> map[mode:fast replicas:3]
}

// TestReadme checks that README.md contains Example_conflict.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(source), "func Example_conflict() {\n")
	body, _, _ = strings.Cut(body, "\t// Output:")
	block := strings.ReplaceAll("\n"+strings.TrimSuffix(body, "\n"), "\n\t", "\n    ") + "\n"
	if !strings.Contains(string(readme), block) {
		t.Errorf("README.md does not show this block:\n%s", block)
	}
}
