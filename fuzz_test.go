package crdkit_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// The structured fuzz targets choose a definition by one number, and a request
// with its objects and options by another.

// sameObject compares decoded objects. [cmp.Diff] takes exponential time for deep lists.
func sameObject(t *testing.T, what string, want, got map[string]any) {
	t.Helper()
	if !jsonval.Equal(want, got) {
		t.Errorf("%s:\nwant %s\ngot  %s", what, testkit.Encode(want), testkit.Encode(got))
	}
}

// addSeeds adds a few definitions with a few requests each.
func addSeeds(f *testing.F) {
	for seed := range uint16(16) {
		for request := range uint64(4) {
			f.Add(seed, request)
		}
	}
}

// storage is the index of the storage version in the generated definitions.
const storage = 0

// structured runs check for the definition of the first number. check gets one of
// its versions and a random source.
func structured(f *testing.F, check func(t *testing.T, s *subject, version int, rng *rand.Rand)) {
	known := subjects{}
	addSeeds(f)
	fuzz.Run(f, func(t *testing.T, seed uint16, request uint64) {
		s := known.get(t, seed)
		if s == nil {
			return
		}
		rng := rand.New(rand.NewPCG(request, 2))
		check(t, s, rng.IntN(len(s.pairs)), rng)
	})
}

// classOf returns a class for a generated object. Hostile objects are rare, because
// many of them are long.
func classOf(rng *rand.Rand) generate.Class {
	switch n := rng.IntN(16); {
	case n == 0:
		return generate.Hostile
	case n < 4:
		return generate.Fault
	case n < 8:
		return generate.Boundary
	}
	return generate.Valid
}

func (s *subject) generate(version int, rng *rand.Rand) map[string]any {
	return s.generators[version].Object(rng, classOf(rng))
}

// admitted creates an object and returns it as a client then reads it, nil if the
// generated object is not admitted. An update of the answer to the create can
// change the object: that has no defaults of the status.
func (s *subject) admitted(t *testing.T, version int, rng *rand.Rand) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{Object: s.generators[version].Object(rng, generate.Valid)}
	res, err := s.pairs[version].fast.Create(context.Background(), obj, crdkit.Ignore)
	if err != nil {
		t.Fatal(err)
	}
	if !res.Admitted() {
		return nil
	}
	stored, err := s.pairs[version].fast.Store(context.Background(), obj)
	if err != nil && version != storage {
		return nil // the storage version has an embedded resource where this version has any value
	}
	if err != nil {
		t.Fatal(err)
	}
	// The database has JSON text: there, 1.0 is 1.
	decoded, err := testkit.DecodeJSON([]byte(canonical(t, testkit.Encode(stored.Object))))
	if err != nil {
		t.Fatal(err)
	}
	stored.Object = decoded.(map[string]any)
	read, _, err := s.pairs[version].fast.Read(context.Background(), stored)
	if err != nil {
		t.Fatalf("Read of %s: %v", testkit.Encode(stored.Object), err)
	}
	return read
}

// FuzzForms compares the map form with the JSON form of a request: the
// verdict, the errors, the warnings, the cost and the object.
func FuzzForms(f *testing.F) {
	structured(f, func(t *testing.T, s *subject, version int, rng *rand.Rand) {
		v := s.pairs[version].fast
		obj, old := s.generate(version, rng), map[string]any(nil)
		opts := []crdkit.RequestOption{fieldValidations[rng.IntN(3)]}
		if rng.IntN(2) == 0 {
			opts = append(opts, crdkit.ReportChanges())
		}
		if s.namespaced && rng.IntN(4) == 0 {
			opts = append(opts, crdkit.InNamespace("default"))
		}
		do := rng.IntN(3)
		if do > 0 {
			stored := s.admitted(t, version, rng)
			if stored == nil {
				return
			}
			old = stored.Object
			if rng.IntN(3) > 0 {
				obj = testkit.Mutate(rng, old)
			}
		}
		compareForms(t, v, do, obj, old, opts)
	})
}

