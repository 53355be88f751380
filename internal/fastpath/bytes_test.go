package fastpath_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/testopt"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// engines are the reference of a plan.
type engines struct {
	pruner    *pruning.Pruner
	defaulter *defaulting.Defaulter
	validator *validation.Validator
	fast      *validation.Validator // the fast implementation
	cfg       fastpath.Config
}

func newEngines(n *schema.Node, cfg fastpath.Config) *engines {
	return &engines{
		pruner:    pruning.New(n, testopt.Reference{}),
		defaulter: defaulting.New(n, testopt.Reference{}),
		validator: validation.New(n, testopt.Reference{}),
		fast:      validation.New(n),
		cfg:       cfg,
	}
}

// run returns the object and the unknown fields, or an error if the object is not
// valid.
func (e *engines) run(raw string) (string, []string, error) {
	var obj map[string]any
	strict, err := kjson.UnmarshalStrict([]byte(raw), &obj)
	if err != nil {
		return "", nil, err
	}
	if len(strict) > 0 {
		return "", nil, strict[0]
	}
	unknown, err := e.judge(obj)
	if err != nil {
		return "", nil, err
	}
	out, err := json.Marshal(obj)
	return string(out), unknown, err
}

// judge is run for a decoded object.
func (e *engines) judge(obj map[string]any) ([]string, error) {
	if _, ok := obj["metadata"].(map[string]any); !ok || obj["apiVersion"] != e.cfg.APIVersion || obj["kind"] != e.cfg.Kind {
		return nil, fmt.Errorf("it is a %v %v", obj["apiVersion"], obj["kind"])
	}
	var unknown []string
	for _, p := range e.pruner.PruneAndReport(obj) {
		unknown = append(unknown, p.String())
	}
	e.defaulter.DropNulls(obj)
	e.defaulter.Default(obj)
	if e.cfg.DropStatus {
		delete(obj, "status")
	}
	if errs := e.validator.Validate(obj); len(errs) > 0 {
		return nil, errs[0]
	}
	return unknown, nil
}

func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, e := range v {
			if hasNull(e) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if hasNull(e) {
				return true
			}
		}
	}
	return false
}

// agree runs plan and engines on raw, and reports whether the plan accepts it.
func agree(t *testing.T, plan *fastpath.Plan, e *engines, raw string) (string, bool) {
	t.Helper()
	got, ok := generated(plan, raw, fastpath.Request{Report: true})
	silent, silentOK := generated(plan, raw, fastpath.Request{})
	if ok && (!silentOK || silent.text != got.text) || silent.unknown != nil {
		t.Errorf("%s\nwith report %t %s\nwithout     %t %s", raw, ok, got.text, silentOK, silent.text)
	}
	spliced, splicedOK := generated(plan, raw, fastpath.Request{Report: true, Splice: true})
	if splicedOK != ok {
		t.Errorf("%s\naccepted: %t; spliced: %t", raw, ok, splicedOK)
	}
	if !ok {
		return "", false
	}
	want, unknown, err := e.run(raw)
	if err != nil {
		t.Errorf("%s\nengines:    %v\nplan:       %s", raw, err, got.text)
	}
	if want != got.text {
		t.Errorf("%s\nengines:    %s\nplan:       %s", raw, want, got.text)
	}
	if again, err := json.Marshal(e.decoded(spliced.text)); err != nil || string(again) != want {
		t.Errorf("%s\nengines:    %s\nspliced:    %s\nwhich is:   %s", raw, want, spliced.text, again)
	}
	if want == raw && spliced.changed {
		t.Errorf("%s needs no change, but is spliced to %s", raw, spliced.text)
	}
	if diff := cmp.Diff(unknown, got.unknown); diff != "" {
		t.Errorf("%s\nunknown fields (-engines +plan):\n%s", raw, diff)
	}
	if diff := cmp.Diff(unknown, spliced.unknown); diff != "" {
		t.Errorf("%s\nunknown fields (-engines +spliced):\n%s", raw, diff)
	}
	return got.text, true
}

// keepMetadata sets the metadata that the input has. It reports false if the schema
// does not admit it, or if it has nulls, which objectmeta would drop.
func keepMetadata(o fastpath.Output) bool {
	metadata := o.Metadata()
	return !hasNull(metadata) && o.Admits(metadata) && o.SetMetadata(metadata)
}

// outcome is the output of a plan for a text.
type outcome struct {
	text    string
	changed bool
	unknown []string
}

