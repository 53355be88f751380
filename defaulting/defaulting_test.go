package defaulting

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestTable(t *testing.T) {
	for _, tt := range enginetest.Cases[tableCase](t, casesJSON) {
		t.Run(tt.Name, func(t *testing.T) {
			n := enginetest.MustCompile(t, tt.Schema)
			obj := enginetest.MustDecode(t, tt.Object)
			compare(t, n, obj)
			d := New(n)
			if diff := cmp.Diff(tt.Dropped, enginetest.Strings(d.DropNullsAndReport(obj))); diff != "" {
				t.Errorf("DropNullsAndReport (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.Set, enginetest.Strings(d.DefaultAndReport(obj))); diff != "" {
				t.Errorf("DefaultAndReport (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(enginetest.MustDecode(t, tt.Want), obj); diff != "" {
				t.Errorf("object after the reports (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBehaviour runs testdata/*.txtar. schema.yaml is a structural schema,
// object.yaml an object, dropped and set have the paths of dropped nulls and of
// set values, one per line, and want.yaml is the object after both.
func TestBehaviour(t *testing.T) {
	sections := []string{"schema.yaml", "object.yaml", "dropped", "set", "want.yaml"}
	testkit.RunTxtar(t, "testdata/*.txtar", sections, func(t *testing.T, c *testkit.Case) {
		text, err := yaml.YAMLToJSON([]byte(c.Section("schema.yaml")))
		if err != nil {
			t.Fatal(err)
		}
		n := enginetest.MustCompile(t, text)
		d := New(n)
		obj := c.Object(t, "object.yaml")
		dropped := d.DropNullsAndReport(obj)
		set := d.DefaultAndReport(obj)
		got, err := yaml.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		c.Want(t, "dropped", strings.Join(enginetest.Strings(dropped), "\n"))
		c.Want(t, "set", strings.Join(enginetest.Strings(set), "\n"))
		c.Want(t, "want.yaml", string(got))
	})
}

// Few fields are looked up in a map, and not more than a large map has entries.
func TestProbeIsFaster(t *testing.T) {
	for _, tt := range []struct {
		fields, entries int
		want            bool
	}{{5, 1, true}, {6, 1, false}, {5, 8, true}, {6, 8, false}, {9, 9, true}, {10, 9, false}, {20, 20, true}, {21, 20, false}} {
		if got := probeIsFaster(tt.fields, tt.entries); got != tt.want {
			t.Errorf("%d fields, %d entries: %t", tt.fields, tt.entries, got)
		}
	}
}

// TestIdleSubtreesCompileToNil checks that walks skip subtrees that need none.
func TestIdleSubtreesCompileToNil(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{
		"a":{"type":"object","properties":{"b":{"type":"array","items":{"type":"string"}}}},
		"c":{"type":"object","properties":{"d":{"type":"string","default":"x"}}}}}`))
	d := New(n)
	if _, ok := d.defaults.byName["a"]; ok || len(d.defaults.walks) != 1 {
		t.Errorf("defaulting enters a subtree without defaults: %+v", d.defaults)
	}
	if c := d.defaults.walks[0].below; len(c.sets) != 1 || c.sets[0].below != nil {
		t.Errorf("defaulting enters a value with a default and none below: %+v", c)
	}
	if got := New(enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`))).defaults; got != nil {
		t.Errorf("a schema without defaults compiles to %+v, want nil", got)
	}
	if got := New(enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"string","nullable":true}}}`))).nulls; got != nil {
		t.Errorf("a schema that drops no null compiles to %+v, want nil", got)
	}
}

// TestHugeDefault checks that New does not fill a default of 10^12 values, and that
// Default sets the parts that an object needs.
func TestHugeDefault(t *testing.T) {
	text := `{"type":"integer","default":1}`
	for range 12 {
		text = `{"type":"array","default":[null,null,null,null,null,null,null,null,null,null],"items":` + text + `}`
	}
	d := New(enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":`+text+`}}`)))

	inner := any([]any{nil, int64(2)}) // a list at the bottom
	for range 11 {
		inner = []any{inner}
	}
	want := any([]any{int64(1), int64(2)})
	for range 11 {
		want = []any{want}
	}
	obj := map[string]any{"a": inner}
	d.Default(obj)
	if diff := cmp.Diff(map[string]any{"a": want}, obj); diff != "" {
		t.Errorf("Default (-want +got):\n%s", diff)
	}
}

