package fastpath

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// TestKeys checks that a walk finds declared members whose names have the same ends,
// wherever there is white space, and that it writes the canonical text.
func TestKeys(t *testing.T) {
	plan := keysPlan(t)
	for _, tt := range []struct{ name, spec, want string }{
		{"one byte", `{"a":1}`, `{"a":1,"d":7}`},
		{"two bytes", `{"ab":1,"d":2}`, `{"ab":1,"d":2}`},
		{"a prefix of a name", `{"abcd":1,"d":2}`, `{"d":2}`},
		{"eight bytes with quotes and colon", `{"abcde":1,"d":2}`, `{"abcde":1,"d":2}`},
		{"another last byte", `{"abcdf":1,"d":2}`, `{"d":2}`},
		{"sixteen bytes with quotes and colon", `{"abcdefghijklm":1,"d":2}`, `{"abcdefghijklm":1,"d":2}`},
		{"another byte in the second half", `{"abcdefghiXklm":1,"d":2}`, `{"d":2}`},
		{"many bytes", `{"abcdefgh12345678abcdefgh":1,"d":2}`, `{"abcdefgh12345678abcdefgh":1,"d":2}`},
		{"another byte in the middle", `{"abcdefgh1234X678abcdefgh":1,"d":2}`, `{"d":2}`},
		{"another byte in the middle of the next member", `{"a":1,"abcdefgh1234X678abcdefgh":1,"d":2}`, `{"a":1,"d":2}`},
		{"another first byte of a member that is near", `{"ab":1,"Xbcdefghijklm":1,"d":2}`, `{"ab":1,"d":2}`},
		{"a name that is written with an escape", `{"d":2,"<>":1}`, `{"\u003c\u003e":1,"d":2}`},
		{"all out of order", `{"d":2,"ab":1,"abcde":1,"a":1}`, `{"a":1,"ab":1,"abcde":1,"d":2}`},
		{"a default between members", `{"a":1,"list":[1,2,3]}`, `{"a":1,"d":7,"list":[1,2,3]}`},
		{"removed members between others", `{"a":1,"b":{"x":[1,2]},"c":3,"d":2,"e":[],"list":[],"z":0}`, `{"a":1,"d":2,"list":[]}`},
		{"removed members only", `{"b":1,"c":2}`, `{"d":7}`},
		{"members of a map", `{"d":2,"map":{"one":"1","two":"2"}}`, `{"d":2,"map":{"one":"1","two":"2"}}`},
		{"members of a map out of order", `{"d":2,"map":{"two":"2","one":"1","three":"3"}}`, `{"d":2,"map":{"one":"1","three":"3","two":"2"}}`},
		{"a text with another spelling", `{"d":2,"map":{"one":"\u0031<","two":"\u0032"}}`, `{"d":2,"map":{"one":"1\u003c","two":"2"}}`},
		{"direct members around one that is kept", `{"d":2,"open":{"a":1,"c":"x","b":2,"d":"y"}}`, `{"d":2,"open":{"a":1,"b":2,"c":"x","d":"y"}}`},
		{"a checked text with an escape", `{"d":2,"list":[],"three":"a\nb"}`, `{"d":2,"list":[],"three":"a\nb"}`},
		{"lists and maps that are compared as a whole", `{"d":2,"wholeA":{"x":1},"wholeB":[1]}`, `{"d":2,"wholeA":{"x":1},"wholeB":[1]}`},
		{"numbers with another spelling", `{"d":-0,"list":[-0,1,-0],"n":1.50}`, `{"d":0,"list":[0,1,0],"n":1.5}`},
	} {
		for name, spec := range spellings(tt.spec) {
			if got, ok := plan.create(object(head, `"spec":`+spec), WarnOfUnknown); got != object(storedHead, `"spec":`+tt.want) {
				t.Errorf("%s, %s: got %s (%t), want %s", tt.name, name, got, ok, tt.want)
			}
		}
	}
}

// TestKeysAreDistinct checks that a walk declines a name that comes twice, however it
// has found the member.
func TestKeysAreDistinct(t *testing.T) {
	plan := keysPlan(t)
	for spec, want := range map[string]bool{
		`{"a":1,"a":1}`: false, `{"ab":1,"d":1,"ab":1}`: false, `{"z":1,"y":1,"z":1}`: false,
		`{"<>":1,"\u003c>":1}`: false, `{"map":{"b":"1","a":"2","b":"1"}}`: false,
	} {
		for name, text := range spellings(spec) {
			if _, ok := plan.create(object(head, `"spec":`+text), WarnOfUnknown); ok != want {
				t.Errorf("%s, %s: accepted: %t", spec, name, ok)
			}
		}
	}
}

