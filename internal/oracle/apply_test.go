package oracle

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

var sequences = flag.Int("sequences", 4000, "sequences of requests by managers of fields")

// TestApply compares sequences of requests by up to four managers: applies, updates,
// patches, and writes of the status and the scale.
func TestApply(t *testing.T) {
	list, full := definitions(t)
	list = matching(list, *only)
	count := *sequences
	if testing.Short() {
		list, count = sampleOf(list, 40), min(count, 400)
	}
	total := &applyTally{features: map[string]int{}}
	onAll(list, func(d *testkit.Definition) { total.definition(t, d, max(1, count/len(list))) })
	d, err := features()
	if err != nil {
		t.Fatal(err)
	}
	total.definition(t, d, max(200, count/10))
	if missing := total.missingFeatures(); len(missing) > 0 {
		t.Errorf("the sequences have too little of %q: %v", missing, total.features)
	}
	if full && *only == "" && (total.conflicts < 20 || total.unchanged < 20 || total.admitted < 100) {
		t.Errorf("the sequences show too little: %v", total)
	}
	fmt.Println(total)
	fmt.Println("oracle: apply", total.features)
}

// applyTally counts what was compared.
type applyTally struct {
	mu                                                                     sync.Mutex
	definitions, sequences, steps, admitted, unchanged, conflicts, refused int
	differences                                                            int
	features                                                               map[string]int
}

func (n *applyTally) String() string {
	return fmt.Sprintf("oracle: apply %d definitions, %d sequences, %d steps (%d admitted, %d of them unchanged, %d conflicts, %d other refusals), %d differences",
		n.definitions, n.sequences, n.steps, n.admitted, n.unchanged, n.conflicts, n.refused, n.differences)
}

// An applySide is both sides of a definition.
type applySide struct {
	*servedDefinition
	appliers map[string]*apply.Applier
	objects  map[string][]*unstructured.Unstructured // by version
	tick     int
	applies  int

	unexplained bool // managers are wrong, so that Explain cannot tell owners
}

func (n *applyTally) definition(t *testing.T, d *testkit.Definition, count int) {
	s, err := serveBoth(d)
	if err != nil {
		t.Errorf("%s: %v", d.Path, err)
		return
	}
	side := &applySide{servedDefinition: s, objects: map[string][]*unstructured.Unstructured{}}
	if side.appliers, err = apply.NewAll(s.ours, s.crd); err != nil {
		t.Errorf("%s: %v", d.Path, err)
		return
	}
	rng := source("apply", d.Path)
	for _, v := range s.versions {
		for _, stored := range s.objects(v, rng, 4) {
			if obj, _, err := v.Read(context.Background(), stored); err == nil {
				side.objects[v.Name()] = append(side.objects[v.Name()], obj)
			}
		}
	}
	n.mu.Lock()
	n.definitions++
	n.mu.Unlock()
	for range count {
		n.sequence(t, side, rng)
	}
}

// sequence makes some requests on one object.
func (n *applyTally) sequence(t *testing.T, s *applySide, rng *rand.Rand) {
	v := s.versions[rng.IntN(len(s.versions))]
	list := s.objects[v.Name()]
	if len(list) == 0 {
		return
	}
	first := list[rng.IntN(len(list))]
	namespace, name := first.GetNamespace(), first.GetName()
	s.server.Delete(namespace, name)
	if rng.IntN(4) == 0 {
		stored, err := v.Store(context.Background(), first)
		if err != nil {
			t.Errorf("%s: %v", s.def.Path, err)
			return
		}
		if err := s.server.Put(stored.Object); err != nil {
			t.Errorf("%s: %v", s.def.Path, err)
			return
		}
	}
	n.mu.Lock()
	n.sequences++
	n.mu.Unlock()
	var history []string
	for range 2 + rng.IntN(6) {
		if rng.IntN(12) == 0 && s.dropManagers(namespace, name) {
			history = append(history, "the managers are dropped")
		}
		if rng.IntN(3) == 0 {
			if other := s.versions[rng.IntN(len(s.versions))]; len(s.objects[other.Name()]) > 0 {
				n.tellVersion(s, v, other)
				v = other
			}
		}
		step := s.randomStep(rng, v, namespace, name)
		history = append(history, step.text)
		n.tell(step.features...)
		if !n.step(t, s, v, step, strings.Join(history, "\n")) {
			return
		}
	}
}

// An applyStep is one request on both sides.
type applyStep struct {
	text     string
	features []string // besides those of the request
	request  server.Request
	live     *unstructured.Unstructured // nil if there is none
	ours     func() (*apply.Result, error)
}

var applyManagers = []string{"kubectl", "a", "b", "controller"}

