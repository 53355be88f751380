package crdkit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// The tests of this file update objects that are not valid, and request reports
// of updates.

// renderAll is render with the forgiven errors added.
func renderAll(r *crdkit.Result) map[string]string {
	out := render(r)
	for _, e := range r.Ratcheted {
		out["ratcheted"] += fmt.Sprintf("%s\n\t%s %s %s %v\n", e, e.Step, e.Pointer, e.SchemaPointer, e.BadValue)
	}
	return out
}

// spoil replaces some values below v by others that may be invalid.
func spoil(rng *rand.Rand, v any, left *int) any {
	if *left > 0 && rng.IntN(9) == 0 {
		*left--
		switch old := v.(type) {
		case string:
			return []any{"", "~" + old, old + old + "0123456789", int64(3), nil}[rng.IntN(5)]
		case int64:
			return []any{int64(-1), int64(1) << 40, old + 1, 1.5, "x"}[rng.IntN(5)]
		case bool:
			return []any{!old, "yes"}[rng.IntN(2)]
		case []any:
			if len(old) > 0 && rng.IntN(2) == 0 {
				return append(slices.Clone(old), testkit.Clone(map[string]any{"v": old[0]})["v"])
			}
			return []any{}
		case map[string]any:
			for _, key := range sorted(old) {
				delete(old, key)
				break
			}
			return old
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sorted(v) {
			v[key] = spoil(rng, v[key], left)
		}
	case []any:
		for i := range v {
			v[i] = spoil(rng, v[i], left)
		}
	}
	return v
}

func sorted(m map[string]any) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// A ratchetTally counts updates.
type ratchetTally struct{ all, forgiven, reported, fast int }

// compareUpdates makes one update with the fast and the reference
// implementation and compares the results.
func (n *ratchetTally) compareUpdates(t testing.TB, v versionPair, do verb, raw, old []byte, opts []crdkit.JSONOption, report bool) {
	t.Helper()
	// If the fast path declines, its attempt must not affect the pipeline.
	fast, fastRes, taken := do.forgetful(t, v.fast, raw, old, opts...)
	var want []byte
	var wantRes *crdkit.Result
	var err error
	for range 50 {
		if want, wantRes, err = do.do(v.reference, raw, old, opts...); err != nil {
			t.Fatal(err)
		}
		if wantRes.Cost == fastRes.Cost && len(wantRes.Errors) == len(fastRes.Errors) {
			break
		}
	}
	name := fmt.Sprintf("%s %s, on the fast path %t", do.name, v.fast.GroupVersionKind(), taken)
	if (fast == nil) != (want == nil) || string(fast) != string(want) && canonical(t, fast) != string(want) {
		t.Errorf("%s:\ninput %s\nold   %s\nreference %s\nfast      %s", name, raw, old, want, fast)
	}
	if diff := cmp.Diff(renderAll(wantRes), renderAll(fastRes)); diff != "" {
		t.Errorf("%s:\ninput %s\nold   %s\nresult (-reference +fast):\n%s", name, raw, old, diff)
	}
	n.all++
	if len(wantRes.Ratcheted) > 0 && wantRes.Admitted() {
		n.forgiven++
	}
	if report && wantRes.Admitted() {
		n.reported++
	}
	if taken {
		n.fast++
	}
}

// update changes an object as a client does; most changes are small.
func update(rng *rand.Rand, stored map[string]any) []byte {
	obj := testkit.Clone(stored)
	switch rng.IntN(6) {
	case 0:
		return scribbled(rng, testkit.Mutate(rng, obj))
	case 1:
		return testkit.Encode(testkit.Mutate(rng, obj))
	case 2:
		left := 1
		return testkit.Encode(spoil(rng, obj, &left).(map[string]any))
	case 3:
		return scribbled(rng, obj)
	}
	obj["metadata"].(map[string]any)["labels"] = map[string]any{"changed": "yes"}
	return testkit.Encode(obj)
}

func testUpdates(t *testing.T, pairs []versionPair, each int) {
	rng := rand.New(rand.NewPCG(7, uint64(each)))
	var n ratchetTally
	for _, v := range pairs {
		for _, obj := range v.samples {
			for i := range each {
				_, stored, ok := v.olds(t, rng, obj)
				if !ok {
					break
				}
				if i%4 > 0 {
					left := 1 + rng.IntN(3)
					for name, value := range stored {
						if name != "metadata" && name != "kind" && name != "apiVersion" {
							stored[name] = spoil(rng, value, &left)
						}
					}
				}
				raw, old := update(rng, stored), testkit.Encode(stored)
				opts, report := []crdkit.JSONOption{fieldValidations[rng.IntN(3)]}, rng.IntN(2) == 0
				if report {
					opts = append(opts, crdkit.ReportChanges())
				}
				n.compareUpdates(t, v, updating, raw, old, opts, report)
				if v.fast.HasStatus() {
					n.compareUpdates(t, v, updatingStatus, raw, old, opts, report)
				}
				if t.Failed() {
					return
				}
			}
		}
	}
	t.Logf("%d updates; %d with something forgiven, %d that are reported on, %d on the fast path", n.all, n.forgiven, n.reported, n.fast)
	if n.forgiven == 0 || n.reported == 0 || n.fast == 0 {
		t.Error("some kinds of updates are missing")
	}
}

// TestUpdates compares updates of invalid objects with the reference implementation.
func TestUpdates(t *testing.T) {
	corpus, err := testkit.LoadTestdata("testdata")
	if err != nil {
		t.Fatal(err)
	}
	each := 30
	if testing.Short() {
		each = 12
	}
	testUpdates(t, versionPairs(t, corpus.Definitions), each)
}

func TestUpdatesCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; skipped with -short")
	}
	pairs := versionPairs(t, testkit.FindCorpus(t).Definitions)
	for i := range pairs {
		pairs[i].samples = pairs[i].samples[:min(2, len(pairs[i].samples))]
	}
	testUpdates(t, pairs, 2)
}