func keysPlan(t *testing.T) *Plan {
	t.Helper()
	return mustPlan(t, specSchema(t, `{"type":"object","properties":{
		"<>":{"type":"integer"},"a":{"type":"integer"},"ab":{"type":"integer"},"abcde":{"type":"integer"},
		"abcdefghijklm":{"type":"integer"},"abcdefgh12345678abcdefgh":{"type":"integer"},
		"d":{"type":"integer","default":7},"list":{"type":"array","items":{"type":"integer"}},
		"map":{"type":"object","additionalProperties":{"type":"string"}},"n":{"type":"number"},
		"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"type":"integer"},"d":{"type":"string"}}},
		"three":{"type":"string","minLength":3,"maxLength":3},
		"wholeA":{"type":"object","additionalProperties":{"type":"integer"},"enum":[{"x":1}]},
		"wholeB":{"type":"array","items":{"type":"integer"},"not":{"minItems":3}}}}`))
}

// spellings returns a text with white space in different places. Its strings must not
// have punctuation.
func spellings(text string) map[string]string {
	out := map[string]string{"compact": text}
	for name, space := range map[string]string{"a space": " ", "a line": "\n\t "} {
		for _, at := range []string{"{", "}", "[", "]", ":", ",", "{}[]:,"} {
			var before, after []string
			for _, c := range strings.Split(at, "") {
				before, after = append(before, c, space+c), append(after, c, c+space)
			}
			out[name+" before "+at] = strings.NewReplacer(before...).Replace(text)
			out[name+" after "+at] = strings.NewReplacer(after...).Replace(text)
		}
	}
	return out
}

// TestGuess changes each byte of a key, and checks that guess finds the member whose name
// package jsonscan reads, and no other.
func TestGuess(t *testing.T) {
	m := keysPlan(t).root.members.list
	spec := m[slices.IndexFunc(m, func(p member) bool { return p.name == "spec" })].node.members
	for n := range spec.list {
		name := spec.list[n].name
		key := `"` + name + `":1,"z":1}`
		if got := spec.guess(key, 0, max(0, n-2)); got != n && name != "<>" {
			t.Errorf("guess finds %d for %s, want %d", got, key, n)
		}
		if got := spec.guess(`"`+name+strings.Repeat("\x00", 2*wordSize), 0, max(0, n-2)); got != undeclared {
			t.Errorf("guess finds %q before bytes that are 0", spec.list[got].name)
		}
		for i := range len(name) + len(`"":`) {
			for _, c := range []byte("\x00\"\\:,xa\xff") {
				changed := key[:i] + string([]byte{c}) + key[i+1:]
				got := spec.guess(changed, 0, max(0, n-2))
				if got == undeclared {
					continue
				}
				if read, _, at := jsonscan.Key(changed, 0); at < 0 || read != spec.list[got].name {
					t.Errorf("guess finds %q for %q", spec.list[got].name, changed)
				}
			}
		}
	}
}

// TestDirect checks that a walk declines scalars that are not valid.
func TestDirect(t *testing.T) {
	plan := keysPlan(t)
	for spec, want := range map[string]bool{
		`{"list":[],"three":"ab"}`: false, `{"list":[],"three":"abcd"}`: false, `{"list":[],"three":"a\n"}`: false, `{"list":[],"three":"a\nb"}`: true,
		`{"list":[],"three":3}`: false, `{"a":"1"}`: false, `{"a":true}`: false, `{"a":1.5}`: false, `{"list":[],"n":false}`: false,
	} {
		if _, ok := plan.create(object(head, `"spec":`+spec), WarnOfUnknown); ok != want {
			t.Errorf("%s: accepted: %t, want %t", spec, ok, want)
		}
	}
}

// TestManyMembers checks members after the 64th: that they are set, required and not
// repeated.
func TestManyMembers(t *testing.T) {
	var names, required []string
	for i := range 130 {
		name := fmt.Sprintf("m%03d", i)
		names = append(names, fmt.Sprintf(`"%s":{"type":"integer"%s}`, name, map[bool]string{true: `,"default":7`}[i%64 == 1]))
		if i%64 == 0 {
			required = append(required, `"`+name+`"`)
		}
	}
	plan := mustPlan(t, specSchema(t, `{"type":"object","required":[`+strings.Join(required, ",")+`],"properties":{`+strings.Join(names, ",")+`}}`))
	const tenDown = `"m011":11,"m010":10,"m009":9,"m008":8,"m007":7,"m006":6,"m005":5,"m004":4,"m003":3,"m002":2,`
	for _, tt := range []struct {
		spec, want string
		ok         bool
	}{
		{`{"m000":1,"m064":1,"m128":1}`, `{"m000":1,"m001":7,"m064":1,"m065":7,"m128":1,"m129":7}`, true},
		{`{"m128":1,"m001":2,"m064":1,"m065":3,"m000":1}`, `{"m000":1,"m001":2,"m064":1,"m065":3,"m128":1,"m129":7}`, true},
		{`{"m064":1,"m128":1}`, "", false},
		{`{"m000":1,"m128":1}`, "", false},
		{`{"m000":1,"m064":1}`, "", false},
		{`{"m000":1,"m064":1,"m128":1,"m000":1}`, "", false},
		{`{"m000":1,"m064":1,"m128":1,"m128":1}`, "", false},
		{`{"m128":1,"m065":1,"m064":1,"m129":7,"m000":1,"m065":1}`, "", false},
		{`{"m009":9,` + tenDown + `"m128":1,"m064":1,"m065":3,"m000":1}`, "", false},
		{`{"m128":1,"m064":1,"m065":3,` + tenDown + `"m000":1}`, `{"m000":1,"m001":7,"m002":2,"m003":3,"m004":4,"m005":5,"m006":6,"m007":7,"m008":8,"m009":9,"m010":10,"m011":11,"m064":1,"m065":3,"m128":1,"m129":7}`, true},
	} {
		got, ok := plan.create(object(head, `"spec":`+tt.spec), WarnOfUnknown)
		if ok != tt.ok || ok && got != object(storedHead, `"spec":`+tt.want) {
			t.Errorf("%s becomes %s: %t, want %t", tt.spec, got, ok, tt.ok)
		}
	}
}