// randomStep returns the next request.
func (s *applySide) randomStep(rng *rand.Rand, v *crdkit.Version, namespace, name string) applyStep {
	stored, err := s.server.Stored(namespace, name)
	if err != nil {
		panic(err)
	}
	ctx, a := context.Background(), s.appliers[v.Name()]
	step := applyStep{request: server.Request{Version: v.Name(), Namespace: namespace, Name: name, Manager: applyManagers[rng.IntN(len(applyManagers))]}}
	r := &step.request
	if stored != nil {
		if step.live, _, err = v.Read(ctx, stored); err != nil {
			panic(err)
		}
	}
	samples := s.objects[v.Name()]
	base := samples[rng.IntN(len(samples))]
	if step.live != nil && rng.IntN(2) == 0 {
		base = step.live
	}
	live, kind := step.live, rng.IntN(13)
	if live != nil && len(live.GetFinalizers()) > 0 && rng.IntN(3) == 0 {
		kind = 12
	}
	switch {
	case live == nil && kind < 3:
		obj := freshObject(rng, base, namespace, name)
		r.Method, r.Name, r.Body = "POST", "", testkit.Encode(obj.Object)
		step.ours = func() (*apply.Result, error) { return a.Create(ctx, obj, r.Manager, inNamespace(v, namespace)) }
	case live == nil || kind < 6:
		config := s.randomConfig(rng, v, base, namespace, name)
		if live == nil {
			config.SetName(name) // the name of a new object is that of its configuration
		}
		step.features = metadataOf(rng, config, live)
		r.Method, r.Type, r.Body, r.Force = "PATCH", types.ApplyYAMLPatchType, testkit.Encode(config.Object), rng.IntN(3) == 0
		r.Fields = []string{"", "Strict", "Warn", "Ignore"}[rng.IntN(4)]
		opts := []crdkit.RequestOption{crdkit.FieldValidation(r.Fields), inNamespace(v, namespace)}
		switch {
		case live != nil && v.HasStatus() && rng.IntN(4) == 0:
			r.Subresource = "status"
			step.ours = func() (*apply.Result, error) {
				return a.Apply(ctx, apply.Request{Live: live, Config: config, Manager: r.Manager, Force: r.Force, Subresource: "status"}, opts...)
			}
		case rng.IntN(3) == 0:
			step.features = append(step.features, "decoded configuration")
			step.ours = func() (*apply.Result, error) {
				return a.Apply(ctx, apply.Request{Live: live, Config: config, Manager: r.Manager, Force: r.Force}, opts...)
			}
		default:
			var feature string
			r.Body, feature = bodyOf(rng, config)
			step.features = append(step.features, feature+r.Fields)
			step.ours = func() (*apply.Result, error) {
				return a.Apply(ctx, apply.Request{Live: live, Body: r.Body, Manager: r.Manager, Force: r.Force}, opts...)
			}
		}
	case kind < 8:
		obj := &unstructured.Unstructured{Object: testkit.Mutate(rng, live.Object)}
		obj.Object["metadata"] = testkit.Clone(live.Object)["metadata"]
		if rng.IntN(3) == 0 {
			obj.SetLabels(map[string]string{"l": fmt.Sprint(rng.IntN(3))})
		}
		step.features = s.damageManagers(rng, obj)
		r.Method, r.Body = "PUT", testkit.Encode(obj.Object)
		if v.HasStatus() && rng.IntN(3) == 0 {
			r.Subresource = "status"
		}
		step.ours = func() (*apply.Result, error) {
			return a.Update(ctx, obj, apply.Request{Live: live, Manager: r.Manager, Subresource: r.Subresource}, inNamespace(v, namespace))
		}
	case kind == 12:
		step.features = []string{s.finalize(&step)}
		if r.Method != "DELETE" {
			step.ours = func() (*apply.Result, error) {
				return a.Patch(ctx, apply.Request{Live: live, PatchType: r.Type, Body: r.Body, Manager: r.Manager}, inNamespace(v, namespace))
			}
		}
	case kind < 10 || !s.scales(v):
		p := randomPatch(rng, v, live)
		for strings.Contains(string(p.Type), "strategic") || p.Type == "application/json" {
			p = randomPatch(rng, v, live)
		}
		r.Method, r.Type, r.Body, r.Subresource, r.Fields = "PATCH", p.Type, p.Body, p.Subresource, p.Fields
		step.ours = func() (*apply.Result, error) {
			request := apply.Request{Live: live, PatchType: r.Type, Body: r.Body, Manager: r.Manager, Subresource: r.Subresource}
			return a.Patch(ctx, request, crdkit.FieldValidation(r.Fields), inNamespace(v, namespace))
		}
	default:
		target, body := scaleBody(rng, namespace, name)
		r.Method, r.Subresource, r.Body = "PUT", "scale", body
		step.ours = func() (*apply.Result, error) {
			return a.UpdateScale(ctx, live, func(current *autoscalingv1.Scale) error { *current = *target; return nil }, r.Manager, inNamespace(v, namespace))
		}
		if rng.IntN(2) == 0 {
			r.Method = "PATCH"
			r.Type, r.Body = scalePatch(rng)
			step.ours = func() (*apply.Result, error) {
				return a.Patch(ctx, apply.Request{Live: live, PatchType: r.Type, Body: r.Body, Manager: r.Manager, Subresource: "scale"}, inNamespace(v, namespace))
			}
		}
	}
	step.text = fmt.Sprintf("%s %s %s %s force=%v %q %s", r.Method, r.Version, r.Subresource, r.Manager, r.Force, r.Fields, r.Body)
	return step
}

