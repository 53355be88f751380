package pruning

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
			var opts []Option
			if tt.Fragment {
				opts = append(opts, Fragment())
			}
			obj := enginetest.MustDecode(t, tt.Object)
			compare(t, New(n, opts...), &reference{n, tt.Fragment}, obj)
			removed := New(n, opts...).PruneAndReport(obj)
			if diff := cmp.Diff(tt.Removed, enginetest.Strings(removed)); diff != "" {
				t.Errorf("PruneAndReport (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(enginetest.MustDecode(t, tt.Want), obj); diff != "" {
				t.Errorf("object after PruneAndReport (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBehaviour runs testdata/*.txtar. schema.yaml is a structural schema,
// object.yaml a resource, want.yaml the pruned object, and removed has the
// reported paths, one per line.
func TestBehaviour(t *testing.T) {
	sections := []string{"schema.yaml", "object.yaml", "want.yaml", "removed"}
	testkit.RunTxtar(t, "testdata/*.txtar", sections, func(t *testing.T, c *testkit.Case) {
		text, err := yaml.YAMLToJSON([]byte(c.Section("schema.yaml")))
		if err != nil {
			t.Fatal(err)
		}
		n := enginetest.MustCompile(t, text)
		obj := c.Object(t, "object.yaml")
		removed := New(n).PruneAndReport(obj)
		got, err := yaml.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		c.Want(t, "want.yaml", string(got))
		c.Want(t, "removed", strings.Join(enginetest.Strings(removed), "\n"))
	})
}

func compiled(t *testing.T, text string) *node {
	t.Helper()
	return New(enginetest.MustCompile(t, []byte(text))).root
}

func (n *node) fieldNode(name string) *node { return n.fields[n.index.Find(name)].node }

// TestCompile checks which nodes schemas compile to: scalars share one node, a
// schema that prunes nothing has none, and likely fields come first.
func TestCompile(t *testing.T) {
	t.Run("scalars share one node", func(t *testing.T) {
		n := compiled(t, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"array","items":{"type":"string"}}}}`)
		if n.fieldNode("a") != n.fieldNode("b") || n.fieldNode("a") != n.fieldNode("c") {
			t.Error("scalars and a list of scalars have different nodes")
		}
	})
	t.Run("a schema that prunes nothing has no node", func(t *testing.T) {
		for _, props := range []string{
			`{"x-kubernetes-preserve-unknown-fields":true}`,
			`{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"string"}}`,
			`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"additionalProperties":{"x-kubernetes-preserve-unknown-fields":true}}`,
			`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"x-kubernetes-preserve-unknown-fields":true}}}`,
		} {
			if got := compiled(t, `{"type":"object","properties":{"a":`+props+`}}`).fieldNode("a"); got != nil {
				t.Errorf("%s compiles to %+v, want nil", props, got)
			}
		}
	})
	t.Run("a schema that prunes maps has a node", func(t *testing.T) {
		for _, props := range []string{
			`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"additionalProperties":true}`,
			`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"additionalProperties":{"type":"string"}}`,
			`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"type":"string"}}}`,
			`{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object","properties":{"b":{"type":"string"}}}}`,
		} {
			if compiled(t, `{"type":"object","properties":{"a":`+props+`}}`).fieldNode("a") == nil {
				t.Errorf("%s compiles to nil; it prunes maps", props)
			}
		}
	})
	t.Run("likely fields come first", func(t *testing.T) {
		n := compiled(t, `{"type":"object","required":["d"],"properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"},"c":{"type":"string"},"d":{"type":"string"}}}`)
		var got []string
		for _, f := range n.fields {
			got = append(got, f.name)
		}
		want := []string{"metadata", "kind", "apiVersion", "d", "b", "a", "c"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order of fields (-want +got):\n%s", diff)
		}
	})
	t.Run("equal schemas share a node", func(t *testing.T) {
		n := compiled(t, `{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}}},"b":{"type":"object","properties":{"x":{"type":"string"}}}}}`)
		if n.fieldNode("a") != n.fieldNode("b") {
			t.Error("equal schemas have two nodes")
		}
	})
}

// Fields are looked up if there are not many more of them than entries, and the
// more entries a map has, the more fields are.
func TestProbeIsFaster(t *testing.T) {
	for _, tt := range []struct {
		fields, entries int
		want            bool
	}{{5, 1, true}, {6, 1, false}, {12, 8, true}, {13, 8, false}, {18, 9, true}, {19, 9, false}, {40, 20, true}, {41, 20, false}} {
		n := node{fields: make([]field, tt.fields)}
		if got := n.probeIsFaster(tt.entries); got != tt.want {
			t.Errorf("%d fields, %d entries: %t", tt.fields, tt.entries, got)
		}
	}
}