// TestDefaultsInEveryOrder: defaults and members get into their places in whatever order the
// members come.
func TestDefaultsInEveryOrder(t *testing.T) {
	p := mustPlan(t, specSchema(t, `{type: object, maxProperties: 7, properties: {
		a: {type: integer}, b: {type: integer, default: 1}, c: {type: object, default: {}, properties: {d: {type: integer, default: 2}}},
		e: {type: string}, f: {type: boolean, default: true}, g: {type: integer, default: 3}}}`))
	for _, tt := range []struct {
		members []string
		want    string // "" if the object is declined in every order
	}{
		{[]string{`"a":0`, `"e":"x"`, `"undeclared":1`}, `{"a":0,"b":1,"c":{"d":2},"e":"x","f":true,"g":3}`},
		{[]string{`"a":0`, `"b":5`, `"c":{}`, `"e":"x"`, `"f":false`, `"g":4`}, `{"a":0,"b":5,"c":{"d":2},"e":"x","f":false,"g":4}`},
		{[]string{`"b":null`, `"c":null`, `"g":4`, `"a1":5`}, `{"b":1,"c":{"d":2},"f":true,"g":4}`},
		{[]string{`"c":{ "undeclared":1}`, ` "g":4`}, `{"b":1,"c":{"d":2},"f":true,"g":4}`},
		{[]string{`"b":5`, `"e":"x"`, `"b":5`}, ""},
		{[]string{`"b":5`, `"g":4`, `"b":6`, `"c":{"d":1}`}, ""},
	} {
		orders(tt.members, 0, func(members []string) {
			got, ok := p.create(object(head, `"spec":{`+strings.Join(members, ",")+`}`), DropUnknown)
			if tt.want == "" && ok || tt.want != "" && got != object(storedHead, `"spec":`+tt.want) {
				t.Errorf("%s becomes %s (%t), want %s", members, got, ok, tt.want)
			}
		})
	}
}

// orders calls do with every order of the members from n on.
func orders(members []string, n int, do func([]string)) {
	if n == len(members) {
		do(members)
	}
	for i := n; i < len(members); i++ {
		members[n], members[i] = members[i], members[n]
		orders(members, n+1, do)
		members[n], members[i] = members[i], members[n]
	}
}

// TestLongLists: long lists are hashed. Each size of the table finds equal elements, and none
// that are not there.
func TestLongLists(t *testing.T) {
	p := mustPlan(t, rootSchema(t, `{type: object, properties: {
		set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
		map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}}}`))
	for _, n := range []int{1, 2, 12, 13, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 200, 256, 300, 600} {
		for member, form := range map[string]string{"set": `"e%d"`, "map": `{"k":"e%d"}`} {
			for again, want := range map[int]bool{-1: true, 0: false, n / 2: false, n - 1: false} {
				elements := make([]string, n, n+1)
				for i := range elements {
					elements[i] = fmt.Sprintf(form, i)
				}
				if again >= 0 {
					elements = append(elements, elements[again])
				}
				if _, ok := p.create(object(head, `"`+member+`":[`+strings.Join(elements, ",")+"]"), RefuseUnknown); ok != want {
					t.Errorf("%s of %d elements, %d repeated: accepted: %t", member, n, again, ok)
				}
			}
		}
	}
}

// TestMembersSort adds members to a sorted list that belong before, into and after it.
func TestMembersSort(t *testing.T) {
	m := &members{}
	for _, name := range []string{"b", "d", "f", "a", "e", "g", "c"} {
		m.list = append(m.list, member{name: name})
	}
	m.sort()
	var got []string
	for _, e := range m.list {
		got = append(got, e.name)
	}
	if want := []string{"a", "b", "c", "d", "e", "f", "g"}; !slices.Equal(got, want) {
		t.Errorf("sort = %q, want %q", got, want)
	}
}