func (s *applySide) scales(v *crdkit.Version) bool {
	for _, declared := range s.crd.Spec.Versions {
		if declared.Name == v.Name() {
			return declared.Subresources != nil && declared.Subresources.Scale != nil
		}
	}
	return false
}

// freshObject returns a new object for a create.
func freshObject(rng *rand.Rand, base *unstructured.Unstructured, namespace, name string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: testkit.Mutate(rng, base.Object)}
	obj.Object["metadata"] = map[string]any{"name": name}
	obj.SetNamespace(namespace)
	return obj
}

// damageManagers sometimes changes the managers that a client sends.
func (s *applySide) damageManagers(rng *rand.Rand, obj *unstructured.Unstructured) (features []string) {
	metadata := obj.Object["metadata"].(map[string]any)
	list, _ := metadata["managedFields"].([]any)
	switch rng.IntN(12) {
	case 0:
		delete(metadata, "managedFields")
	case 1:
		metadata["managedFields"] = []any{map[string]any{}}
	case 2:
		if len(list) > 0 {
			metadata["managedFields"] = list[:len(list)-1]
		}
	case 3:
		metadata["managedFields"] = append(list[:len(list):len(list)], map[string]any{
			"manager": "old", "operation": "Update", "apiVersion": s.crd.Spec.Group + "/unknown", "fieldsType": "FieldsV1", "time": "2019-01-01T00:00:00Z", "fieldsV1": map[string]any{"f:spec": map[string]any{}}})
	case 4, 5, 6, 7:
		if len(list) > 0 {
			metadata["managedFields"] = renameManager(rng, list)
			return []string{"renamed manager"}
		}
	}
	return nil
}

// tellVersion counts that the next request is at another version.
func (n *applyTally) tellVersion(s *applySide, from, to *crdkit.Version) {
	if from == to {
		return
	}
	n.tell("other version")
	if !cmp.Equal(schemaOf(s.crd, from.Name()), schemaOf(s.crd, to.Name())) {
		n.tell("other schema")
	}
}

// randomConfig returns a configuration: parts of an object, with rare mistakes.
func (s *applySide) randomConfig(rng *rand.Rand, v *crdkit.Version, base *unstructured.Unstructured, namespace, name string) *unstructured.Unstructured {
	obj := testkit.Clone(base.Object)
	if rng.IntN(2) == 0 {
		obj = testkit.Mutate(rng, obj)
	}
	config := &unstructured.Unstructured{Object: map[string]any{}}
	for _, key := range namesOf(obj) {
		if key != "metadata" && (key != "status" || rng.IntN(2) == 0) {
			config.Object[key] = partOf(rng, obj[key], 0)
		}
	}
	config.SetGroupVersionKind(v.GroupVersionKind())
	config.Object["metadata"] = map[string]any{"name": name}
	if namespace != "" {
		config.SetNamespace(namespace)
	}
	metadata := config.Object["metadata"].(map[string]any)
	switch rng.IntN(60) {
	case 0:
		metadata["labels"] = map[string]any{"l": fmt.Sprint(rng.IntN(3))}
	case 1:
		metadata["annotations"] = map[string]any{"kubectl.kubernetes.io/last-applied-configuration": `{"apiVersion":"` + config.GetAPIVersion() + `","kind":"` + config.GetKind() + `"}`}
	case 2:
		metadata["finalizers"] = []any{"example.com/" + fmt.Sprint(rng.IntN(3))}
	case 3:
		metadata["managedFields"] = []any{}
	case 6:
		metadata["name"] = "other"
	case 7:
		delete(metadata, "name")
	case 8:
		config.Object["kind"] = "Other"
	case 9:
		config.Object["apiVersion"] = s.crd.Spec.Group + "/unknown"
	case 10:
		config.Object["unknown"], config.Object["other"] = map[string]any{"a": "b"}, "x"
	case 11:
		if spec, ok := config.Object["spec"].(map[string]any); ok {
			spec["unknown"] = "x"
			spec["other"] = "x"
		}
	case 12:
		metadata["unknown"] = "x"
	case 13:
		delete(config.Object, "metadata")
	}
	return config
}

// partOf returns v without some of its parts.
func partOf(rng *rand.Rand, v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range namesOf(v) {
			if rng.IntN(5) > 0 || depth == 0 && len(v) == 1 {
				out[key] = partOf(rng, v[key], depth+1)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if rng.IntN(6) > 0 {
				out = append(out, item) // whole items, which keep their keys
			}
		}
		return out
	}
	return v
}