// compareForms makes request 0 (create), 1 (update) or 2 (status) in both forms.
func compareForms(t *testing.T, v *crdkit.Version, do int, obj, old map[string]any, opts []crdkit.RequestOption) {
	t.Helper()
	_, hasKind := obj["kind"].(string)
	_, hasVersion := obj["apiVersion"].(string)
	if !hasKind || !hasVersion || do == 2 && !v.HasStatus() {
		return // the decoder refuses text without a kind before there is an object
	}
	ctx := context.Background()
	raw, oldRaw := testkit.Encode(obj), testkit.Encode(old)
	u := &unstructured.Unstructured{Object: testkit.Clone(obj)}
	oldU := &unstructured.Unstructured{Object: old}
	var (
		byMaps, byText *crdkit.Result
		out            []byte
		err, errText   error
	)
	switch do {
	case 0:
		byMaps, err = v.Create(ctx, u, opts...)
		out, byText, errText = v.CreateJSON(ctx, raw, jsonOptions(opts)...)
	case 1:
		byMaps, err = v.Update(ctx, u, oldU, opts...)
		out, byText, errText = v.UpdateJSON(ctx, raw, oldRaw, jsonOptions(opts)...)
	case 2:
		byMaps, err = v.UpdateStatus(ctx, u, oldU, opts...)
		out, byText, errText = v.UpdateStatusJSON(ctx, raw, oldRaw, jsonOptions(opts)...)
	}
	if err != nil || errText != nil {
		t.Fatalf("request %d: %v, %v\nobject %s\nold    %s", do, err, errText, raw, oldRaw)
	}
	if diff := cmp.Diff(render(byMaps), render(byText)); diff != "" {
		t.Errorf("request %d, object %s\nold %s\nresult (-maps +text):\n%s", do, raw, oldRaw, diff)
	}
	if byMaps.Admitted() != (out != nil) {
		t.Errorf("request %d, object %s: admitted %t with output %s", do, raw, byMaps.Admitted(), out)
	}
	if out != nil && string(out) != canonical(t, testkit.Encode(u.Object)) {
		t.Errorf("request %d, object %s\nold %s\nmaps %s\ntext %s", do, raw, oldRaw, canonical(t, testkit.Encode(u.Object)), out)
	}
}

// FuzzReference compares the fast with the reference implementation over objects
// in all spellings.
func FuzzReference(f *testing.F) {
	structured(f, func(t *testing.T, s *subject, version int, rng *rand.Rand) {
		v := s.pairs[version]
		fields := fieldValidations[rng.IntN(3)]
		if rng.IntN(2) == 0 {
			onBothPaths(t, v, creating, scribbled(rng, s.generate(version, rng)), nil, fields)
			return
		}
		old, stored, ok := v.olds(t, rng, s.generators[version].Object(rng, generate.Valid))
		do := []verb{updating, updatingStatus}[rng.IntN(2)]
		if !ok || do.name == "status" && !v.fast.HasStatus() {
			return
		}
		onBothPaths(t, v, do, scribbled(rng, stored), old, fields)
	})
}

// FuzzAccepted checks that an accepted definition compiles, and that every
// request on it has a verdict.
func FuzzAccepted(f *testing.F) {
	addSeeds(f)
	fuzz.Run(f, func(t *testing.T, seed uint16, request uint64) {
		rng := rand.New(rand.NewPCG(request, uint64(seed)))
		obj := definitions{rng}.object()
		if rng.IntN(4) > 0 {
			obj = testkit.Mutate(rng, obj)
		}
		text := testkit.Encode(obj)
		crd, err := definition.Parse(text)
		if err != nil || !definition.Check(crd).Accepted() {
			return
		}
		def, err := crdkit.Compile(crd)
		if err != nil {
			t.Fatalf("Check accepts a definition that does not compile: %v\n%s", err, text)
		}
		for i := range crd.Spec.Versions {
			v := testkit.Must(def.Version(crd.Spec.Versions[i].Name))
			g := generate.New(targetOf(crd, i))
			obj := &unstructured.Unstructured{Object: g.Object(rng, classOf(rng))}
			decided(t, v, obj, text)
		}
	})
}

