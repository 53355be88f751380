package crdkit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestContextEndsCompile: Compile polls its context in proportion to the definition,
// and returns its error wherever it ends.
func TestContextEndsCompile(t *testing.T) {
	for name, tt := range map[string]struct {
		property string
		polls    int
	}{
		"schemas": {"{type: string, maxLength: %d}", 1_000 / interrupt.Interval},
		"rules":   {"{type: string, x-kubernetes-validations: [{rule: self != 'a%d'}]}", 1_000},
	} {
		t.Run(name, func(t *testing.T) { contextEndsCompile(t, tt.property, tt.polls) })
	}
}

func contextEndsCompile(t *testing.T, property string, polls int) {
	var b strings.Builder
	b.WriteString("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {group: example.com, scope: Namespaced, names: {plural: things, kind: Thing}, " +
		"versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {")
	for i := range 1_000 {
		fmt.Fprintf(&b, "f%d: "+property+",\n", i, i)
	}
	b.WriteString("}}}}]}")
	crd, err := definition.Parse([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	ctx := testkit.EndingContext(1 << 30)
	if _, err := crdkit.Compile(crd, crdkit.WithContext(ctx)); err != nil {
		t.Fatal(err)
	}
	all := ctx.Polls()
	if all < polls {
		t.Errorf("%d polls, want at least %d", all, polls)
	}
	for _, after := range []int{0, 1, all / 2, all - 1} {
		d, err := crdkit.Compile(crd, crdkit.WithContext(testkit.EndingContext(after)))
		if d != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("after %d of %d polls: %v", after, all, err)
		}
	}
}

// TestContextEndsRequest: a request looks at its context before and after its steps, and
// returns its error wherever it ends. The second object is not for the fast path.
func TestContextEndsRequest(t *testing.T) {
	crd, err := definition.Parse([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n" +
		"spec: {group: example.com, scope: Namespaced, names: {plural: things, kind: Thing}, " +
		"versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []string{
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"b"}}`,
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"b"},"unknown":1}`,
	} {
		ctx := testkit.EndingContext(1 << 30)
		if _, res, err := d.Storage().CreateJSON(ctx, []byte(object)); err != nil || len(res.Errors) > 0 {
			t.Fatal(err, res)
		}
		all := ctx.Polls()
		if all < 2 {
			t.Errorf("%d polls, want at least 2", all)
		}
		for after := range all {
			if out, res, err := d.Storage().CreateJSON(testkit.EndingContext(after), []byte(object)); !errors.Is(err, context.Canceled) || out != nil || res != nil {
				t.Errorf("after %d of %d polls: %s, %v, %v", after, all, out, res, err)
			}
		}
	}
}
