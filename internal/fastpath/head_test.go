package fastpath

import (
	"fmt"
	"strings"
	"testing"
)

// TestHead: the walk takes apiVersion, kind and metadata at once if they come first, and makes
// of the object what it makes of one with a space in the head, which it does not take at once.
func TestHead(t *testing.T) {
	for _, c := range []struct {
		name, schema, members string
		takes                 bool
	}{
		{"plain", "{type: object}", `,"spec":{"a":1}`, true},
		{"declared", "root: {type: object, properties: {apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}, spec: {type: object}}}", `,"spec":{}`, true},
		{"nothing after it", "{type: object}", ``, true},
		{"out of order", "root: {type: object, properties: {data: {type: string}, spec: {type: object, properties: {a: {type: integer}}}, z: {type: integer}}}", `,"z":1,"spec":{"a":1}`, false},
		{"a default before", "root: {type: object, properties: {a: {type: string, default: x}}}", ``, false},
		{"a default between", "root: {type: object, properties: {data: {type: string, default: x}}}", ``, false},
		{"a default after", "root: {type: object, properties: {spec: {type: string, default: x}}}", ``, true},
		{"defaults after", "root: {type: object, properties: {spec: {type: string, default: x}, z: {type: string}}}", `,"z":"y"`, true},
		{"undeclared", "{type: object}", `,"x":[1,{"a":null}],"spec":{},"y":1`, true},
		{"undeclared that sort first", "root: {type: object, x-kubernetes-preserve-unknown-fields: true}", `,"a":1,"l":2,"spec":1`, true},
		{"spaces", "{type: object}", " , \"spec\" : { \"a\" : 1 } ", true},
		{"repeated", "{type: object}", `,"kind":"Thing"`, true},
		{"repeated metadata", "{type: object}", `,"metadata":{}`, true},
		{"no end", "{type: object}", `,`, true},
		{"many members", "root: {type: object, required: [s70], properties: {s70: {type: integer}, " + manyDefaults(70) + "}}", `,"s70":1,"s00":2`, true},
		{"too few of many members", "root: {type: object, required: [s70], properties: {s70: {type: integer}, " + manyDefaults(70) + "}}", `,"s69":1`, true},
	} {
		n := declineSchema(t, c.schema)
		p := Compile(n, declineConfig(nil))
		if got := p.head.text != ""; got != c.takes {
			t.Fatalf("%s: the head is %q", c.name, p.head.text)
		}
		for _, meta := range []string{`{"name":"a","namespace":"n"}`, `{"name":"a","namespace":"n","labels":{"b":"<"}}`, `{ }`, `[]`, ``} {
			for _, request := range []Request{
				{}, {Splice: true}, {Create: true, Namespaced: true}, {Create: true, Namespaced: true, Splice: true},
				{Create: true, Namespaced: true, Report: true}, {LeaveMetadata: true, NoteWrong: true},
				{Replaced: `{"name":"a","namespace":"n","uid":"u"}`, Namespaced: true}, {Replaced: `{"name":"a","namespace":"n","uid":"u"}`, Namespaced: true, Splice: true},
			} {
				text := `{"apiVersion":"example.com/v1","kind":"Thing","metadata":` + meta + c.members + "}"
				spaced := strings.Replace(text, `"kind":`, `"kind" :`, 1)
				got, want := describe(p, text, request), strings.Replace(describe(p, spaced, request), `"kind" :`, `"kind":`, 1)
				if got != want {
					t.Errorf("%s: %s with %+v\ngot  %s\nwant %s", c.name, text, request, got, want)
				}
			}
		}
	}
}

// manyDefaults returns the schemas of n members with defaults, s00 and so on.
func manyDefaults(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("s%02d: {type: integer, default: 7}", i)
	}
	return strings.Join(list, ", ")
}

// TestSpelledHead: apiVersion and kind may be written with escapes.
func TestSpelledHead(t *testing.T) {
	p := Compile(declineSchema(t, "{type: string}"), declineConfig(nil))
	const canonical = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":1,"name":"a"},"spec":"a"}`
	for _, c := range []struct {
		apiVersion, kind string
		why              decline
	}{
		{`"example.com\/v1"`, `"Thing"`, accepted},
		{`"example.com/v1"`, `"\u0054hing"`, accepted},
		{`"example.com\/v2"`, `"Thing"`, otherHead},
		{`"example.com/v1"`, `"Thing\n"`, otherHead},
		{`"example.com/v1"`, `"\ud800"`, otherHead},
		{`"example.com/v1"`, `["Thing"]`, otherHead},
		{`"example.com/v1"`, `xThing"`, otherHead},
		{`"example.com/v1"`, `"\x"`, unreadable},
	} {
		text := `{"apiVersion":` + c.apiVersion + `,"kind":` + c.kind + `,"metadata":{"name":"a","generation":1},"spec":"a"}`
		for _, splice := range []bool{false, true} {
			out, why := p.text(text, &Request{Create: true, Splice: splice})
			if why != c.why {
				t.Errorf("%s is declined for reason %d, want %d", text, why, c.why)
			}
			if why != accepted {
				continue
			}
			want := map[bool]string{false: canonical, true: text}[splice]
			if got := string(out.Append(nil)); got != want {
				t.Errorf("%s becomes %s, want %s", text, got, want)
			}
			out.Release()
		}
	}
}

// describe returns what the walk makes of a text.
func describe(p *Plan, text string, r Request) string {
	out, why := p.text(text, &r)
	if why != accepted {
		return "declined: " + string('a'+rune(why))
	}
	defer out.Release()
	if r.Replaced != "" && out.Metadata() == nil {
		out.CountGeneration(true)
	} else if m := out.Metadata(); m != nil {
		m["uid"] = "set"
		out.SetMetadata(m)
	}
	d := strings.Join(out.Unknown("", ""), " ") + "|" + out.MetadataText() + "|"
	if !r.Splice {
		d += out.Member("kind") + out.Member("apiVersion") + out.Member("spec")
	}
	return d + "|" + string(out.Append(nil))
}
