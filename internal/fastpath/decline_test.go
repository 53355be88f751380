package fastpath

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/schema"
)

// A declineCase is an object that is declined for a reason, and a similar one
// that is accepted.
type declineCase struct {
	why        decline
	spec       string // the schema of spec, or of the whole object if it begins with "root:"
	in, near   string // members of the object besides the head
	cfg        func(*Config)
	inHead     string // the head of in, testHead if it is empty
	request    Request
	nearStatus string // the status of the request for near
	mapRequest MapRequest
	text, maps bool // which walks decline
}

const testHead = `"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}`

// Every reason to decline an object has an input that is declined for it, as
// text, as a map or both. A similar input is accepted.
func TestDeclines(t *testing.T) {
	dropStatus := func(c *Config) { c.DropStatus = true }
	one := func(spec, in, near string, why decline) declineCase {
		return declineCase{why: why, spec: spec, in: `"spec":` + in, near: `"spec":` + near, text: true, maps: true}
	}
	onlyText := func(spec, in, near string, why decline) declineCase {
		c := one(spec, in, near, why)
		c.maps = false
		return c
	}
	head := func(inHead string, why decline) declineCase {
		return declineCase{why: why, spec: "{type: string}", in: `"spec":"a"`, near: `"spec":"a"`, inHead: inHead, text: true}
	}
	const manyMembers = `"a0":1,"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1,"a8":1,"a9":1,"aa":1,"ab":1,"ac":1`
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	const kept = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
	status := declineCase{
		why: wrongStatus, spec: "root: {type: object, properties: {status: {type: object, properties: {x: {type: string}}}}}", cfg: dropStatus,
		request: Request{Status: `{"y":1}`}, nearStatus: `{"x":"1"}`, text: true,
	}
	withoutStatus := status
	withoutStatus.cfg, withoutStatus.nearStatus = nil, ""
	otherHeadMap := head(strings.Replace(testHead, "Thing", "Other", 1), otherHead)
	otherHeadMap.maps = true
	strict := declineCase{why: undeclaredField, spec: "{type: object}", in: `"spec":{"x":1}`, near: `"spec":{}`, mapRequest: MapRequest{Strict: true}, maps: true}
	replicas := one("{type: object, properties: {count: {type: integer}}}", `{"count":-1}`, `{"count":1}`, wrongReplicas)
	replicas.cfg, replicas.maps = func(c *Config) { c.Replicas = []string{"spec", "count"} }, false
	dropped := declineCase{
		why: droppedResource, spec: "root: {type: object, properties: {status: {type: object, properties: {r: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}",
		in: `"status":{"r":{}}`, near: `"status":{}`, cfg: dropStatus, text: true, maps: true,
	}
	found := map[decline]bool{}
	for _, c := range []declineCase{
		onlyText("{type: string}", `"\ud800"`, `"\ud83d\ude00"`, unreadable),
		onlyText("{type: integer}", `01`, `1`, unreadable),
		onlyText("{x-kubernetes-preserve-unknown-fields: true}", deep(600), deep(500), tooDeep),
		onlyText(kept, `{"a":1,"a":1}`, `{"a":1,"b":1}`, repeatedKey),
		onlyText(kept, `{"b":1,`+manyMembers+`,"b":1}`, `{"b":1,`+manyMembers+`}`, repeatedKey),
		onlyText("{type: object, properties: {a: {type: string}}}", `{"a":"1","a":"1"}`, `{"a":"1"}`, repeatedKey),
		onlyText("{type: number}", `1e3`, `1.5`, integralFloat),
		onlyText(kept, `{"a":1.0}`, `{"a":1}`, integralFloat),
		otherHeadMap,
		head(strings.Replace(testHead, `"kind":"Thing",`, "", 1), otherHead),
		head(testHead+`,"Kind":"Thing"`, likeTypeKey),
		head(strings.Replace(testHead, `{"name":"a"}`, `[]`, 1), wrongMetadata),
		status,
		withoutStatus,
		one("{type: string}", `1`, `"1"`, wrongType),
		one("{type: object}", `"1"`, `{}`, wrongType),
		one("{type: string, maxLength: 3}", `"abcd"`, `"abc"`, wrongScalar),
		one("{type: integer, maximum: 3}", `4`, `3`, wrongScalar),
		one("{type: boolean, enum: [true]}", `false`, `true`, wrongScalar),
		one("{type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: string, maxLength: 2}}}",
			`{"apiVersion":"v1","kind":"Abc"}`, `{"apiVersion":"v1","kind":"Ab"}`, wrongScalar),
		one("{type: object, enum: [{a: 1}], properties: {a: {type: integer}}}", `{"a":2}`, `{"a":1}`, wrongWhole),
		one("{type: array, items: {type: integer}, not: {minItems: 2}}", `[1,2]`, `[1]`, wrongWhole),
		one("{type: object, maxProperties: 1, additionalProperties: {type: string}}", `{"a":"","b":""}`, `{"a":""}`, wrongCount),
		one("{type: array, minItems: 1, items: {type: string}}", `[]`, `[""]`, wrongCount),
		one("{type: array, maxItems: -1, items: {type: string}, nullable: true}", `[]`, `null`, wrongCount),
		one("{type: object, required: [a], properties: {a: {type: string}}}", `{}`, `{"a":""}`, missingMember),
		one("{type: object, required: [a], properties: {a: {type: string}}}", `{"a":null}`, `{"a":""}`, missingMember),
		one("{type: object, additionalProperties: false}", `{"a":1}`, `{}`, closedObject),
		one("{type: array, x-kubernetes-list-type: set, items: {type: string}}", `["a","a"]`, `["a","b"]`, equalElements),
		one("{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, nullable: true, required: [k], properties: {k: {type: string}}}}",
			`[{"k":"a"},null,{"k":"a"}]`, `[{"k":"a"},null,{"k":"b"}]`, equalElements),
		replicas,
		one("{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}", `{"kind":"A"}`, `{"kind":"A","apiVersion":"v1"}`, wrongResource),
		strict,
		one("{type: object, properties: {a: {type: integer, default: 5, maximum: 3}}}", `{}`, `{"a":1}`, wrongDefault),
		one("{type: array, items: {type: integer, default: 5, maximum: 3}}", `[null]`, `[1]`, wrongDefault),
		one("{type: object, properties: {a: "+nested(9)+"}}", `{}`, `{"a":[]}`, largeDefault),
		one("{type: object, properties: {a: {type: object, default: {}, properties: {r: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}", `{}`, `{"a":{}}`, resourceDefault),
		one("{type: object, properties: {a: {type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}}}", `{"a":{}}`, `{}`, propertiesAndOthers),
		one("{type: object, properties: {a: {type: object, required: [b]}}}", `{"a":{}}`, `{}`, undeclaredRequired),
		one("{type: object, properties: {r: {type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, properties: {name: {type: string, default: x}}}}}}}",
			`{"r":{"apiVersion":"v1","kind":"A"}}`, `{}`, changingResource),
		dropped,
	} {
		found[c.why] = true
		c.check(t)
	}
	// JSON has no key that is not UTF-8, but a map can have one.
	n, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"\xff": {Type: "string"}, "x": {Type: "string"}}})
	for key, want := range map[string]decline{"\xff": unwritableName, "x": accepted} {
		obj, _ := jsonscan.Decode("{" + testHead + "}")
		obj.(map[string]any)[key] = "a"
		if _, why := Compile(n, declineConfig(nil)).mapped(obj.(map[string]any), MapRequest{}); why != want {
			t.Errorf("key %q is declined for reason %d, want %d", key, why, want)
		}
	}
	found[unwritableName] = true
	const text = "{" + testHead + `,"spec":["a"]}`
	p := Compile(declineSchema(t, "{type: array, items: {type: string}}"), declineConfig(nil))
	for polls, want := range map[int]decline{0: interrupted, 5: accepted} {
		if why := p.textReason(text, Request{Watch: interrupt.New(testkit.EndingContext(polls))}); why != want {
			t.Errorf("a text is declined for reason %d after %d polls, want %d", why, polls, want)
		}
		if why := p.mapReason(text, MapRequest{Watch: interrupt.New(testkit.EndingContext(polls))}); why != want {
			t.Errorf("a map is declined for reason %d after %d polls, want %d", why, polls, want)
		}
	}
	found[interrupted] = true
	for why := accepted + 1; why < rootResource; why++ {
		if !found[why] {
			t.Errorf("no object is declined for reason %d", why)
		}
	}
}

