package migration_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/migration"
)

// TestMigrate plans the migration between the two definitions of a file, and
// makes a dry run on the objects of the file.
func TestMigrate(t *testing.T) {
	testkit.RunTxtar(t, "testdata/*.txtar", []string{"old", "new", "objects", "plan", "dry-run"}, func(t *testing.T, c *testkit.Case) {
		var old *apiextensionsv1.CustomResourceDefinition
		if c.Has("old") {
			old = parsed(c.Section("old"))
		}
		next := parsed(c.Section("new"))
		c.Want(t, "plan", planText(migration.NewPlan(old, next)))
		if !c.Has("objects") {
			return
		}
		var objs []*unstructured.Unstructured
		for doc := range strings.SplitSeq(c.Section("objects"), "---\n") {
			obj, err := testkit.Decode([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			objs = append(objs, &unstructured.Unstructured{Object: obj})
		}
		var got strings.Builder
		for r, err := range migration.DryRun(context.Background(), compile(next), migration.Objects(objs...)) {
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(rewriteText(r))
		}
		c.Want(t, "dry-run", got.String())
	})
}

func planText(p *migration.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "storage %s, stored %v, assumed %t\n", p.Storage, p.Stored, p.Assumed)
	for _, v := range p.Versions {
		fmt.Fprintf(&b, "version %s: in old %t, in new %t, served %t, storage %t, stored %t, can drop %t %q\n",
			v.Name, v.InOld, v.InNew, v.Served, v.Storage, v.Stored, v.CanDrop(), blockers(v))
	}
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "step %s\n", s)
	}
	for _, err := range p.Errors {
		fmt.Fprintf(&b, "error %v\n", err)
	}
	return b.String()
}

// blockers returns the texts of the blockers of a version.
func blockers(v migration.VersionPlan) []string {
	var out []string
	for _, b := range v.Blockers {
		out = append(out, b.Description())
	}
	return out
}

func rewriteText(r *migration.Rewrite) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s from %q\n", r.Index, testkit.Encode(r.Object.Object["metadata"]), r.Outcome(), r.From)
	if r.Stored != nil {
		fmt.Fprintf(&b, "  stored %s\n", testkit.Encode(r.Stored.Object))
	}
	if r.Failure != nil {
		fmt.Fprintf(&b, "  failure %v\n", r.Failure)
	}
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "  %s\n", c)
	}
	for _, p := range r.Lost {
		fmt.Fprintf(&b, "  lost %s\n", p)
	}
	if r.Result != nil {
		for _, e := range r.Result.Ratcheted {
			fmt.Fprintf(&b, "  ratcheted %v\n", e)
		}
	}
	if r.Irreversible != nil {
		fmt.Fprintf(&b, "  irreversible %v\n", r.Irreversible)
	}
	return b.String()
}

// counted yields n results and counts them in asked. Every third result is an error.
func counted(n int, asked *int) iter.Seq2[*unstructured.Unstructured, error] {
	return func(yield func(*unstructured.Unstructured, error) bool) {
		for i := range n {
			*asked++
			obj := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1beta1", "kind": "CronTab",
				"metadata": map[string]any{"name": fmt.Sprint("tab-", i)}, "host": "h",
			}}
			var err error
			if i%3 == 2 {
				obj, err = nil, fmt.Errorf("reading object %d", i)
			}
			if !yield(obj, err) {
				return
			}
		}
	}
}

// TestDryRunIsLazy checks that DryRun requests objects one by one, so that its
// memory does not depend on their number. Errors keep their positions.
func TestDryRunIsLazy(t *testing.T) {
	def := compile(parsed(stable()))
	asked, seen := 0, 0
	for r, err := range migration.DryRun(context.Background(), def, counted(3000, &asked)) {
		seen++
		if asked != seen {
			t.Fatalf("%d objects asked for, %d rewritten", asked, seen)
		}
		if failed := seen%3 == 0; failed != (err != nil) || failed != (r == nil) {
			t.Fatalf("object %d: %v, %v", seen-1, r, err)
		}
		if r != nil && (r.Index != seen-1 || r.Outcome() != migration.Unchanged) {
			t.Fatalf("object %d: index %d, %s %v", seen-1, r.Index, r.Outcome(), r.Failure)
		}
	}
	if seen != 3000 {
		t.Errorf("%d rewrites, want 3000", seen)
	}
	for range migration.DryRun(context.Background(), def, counted(10, &asked)) {
		break
	}
	if asked != 3001 {
		t.Errorf("%d objects asked for after the loop ended, want 1", asked-3000)
	}
}

func TestDryRunStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	asked, errs := 0, []error(nil)
	for _, err := range migration.DryRun(ctx, compile(parsed(stable())), counted(2000, &asked)) {
		if asked == 2 {
			cancel()
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	if asked > 3 || len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
		t.Errorf("%d objects asked for, errors %v", asked, errs)
	}
}

// TestDryRunConverts tries three conversions: one that moves fields, one that
// loses a field on the way back, and one that fails on the way back.
func TestDryRunConverts(t *testing.T) {
	crd := parsed(stable())
	crd.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties = map[string]apiextensionsv1.JSONSchemaProps{"address": {Type: "string"}}
	forward := func(obj *unstructured.Unstructured) {
		obj.Object["address"] = fmt.Sprint(obj.Object["host"], ":", obj.Object["port"])
		delete(obj.Object, "host")
		delete(obj.Object, "port")
	}
	backward := func(obj *unstructured.Unstructured) {
		host, port, _ := strings.Cut(fmt.Sprint(obj.Object["address"]), ":")
		delete(obj.Object, "address")
		obj.Object["host"], obj.Object["port"] = host, port
	}
	for _, tt := range []struct {
		name string
		back func(obj *unstructured.Unstructured) error
		want migration.Outcome
		lost string
	}{
		{"moved", func(obj *unstructured.Unstructured) error { backward(obj); return nil }, migration.Changed, "[]"},
		{"forgotten", func(obj *unstructured.Unstructured) error { backward(obj); delete(obj.Object, "port"); return nil }, migration.Lossy, "[port]"},
		{"altered", func(obj *unstructured.Unstructured) error { backward(obj); obj.Object["host"] = "x"; return nil }, migration.Lossy, "[host]"},
		{"one way", func(*unstructured.Unstructured) error { return errors.New("no way back") }, migration.Lossy, "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			converter := conversion.Local(crd, func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
				if to == "v1" {
					forward(obj)
					return obj, nil
				}
				return obj, tt.back(obj)
			})
			def, err := crdkit.Compile(crd, crdkit.WithConverter(converter))
			if err != nil {
				t.Fatal(err)
			}
			obj := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1beta1", "kind": "CronTab",
				"metadata": map[string]any{"name": "tab"}, "host": "h", "port": "1",
			}}
			for r, err := range migration.DryRun(context.Background(), def, migration.Objects(obj)) {
				if err != nil {
					t.Fatal(err)
				}
				if r.Outcome() != tt.want || fmt.Sprint(r.Lost) != tt.lost || (r.Irreversible != nil) != (tt.name == "one way") {
					t.Errorf("outcome %s, lost %v, want %s, %s\n%s", r.Outcome(), r.Lost, tt.want, tt.lost, rewriteText(r))
				}
			}
		})
	}
}