// decided checks that requests with an object end without an error.
func decided(t *testing.T, v *crdkit.Version, obj *unstructured.Unstructured, text []byte) {
	t.Helper()
	ctx := context.Background()
	raw := testkit.Encode(obj.Object)
	if _, _, err := v.CreateJSON(ctx, raw); err != nil {
		t.Errorf("CreateJSON of %s: %v\n%s", raw, err, text)
	}
	res, err := v.Create(ctx, obj)
	if err != nil {
		t.Fatalf("Create of %s: %v\n%s", raw, err, text)
	}
	if !res.Admitted() {
		return
	}
	if _, err := v.Update(ctx, obj.DeepCopy(), obj); err != nil {
		t.Errorf("Update of %s: %v\n%s", raw, err, text)
	}
	stored, err := v.Store(ctx, obj)
	if err != nil {
		t.Fatalf("Store of %s: %v\n%s", raw, err, text)
	}
	if _, _, err := v.Read(ctx, stored); err != nil {
		t.Errorf("Read of %s: %v\n%s", raw, err, text)
	}
}

// FuzzUnchanged checks that an update that changes nothing is admitted after a
// create, and that neither it nor an update of the status changes the object.
func FuzzUnchanged(f *testing.F) {
	structured(f, func(t *testing.T, s *subject, _ int, rng *rand.Rand) {
		v := s.pairs[storage].fast // another version may lack what its schema wants
		obj := s.admitted(t, storage, rng)
		if obj == nil {
			return
		}
		update := v.Update
		if v.HasStatus() && rng.IntN(3) == 0 {
			update = v.UpdateStatus
		}
		again := obj.DeepCopy()
		res, err := update(context.Background(), again, obj)
		if err != nil {
			t.Fatal(err)
		}
		if !res.Admitted() {
			t.Errorf("an update without a change is refused: %v\n%s", res.Err(), testkit.Encode(obj.Object))
		}
		if res.Admitted() {
			sameObject(t, "an update without a change", obj.Object, again.Object)
		}
	})
}

// FuzzReadStored checks that reading is a fixed point: what was read and is
// stored again reads as the same object.
func FuzzReadStored(f *testing.F) {
	structured(f, func(t *testing.T, s *subject, version int, rng *rand.Rand) {
		v := s.pairs[version].fast
		if v.Schema() != s.pairs[storage].fast.Schema() {
			return // what this version does not have is lost, and may have a default when it is stored
		}
		ctx := context.Background()
		x := &unstructured.Unstructured{Object: s.generate(storage, rng)}
		first, _, err := v.Read(ctx, x)
		if err != nil {
			return // metadata that no server serves
		}
		stored, err := v.Store(ctx, first)
		if err != nil {
			t.Fatalf("Store of %s: %v", testkit.Encode(first.Object), err)
		}
		second, _, err := v.Read(ctx, stored)
		if err != nil {
			t.Fatalf("Read of %s: %v", testkit.Encode(stored.Object), err)
		}
		sameObject(t, "read, stored and read again", first.Object, second.Object)
	})
}

// FuzzConvertBack checks that conversion with strategy None changes the
// apiVersion only, and that conversion back returns the object.
func FuzzConvertBack(f *testing.F) {
	structured(f, func(t *testing.T, s *subject, version int, rng *rand.Rand) {
		def := s.pairs[0].fast.Definition()
		from, to := s.pairs[version].fast.Name(), s.pairs[1-version].fast.Name()
		obj := &unstructured.Unstructured{Object: s.generate(version, rng)}
		if obj.GetKind() != "Seed" || obj.GetAPIVersion() != "example.com/"+from {
			return // an object of no version
		}
		before := obj.DeepCopy()
		there, err := def.Convert(context.Background(), []*unstructured.Unstructured{obj}, to)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(obj.GetAPIVersion(), from, to, 1); there[0].GetAPIVersion() != want {
			t.Errorf("apiVersion %q, want %q", there[0].GetAPIVersion(), want)
		}
		back, err := def.Convert(context.Background(), there, from)
		if err != nil {
			t.Fatal(err)
		}
		sameObject(t, "there and back", before.Object, back[0].Object)
	})
}

// A definitions generates small definitions. The same random source gives the
// same definitions.
type definitions struct{ rng *rand.Rand }

func (d definitions) oneIn(n int) bool { return d.rng.IntN(n) == 0 }

func pick[T any](d definitions, values ...T) T { return values[d.rng.IntN(len(values))] }

