package fastpath

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// The texts before the other members of the objects of testConfig: sent and stored.
const (
	head       = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},`
	storedHead = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":1,"name":"a"},`
)

var testConfig = Config{APIVersion: "example.com/v1", Kind: "Thing"}

// object returns an object with these members after a head, which may be none.
func object(head, members string) string { return strings.TrimSuffix(head+members, ",") + "}" }

// rootSchema compiles the schema of an object in YAML.
func rootSchema(t testing.TB, root string, opts ...schema.Option) *schema.Node {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(root), &props); err != nil {
		t.Fatalf("%s: %v", root, err)
	}
	n, errs := schema.Compile(&props, opts...)
	if len(errs) > 0 {
		t.Fatalf("%s: %v", root, errs)
	}
	return n
}

// specSchema compiles the schema of objects, given the schema of spec.
func specSchema(t testing.TB, spec string) *schema.Node {
	t.Helper()
	return rootSchema(t, "type: object\nproperties: {spec: "+spec+"}")
}

// mustPlan returns the plan for a schema, testConfig and what change makes of it.
func mustPlan(t testing.TB, n *schema.Node, change ...func(*Config)) *Plan {
	t.Helper()
	cfg := testConfig
	for _, f := range change {
		f(&cfg)
	}
	p := Compile(n, cfg)
	if p == nil {
		t.Fatal("no plan")
	}
	return p
}

func dropStatus(c *Config) { c.DropStatus = true }

// create creates an object. It returns the text to store, and whether the plan accepts it.
func (p *Plan) create(text string, unknown Unknown) (string, bool) {
	res, ok := p.Create([]byte(text), &Request{Unknown: unknown})
	return string(res.Object), ok
}

// update is create for an update.
func (p *Plan) update(text, old string, unknown Unknown) (string, bool) {
	res, ok := p.Update([]byte(text), []byte(old), &Request{Unknown: unknown})
	return string(res.Object), ok
}

// engines are the reference for a plan: the engines, and the functions that prepare and check
// metadata.
type engines struct {
	pruner    *pruning.Pruner
	defaulter *defaulting.Defaulter
	validator *validation.Validator
	resources *objectmeta.Embedded
	cfg       Config
}

func newEngines(n *schema.Node, cfg Config) *engines {
	return &engines{
		pruner:    pruning.New(n),
		defaulter: defaulting.New(n),
		validator: validation.New(n),
		resources: &objectmeta.Embedded{Schema: n},
		cfg:       cfg,
	}
}

// create returns the object to store and the warnings. It returns an error if the object is
// refused, or if it repeats a member.
func (e *engines) create(raw string) (string, []string, error) {
	var obj map[string]any
	strict, err := kjson.UnmarshalStrict([]byte(raw), &obj)
	if err != nil || len(strict) > 0 {
		return "", nil, fmt.Errorf("%w %v", err, strict)
	}
	if obj["apiVersion"] != e.cfg.APIVersion || obj["kind"] != e.cfg.Kind {
		return "", nil, fmt.Errorf("it is a %v %v", obj["apiVersion"], obj["kind"])
	}
	warnings, err := e.conform(obj)
	if err != nil {
		return "", nil, err
	}
	e.defaulter.Default(obj)
	var meta objectmeta.Meta
	meta.ReadMap(obj)
	meta.PrepareCreate()
	if !meta.EnterNamespace(e.cfg.Namespaced, "") {
		return "", nil, errors.New("it names another namespace")
	}
	warnings = append(warnings, meta.DropDuplicateOwners()...)
	meta.Write(obj)
	if e.cfg.DropStatus {
		delete(obj, "status")
	}
	if err := e.refused(obj); err != nil {
		return "", nil, err
	}
	out, err := json.Marshal(obj)
	return string(out), append(warnings, meta.FinalizerWarnings(new(objectmeta.Meta))...), err
}

// conform does to an object what decoding does. It returns the warnings.
func (e *engines) conform(obj map[string]any) (warnings []string, err error) {
	options := objectmeta.Options{ReportUnknown: true}
	meta, unknown, err := objectmeta.Decode(obj, options)
	if err != nil {
		return nil, err
	}
	unknown = append(unknown, e.pruner.PruneAndReport(obj)...)
	e.defaulter.DropNulls(obj)
	embedded, wrong := e.resources.Coerce(obj, options)
	if wrong != nil {
		return nil, wrong
	}
	for _, path := range append(unknown, embedded...) {
		warnings = append(warnings, `unknown field "`+path.String()+`"`)
	}
	meta.Restore(obj)
	return warnings, nil
}