// TestFieldOrder checks that likely fields are looked up first: apiVersion, kind
// and metadata, then required fields, fields with defaults below, and others.
func TestFieldOrder(t *testing.T) {
	const text = `{type: object, required: [r, u], properties: {
		a: {type: string}, b: {type: object, properties: {x: {type: string, default: y}}}, c: {type: integer, default: 1},
		r: {type: string, default: z}, s: {type: string}, u: {type: string}}}`
	for _, resource := range []bool{false, true} {
		n := compile(enginetest.MustCompileYAML(t, text), resource)
		var got []string
		for _, f := range n.fields {
			got = append(got, f.name)
		}
		want := []string{"r", "u", "b", "c", "a", "s"}
		if resource {
			want = append([]string{"metadata", "kind", "apiVersion"}, want...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("resource %t (-want +got):\n%s", resource, diff)
		}
	}
}

func TestNilSchemaAndNilObject(t *testing.T) {
	p := New(nil)
	p.Prune(nil)
	if got := p.PruneAndReport(nil); got != nil {
		t.Errorf("PruneAndReport(nil) = %v, want nil", got)
	}
	obj := map[string]any{"a": map[string]any(nil), "b": []any(nil)}
	keep := New(enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"object"},"b":{"type":"string"}}}`)))
	if got := keep.PruneAndReport(obj); got != nil || len(obj) != 2 {
		t.Errorf("PruneAndReport of nil containers = %v and left %v", got, obj)
	}
}

// nest returns an object of this depth, with maps and lists in turn.
func nest(levels int, inner any) map[string]any {
	v := inner
	for i := range levels {
		if i%2 == 0 {
			v = map[string]any{"a": v}
		} else {
			v = []any{v}
		}
	}
	return map[string]any{"a": v}
}

func TestDeepObjects(t *testing.T) {
	const levels = 10_000
	keep := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"array","items":{"type":"string"}}}}}`))
	drop := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`))
	lists := any(map[string]any{"x": true})
	for range levels {
		lists = []any{lists}
	}
	removed := New(drop).PruneAndReport(map[string]any{"a": lists})
	want := "a" + strings.Repeat("[0]", levels) + ".x"
	if len(removed) != 1 || removed[0].String() != want {
		t.Errorf("PruneAndReport of deep lists = %d paths, want the field at the bottom", len(removed))
	}
	obj := nest(levels, "x")
	New(keep).Prune(obj)
	if diff := cmp.Diff(fmt.Sprint(nest(levels, "x")), fmt.Sprint(obj)); diff != "" {
		t.Error("Prune changed what it had to keep")
	}
}

// TestCallerOwnsReportedPaths changes the paths of one report before the next.
func TestCallerOwnsReportedPaths(t *testing.T) {
	p := New(enginetest.MustCompile(t, []byte(`{"type":"object"}`)))
	first := p.PruneAndReport(map[string]any{"a": 1, "b": 2})
	first[0][0] = schema.Index(7)
	_ = append(first[0], schema.Field("x"))
	if got := first[1].String(); got != "b" {
		t.Errorf("the second path is %q after the first was changed", got)
	}
	if got := enginetest.Strings(p.PruneAndReport(map[string]any{"a": 1})); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the next report is %q, want [a]", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	c := enginetest.Versions(t)
	p := New(c[0].Node)
	want := testkit.Clone(c[0].Samples[0])
	wantRemoved := enginetest.Strings(p.PruneAndReport(want))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			obj := testkit.Clone(c[0].Samples[0])
			if got := enginetest.Strings(p.PruneAndReport(obj)); !slices.Equal(got, wantRemoved) {
				t.Errorf("PruneAndReport = %q, want %q", got, wantRemoved)
			}
		})
	}
	wg.Wait()
}

func TestPruneAllocatesNothing(t *testing.T) {
	for _, d := range enginetest.Versions(t) {
		p := New(d.Node)
		for i, sample := range d.Samples {
			clean := testkit.Clone(sample)
			p.Prune(clean)
			if got := testing.AllocsPerRun(20, func() { p.Prune(clean) }); got != 0 {
				t.Errorf("%s sample %d: Prune allocated %v times, want 0", d.Name, i, got)
			}
			if got := testing.AllocsPerRun(20, func() { p.PruneAndReport(clean) }); got != 0 {
				t.Errorf("%s sample %d: PruneAndReport allocated %v times with nothing to report, want 0", d.Name, i, got)
			}
		}
	}
}

func TestRemovingAllocatesNothing(t *testing.T) {
	p := New(enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}},"s":{"type":"string"}}}`)))
	a, s := map[string]any{}, map[string]any{}
	obj := map[string]any{"a": a, "s": s}
	unknown := any("value")
	got := testing.AllocsPerRun(100, func() {
		obj["u"], a["u"], s["u"] = unknown, unknown, unknown
		p.Prune(obj)
		if len(obj) != 2 || len(a)+len(s) != 0 {
			t.Fatalf("Prune left %v", obj)
		}
	})
	if got != 0 {
		t.Errorf("Prune allocated %v times, want 0", got)
	}
}