// ratchetTests are updates of objects with wrong values, and reports on updates.
var ratchetTests = []struct {
	name     string
	old, new string // spec and status of the objects
	status   bool   // the request updates the status
	report   bool
	forgiven int
	changes  int
	most     int // MaxErrors, 0 for none
}{
	{name: "nothing is wrong", old: `"spec":{"n":1}`, new: `"spec":{"n":2}`},
	{name: "a number", old: `"spec":{"n":99,"s":"a"}`, new: `"spec":{"n":99,"s":"b"}`, forgiven: 1},
	{name: "a number that changed", old: `"spec":{"n":99}`, new: `"spec":{"n":98}`},
	{name: "a text", old: `"spec":{"s":"UPPER"}`, new: `"spec":{"n":1,"s":"UPPER"}`, forgiven: 1},
	{name: "two", old: `"spec":{"n":99,"s":"UPPER"}`, new: `"spec":{"m":1,"n":99,"s":"UPPER"}`, forgiven: 2},
	{name: "a field that is missing", old: `"spec":{"o":{"d":"d","x":"1"}}`, new: `"spec":{"n":1,"o":{"d":"d","x":"1"}}`, forgiven: 1},
	{name: "a field that is missing from what changed", old: `"spec":{"o":{"d":"d","x":"1"}}`, new: `"spec":{"o":{"d":"d","x":"2"}}`},
	{name: "an element by its key", old: `"spec":{"l":[{"k":"a","v":99}]}`, new: `"spec":{"l":[{"k":"b"},{"k":"a","v":99}]}`, forgiven: 1},
	{name: "an element by its index", old: `"spec":{"a":[99]}`, new: `"spec":{"a":[99,1]}`},
	{name: "a list as a whole", old: `"spec":{"a":[99,100]}`, new: `"spec":{"a":[99,100],"n":1}`, forgiven: 2},
	{name: "a list with a changed element", old: `"spec":{"a":[99,100]}`, new: `"spec":{"a":[99,101]}`},
	{name: "a list in an element by its key", old: `"spec":{"l":[{"k":"a","w":[{"x":"1"},{"y":99}]}]}`, new: `"spec":{"l":[{"k":"b"},{"k":"a","w":[{"x":"1"},{"y":99}]}]}`, forgiven: 2},
	{name: "a list in an element that gets another key", old: `"spec":{"l":[{"k":"a","w":[{"y":99}]}]}`, new: `"spec":{"l":[{"k":"b","w":[{"y":99}]}]}`},
	{name: "a list in an element that stays, of a list that stays", old: `"spec":{"l":[{"k":"b"},{"k":"a","w":[{"x":"1"},{"y":99}]}]}`, new: `"spec":{"n":1,"l":[{"k":"b"},{"k":"a","w":[{"x":"1"},{"y":99}]}]}`, forgiven: 2},
	{name: "a wrong key of an element", old: `"spec":{"l":[{"k":"A","v":1}]}`, new: `"spec":{"l":[{"k":"A","v":2}]}`, forgiven: 1},
	{name: "two in two lists", old: `"spec":{"a":[99],"w":[{"y":99},{"y":98}]}`, new: `"spec":{"a":[99],"n":1,"w":[{"y":99},{"y":98}]}`, forgiven: 3},
	{name: "an object in an object, which both lack a field", old: `"spec":{"w":[{"o":{"d":"d","x":"1"}}]}`, new: `"spec":{"n":1,"w":[{"o":{"d":"d","x":"1"}}]}`, forgiven: 2},
	{name: "too many in a list of wrong elements", old: `"spec":{"w":[{"y":99},{"y":98},{"y":1},{"y":1}]}`, new: `"spec":{"n":1,"w":[{"y":99},{"y":98},{"y":1},{"y":1}]}`, forgiven: 3},
	{name: "a list of few alternatives", old: `"spec":{"e":[["a"],["b"]]}`, new: `"spec":{"n":1,"e":[["a"],["b"]]}`, forgiven: 1},
	{name: "a wrong element beside a field that goes", old: `"spec":{"a":[99]}`, new: `"spec":{"a":[99],"zzz":1}`, forgiven: 1},
	{name: "a wrong element in other spelling", old: `"spec":{"w":[{"x":"1","y":99}]}`, new: `"spec":{"n":1,"w":[ {"y":99, "x":"1"} ]}`, forgiven: 1},
	{name: "a set with an element twice, which validation forgives by itself", old: `"spec":{"set":["a","a"]}`, new: `"spec":{"n":1,"set":["a","a"]}`, forgiven: 1},
	{name: "wrong elements of a set, two of which are equal", old: `"spec":{"set":["A","b","A"]}`, new: `"spec":{"n":1,"set":["A","b","A"]}`, forgiven: 3},
	{name: "new equal elements where the old object has others", old: `"spec":{"set":["a","a"]}`, new: `"spec":{"set":["b","b"]}`, forgiven: 1},
	{name: "new equal elements where the old object has some elsewhere", old: `"spec":{"l":[{"k":"a"},{"k":"a"}]}`, new: `"spec":{"set":["b","b"]}`, forgiven: 1},
	{name: "new equal elements", old: `"spec":{"set":["a","b"]}`, new: `"spec":{"set":["b","b"]}`},
	{name: "elements with the same wrong key", old: `"spec":{"l":[{"k":"A"},{"k":"A"},{"k":"A"}]}`, new: `"spec":{"n":1,"l":[{"k":"A"},{"k":"A"},{"k":"A"}]}`, forgiven: 4},
	{name: "a wrong value in the second of two equal elements", old: `"spec":{"l":[{"k":"a"},{"k":"a","v":99}]}`, new: `"spec":{"n":1,"l":[{"k":"a"},{"k":"a","v":99}]}`, forgiven: 1},
	{name: "a status over equal elements", old: `"spec":{"set":["a","a"]},"status":{"n":1}`, new: `"status":{"n":2}`, status: true, forgiven: 1},
	{name: "more forgiven errors than a result may have", old: `"spec":{"n":99,"m":99,"set":["a","a"]}`, new: `"spec":{"s":"a","n":99,"m":99,"set":["a","a"]}`, most: 2, forgiven: 2},
	{name: "as many forgiven errors as a result may have", old: `"spec":{"n":99,"set":["a","a"]}`, new: `"spec":{"s":"a","n":99,"set":["a","a"]}`, most: 2, forgiven: 2},
	{name: "a rule that a value breaks as before", old: `"spec":{"r":99}`, new: `"spec":{"n":1,"r":99}`, forgiven: 1},
	{name: "forgiven errors and rules, more than a result may have", old: `"spec":{"n":99,"m":99,"r":99}`, new: `"spec":{"s":"a","n":99,"m":99,"r":99}`, most: 2, forgiven: 2},
	{name: "another type", old: `"spec":{"n":"one"}`, new: `"spec":{"n":"one","s":"a"}`, forgiven: 1},
	{name: "a default that is missing from what is wrong", old: `"spec":{"o":{}}`, new: `"spec":{"n":1,"o":{}}`},
	{name: "a wrong status of which nothing is said", old: `"spec":{"n":1},"status":{"n":99}`, new: `"spec":{"n":2}`, forgiven: 1},
	{name: "a status over a wrong spec", old: `"spec":{"n":99},"status":{"n":1}`, new: `"status":{"n":2}`, status: true},
	{name: "a wrong status that stays", old: `"spec":{"n":1},"status":{"n":99,"s":"a"}`, new: `"status":{"n":99,"s":"b"}`, status: true, forgiven: 1},
	{name: "a wrong status that changes", old: `"spec":{"n":1},"status":{"n":99}`, new: `"status":{"n":98}`, status: true},
	{name: "a wrong status that goes, spelled with an escape", old: `"spec":{"n":1},"status":{"n":1,"s":"a"}`, new: `"spec":{"n":2},"status":{"\u006e":1,"s":"UPPER"}`},
	{name: "a wrong status that goes beside a wrong spec, spelled with an escape", old: `"spec":{"n":99},"status":{"n":1,"s":"a"}`, new: `"spec":{"n":99,"s":"a"},"status":{"\u006e":1,"s":"UPPER"}`, forgiven: 1},
	{name: "the kind of a status is always new", old: `"status":{"kind":"K"}`, new: `"status":{"kind":"K","n":1}`, status: true},

	{name: "a report on nothing", old: `"spec":{"n":1}`, new: `"spec":{"n":2}`, report: true},
	{name: "a report on a status that is taken back", old: `"spec":{"n":1},"status":{"n":1}`, new: `"spec":{"n":2},"status":{"n":2}`, report: true, changes: 1},
	{name: "a report on a status that goes", old: `"spec":{"n":1}`, new: `"spec":{"n":2},"status":{"n":2}`, report: true, changes: 1},
	{name: "a report on a default", old: `"spec":{"n":1}`, new: `"spec":{"o":{"x":"1","y":"1"}}`, report: true, changes: 1},
	{name: "a report on a field that goes", old: `"spec":{"n":1}`, new: `"spec":{"n":1,"zzz":1}`, report: true, changes: 1},
	{name: "a report on a number that is forgiven", old: `"spec":{"n":99}`, new: `"spec":{"n":99,"s":"b"}`, report: true, forgiven: 1},
	{name: "a report on a status alone", old: `"spec":{"n":1},"status":{"n":1}`, new: `"spec":{"n":1},"status":{"n":2}`, status: true, report: true},
	{name: "a report on a status with another spec", old: `"spec":{"n":1},"status":{"n":1}`, new: `"spec":{"n":3},"status":{"n":2}`, status: true, report: true, changes: 1},
}

const ratchetCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crates, kind: Crate}
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
              "n": &n {type: integer, maximum: 9}
              m: *n
              r: {type: integer, x-kubernetes-validations: [{rule: self < 9}]}
              s: &s {type: string, pattern: '^[a-z]+$'}
              o: {type: object, required: ["y"], properties: {"n": *n, x: {type: string}, "y": {type: string}, d: {type: string, default: d}}}
              a: {type: array, items: *n}
              set: {type: array, x-kubernetes-list-type: set, items: *s}
              l:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [k]
                items: {type: object, required: [k], properties: {k: *s, v: *n, w: &w {type: array, maxItems: 3, items: {type: object, required: ["y"], properties: {x: {type: string}, "y": *n, o: {type: object, required: ["y"], properties: {x: {type: string}, "y": *n, d: {type: string, default: d}}}}}}}}
              w: *w
              e: {type: array, items: {type: array, items: {type: string}, enum: [[a]]}}
          status:
            type: object
            properties: {"n": *n, s: *s, kind: {type: string, pattern: '^[a-z]+$'}}
`

func TestRatchetTable(t *testing.T) {
	crd := mustParse(t, ratchetCRD)
	fast, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := crdkit.Compile(crd, crdkit.Reference())
	if err != nil {
		t.Fatal(err)
	}
	v := versionPair{fast: testkit.Must(fast.Version("v1")), reference: testkit.Must(reference.Version("v1"))}
	for _, tt := range ratchetTests {
		t.Run(tt.name, func(t *testing.T) {
			const head = `{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"generation":1,"name":"a","namespace":"default","resourceVersion":"7","uid":"u"},`
			raw, old := []byte(head+tt.new+"}"), []byte(head+tt.old+"}")
			do, opts := updating, []crdkit.JSONOption(nil)
			if tt.status {
				do = updatingStatus
			}
			if tt.report {
				opts = append(opts, crdkit.ReportChanges())
			}
			if tt.most > 0 {
				opts = append(opts, crdkit.MaxErrors(tt.most))
			}
			var n ratchetTally
			n.compareUpdates(t, v, do, raw, old, opts, tt.report)
			_, res, err := do.do(v.fast, raw, old, opts...)
			if err != nil || len(res.Ratcheted) != tt.forgiven || len(res.Changes) != tt.changes {
				t.Errorf("%d are forgiven, %d changed, want %d and %d; %v, %v", len(res.Ratcheted), len(res.Changes), tt.forgiven, tt.changes, res.Changes, err)
			}
		})
	}
}

// TestRatchetReplicas checks that the update does not forgive a number of
// replicas that the scale subresource refuses.
func TestRatchetReplicas(t *testing.T) {
	const head = `{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a","namespace":"default"},`
	for _, path := range []string{".spec.n", ".spec.o.n"} {
		crd := mustParse(t, strings.Replace(ratchetCRD, "{status: {}}", "{status: {}, scale: {specReplicasPath: "+path+", statusReplicasPath: .status.n}}", 1))
		fast, err := crdkit.Compile(crd)
		if err != nil {
			t.Fatal(err)
		}
		reference, err := crdkit.Compile(crd, crdkit.Reference())
		if err != nil {
			t.Fatal(err)
		}
		v := versionPair{fast: testkit.Must(fast.Version("v1")), reference: testkit.Must(reference.Version("v1"))}
		for _, text := range []string{
			`"spec":{"n":%s,"s":"UPPER"}`, `"spec":{"s":"a","n":%s}`, `"spec":{"o":{"n":%s}}`, `"spec":{"o":%s}`, `"spec":%s`, `"spec":{"o":{"d":"d"},"n":%s}`, `"spec":{"s":"a"},"status":{"n":%s}`,
		} {
			for _, value := range []string{"1", "99", "-1", "4294967296", "1.5", `"x"`, "null", "[]", "{}"} {
				object := fmt.Appendf(nil, head+text+"}", value)
				var n ratchetTally
				n.compareUpdates(t, v, updating, object, object, nil, false)
				n.compareUpdates(t, v, updatingStatus, object, object, nil, false)
			}
		}
	}
}