// refused returns an error for an object that is not valid.
func (e *engines) refused(obj map[string]any) error {
	metadata, _ := obj["metadata"].(map[string]any)
	if prefix, _ := metadata["generateName"].(string); metadata["name"] == nil && prefix != "" {
		metadata["name"] = objectmeta.PlaceholderName(prefix)
		defer delete(metadata, "name")
	}
	if errs := e.validator.Validate(obj); len(errs) > 0 {
		return errs[0]
	}
	var meta objectmeta.Meta
	meta.ReadMap(obj)
	problems := meta.Validate(nil, e.cfg.Namespaced, nil)
	if problems = append(problems, meta.ValidateCommon(nil, e.cfg.Namespaced, nil)...); len(problems) > 0 {
		return problems[0].Err
	}
	return nil
}

// agree checks that a plan makes the same object of a text as the engines, or declines it. It does
// so for each value of Unknown. It returns the object that the plan makes with WarnOfUnknown.
func agree(t *testing.T, p *Plan, e *engines, raw string) (string, bool) {
	t.Helper()
	got, ok := p.create(raw, WarnOfUnknown)
	if strict, okStrict := p.create(raw, RefuseUnknown); okStrict && (!ok || strict != got) {
		t.Errorf("%s\nbecomes %s, but with warnings %s (%t)", raw, strict, got, ok)
	}
	if !ok {
		return "", ok
	}
	res, _ := p.Create([]byte(raw), &Request{Unknown: WarnOfUnknown})
	want, warnings, err := e.create(raw)
	if err != nil || want != got || string(res.Object) != got {
		t.Errorf("%s\nengines: %s %v\nplan:    %s", raw, want, err, got)
	}
	if diff := cmp.Diff(warnings, res.Warnings); diff != "" {
		t.Errorf("%s\nwarnings (-engines +plan):\n%s", raw, diff)
	}
	unknown := slices.ContainsFunc(warnings, func(s string) bool { return strings.HasPrefix(s, "unknown field") })
	if _, ok := p.create(raw, RefuseUnknown); (ok) == unknown {
		t.Errorf("%s\nhas undeclared fields: %t; accepted: %t", raw, unknown, ok)
	}
	if silent, ok := p.create(raw, DropUnknown); !ok || silent != got {
		t.Errorf("%s\nbecomes %s, but without warnings %s (%t)", raw, got, silent, ok)
	}
	if again, ok := p.update(raw, got, WarnOfUnknown); ok && again != got {
		t.Errorf("%s\nbecomes %s, but in an update of that\n%s", raw, got, again)
	}
	return got, ok
}

// A group is a schema with cases.
type group struct {
	Name   string
	Spec   string // schema of spec, YAML
	Root   string // schema of the whole object instead
	Status bool   // has the status subresource
	NoPlan bool   // the fast path declines all objects
	Cases  []struct {
		In, Out  string // values of spec, or members of the root beside the head
		Declined bool   // the fast path declines it
	}
}

