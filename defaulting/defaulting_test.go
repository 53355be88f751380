package defaulting

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/testkit/generate"
	"github.com/crdkit/crdkit/internal/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestTable(t *testing.T) {
	for _, tt := range enginetest.Cases[tableCase](t, casesJSON) {
		t.Run(tt.Name, func(t *testing.T) {
			n := enginetest.MustCompile(t, tt.Schema)
			for _, impl := range implementations {
				d := New(n, impl.opts...)
				changed, reported := enginetest.MustDecode(t, tt.Object), enginetest.MustDecode(t, tt.Object)
				want := enginetest.MustDecode(t, tt.Want)

				d.DropNulls(changed)
				d.Default(changed)
				if diff := cmp.Diff(want, changed); diff != "" {
					t.Errorf("%s: DropNulls and Default (-want +got):\n%s", impl.name, diff)
				}
				if diff := cmp.Diff(tt.Dropped, enginetest.Strings(d.DropNullsAndReport(reported))); diff != "" {
					t.Errorf("%s: DropNullsAndReport (-want +got):\n%s", impl.name, diff)
				}
				if diff := cmp.Diff(tt.Set, enginetest.Strings(d.DefaultAndReport(reported))); diff != "" {
					t.Errorf("%s: DefaultAndReport (-want +got):\n%s", impl.name, diff)
				}
				if diff := cmp.Diff(want, reported); diff != "" {
					t.Errorf("%s: object after the reports (-want +got):\n%s", impl.name, diff)
				}
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
		for _, impl := range implementations {
			d := New(n, impl.opts...)
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
		}
	})
}

// TestOptionsSelectImplementations checks that the other tests do not compare an
// implementation with itself.
func TestOptionsSelectImplementations(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"object","default":{},"properties":{"b":{"type":"string","default":"x"}}},"c":{"type":"string"}}}`))
	d := New(n)
	if d.reference != nil || d.nulls == nil || d.defaults == nil {
		t.Error("New does not select the compiled walks")
	}
	if got := d.defaults.sets[0].set; got.fillLazily != nil || !cmp.Equal(got.value.Copy(), any(map[string]any{"b": "x"})) {
		t.Errorf("New fills a small default lazily: %+v", got)
	}
	if got := New(n, lazily()).defaults.sets[0].set; got.fillLazily == nil {
		t.Errorf("with maxFilled 0 a default is filled at compile time: %+v", got)
	}
	if d := New(n, testopt.Reference{}); d.reference == nil || d.nulls != nil || d.defaults != nil {
		t.Error("testopt.Reference does not select the reference implementation")
	}
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

// TestHugeDefaultIsSetLazily checks that New neither makes nor counts a default
// of 10^12 values, and that Default still sets the parts that an object needs.
func TestHugeDefaultIsSetLazily(t *testing.T) {
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

// TestDefaultsWithinAndBeyondBound checks that defaults are set whether they are
// filled at compile time or lazily.
func TestDefaultsWithinAndBeyondBound(t *testing.T) {
	text := `{"type":"integer","default":1}`
	for range 3 {
		text = `{"type":"array","default":[null,null,null],"items":` + text + `}`
	}
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":`+text+`,"b":{"type":"object","default":{"z":0},"properties":{"y":{"type":"integer","default":1}}}}}`))
	want := map[string]any{}
	New(n, testopt.Reference{}).Default(want)
	for maxFilled := range 60 {
		d := New(n, optionFunc(func(o *options) { o.maxFilled = maxFilled }))
		got := map[string]any{}
		d.Default(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("with maxFilled %d, Default (-want +got):\n%s", maxFilled, diff)
		}
	}
}