// TestDefaultsOfDefaults sets defaults that contain nulls with defaults.
func TestDefaultsOfDefaults(t *testing.T) {
	text := `{"type":"integer","default":1}`
	for range 3 {
		text = `{"type":"array","default":[null,null,null],"items":` + text + `}`
	}
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":`+text+`,"b":{"type":"object","default":{"z":0},"properties":{"y":{"type":"integer","default":1}}}}}`))
	compare(t, n, map[string]any{})
}

func TestNilSchemaAndNilObject(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","default":"x"}}}}}`))
	for _, n := range []*schema.Node{nil, n} {
		d := New(n)
		d.DropNulls(nil)
		d.Default(nil)
		if got := d.DefaultAndReport(nil); got != nil {
			t.Errorf("DefaultAndReport(nil) = %v, want nil", got)
		}
		if got := d.DropNullsAndReport(nil); got != nil {
			t.Errorf("DropNullsAndReport(nil) = %v, want nil", got)
		}
		obj := map[string]any{"a": map[string]any(nil), "c": []any(nil)}
		if got := d.DefaultAndReport(obj); got != nil || len(obj) != 2 {
			t.Errorf("DefaultAndReport of nil containers = %v and left %v", got, obj)
		}
	}
}

// TestDefaultsAreNotShared changes the defaults in one object and checks those of
// the next.
func TestDefaultsAreNotShared(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{
		"a":{"type":"object","default":{"b":{"c":[1,{"d":2}]}},"x-kubernetes-preserve-unknown-fields":true},
		"l":{"type":"array","items":{"type":"object","default":{"e":{}},"x-kubernetes-preserve-unknown-fields":true}}}}`))
	d := New(n)
	fresh := func() map[string]any { return map[string]any{"l": []any{nil, nil}} }
	want := fresh()
	d.Default(want)
	want = testkit.Clone(want)

	obj := fresh()
	d.Default(obj)
	spoil(obj)
	again := fresh()
	d.Default(again)
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("defaults are shared between objects (-want +got):\n%s", diff)
	}
	list := again["l"].([]any)
	list[0].(map[string]any)["e"] = "changed"
	if diff := cmp.Diff(want["l"].([]any)[1], list[1]); diff != "" {
		t.Errorf("defaults are shared within an object (-want +got):\n%s", diff)
	}
}

// spoil changes every map and list in v.
func spoil(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			spoil(e)
		}
		v["spoilt"] = true
	case []any:
		for i, e := range v {
			spoil(e)
			if !jsonval.IsContainer(e) {
				v[i] = "spoilt"
			}
		}
	}
}

func TestDeepObjectsAndSchemas(t *testing.T) {
	const levels = 10_000
	text := `{"type":"integer","default":1}`
	const schemas = 1_000
	for range schemas {
		text = `{"type":"object","properties":{"a":` + text + `}}`
	}
	n := enginetest.MustCompile(t, []byte(text))
	d := New(n)
	inner := any(nil)
	for range levels {
		inner = map[string]any{"a": inner}
	}
	obj := inner.(map[string]any)
	d.DropNulls(obj)
	d.Default(obj)

	short := map[string]any{}
	at := short
	for range schemas - 1 {
		next := map[string]any{}
		at["a"], at = next, next
	}
	got := d.DefaultAndReport(short)
	if len(got) != 1 || len(got[0]) != schemas || at["a"] != int64(1) {
		t.Errorf("DefaultAndReport = %d paths and %v at the bottom, want one path and 1", len(got), at["a"])
	}
}

func TestConcurrentUse(t *testing.T) {
	def := enginetest.Versions(t)[0]
	d := New(def.Node)
	want := testkit.Clone(def.Samples[0])
	d.DropNulls(want)
	d.Default(want)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			obj := testkit.Clone(def.Samples[0])
			d.DropNulls(obj)
			d.Default(obj)
			if !jsonval.Equal(obj, want) {
				t.Errorf("(-want +got):\n%s", cmp.Diff(want, obj))
			}
		})
	}
	wg.Wait()
}

func TestNothingToDoAllocatesNothing(t *testing.T) {
	for _, def := range enginetest.Versions(t) {
		d := New(def.Node)
		for i, sample := range def.Samples {
			done := testkit.Clone(sample)
			d.DropNulls(done)
			d.Default(done)
			for name, op := range map[string]func(){
				"DropNulls":          func() { d.DropNulls(done) },
				"DropNullsAndReport": func() { d.DropNullsAndReport(done) },
				"Default":            func() { d.Default(done) },
				"Report":             func() { d.DefaultAndReport(done) },
			} {
				if got := testing.AllocsPerRun(20, op); got != 0 {
					t.Errorf("%s sample %d: %s allocated %v times, want 0", def.Name, i, name, got)
				}
			}
		}
	}
}

// Equal schemas have one node for defaults and one for nulls.
func TestSharing(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string","default":"d"},"y":{"type":"string"}}},
		"b":{"type":"object","properties":{"x":{"type":"string","default":"d"},"y":{"type":"string"}}},"c":{"type":"object","properties":{"x":{"type":"string","default":"e"},"z":{"type":"string"}}}}}`))
	nulls := compileNulls(n).fields
	if len(nulls) != 3 || nulls[0].below != nulls[1].below || nulls[0].below == nulls[2].below {
		t.Errorf("nulls of equal schemas are not one node, or those of different ones are: %v", nulls)
	}
	fills := compileDefaults(n).walks
	if len(fills) != 3 || fills[0].below != fills[1].below || fills[0].below == fills[2].below {
		t.Errorf("defaults of equal schemas are not one node, or those of different ones are: %v", fills)
	}
}