func groups(t testing.TB) (list []group) {
	t.Helper()
	data, err := os.ReadFile("testdata/bytes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// compile returns the plan, nil if there is none, and the engines for the group.
func (g *group) compile(t testing.TB) (*Plan, *engines) {
	t.Helper()
	cfg, root := testConfig, g.Root
	cfg.DropStatus = g.Status
	if root == "" {
		root = "type: object\nproperties: {spec: " + g.Spec + "}"
	}
	n := rootSchema(t, root)
	return Compile(n, cfg), newEngines(n, cfg)
}

func (g *group) object(head, text string) string {
	if g.Root == "" {
		text = `"spec":` + text
	}
	return object(head, text)
}

func TestBytes(t *testing.T) {
	for _, g := range groups(t) {
		t.Run(g.Name, func(t *testing.T) {
			p, e := g.compile(t)
			if (p == nil) != g.NoPlan {
				t.Fatalf("has no plan: %t", p == nil)
			}
			for _, c := range g.Cases {
				in, want := g.object(head, c.In), g.object(storedHead, c.Out)
				if !g.NoPlan {
					got, ok := agree(t, p, e, in)
					if (!ok) != c.Declined {
						t.Errorf("%s: accepted: %t", c.In, ok)
					}
					if ok && got != want {
						t.Errorf("%s\ngot  %s\nwant %s", c.In, got, want)
					}
					if _, ok := p.update(in, want, WarnOfUnknown); !ok && !c.Declined {
						t.Errorf("%s: accepted in an update: %t", c.In, ok)
					}
				}
				got, _, err := e.create(in)
				if c.Out != "" && (err != nil || got != want) || g.NoPlan && (err != nil) != c.Declined {
					t.Errorf("%s: the engines: %s, %v", c.In, got, err)
				}
			}
		})
	}
}

// TestTruncated: the fast path declines the beginning of a text, wherever it ends, and
// whatever follows a text but white space.
func TestTruncated(t *testing.T) {
	for _, g := range groups(t) {
		p, _ := g.compile(t)
		if p == nil {
			continue
		}
		for _, c := range g.Cases {
			raw := g.object(head, c.In)
			if c.Declined || len(raw) > 300 {
				continue
			}
			for _, unknown := range []Unknown{WarnOfUnknown, DropUnknown} {
				if _, ok := p.create(" \n"+raw+" \n", unknown); !ok {
					t.Errorf("%s between white space is declined: %t", raw, ok)
				}
				for _, after := range []string{"x", "}", ",", "{}", "\u00a0"} {
					if _, ok := p.create(raw+after, unknown); ok {
						t.Errorf("%s is accepted", raw+after)
					}
				}
				for end := range raw {
					if _, ok := p.create(raw[:end], unknown); ok {
						t.Errorf("%s is accepted", raw[:end])
					}
				}
			}
			for end := range raw {
				if _, ok := p.walk("", &Request{}).document(raw[:end]); ok {
					t.Errorf("%s is an old object", raw[:end])
				}
			}
		}
	}
}

// TestManySiblings: depth counts what lies in one another, not what lies side by side.
func TestManySiblings(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object, properties: {
		l: {type: array, items: {type: array, items: {type: integer}}}, o: {type: array, items: {type: object, properties: {a: {type: integer}}}},
		p: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`))
	for _, element := range []string{`"l":[[1]`, `"o":[{"a":1}`, `"p":{"x":[[1]`, `"p":{"x":[{"a":1}`} {
		start := strings.IndexByte(element, '[') + 1
		raw := head + element + strings.Repeat(","+element[start:], 1000) + "]" + strings.Repeat("}", strings.Count(element[:start], "{")) + "}"
		if _, ok := p.create(raw, RefuseUnknown); !ok {
			t.Errorf("1000 times %s is declined: %t", element, ok)
		}
	}
}

type target struct {
	plan    *Plan
	engines *engines
}

// targets returns a plan for every group and every version of the definitions in testdata,
// and hands objects for them to add.
func targets(t testing.TB, add func(i int, raw string)) (out []target) {
	t.Helper()
	for _, g := range groups(t) {
		if p, e := g.compile(t); p != nil {
			out = append(out, target{p, e})
			for _, c := range g.Cases {
				add(len(out)-1, g.object(head, c.In))
			}
		}
	}
	corpus, err := testkit.LoadTestdata(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range corpus.Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema == nil {
				continue
			}
			n, errs := schema.Compile(v.Schema.OpenAPIV3Schema)
			cfg := Config{APIVersion: d.CRD.Spec.Group + "/" + v.Name, Kind: d.CRD.Spec.Names.Kind, Namespaced: d.CRD.Spec.Scope == "Namespaced"}
			p := Compile(n, cfg)
			if len(errs) > 0 || p == nil {
				continue
			}
			out = append(out, target{p, newEngines(n, cfg)})
			for _, s := range d.Samples {
				if s.Version() == v.Name {
					add(len(out)-1, string(testkit.Encode(s.Object)))
				}
			}
		}
	}
	return out
}

// FuzzBytes compares plans with the engines.
func FuzzBytes(f *testing.F) {
	list := targets(f, func(i int, raw string) { f.Add(uint16(i), raw) })
	fuzz.Run(f, func(t *testing.T, i uint16, raw string) {
		x := list[int(i)%len(list)]
		agree(t, x.plan, x.engines, raw)
	})
}

// BenchmarkBytes creates the objects of the targets that are not small.
func BenchmarkBytes(b *testing.B) {
	type input struct {
		i   int
		raw string
	}
	var inputs []input
	list := targets(b, func(i int, raw string) { inputs = append(inputs, input{i, raw}) })
	for n, in := range inputs {
		p := list[in.i].plan
		if _, ok := p.create(in.raw, RefuseUnknown); !ok || len(in.raw) < 400 {
			continue
		}
		b.Run(fmt.Sprintf("input=%d/bytes=%d", n, len(in.raw)), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in.raw)))
			raw, request := []byte(in.raw), &Request{Buffer: make([]byte, 0, 2*len(in.raw))}
			for b.Loop() {
				p.Create(raw, request)
			}
		})
	}
}