func TestNilSchemaAndNilObject(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","default":"x"}}}}}`))
	for _, impl := range implementations {
		for _, n := range []*schema.Node{nil, n} {
			d := New(n, impl.opts...)
			d.DropNulls(nil)
			d.Default(nil)
			if got := d.DefaultAndReport(nil); got != nil {
				t.Errorf("%s: DefaultAndReport(nil) = %v, want nil", impl.name, got)
			}
			if got := d.DropNullsAndReport(nil); got != nil {
				t.Errorf("%s: DropNullsAndReport(nil) = %v, want nil", impl.name, got)
			}
			obj := map[string]any{"a": map[string]any(nil), "c": []any(nil)}
			if got := d.DefaultAndReport(obj); got != nil || len(obj) != 2 {
				t.Errorf("%s: DefaultAndReport of nil containers = %v and left %v", impl.name, got, obj)
			}
		}
	}
}

// TestDefaultsAreNotShared changes the defaults in one object and checks those of
// the next.
func TestDefaultsAreNotShared(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{
		"a":{"type":"object","default":{"b":{"c":[1,{"d":2}]}},"x-kubernetes-preserve-unknown-fields":true},
		"l":{"type":"array","items":{"type":"object","default":{"e":{}},"x-kubernetes-preserve-unknown-fields":true}}}}`))
	for _, impl := range implementations {
		d := New(n, impl.opts...)
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
			t.Errorf("%s: defaults are shared between objects (-want +got):\n%s", impl.name, diff)
		}
		list := again["l"].([]any)
		list[0].(map[string]any)["e"] = "changed"
		if diff := cmp.Diff(want["l"].([]any)[1], list[1]); diff != "" {
			t.Errorf("%s: defaults are shared within an object (-want +got):\n%s", impl.name, diff)
		}
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
			if !isContainer(e) {
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
	for _, impl := range implementations {
		d := New(n, impl.opts...)
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
			t.Errorf("%s: DefaultAndReport = %d paths and %v at the bottom, want one path and 1", impl.name, len(got), at["a"])
		}
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
	fills := compileDefaults(n, maxFilled).walks
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

// TestImplementationsAgree compares the implementations on the definitions in
// testdata, with their samples, mutated samples and generated objects.
func TestImplementationsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, def := range enginetest.Versions(t) {
		ds := defaulters(def.Node)
		for _, sample := range def.Samples {
			compareImplementations(t, ds, sample)
			for range 10 {
				compareImplementations(t, ds, testkit.Mutate(rng, sample))
			}
		}
		g := generate.Of(def.Definition, def.Declared)
		for i := range 100 {
			compareImplementations(t, ds, g.Object(rng, generate.Class(i%4)))
		}
	}
}

// defaulters returns a Defaulter of each implementation, the reference last.
func defaulters(n *schema.Node) []*Defaulter {
	var out []*Defaulter
	for _, impl := range implementations {
		out = append(out, New(n, impl.opts...))
	}
	return out
}

// compareImplementations defaults copies of obj with each implementation, with and
// without dropping nulls first. See compareStep for what it checks besides.
func compareImplementations(t *testing.T, ds []*Defaulter, obj map[string]any) {
	t.Helper()
	reference := ds[len(ds)-1]
	dropped := testkit.Clone(obj)
	wantNulls := enginetest.Strings(reference.DropNullsAndReport(dropped))
	for i, d := range ds {
		what := fmt.Sprintf("%s: dropping nulls of %s", implementations[i].name, testkit.Encode(obj))
		compareStep(t, what, obj, dropped, wantNulls, func(obj map[string]any) { d.DropNulls(obj) }, func(obj map[string]any) []schema.Path { return d.DropNullsAndReport(obj) })
	}
	for _, start := range []map[string]any{obj, dropped} {
		want := testkit.Clone(start)
		wantSet := enginetest.Strings(reference.DefaultAndReport(want))
		for i, d := range ds {
			what := fmt.Sprintf("%s: defaulting %s", implementations[i].name, testkit.Encode(start))
			compareStep(t, what, start, want, wantSet, func(obj map[string]any) { d.Default(obj) }, func(obj map[string]any) []schema.Path { return d.DefaultAndReport(obj) })
		}
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