// object returns a definition of the kind Seed, with the versions v1 (the storage
// version) and v2, as a decoded object.
func (d definitions) object() map[string]any {
	first := d.root()
	second := first
	switch d.rng.IntN(3) {
	case 0:
		second = d.root()
	case 1: // a version that differs a little
		second = testkit.Mutate(d.rng, map[string]any{"apiVersion": "a/v1", "kind": "A", "schema": first})
		if s, ok := second["schema"].(map[string]any); ok {
			second = s
		}
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "seeds.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": pick(d, "Namespaced", "Namespaced", "Cluster"),
			"names":    map[string]any{"plural": "seeds", "singular": "seed", "kind": "Seed", "listKind": "SeedList"},
			"versions": []any{d.version("v1", true, first), d.version("v2", false, second)},
		},
	}
}

func (d definitions) version(name string, storage bool, root map[string]any) map[string]any {
	v := map[string]any{"name": name, "served": true, "storage": storage, "schema": map[string]any{"openAPIV3Schema": root}}
	if d.oneIn(2) {
		v["subresources"] = map[string]any{"status": map[string]any{}}
	}
	return v
}

func (d definitions) root() map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{"spec": d.withProperties(2), "status": d.withProperties(1)}}
}

// schema returns a schema with at most this number of levels below it.
func (d definitions) schema(levels int) map[string]any {
	var s map[string]any
	switch n := d.rng.IntN(10); {
	case n < 3:
		s = d.text()
	case n < 5:
		s = d.number()
	case n < 6 || levels == 0:
		s = pick(d,
			map[string]any{"type": "boolean"},
			map[string]any{"x-kubernetes-int-or-string": true, "x-kubernetes-validations": d.rules("self == 1 || self == 'a' || true")},
			map[string]any{"x-kubernetes-preserve-unknown-fields": true},
			map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
			map[string]any{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true})
	case n < 8:
		s = d.list(levels - 1)
	case n < 9:
		s = map[string]any{"type": "object", "additionalProperties": d.schema(levels - 1), "maxProperties": int64(1 + d.rng.IntN(4))}
		d.addRules(s, "size(self) < 4", "!('a' in self)")
	default:
		s = d.withProperties(levels - 1)
	}
	if d.oneIn(6) {
		s["nullable"] = true
	}
	return s
}

func (d definitions) text() map[string]any {
	s := map[string]any{"type": "string", "maxLength": int64(1 + d.rng.IntN(12))}
	switch d.rng.IntN(7) {
	case 0:
		s["enum"] = []any{"a", "bc", ""}
	case 1:
		s["pattern"] = pick(d, "^[a-c]{1,3}$", "[0-9]", "^x|y$", "^(a|bc)*$", `^\pL+\b`)
	case 2:
		s["format"] = pick(d, "date-time", "uuid", "ipv4", "byte", "duration", "email", "no-format")
	case 3:
		s["minLength"] = int64(d.rng.IntN(3))
	case 4:
		s["default"] = pick(d, "a", "bc", "x1", "")
	}
	d.addRules(s, "self != 'b'", "self.startsWith('a') || self.size() < 5", "self.lowerAscii() == self", "self >= oldSelf", "self.matches('^[a-z0-9]*$')")
	return s
}

func (d definitions) number() map[string]any {
	s := map[string]any{"type": pick(d, "integer", "integer", "number")}
	switch d.rng.IntN(6) {
	case 0:
		s["minimum"] = int64(d.rng.IntN(5) - 2)
		s["exclusiveMinimum"] = d.oneIn(2)
	case 1:
		s["maximum"] = int64(d.rng.IntN(100))
	case 2:
		s["format"] = pick(d, "int32", "int64", "double", "float")
	case 3:
		s["multipleOf"] = int64(1 + d.rng.IntN(4))
	case 4:
		s["enum"] = []any{int64(1), int64(2), int64(40)}
	}
	if d.oneIn(4) {
		s["default"] = pick[any](d, int64(1), int64(2), int64(40), 1.5)
	}
	d.addRules(s, "self > 0", "self != 3", "self >= oldSelf", "10 / self < 20")
	return s
}

func (d definitions) list(levels int) map[string]any {
	s := map[string]any{"type": "array", "maxItems": int64(1 + d.rng.IntN(4))}
	switch d.rng.IntN(4) {
	case 0:
		s["items"], s["x-kubernetes-list-type"] = pick(d, d.text(), d.number()), "set"
	case 1:
		item := d.withProperties(levels)
		item["properties"].(map[string]any)["k"] = map[string]any{"type": "string", "maxLength": int64(4)}
		item["required"] = []any{"k"}
		s["items"], s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = item, "map", []any{"k"}
	default:
		s["items"] = d.schema(levels)
	}
	d.addRules(s, "self.size() < 3", "self.all(x, x == x)", "!self.exists_one(x, self.all(y, x == y))")
	return s
}