func mustParse(t *testing.T, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// TestRatchetRefuses checks that a refused update reports each error once.
func TestRatchetRefuses(t *testing.T) {
	def, err := crdkit.Compile(mustParse(t, ratchetCRD))
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a","namespace":"default"},"spec":{"m":99,"n":%d}}`
	out, res, err := testkit.Must(def.Version("v1")).UpdateJSON(context.Background(), fmt.Appendf(nil, text, 98), fmt.Appendf(nil, text, 97))
	if err != nil || out != nil || len(res.Errors) != 1 || len(res.Ratcheted) != 1 {
		t.Errorf("UpdateJSON = %s, %d errors, %d forgiven, %v; want one each and nothing to store", out, len(res.Errors), len(res.Ratcheted), err)
	}
}

// TestUpdateOfListLikeObject updates an object whose kind declares a field
// items. Such an object looks like a list but is not one.
func TestUpdateOfListLikeObject(t *testing.T) {
	crd, err := definition.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"carts.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"carts","kind":"Cart"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"string","maxLength":5}}}}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	const (
		head = `{"apiVersion":"example.com/v1","kind":"Cart","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"1","creationTimestamp":"2024-02-29T12:00:00Z","generation":1},"items":`
		old  = head + `["pear"]}`
	)
	for name, opts := range map[string][]crdkit.Option{"fast": nil, "reference": {crdkit.Reference()}} {
		t.Run(name, func(t *testing.T) {
			def, err := crdkit.Compile(crd, opts...)
			if err != nil {
				t.Fatal(err)
			}
			v := testkit.Must(def.Version("v1"))
			for raw, accepted := range map[string]bool{head + `["pear","plum"]}`: true, head + `["pear","pineapple"]}`: false} {
				_, res, err := v.UpdateJSON(context.Background(), []byte(raw), []byte(old))
				if err != nil || res.Admitted() != accepted {
					t.Errorf("UpdateJSON of %s: %v, %v, want accepted %v", raw, res, err, accepted)
				}
			}
		})
	}
}