// TestScalarsAllocateNothing sets scalars, which are shared, and drops a null.
func TestScalarsAllocateNothing(t *testing.T) {
	d := New(enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"integer","default":1234567},"c":{"type":"string"}}}`)))
	obj := map[string]any{"a": "x", "b": int64(1), "c": "x"}
	got := testing.AllocsPerRun(100, func() {
		delete(obj, "a")
		obj["b"], obj["c"] = nil, nil
		d.DropNulls(obj)
		d.Default(obj)
		if len(obj) != 2 || obj["a"] != "x" {
			t.Fatalf("object is %v", obj)
		}
	})
	if got != 0 {
		t.Errorf("allocated %v times, want 0", got)
	}
}

// TestReference compares a Defaulter with the reference on the definitions in
// testdata, with their samples, mutated samples and generated objects.
func TestReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, def := range enginetest.Versions(t) {
		for _, sample := range def.Samples {
			compare(t, def.Node, sample)
			for range 10 {
				compare(t, def.Node, testkit.Mutate(rng, sample))
			}
		}
		g := generate.Of(def.Definition, def.Declared)
		for i := range 100 {
			compare(t, def.Node, g.Object(rng, generate.Class(i%4)))
		}
	}
}

// compare defaults copies of obj with a Defaulter and with the reference, with and
// without dropping nulls first. See compareStep for what it checks besides.
func compare(t *testing.T, n *schema.Node, obj map[string]any) {
	t.Helper()
	d, reference := New(n), &reference{root: n}
	dropped := testkit.Clone(obj)
	wantNulls := enginetest.Strings(reference.DropNullsAndReport(dropped))
	compareStep(t, fmt.Sprintf("dropping nulls of %s", testkit.Encode(obj)), obj, dropped, wantNulls, d.DropNulls, d.DropNullsAndReport)
	for _, start := range []map[string]any{obj, dropped} {
		want := testkit.Clone(start)
		wantSet := enginetest.Strings(reference.DefaultAndReport(want))
		compareStep(t, fmt.Sprintf("defaulting %s", testkit.Encode(start)), start, want, wantSet, d.Default, d.DefaultAndReport)
	}
}

// compareStep checks that change and report make want of start, that the report
// is empty if and only if nothing changed, and that a second report is empty.
func compareStep(t *testing.T, what string, start, want map[string]any, paths []string, change func(map[string]any), report func(map[string]any) []schema.Path) {
	t.Helper()
	a, b := testkit.Clone(start), testkit.Clone(start)
	change(a)
	got := enginetest.Strings(report(b))
	switch {
	case !jsonval.Equal(a, want):
		t.Fatalf("%s (-reference +got):\n%s", what, cmp.Diff(want, a))
	case !jsonval.Equal(b, want):
		t.Fatalf("%s with a report (-reference +got):\n%s", what, cmp.Diff(want, b))
	case !slices.Equal(got, paths):
		t.Fatalf("%s reports (-reference +got):\n%s", what, cmp.Diff(paths, got))
	case (got == nil) != jsonval.Equal(start, want):
		t.Fatalf("%s reports %q, want a report if and only if the object changed", what, got)
	}
	if again := report(b); again != nil || !jsonval.Equal(b, want) {
		t.Fatalf("%s a second time changes %q", what, enginetest.Strings(again))
	}
}