// TestReference compares a Pruner with the reference on the definitions in
// testdata, with their samples, mutated samples and generated objects.
func TestReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, d := range enginetest.Versions(t) {
		p, want := New(d.Node), &reference{node: d.Node}
		for _, sample := range d.Samples {
			compare(t, p, want, sample)
			for range 10 {
				compare(t, p, want, testkit.Mutate(rng, sample))
			}
		}
		g := generate.Of(d.Definition, d.Declared)
		for i := range 100 {
			compare(t, p, want, g.Object(rng, generate.Class(i%4)))
		}
	}
}

// compare prunes copies of obj with both. It also checks that Prune and
// PruneAndReport agree and that pruning is idempotent.
func compare(t *testing.T, fast *Pruner, reference *reference, obj map[string]any) {
	t.Helper()
	a, b, c := testkit.Clone(obj), testkit.Clone(obj), testkit.Clone(obj)
	got, want := enginetest.Strings(fast.PruneAndReport(a)), enginetest.Strings(reference.PruneAndReport(b))
	fast.Prune(c)
	switch {
	case !jsonval.Equal(a, b):
		t.Fatalf("objects differ for %s (-reference +fast):\n%s", testkit.Encode(obj), cmp.Diff(b, a))
	case !slices.Equal(got, want):
		t.Fatalf("reports differ for %s (-reference +fast):\n%s", testkit.Encode(obj), cmp.Diff(want, got))
	case !jsonval.Equal(a, c):
		t.Fatalf("Prune and PruneAndReport differ for %s (-PruneAndReport +Prune):\n%s", testkit.Encode(obj), cmp.Diff(a, c))
	}
	if again := fast.PruneAndReport(a); again != nil || !jsonval.Equal(a, b) {
		t.Fatalf("a second PruneAndReport of %s = %q, want nil", testkit.Encode(obj), enginetest.Strings(again))
	}
}

// TestManyUnknownFields prunes many maps with unknown fields: with values that are
// pruned in turn, with no known field, and with many.
func TestManyUnknownFields(t *testing.T) {
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{
		"a":{"type":"string"},"b":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}},"c":{"type":"array","items":{"type":"object","properties":{"z":{"type":"string"}}}},
		"d":{"type":"string"},"e":{"type":"string"},"f":{"type":"string"},"g":{"type":"string"},"h":{"type":"string"},"i":{"type":"string"},"j":{"type":"string"}}}}}}`))
	element := func(known, unknown int) any {
		m := map[string]any{"b": map[string]any{"x": "1", "u": "2"}, "c": []any{map[string]any{"z": "1", "u": []any{"2"}}}}
		for i := range known {
			m[string(rune('d'+i))] = int64(i)
		}
		for i := range unknown {
			m[fmt.Sprint("u", i)] = map[string]any{"x": "1"}
		}
		return m
	}
	var list []any
	for known := range 8 {
		for unknown := range 8 {
			list = append(list, element(known, unknown), map[string]any{"u": "1", "v": "2"})
		}
	}
	p := New(n)
	compare(t, p, &reference{node: n}, map[string]any{"list": list})
	obj := map[string]any{"list": list}
	copies := []map[string]any{testkit.Clone(obj), testkit.Clone(obj)} // one to warm up
	got := testing.AllocsPerRun(1, func() {
		p.Prune(copies[0])
		copies = copies[1:]
	})
	if got != 0 {
		t.Errorf("Prune allocated %v times, want 0", got)
	}
}