// nested returns the schema of a list whose default grows to ten to the power of
// depth values.
func nested(depth int) string {
	if depth == 0 {
		return "{type: integer, default: 1}"
	}
	return "{type: array, default: [" + strings.Repeat("null, ", 9) + "null], items: " + nested(depth-1) + "}"
}

func declineConfig(change func(*Config)) Config {
	cfg := Config{APIVersion: "example.com/v1", Kind: "Thing"}
	if change != nil {
		change(&cfg)
	}
	return cfg
}

func (c *declineCase) check(t *testing.T) {
	t.Helper()
	p, why := build(declineSchema(t, c.spec), declineConfig(c.cfg))
	if why != accepted {
		t.Errorf("%s has no plan for reason %d", c.spec, why)
		return
	}
	head := c.inHead
	if head == "" {
		head = testHead
	}
	in := strings.TrimSuffix("{"+head+","+c.in, ",") + "}"
	near := strings.TrimSuffix("{"+testHead+","+c.near, ",") + "}"
	for _, splice := range []bool{false, true} {
		r := c.request
		r.Splice, r.Report = splice, true
		c.compare(t, "text", in, c.text, p.textReason(in, r))
		r.Status = c.nearStatus
		c.compare(t, "text", near, false, p.textReason(near, r))
	}
	c.compare(t, "map", near, false, p.mapReason(near, c.mapRequest))
	if c.maps || !c.text {
		c.compare(t, "map", in, c.maps, p.mapReason(in, c.mapRequest))
	}
}