func (d definitions) withProperties(levels int) map[string]any {
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "c"}[:1+d.rng.IntN(3)] {
		properties[name] = d.schema(levels)
	}
	s := map[string]any{"type": "object", "properties": properties}
	if d.oneIn(4) {
		s["required"] = []any{"a"}
	}
	if d.oneIn(6) {
		s["default"] = map[string]any{}
	}
	if d.oneIn(6) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if d.oneIn(8) {
		delete(s, "required")
		s["oneOf"] = []any{map[string]any{"required": []any{"a"}}, map[string]any{"maxProperties": int64(1)}}
	}
	d.addRules(s, "has(self.a)", "!has(self.a) || self.a == self.a", "!has(oldSelf.a) || has(self.a)")
	return s
}

// addRules adds one of the rules to some schemas.
func (d definitions) addRules(s map[string]any, rules ...string) {
	if d.oneIn(4) {
		s["x-kubernetes-validations"] = d.rules(pick(d, rules...))
	}
}

func (d definitions) rules(rule string) []any {
	r := map[string]any{"rule": rule}
	if d.oneIn(3) {
		r["message"] = "no"
	}
	if d.oneIn(4) {
		r["reason"] = pick(d, "FieldValueForbidden", "FieldValueDuplicate", "FieldValueRequired")
	}
	return []any{r}
}

// A subject is an accepted definition with what requests on it need.
type subject struct {
	pairs      []versionPair
	generators []*generate.Generator // in the order of pairs
	namespaced bool
}

// maxSubjects limits how many compiled definitions a fuzz target keeps.
const maxSubjects = 2000

// A subjects compiles definitions when they are first used.
type subjects map[uint16]*subject

// get returns the subject of a seed, nil if no definition near the seed is accepted.
func (s subjects) get(t testing.TB, seed uint16) *subject {
	if known, ok := s[seed]; ok {
		return known
	}
	if len(s) >= maxSubjects {
		clear(s)
	}
	s[seed] = newSubject(t, seed)
	return s[seed]
}

func newSubject(t testing.TB, seed uint16) *subject {
	t.Helper()
	d := definitions{rand.New(rand.NewPCG(uint64(seed), 1))}
	for range 20 {
		crd, err := definition.Parse(testkit.Encode(d.object()))
		if err != nil || !definition.Check(crd).Accepted() {
			continue
		}
		fast, reference := compileBoth(t, crd)
		out := &subject{namespaced: fast.Namespaced()}
		for i, v := range crd.Spec.Versions {
			out.pairs = append(out.pairs, versionPair{fast: testkit.Must(fast.Version(v.Name)), reference: testkit.Must(reference.Version(v.Name))})
			out.generators = append(out.generators, generate.New(targetOf(crd, i)))
		}
		return out
	}
	return nil
}

func targetOf(crd *apiextensionsv1.CustomResourceDefinition, version int) generate.Target {
	v := crd.Spec.Versions[version]
	target := generate.Target{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind, Namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped}
	if v.Schema != nil {
		target.Schema = v.Schema.OpenAPIV3Schema
	}
	return target
}

// TestSubjects checks that most seeds have an accepted definition, that they
// differ, and that they admit and refuse objects.
func TestSubjects(t *testing.T) {
	known, texts := subjects{}, map[string]bool{}
	accepted, admitted, refused := 0, 0, 0
	for seed := range uint16(300) {
		texts[string(testkit.Encode(definitions{rand.New(rand.NewPCG(uint64(seed), 1))}.object()))] = true
		s := known.get(t, seed)
		if s == nil {
			continue
		}
		accepted++
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		for range 10 {
			_, res, err := s.pairs[0].fast.CreateJSON(t.Context(), testkit.Encode(s.generators[0].Object(rng, generate.Valid)), crdkit.Ignore)
			if err != nil {
				t.Fatal(err)
			}
			if res.Admitted() {
				admitted++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d definitions of 300 are accepted; %d objects admitted, %d refused", accepted, admitted, refused)
	if accepted < 290 || len(texts) != 300 || admitted < accepted*3 || refused < accepted {
		t.Error("too few")
	}
}
