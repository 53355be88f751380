package apply_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// shapes is a definition with every form of value that merges in its own way.
const shapes = `
metadata: {name: shapes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: shapes, singular: shape, kind: Shape, listKind: ShapeList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              number: {type: integer}
              float: {type: number}
              text: {type: string, default: d}
              flag: {type: boolean}
              port: {x-kubernetes-int-or-string: true}
              any: {type: object, x-kubernetes-preserve-unknown-fields: true}
              named: {type: object, additionalProperties: {type: object, properties: {a: {type: integer}, b: {type: string, nullable: true}}}}
              labels: {type: object, additionalProperties: {type: string}}
              whole: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: integer}, b: {type: array, items: {type: integer}}}}
              list: {type: array, items: {type: object, properties: {a: {type: integer}}}}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              numbers: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [port, protocol]
                items:
                  type: object
                  required: [port]
                  properties: {port: {type: integer}, protocol: {type: string, default: TCP}, name: {type: string}, tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}}
              inner: {type: object, properties: {deep: {type: object, properties: {x: {type: string}, q: {type: string}}}, empty: {type: object}}}
          status: {type: object, properties: {phase: {type: string}, seen: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}
`

// shapeAppliers returns the Applier of shapes, and one that uses the reference only.
func shapeAppliers(t testing.TB) (fast, reference *apply.Applier) {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(shapes), crd); err != nil {
		t.Fatal(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	if fast, err = apply.New(d.Storage(), crd, apply.Clock(noon)); err != nil {
		t.Fatal(err)
	}
	if reference, err = apply.New(d.Storage(), crd, apply.Clock(noon), testopt.Reference{}); err != nil {
		t.Fatal(err)
	}
	return fast, reference
}

// shape returns an object with the given members in YAML.
func shape(t testing.TB, members string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if !strings.HasPrefix(members, "metadata:") {
		members = "metadata: {name: w, namespace: default}\n" + members
	}
	encoded, err := yaml.YAMLToJSON([]byte("apiVersion: example.com/v1\nkind: Shape\n" + members))
	if err == nil {
		err = u.UnmarshalJSON(encoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

const wholeShape = `
spec:
  number: 1
  float: 1.5
  text: t
  flag: true
  port: http
  any: {a: {b: [1, {c: d}], e: {}}, f: 2, g: x}
  named: {one: {a: 1, b: x}, two: {b: p}, "a.b/c": {}}
  labels: {x: "1", q: "2", "f:z": "3"}
  whole: {a: 1, b: [1, 2]}
  list: [{a: 1}, {a: 2}]
  set: [a, b, "c d"]
  numbers: [3, 1, 2]
  ports: [{port: 80, name: http, tags: [x, p]}, {port: 80, protocol: UDP}, {port: 443, name: https}]
  inner: {deep: {x: "1", q: "2"}, empty: {}}
status: {phase: Ready, seen: [a]}
`

func liveText(t *testing.T, live *unstructured.Unstructured) string {
	t.Helper()
	if live == nil {
		return "none"
	}
	return encode(t, live)
}

// same makes an apply with both implementations and returns the object, nil if it is
// refused. It fails if the two differ.
func same(t *testing.T, fast, reference *apply.Applier, live, config *unstructured.Unstructured, manager string, force, status bool, body string) *unstructured.Unstructured {
	t.Helper()
	var texts []string
	var object *unstructured.Unstructured
	for _, a := range []*apply.Applier{reference, fast} {
		do := a.Apply
		if status {
			do = a.ApplyStatus
		}
		before := liveText(t, live)
		res, err := do(context.Background(), live, config, manager, force)
		if err != nil {
			t.Fatal(err)
		}
		if liveText(t, live) != before {
			t.Fatalf("the live object changed from %s to %s", before, liveText(t, live))
		}
		object = res.Object
		text, err := json.MarshalIndent(struct {
			Object                 any
			Unchanged              bool
			Error                  string
			Status, Conflicts, Own any
		}{res.Object, res.Unchanged, fmt.Sprint(res.Err()), res.Err(), res.Conflicts, res.Warnings}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Fatalf("%s (force %v, status %v) applies %s\nto %s\n(-reference +fast):\n%s", manager, force, status, body, liveText(t, live), diff)
	}
	if live == nil && object == nil {
		t.Fatalf("%s is refused: %s", body, texts[0])
	}
	return object
}

// TestFastMerge compares random sequences of applies that the fast merge takes.
func TestFastMerge(t *testing.T) {
	fast, reference := shapeAppliers(t)
	rng, whole := rand.New(rand.NewPCG(1, 2)), shape(t, wholeShape).Object
	taken, refused, declined := 0, 0, 0
	for range 24 {
		live := same(t, fast, reference, nil, partOf(rng, whole, whole), "a", false, false, "a part")
		last := map[string]*unstructured.Unstructured{}
		for range 16 {
			base, manager := whole, []string{"a", "b", "kubectl"}[rng.IntN(3)]
			if rng.IntN(3) == 0 {
				base = testkit.Mutate(rng, whole)
			}
			config := partOf(rng, base, whole)
			if before := last[manager]; before != nil && rng.IntN(6) > 0 {
				config.Object = over(rng, config.Object, before.Object).(map[string]any)
			}
			force, status := rng.IntN(3) == 0, rng.IntN(8) == 0
			if !fast.TakesFast(live, config, manager, force, status) {
				if declined++; declined%3 == 0 { // other owners
					res, err := reference.Apply(context.Background(), live, config, manager, true)
					if err != nil {
						t.Fatal(err)
					}
					if res.Object != nil {
						live, last[manager] = res.Object, config
					}
				}
				continue
			}
			taken++
			if next := same(t, fast, reference, live, config, manager, force, status, encode(t, config)); next != nil {
				live, last[manager] = next, config
			} else {
				refused++
			}
		}
	}
	t.Logf("%d taken, %d of them refused, %d declined", taken, refused, declined)
	if taken < 120 || refused < 10 {
		t.Errorf("the fast merge took %d applies and declined %d, %d were refused: too few to compare", taken, declined, refused)
	}
}

// over returns a copy of below with some members of above.
func over(rng *rand.Rand, above, below any) any {
	a, isObject := above.(map[string]any)
	b, isAlsoObject := below.(map[string]any)
	if !isObject || !isAlsoObject {
		if rng.IntN(8) == 0 {
			return above
		}
		return below
	}
	out := testkit.Clone(b)
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if now, found := out[name]; found {
			out[name] = over(rng, a[name], now)
		} else if rng.IntN(3) == 0 {
			out[name] = a[name]
		}
	}
	return out
}

// partOf returns a configuration of random parts of an object.
func partOf(rng *rand.Rand, base, identity map[string]any) *unstructured.Unstructured {
	var part func(v any, keep int) any
	part = func(v any, keep int) any {
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if rng.IntN(keep) > 0 {
				out[name] = part(m[name], keep)
			}
		}
		return out
	}
	out := map[string]any{}
	for _, name := range []string{"spec", "status"} {
		if v, ok := base[name].(map[string]any); ok && (name == "spec" || rng.IntN(4) == 0) {
			out[name] = part(v, []int{2, 20}[rng.IntN(2)])
		}
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		out[name] = testkit.Clone(identity)[name]
	}
	if rng.IntN(4) == 0 {
		out["metadata"].(map[string]any)["labels"] = map[string]any{"l": fmt.Sprint(rng.IntN(3))}
	}
	return &unstructured.Unstructured{Object: testkit.Clone(out)}
}

// TestFastMergeTakes pins which applies the fast merge takes. Every row is also compared
// with the reference.
func TestFastMergeTakes(t *testing.T) {
	fast, reference := shapeAppliers(t)
	const some = "spec: {number: 1, text: t, set: [a, b], ports: [{port: 80, name: http}, {port: 443}], labels: {x: p}}"
	tests := []struct {
		name, config string
		manager      string
		force        bool
		declines     bool
	}{
		{name: "nothing changes", config: some},
		{name: "a scalar changes", config: "spec: {number: 2, text: t, set: [a, b], ports: [{port: 80, name: http}, {port: 443}], labels: {x: p}}"},
		{name: "a field is new", config: "spec: {flag: true, number: 1, text: t, set: [a, b], ports: [{port: 80, name: http}, {port: 443}], labels: {x: p}}"},
		{name: "items are new", config: "spec: {number: 1, text: t, set: [a, b, c], ports: [{port: 80, name: http}, {port: 443}, {port: 1}], labels: {x: p, z: z}}"},
		{name: "an item changes", config: "spec: {number: 1, text: t, set: [a, b], ports: [{port: 80, name: web}, {port: 443}], labels: {x: p}}"},
		{name: "a field is gone", config: "spec: {number: 1}", declines: true},
		{name: "items are in another order", config: "spec: {number: 1, text: t, set: [b, a], ports: [{port: 443}, {port: 80, name: http}], labels: {x: p}}", declines: true},
		{name: "a new item is first", config: "spec: {number: 1, text: t, set: [c, a, b], ports: [{port: 80, name: http}, {port: 443}], labels: {x: p}}", declines: true},
		{name: "the same from another manager", config: some, manager: "b"},
		{name: "a conflict", config: "spec: {number: 2, text: u}", manager: "b"},
		{name: "a conflict in an item", config: "spec: {ports: [{port: 80, name: web}]}", manager: "b"},
		{name: "a forced conflict", config: "spec: {number: 2}", manager: "b", force: true},
		{name: "another manager adds a field", config: "spec: {flag: true}", manager: "b"},
		{name: "an unknown field", config: "spec: {none: 1}", manager: "b", declines: true},
		{name: "an item twice", config: "spec: {set: [a, a]}", manager: "b", declines: true},
		{name: "an item without key", config: "spec: {ports: [{name: x}]}", manager: "b", declines: false},
		{name: "a null", config: "spec: {text: null}", manager: "b", declines: true},
		{name: "another type", config: "spec: {number: [1]}", manager: "b", declines: true},
		{name: "an object for a text", config: "spec: {text: {a: b}}", manager: "b", declines: true},
		{name: "kubectl without conflict", config: "spec: {flag: true}", manager: "kubectl"},
		{name: "kubectl with a conflict", config: "spec: {number: 2}", manager: "kubectl", declines: true},
		{name: "kubectl with its annotation", config: `metadata: {name: w, namespace: default, annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}}`, manager: "kubectl", declines: true},
		{name: "another manager with the annotation of kubectl", config: `metadata: {name: w, namespace: default, annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}}`, manager: "b"},
		{name: "a status", config: "spec: {flag: true}\nstatus: {phase: x}", manager: "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			live := same(t, fast, reference, nil, shape(t, some), "a", false, false, some)
			manager := tt.manager
			if manager == "" {
				manager = "a"
			}
			config := shape(t, tt.config)
			if got := fast.TakesFast(live, config, manager, tt.force, false); got == tt.declines {
				t.Errorf("the fast merge takes it: %v", got)
			}
			same(t, fast, reference, live, config, manager, tt.force, false, tt.config)
		})
	}
}

// TestFastMergeDeclinesManagers tests live objects with entries that the field manager
// changes, and compares the results.
func TestFastMergeDeclinesManagers(t *testing.T) {
	fast, reference := shapeAppliers(t)
	const config = "spec: {number: 1, whole: {a: 1}, list: [{a: 1}], set: [a], ports: [{port: 80}]}"
	live := encode(t, same(t, fast, reference, nil, shape(t, config), "a", false, false, config))
	for name, change := range map[string][2]string{
		"an object has become atomic": {`"f:whole":{}`, `"f:whole":{".":{},"f:a":{}}`},
		"a list has become atomic":    {`"f:list":{}`, `"f:list":{"v:1":{}}`},
		"an unknown member":           {`"manager":"a"`, `"manager":"a","x":"y"`},
		"a key in another order":      {`{\"port\":80,\"protocol\":\"TCP\"}`, `{\"protocol\":\"TCP\",\"port\":80}`},
		"a field and nothing below":   {`"f:number":{}`, `"f:number":{".":{}}`},
		"another form of the time":    {`T12:00:00Z`, `T13:00:00+01:00`},
		"an empty subresource":        {`"manager":"a"`, `"manager":"a","subresource":""`},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(live, change[0]) {
				t.Fatalf("%s has no %s", live, change[0])
			}
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON([]byte(strings.ReplaceAll(live, change[0], change[1]))); err != nil {
				t.Fatal(err)
			}
			for _, manager := range []string{"a", "b"} {
				if fast.TakesFast(u, shape(t, config), manager, false, false) {
					t.Error("the fast merge takes it")
				}
				same(t, fast, reference, u, shape(t, config), manager, false, false, config)
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	fast, reference := shapeAppliers(b)
	config := shape(b, strings.Replace(wholeShape, "status:", "#", 1))
	res, err := fast.Apply(context.Background(), nil, config, "a", false)
	if err != nil || res.Err() != nil {
		b.Fatal(err, res.Err())
	}
	body, err := json.Marshal(config.Object)
	if err != nil {
		b.Fatal(err)
	}
	changed := bytes.Replace(body, []byte(`"number":1`), []byte(`"number":2`), 1)
	for _, bb := range []struct {
		name, manager string
		body          []byte
	}{{"noop", "a", body}, {"change", "a", changed}, {"conflict", "b", changed}} {
		for name, a := range map[string]*apply.Applier{"fast": fast, "reference": reference} {
			b.Run(bb.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := a.ApplyYAML(context.Background(), res.Object, bb.body, bb.manager, false); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