func (c *declineCase) compare(t *testing.T, walk, in string, declined bool, got decline) {
	t.Helper()
	want := accepted
	if declined {
		want = c.why
	}
	if got != want {
		t.Errorf("%s\n%s %.200s\nis declined for reason %d, want %d", c.spec, walk, in, got, want)
	}
}

func (p *Plan) textReason(s string, r Request) decline {
	m, why := p.text(s, &r)
	if why == accepted {
		m.Release()
	}
	return why
}

func (p *Plan) mapReason(s string, r MapRequest) decline {
	v, _ := jsonscan.Decode(s)
	obj, _ := v.(map[string]any)
	_, why := p.mapped(obj, r)
	return why
}

func declineSchema(t *testing.T, text string) *schema.Node {
	t.Helper()
	root, whole := strings.CutPrefix(text, "root:")
	if !whole {
		root = "{type: object, properties: {spec: " + text + "}}"
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(root), &props); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	n, errs := schema.Compile(&props, schema.Unstructured())
	if len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs)
	}
	return n
}

// Every reason to decline a schema has a schema that has no plan for it. A
// similar schema has a plan.
func TestDeclinedSchemas(t *testing.T) {
	found := map[decline]bool{}
	dropStatus := func(c *Config) { c.DropStatus = true }
	onlyStatus := func(c *Config) { c.OnlyStatus = true }
	for _, tt := range []struct {
		why      decline
		in, near string
		cfg      func(*Config)
	}{
		{propertiesAndOthers, "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}", "{type: object, properties: {a: {type: string}}}", nil},
		{undeclaredRequired, "{type: object, required: [a]}", "{type: object, required: [a], properties: {a: {type: string}}}", nil},
		{rootResource, "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}", "{type: object}", nil},
		{rootEntries, "{type: object, additionalProperties: {type: string}}", "{type: object}", nil},
		{rootNames, `{type: object, properties: {"": {type: string}}, not: {required: [a]}}`, `{type: object, properties: {"": {type: string}}}`, nil},
		{rootNames, `{type: object, properties: {status: {type: object, properties: {IMPORTANT!x: {type: string, not: {maxLength: 1}}}}}}`,
			`{type: object, properties: {status: {type: object, properties: {x: {type: string, not: {maxLength: 1}}}}}}`, nil},
		{keptRoot, "{type: object, x-kubernetes-preserve-unknown-fields: true}", "{type: object}", onlyStatus},
		{requiredStatus, "{type: object, required: [status], properties: {status: {type: object}}}", "{type: object, properties: {status: {type: object}}}", dropStatus},
		{refusedType, "{type: object, properties: {kind: {type: string, maxLength: 4}}}", "{type: object, properties: {kind: {type: string, maxLength: 5}}}", nil},
		{refusedType, "{type: object, properties: {apiVersion: {type: integer}}}", "{type: object, properties: {apiVersion: {type: string}}}", nil},
		{changingMetadata, "{type: object, properties: {metadata: {type: object, properties: {name: {type: string, default: a}}}}}",
			"{type: object, properties: {metadata: {type: object, properties: {name: {type: string}}}}}", nil},
		{declaredLikeType, "{type: object, properties: {Kind: {type: string}}}", "{type: object, properties: {kinds: {type: string}}}", nil},
	} {
		found[tt.why] = true
		if _, why := build(declineSchema(t, "root:"+tt.in), declineConfig(tt.cfg)); why != tt.why {
			t.Errorf("%s has no plan for reason %d, want %d", tt.in, why, tt.why)
		}
		if _, why := build(declineSchema(t, "root:"+tt.near), declineConfig(tt.cfg)); why != accepted {
			t.Errorf("%s has no plan for reason %d", tt.near, why)
		}
	}
	for why := rootResource; why < declines; why++ {
		if !found[why] {
			t.Errorf("no schema is declined for reason %d", why)
		}
	}
}
