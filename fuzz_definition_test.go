package crdkit_test

import (
	"math/rand/v2"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testkit/generate"
)

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
