package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/patch"
)

// TestPatches compares PATCH requests.
func TestPatches(t *testing.T) {
	list, full := definitions(t)
	list = matching(list, *only)
	each := *objects / 20
	if testing.Short() {
		each = min(each, 2)
		list = sampleOf(list, 60)
	}
	total := &patchTally{}
	onAll(list, func(d *testkit.Definition) { total.definition(t, d, max(each, 1)) })
	if full && *only == "" && (total.admitted < 100 || total.refused < 100 || total.unchanged < 10) {
		t.Errorf("the patches show too little: %v", total)
	}
	fmt.Println(total)
}

// patchTally counts what was compared.
type patchTally struct {
	mu                                                         sync.Mutex
	definitions, patches, admitted, unchanged, refused, panics int
	differences                                                int
}

func (n *patchTally) String() string {
	return fmt.Sprintf("oracle: patch %d definitions, %d requests (%d admitted, %d of them unchanged, %d refused, %d panics of upstream), %d differences",
		n.definitions, n.patches, n.admitted, n.unchanged, n.refused, n.panics, n.differences)
}

func (n *patchTally) definition(t *testing.T, d *testkit.Definition, each int) {
	s, err := serveBoth(d)
	if err != nil {
		t.Errorf("%s: %v", d.Path, err)
		return
	}
	n.mu.Lock()
	n.definitions++
	n.mu.Unlock()
	for _, v := range s.versions {
		rng := source("patch", d.Path, v.Name())
		for _, obj := range s.objects(v, rng, each) {
			if err := s.server.Put(obj.Object); err != nil {
				t.Errorf("%s: %v", d.Path, err)
				return
			}
			for range 8 {
				n.request(t, s, v, rng, obj)
			}
		}
	}
}

// request makes one request on the stored object on both sides.
func (n *patchTally) request(t *testing.T, s *servedDefinition, v *crdkit.Version, rng *rand.Rand, obj *unstructured.Unstructured) {
	stored, err := s.server.Stored(obj.GetNamespace(), obj.GetName())
	if err != nil || stored == nil {
		t.Errorf("%s: the object is gone: %v", s.def.Path, err)
		return
	}
	live, _, err := v.Read(context.Background(), stored)
	if err != nil {
		t.Errorf("%s: %v", s.def.Path, err)
		return
	}
	r := randomPatch(rng, v, live)
	for bytes.Contains(r.Body, []byte("managedFields")) {
		r = randomPatch(rng, v, live) // package apply compares these
	}
	n.compare(t, s, v, r, stored, live)
}