// TestRulesSeeNoStandInVersion updates objects that come from files and have no
// resourceVersion. The kind has a rule that compares the whole object with the
// old one.
func TestRulesSeeNoStandInVersion(t *testing.T) {
	crd, err := definition.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"string","maxLength":3}},"x-kubernetes-validations":[{"rule":"self == oldSelf","message":"never changes"}]}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	const object = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generation":1,"name":"w"%s},"a":%q}`
	for name, opts := range map[string][]crdkit.Option{"fast": nil, "reference": {crdkit.Reference()}} {
		def, err := crdkit.Compile(crd, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, version := range []string{``, `,"resourceVersion":"7"`} {
			old := fmt.Sprintf(object, version, "x")
			for a, admitted := range map[string]bool{"x": true, "y": false} {
				raw := fmt.Sprintf(object, version, a)
				_, res, err := testkit.Must(def.Version("v1")).UpdateJSON(context.Background(), []byte(raw), []byte(old))
				if err != nil || res.Admitted() != admitted {
					t.Errorf("%s: UpdateJSON of %s: %v, %v, want admitted %v", name, raw, res, err, admitted)
				}
			}
		}
	}
}

// TestRequiredStatus creates objects of kinds that require status. The server
// removes the status of new objects, so the creation fails, whether status has
// a default or not.
func TestRequiredStatus(t *testing.T) {
	for name, status := range map[string]string{
		"with a default": `{"type":"object","default":{}}`,
		"without":        `{"type":"object"}`,
		"with a null":    `{"type":"object","nullable":true,"default":null}`,
	} {
		crd, err := definition.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
			"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
			"schema":{"openAPIV3Schema":{"type":"object","required":["status"],"properties":{"status":` + status + `}}}}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		for path, opts := range map[string][]crdkit.Option{"fast": nil, "reference": {crdkit.Reference()}} {
			def, err := crdkit.Compile(crd, opts...)
			if err != nil {
				t.Fatal(err)
			}
			for _, raw := range []string{
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}}`,
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"status":{}}`,
			} {
				_, res, err := testkit.Must(def.Version("v1")).CreateJSON(context.Background(), []byte(raw))
				if err != nil || len(res.Errors) != 1 || res.Errors[0].Field != "status" {
					t.Errorf("%s, %s: CreateJSON of %s: %v, %v, want an error about status", name, path, raw, res, err)
				}
				if testkit.Must(def.Version("v1")).ValidJSON([]byte(raw)) {
					t.Errorf("%s, %s: ValidJSON of %s", name, path, raw)
				}
			}
		}
	}
}