// TestDryRunAgain checks, with generated objects of real definitions, that a
// second dry run changes and loses nothing.
func TestDryRunAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	checked := 0
	corpus, err := testkit.LoadTestdata("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range corpus.Definitions {
		crd := d.CRD
		def, err := crdkit.Compile(crd)
		if err != nil {
			continue
		}
		storage := def.Storage()
		if !storage.Served() {
			continue
		}
		for _, obj := range generated(crd, storage.Name(), rng, 30) {
			before := obj.DeepCopy()
			for r, err := range migration.DryRun(context.Background(), def, migration.Objects(obj)) {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(before, obj); diff != "" {
					t.Fatalf("%s: the object changed (-before +after):\n%s", crd.Name, diff)
				}
				if r.Stored == nil {
					continue
				}
				for again, err := range migration.DryRun(context.Background(), def, migration.Objects(r.Stored)) {
					if err != nil || again.Outcome() != migration.Unchanged {
						t.Errorf("%s: the second dry run of\n%s\nis %s, %v", crd.Name, rewriteText(r), rewriteText(again), err)
					}
					checked++
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d objects checked, want at least 100", checked)
	}
}

// generated returns generated objects of all classes except hostile.
func generated(crd *apiextensionsv1.CustomResourceDefinition, version string, rng *rand.Rand, n int) []*unstructured.Unstructured {
	target := generate.Target{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind, Namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped}
	for _, v := range crd.Spec.Versions {
		if v.Name == version && v.Schema != nil {
			target.Schema = v.Schema.OpenAPIV3Schema
		}
	}
	g := generate.New(target)
	var objs []*unstructured.Unstructured
	for i := range n {
		objs = append(objs, &unstructured.Unstructured{Object: g.Object(rng, []generate.Class{generate.Valid, generate.Boundary, generate.Fault}[i%3])})
	}
	return objs
}

// FuzzDryRun rewrites any object. It checks that the input does not change,
// that a second dry run changes nothing, and that no field is reported as lost
// that the old version still shows.
func FuzzDryRun(f *testing.F) {
	next := parsed(stable())
	next.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties = map[string]apiextensionsv1.JSONSchemaProps{
		"host": {Type: "string"}, "size": {Type: "number", Default: &apiextensionsv1.JSON{Raw: []byte("1.0")}},
	}
	def := compile(next)
	for _, text := range []string{
		`{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a"},"host":"h","port":"1"}`,
		`{"apiVersion":"example.com/v1beta1","kind":"CronTab","metadata":{"name":"a","labels":{"a":null}},"host":null,"x":[1.0,{}]}`,
		`{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a","namespace":"n","generation":2.0},"size":1e3}`,
		`{"apiVersion":"example.com/v2","kind":"CronTab","metadata":null}`,
		`{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":5}}`,
	} {
		f.Add(text)
	}
	fuzz.Run(f, func(t *testing.T, text string) {
		value, err := testkit.DecodeJSON([]byte(text))
		object, ok := value.(map[string]any)
		if err != nil || !ok {
			return
		}
		obj := &unstructured.Unstructured{Object: object}
		before := obj.DeepCopy()
		one := dryRunOne(t, def, obj)
		if diff := fuzz.Diff(before, obj); diff != "" {
			t.Errorf("the object changed (-before +after):\n%s", diff)
		}
		if (one.Stored == nil) != (one.Failure != nil) {
			t.Fatalf("stored %v, failure %v", one.Stored, one.Failure)
		}
		if one.Stored == nil {
			return
		}
		if again := dryRunOne(t, def, one.Stored); again.Outcome() != migration.Unchanged {
			t.Errorf("the second dry run of\n%sis\n%s", rewriteText(one), rewriteText(again))
		}
		back, _, err := testkit.Must(def.Version(one.From)).Read(context.Background(), one.Stored)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range one.Lost {
			name, _ := path[0].Name()
			if len(path) == 1 && name != "metadata" && cmp.Equal(obj.Object[name], back.Object[name]) {
				t.Errorf("%s is called lost, but there: %s", path, rewriteText(one))
			}
		}
	})
}

func dryRunOne(t *testing.T, def *crdkit.Definition, obj *unstructured.Unstructured) *migration.Rewrite {
	t.Helper()
	for r, err := range migration.DryRun(context.Background(), def, migration.Objects(obj)) {
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatal("no rewrite")
	return nil
}

// BenchmarkDryRun rewrites one object of a definition with conversion strategy
// None.
func BenchmarkDryRun(b *testing.B) {
	def := compile(parsed(stable()))
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1beta1", "kind": "CronTab",
		"metadata": map[string]any{"name": "tab", "namespace": "default", "generation": int64(1)}, "host": "h", "port": "1",
	}}
	b.ReportAllocs()
	for b.Loop() {
		for r, err := range migration.DryRun(context.Background(), def, migration.Objects(obj)) {
			if err != nil || r.Outcome() != migration.Unchanged {
				b.Fatal(r, err)
			}
		}
	}
}

// TestDryRunGoTypes checks that a dry run returns a rewrite with a nil context,
// a nil option, and objects with values of Go types that no JSON decoder
// returns.
func TestDryRunGoTypes(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": map[string]any{"name": "a", "labels": map[string]string{"a": "b"}},
		"host": []string{"a"}, "port": 8080,
	}}
	var never context.Context // nil
	n := 0
	for r, err := range migration.DryRun(never, compile(parsed(stable())), migration.Objects(obj), nil) {
		if err != nil || r.Object != obj {
			t.Errorf("DryRun = %+v, %v", r, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d rewrites, want 1", n)
	}
}

func TestNilDefinitions(t *testing.T) {
	if plan := migration.NewPlan(nil, nil); len(plan.Errors) == 0 {
		t.Error("NewPlan(nil, nil) has no errors")
	}
	for r, err := range migration.DryRun(context.Background(), nil, migration.Objects(&unstructured.Unstructured{})) {
		if r != nil || err == nil {
			t.Errorf("DryRun without a definition = %v, %v", r, err)
		}
	}
}