// compare makes a request on both sides. live is the stored object at the version.
func (n *patchTally) compare(t *testing.T, s *servedDefinition, v *crdkit.Version, r server.Request, stored, live *unstructured.Unstructured) {
	got, res, err := ourPatch(v, live, r)
	if err != nil {
		t.Errorf("%s: %v", s.def.Path, err)
		return
	}
	answer := s.server.Do(r)
	want, version := theirs(answer)
	if answer.Code >= 300 {
		want = s.refusal(r, answer, got, func(a server.Answer) string { text, _ := theirs(a); return text })
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.patches++
	switch {
	case answer.Panic != "":
		n.panics++
		return
	case res.Err() != nil:
		n.refused++
	default:
		n.admitted++
		if res.Unchanged {
			n.unchanged++
		}
	}
	diff := cmp.Diff(want, got)
	if same := version == stored.GetResourceVersion(); diff == "" && res.Err() == nil && res.Unchanged != same && (same || storesExactly(v, stored, live)) {
		diff = fmt.Sprintf("unchanged is %v", res.Unchanged)
	}
	if diff != "" {
		if n.differences++; n.differences <= 10 {
			t.Errorf("%s %s %s %s %q %s\nlive %s\n(-upstream +ours):\n%s", s.def.Path, v.Name(), r.Subresource, r.Type, r.Fields, r.Body, encodeText(live.Object), diff)
		}
	}
}

// storesExactly reports whether the store has the live object as it is. Reading may set
// defaults and drop fields, which the next write then writes.
func storesExactly(v *crdkit.Version, stored, live *unstructured.Unstructured) bool {
	again, err := v.Store(context.Background(), live)
	return err == nil && v.IsStorage() && cmp.Equal(stored.Object, again.Object)
}

func encodeText(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// ourPatch makes a request on our side.
func ourPatch(v *crdkit.Version, live *unstructured.Unstructured, r server.Request) (string, *patch.Result, error) {
	p := patch.New(v)
	f := p.Patch
	if r.Subresource == "status" {
		f = p.PatchStatus
	}
	before := live.DeepCopy()
	unowned := live.DeepCopy()
	res, err := f(context.Background(), unowned, r.Type, r.Body, crdkit.FieldValidation(r.Fields), inNamespace(v, live.GetNamespace()))
	if err != nil {
		return "", nil, err
	}
	if !cmp.Equal(before.Object, unowned.Object) {
		return "", nil, fmt.Errorf("the live object changed: %s", cmp.Diff(before.Object, unowned.Object))
	}
	return oursText(v, res.Object, res.Result), res, nil
}

// inNamespace returns the option of a request in a namespace, nil if objects have none.
func inNamespace(v *crdkit.Version, namespace string) crdkit.RequestOption {
	if !v.Definition().Namespaced() {
		return nil
	}
	return crdkit.InNamespace(namespace)
}

// randomPatch returns a request on the live object.
func randomPatch(rng *rand.Rand, v *crdkit.Version, live *unstructured.Unstructured) server.Request {
	r := server.Request{
		Method: "PATCH", Version: v.Name(), Namespace: live.GetNamespace(), Name: live.GetName(),
		Type: types.MergePatchType, Fields: []string{"", "Warn", "Ignore", "Strict"}[rng.IntN(4)],
	}
	if v.HasStatus() && rng.IntN(3) == 0 {
		r.Subresource = "status"
	}
	switch n := rng.IntN(12); {
	case n == 0:
		r.Type = []types.PatchType{types.StrategicMergePatchType, "application/json", types.JSONPatchType + "; charset=utf-8"}[rng.IntN(3)]
		r.Body = []byte(`[]`)
	case n == 1:
		r.Body = []byte(fixedMerges[rng.IntN(len(fixedMerges))])
	case n == 2:
		r.Type, r.Body = types.JSONPatchType, []byte(fixedPatches[rng.IntN(len(fixedPatches))])
	case n < 7:
		r.Body = mergeTo(rng, live)
	default:
		r.Type, r.Body = types.JSONPatchType, randomOperations(rng, live)
	}
	return r
}

var fixedMerges = []string{
	`{`, ``, `1`, `null`, `[]`, `[{}]`, `"x"`, `{}`, ` { } `, `{"metadata":null}`, `{"metadata":{"name":"other"}}`, `{"metadata":{"name":null}}`,
	`{"metadata":{"namespace":"other"}}`, `{"metadata":{"namespace":null}}`, `{"metadata":{"resourceVersion":"1"}}`, `{"metadata":{"resourceVersion":null}}`,
	`{"metadata":{"resourceVersion":"0"}}`, `{"metadata":{"resourceVersion":"x"}}`, `{"metadata":{"resourceVersion":5}}`, `{"metadata":{"uid":"u-2"}}`, `{"metadata":{"uid":null}}`,
	`{"metadata":{"generation":77,"creationTimestamp":null,"labels":{"a":"b"}}}`, `{"metadata":{"labels":{"a":1}}}`, `{"metadata":{"labels":{"a b":"c"}}}`,
	`{"metadata":{"annotations":{"a":"<&>\u2028"}}}`, `{"metadata":{"unknown":1,"labels":{"x":"y"}}}`, `{"metadata":{"finalizers":["x","example.com/y"]}}`,
	`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}]}}`,
	`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}],"resourceVersion":"1"}}`,
	`{"kind":null}`, `{"kind":"Other"}`, `{"apiVersion":null}`, `{"apiVersion":"a/b/c"}`, `{"apiVersion":"other/v1"}`, `{"apiVersion":5}`,
	`{"apiVersion":""}`, `{"apiVersion":"/"}`, `{"apiVersion":"/v1"}`, `{"apiVersion":"v1/"}`, `{"apiVersion":"a/"}`, `{"apiVersion":"//"}`, `{"apiVersion":" "}`, `{"apiVersion":"v1"}`,
	`{"apiVersion":"/v1","kind":"Other"}`, `{"apiVersion":"/v1","kind":""}`, `{"apiVersion":"rows.example.com/v2"}`, `{"apiVersion":"rows.example.com/v9"}`, `{"apiVersion":"rows.example.com/"}`,
	`{"spec":null}`, `{"spec":[]}`, `{"spec":{"none":1,"none":2}}`, `{"spec":{"a":1.0,"b":1e400}}`, `{"status":{"none":true},"status":null}`, `{"unknown":{"a":[null,{"b":null}]}}`,
}

var fixedPatches = []string{
	`[]`, `null`, `{}`, `[1]`, `[null]`, `[{}]`, `[{"op":1}]`, `[{"op":"add"}]`, `[{"op":"none","path":"/kind"}]`, `[{"op":"add","path":"/kind","value":"Other"}]`, `[{"op":"remove","path":"/kind"}]`,
	`[{"op":"remove","path":"/apiVersion"}]`, `[{"op":"remove","path":"/metadata"}]`, `[{"op":"remove","path":"/metadata/name"}]`, `[{"op":"remove","path":"/metadata/resourceVersion"}]`,
	`[{"op":"replace","path":"","value":{}}]`, `[{"op":"replace","path":"","value":[]}]`, `[{"op":"replace","path":""}]`, `[{"op":"test","path":"/kind","value":"x"}]`,
	`[{"op":"test","path":"/metadata/uid","value":"u-1"}]`, `[{"op":"add","path":"/metadata/labels","value":{"a":"b"},"unknown":1}]`, `[{"op":"add","op":"test","path":"/metadata/uid","value":"u-1"}]`,
	`[{"op":"copy","from":"/spec","path":"/spec/x"},{"op":"copy","from":"/spec","path":"/spec/y"}]`, `[{"op":"add","path":"/spec/x","value":{"a":1,"a":2}}]`, `[{"op":"add","path":"/metadata/labels","value":null}]`,
	`[{"op":"move","from":"/spec","path":"/status"}]`, `[{"op":"copy","from":"/status","path":"/spec"}]`, `[{"Op":"remove","Path":"/kind"}]`,
	`[{"op":"add","path":"/metadata/annotations","value":{"a":5}}]`,
}

// mergeTo returns a merge patch that makes a mutation of the live object.
func mergeTo(rng *rand.Rand, live *unstructured.Unstructured) []byte {
	mutant := testkit.Mutate(rng, live.Object)
	before, after := testkit.Encode(live.Object), testkit.Encode(mutant)
	body, err := jsonpatch.CreateMergePatch(before, after)
	if err != nil || rng.IntN(5) == 0 {
		return after
	}
	return body
}

// randomOperations returns a JSON patch of some operations on locations of the object.
func randomOperations(rng *rand.Rand, live *unstructured.Unstructured) []byte {
	mutant := testkit.Mutate(rng, live.Object)
	locations := locationsOf(nil, "", mutant)
	var list []any
	for range 1 + rng.IntN(4) {
		p := locations[rng.IntN(len(locations))]
		o := map[string]any{"op": []string{"add", "replace", "remove", "test", "copy", "move"}[rng.IntN(6)], "path": p.pointer}
		switch o["op"] {
		case "copy", "move":
			o["from"] = locations[rng.IntN(len(locations))].pointer
		case "add", "replace", "test":
			o["value"] = p.value
			if rng.IntN(4) == 0 {
				o["value"] = locations[rng.IntN(len(locations))].value
			}
		}
		list = append(list, o)
	}
	return testkit.Encode(list)
}

type location struct {
	pointer string
	value   any
}

// locationsOf returns the locations of all values of v, in a stable order.
func locationsOf(locations []location, pointer string, v any) []location {
	if pointer != "" {
		locations = append(locations, location{pointer, v})
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range namesOf(v) {
			locations = locationsOf(locations, pointer+"/"+escapePointer(key), v[key])
		}
	case []any:
		for i, item := range v {
			locations = locationsOf(locations, fmt.Sprintf("%s/%d", pointer, i), item)
		}
		locations = append(locations, location{pointer + "/-", "x"})
	}
	return locations
}