func generated(plan *fastpath.Plan, raw string, r fastpath.Request) (outcome, bool) {
	m, ok := plan.JSON(raw, &r)
	if !ok {
		return outcome{}, false
	}
	defer m.Release()
	if !keepMetadata(m) {
		return outcome{}, false
	}
	var out outcome
	for _, p := range m.Unknown("<", ">!") {
		p, _ = strings.CutSuffix(p, ">!")
		out.unknown = append(out.unknown, strings.TrimPrefix(p, "<"))
	}
	out.changed = !m.Unmodified()
	out.text = string(m.Append(nil))
	return out, true
}

// A group is a schema of spec with cases.
type group struct {
	Name   string
	Spec   string // schema, YAML
	Root   string // schema of the whole object instead
	Status bool   // has the status subresource
	NoPlan bool
	Cases  []struct {
		In, Out  string // values of spec; members of the root beside the head
		Declined bool   // the walks decline it
	}
}

var testConfig = fastpath.Config{APIVersion: "example.com/v1", Kind: "Thing"}

func compileGroup(t testing.TB, g *group) *schema.Node {
	t.Helper()
	text := g.Root
	if text == "" {
		text = "type: object\nproperties: {spec: " + g.Spec + "}"
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
		t.Fatalf("%s: %v", g.Name, err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatalf("%s: %v", g.Name, errs)
	}
	return n
}

func groups(t testing.TB) []group {
	t.Helper()
	data, err := os.ReadFile("testdata/bytes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []group
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

const head = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},`

func (g *group) object(text string) string {
	if g.Root != "" {
		return strings.TrimSuffix(head+text, ",") + "}"
	}
	return head + `"spec":` + text + `}`
}

func TestBytes(t *testing.T) {
	for _, g := range groups(t) {
		t.Run(g.Name, func(t *testing.T) {
			n := compileGroup(t, &g)
			cfg := testConfig
			cfg.DropStatus = g.Status
			plan := fastpath.Compile(n, cfg)
			if (plan == nil) != g.NoPlan {
				t.Fatalf("Compile = %v", plan)
			}
			for _, c := range g.Cases {
				got, ok := agree(t, plan, newEngines(n, cfg), g.object(c.In))
				if ok == c.Declined {
					t.Errorf("%s: accepted is %t", c.In, ok)
				}
				if want := g.object(c.Out); ok && got != want {
					t.Errorf("%s\ngot  %s\nwant %s", c.In, got, want)
				}
			}
		})
	}
}

// The walk declines texts whose head is not what the plan is for, and texts that
// are not JSON.
func TestHeads(t *testing.T) {
	n := compileGroup(t, &group{Spec: "{type: string}"})
	plan, e := fastpath.Compile(n, testConfig), newEngines(n, testConfig)
	for _, raw := range []string{
		``, `null`, `[]`, `"a"`, `{}`, `{`, `{"`, `{"kind"`, `{"kind":`, `{"kind":"Thing"`, `{"kind":"Thing",`,
		head, head + `}`, head + `"spec":"a"`, head + `"spec":"a"}}`, head + `"spec":"a"} x`,
		head + `"spec":"a","kind":"Thing"}`, head + `"spec":"a","Kind":"Thing"}`, head + `"spec":"a","APIversion":5}`,
		strings.Replace(head, "Thing", "Other", 1) + `"spec":"a"}`,
		strings.Replace(head, "v1", "v2", 1) + `"spec":"a"}`,
		strings.Replace(head, `{"name":"a"}`, "null", 1) + `"spec":"a"}`,
		strings.Replace(head, `{"name":"a"}`, "[]", 1) + `"spec":"a"}`,
		strings.Replace(head, `{"name":"a"}`, `{"name":"a","name":"b"}`, 1) + `"spec":"a"}`,
		`{"apiVersion":"example.com/v1","kind":"Thing","spec":"a"}`,
		head + `"x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
	} {
		if got, ok := agree(t, plan, e, raw); ok {
			t.Errorf("%s is accepted: %s", raw, got)
		}
	}
	if _, ok := agree(t, plan, e, " \n"+head+`"spec" : "a" , "x" : [ 1 , { } ] } `); !ok {
		t.Error("white space is declined")
	}
}

type target struct {
	plan    *fastpath.Plan
	engines *engines
}

// targets returns a plan for every group and every version of the definitions
// in testdata, and hands inputs for them to add.
func targets(t testing.TB, add func(i int, raw string)) []target {
	var out []target
	for _, g := range groups(t) {
		cfg := testConfig
		cfg.DropStatus = g.Status
		n := compileGroup(t, &g)
		if plan := fastpath.Compile(n, cfg); plan != nil {
			out = append(out, target{plan, newEngines(n, cfg)})
			for _, c := range g.Cases {
				add(len(out)-1, g.object(c.In))
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
			if len(errs) > 0 {
				continue
			}
			cfg := fastpath.Config{APIVersion: d.CRD.Spec.Group + "/" + v.Name, Kind: d.CRD.Spec.Names.Kind}
			plan := fastpath.Compile(n, cfg)
			if plan == nil {
				continue
			}
			out = append(out, target{plan, newEngines(n, cfg)})
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
	list := targets(f, func(i int, raw string) { f.Add(uint8(i), raw) })
	fuzz.Run(f, func(t *testing.T, i uint8, raw string) {
		x := list[int(i)%len(list)]
		agree(t, x.plan, x.engines, raw)
	})
}

func BenchmarkBytes(b *testing.B) {
	type input struct {
		i   int
		raw string
	}
	var inputs []input
	list := targets(b, func(i int, raw string) { inputs = append(inputs, input{i, raw}) })
	request := fastpath.Request{Report: true}
	for n, in := range inputs {
		plan := list[in.i].plan
		if _, ok := generated(plan, in.raw, request); !ok || len(in.raw) < 400 {
			continue
		}
		b.Run(fmt.Sprintf("input=%d/bytes=%d", n, len(in.raw)), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in.raw)))
			var buf []byte
			for b.Loop() {
				m, _ := plan.JSON(in.raw, &request)
				m.SetMetadata(m.Metadata())
				buf = m.Append(buf[:0])
				m.Release()
			}
		})
	}
}

// The rule input has the values that rules can read, and no other members.
func TestRuleInput(t *testing.T) {
	n := compileGroup(t, &group{Root: `{type: object, properties: {
		a: {type: object, properties: {
			r: {type: object, properties: {x: {type: string}, y: {type: integer}}, x-kubernetes-validations: [{rule: "self.x != ''"}]},
			s: {type: string}}},
		l: {type: array, items: {type: object, properties: {u: {type: string}, v: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}}}},
		m: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: "self != ''"}]}},
		n: {type: object, properties: {x: {type: string}}}}}`})
	plan := fastpath.Compile(n, testConfig)
	for in, want := range map[string]string{
		`{}`: `{}`,
		`{"a":{"r":{"x":"1","y":2},"s":"3"},"n":{"x":"1"}}`:           `{"a":{"r":{"x":"1","y":2}}}`,
		`{"l":[{"u":"1","v":"2"},null,{}]}`:                           `{"l":[{"v":"2"},null,{}]}`,
		`{"l":[],"m":{}}`:                                             `{"l":[],"m":{}}`,
		`{"m":{"k":"v","l":null}}`:                                    `{"m":{"k":"v","l":null}}`,
		`{"a":{"r":null}}`:                                            `{"a":{"r":null}}`,
		` { "a" : { "r" : { "x" : "1" } } , "m" : { } } `:             `{"a":{"r":{"x":"1"}},"m":{}}`,
		`{"a": {"r": {"y": 1,"x": "1"}}}`:                             `{"a":{"r":{"x":"1","y":1}}}`,
		`{"l":[ { "v" : "é" } , [ ] ]}`:                               `{"l":[{"v":"é"},[]]}`,
		`{"m":{"a":"\u0041","b":"` + strings.Repeat("x", 300) + `"}}`: `{"m":{"a":"A","b":"` + strings.Repeat("x", 300) + `"}}`,
		`{"a":null,"l":null}`:                                         `{"a":null,"l":null}`,
	} {
		got, ok := plan.Values(nil).RuleInput(in, false)
		if !ok {
			t.Errorf("%s is refused", in)
		}
		text, err := json.Marshal(withMaps(got))
		if err != nil || string(text) != want {
			t.Errorf("RuleInput(%s) = %s, want %s", in, text, want)
		}
	}
	for _, in := range []string{``, `[]`, `{`, ` { `, `{"a":`, `{"a" 1}`, `{"m":{"a"}}`, `{"m":[1,}`, `{"m":"a}`, `{"l":[1,]}`, `{"n":}`, `{"a":{}}x`} {
		if got, ok := plan.Values(nil).RuleInput(in, false); ok {
			t.Errorf("RuleInput(%s) = %v", in, got)
		}
	}
}
