package fastpath

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/testkit/enginetest"
)

// TestKeys checks that a walk finds declared members whose names have the same ends,
// wherever there is white space, and that it keeps what stays of the input.
func TestKeys(t *testing.T) {
	plan := keysPlan(t)
	const head = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":`
	const stored = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":1,"name":"a"},"spec":`
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
			out, why := plan.text(head+spec+"}", &Request{Create: true})
			if why != accepted {
				t.Errorf("%s, %s: declined: %d", tt.name, name, why)
				continue
			}
			if got := out.Text(); got != stored+tt.want+"}" {
				t.Errorf("%s, %s: got %s, want %s", tt.name, name, got, tt.want)
			}
			out.Release()
		}
	}
}

// TestKeysAreDistinct checks that a walk declines a name that comes twice, however it
// has found the member.
func TestKeysAreDistinct(t *testing.T) {
	plan := keysPlan(t)
	const head = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":`
	for _, spec := range []string{
		`{"a":1,"a":1}`, `{"ab":1,"d":1,"ab":1}`, `{"z":1,"y":1,"z":1}`, `{"<>":1,"\u003c>":1}`, `{"map":{"b":"1","a":"2","b":"1"}}`,
	} {
		for name, text := range spellings(spec) {
			if _, why := plan.text(head+text+"}", &Request{Create: true}); why == accepted {
				t.Errorf("%s, %s: accepted", spec, name)
			}
		}
	}
}

func keysPlan(t *testing.T) *Plan {
	t.Helper()
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"spec":{"type":"object","properties":{
		"<>":{"type":"integer"},"a":{"type":"integer"},"ab":{"type":"integer"},"abcde":{"type":"integer"},
		"abcdefghijklm":{"type":"integer"},"abcdefgh12345678abcdefgh":{"type":"integer"},
		"d":{"type":"integer","default":7},"list":{"type":"array","items":{"type":"integer"}},
		"map":{"type":"object","additionalProperties":{"type":"string"}},"n":{"type":"number"},
		"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"b":{"type":"integer"},"d":{"type":"string"}}},
		"three":{"type":"string","minLength":3,"maxLength":3},
		"wholeA":{"type":"object","additionalProperties":{"type":"integer"},"enum":[{"x":1}]},
		"wholeB":{"type":"array","items":{"type":"integer"},"not":{"minItems":3}}}}}}`))
	plan := Compile(n, Config{APIVersion: "example.com/v1", Kind: "Thing"})
	if plan == nil {
		t.Fatal("no plan")
	}
	return plan
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

// TestNear changes each byte of a key, and checks that near finds the member whose name
// package jsonscan reads, and no other.
func TestNear(t *testing.T) {
	m := keysPlan(t).root.members.list
	spec := m[slices.IndexFunc(m, func(p member) bool { return p.name == "spec" })].node.members
	for n := range spec.list {
		name := spec.list[n].name
		key := `"` + name + `":1,"z":1}`
		if got := spec.near(key, 0, max(0, n-2)); got != n && name != "<>" {
			t.Errorf("near finds %d for %s, want %d", got, key, n)
		}
		if got := spec.near(`"`+name+strings.Repeat("\x00", 2*wordSize), 0, max(0, n-2)); got != undeclared {
			t.Errorf("near finds %q before bytes that are 0", spec.list[got].name)
		}
		for i := range len(name) + len(`"":`) {
			for _, c := range []byte("\x00\"\\:,xa\xff") {
				changed := key[:i] + string([]byte{c}) + key[i+1:]
				got := spec.near(changed, 0, max(0, n-2))
				if got == undeclared {
					continue
				}
				if read, _, at := jsonscan.Key(changed, 0); at < 0 || read != spec.list[got].name {
					t.Errorf("near finds %q for %q", spec.list[got].name, changed)
				}
			}
		}
	}
}

// TestDirect checks that a walk declines scalars that are not valid.
func TestDirect(t *testing.T) {
	plan := keysPlan(t)
	for spec, want := range map[string]decline{
		`{"list":[],"three":"ab"}`: wrongScalar, `{"list":[],"three":"abcd"}`: wrongScalar, `{"list":[],"three":"a\n"}`: wrongScalar, `{"list":[],"three":"a\nb"}`: accepted,
		`{"list":[],"three":3}`: wrongType, `{"a":"1"}`: wrongType, `{"a":true}`: wrongType, `{"a":1.5}`: wrongType, `{"list":[],"n":false}`: wrongType,
	} {
		out, why := plan.text(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":`+spec+`}`, &Request{Create: true})
		if why != want {
			t.Errorf("%s: the reason is %d, want %d", spec, why, want)
		}
		if why == accepted {
			out.Release()
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
	n := enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"spec":{"type":"object",
		"required":[`+strings.Join(required, ",")+`],"properties":{`+strings.Join(names, ",")+`}}}}`))
	plan := Compile(n, Config{APIVersion: "example.com/v1", Kind: "Thing"})
	const tenDown = `"m011":11,"m010":10,"m009":9,"m008":8,"m007":7,"m006":6,"m005":5,"m004":4,"m003":3,"m002":2,`
	for _, tt := range []struct {
		spec, want string
		why        decline
	}{
		{`{"m000":1,"m064":1,"m128":1}`, `{"m000":1,"m001":7,"m064":1,"m065":7,"m128":1,"m129":7}`, accepted},
		{`{"m128":1,"m001":2,"m064":1,"m065":3,"m000":1}`, `{"m000":1,"m001":2,"m064":1,"m065":3,"m128":1,"m129":7}`, accepted},
		{`{"m064":1,"m128":1}`, "", missingMember},
		{`{"m000":1,"m128":1}`, "", missingMember},
		{`{"m000":1,"m064":1}`, "", missingMember},
		{`{"m000":1,"m064":1,"m128":1,"m000":1}`, "", repeatedKey},
		{`{"m000":1,"m064":1,"m128":1,"m128":1}`, "", repeatedKey},
		{`{"m128":1,"m065":1,"m064":1,"m129":7,"m000":1,"m065":1}`, "", repeatedKey},
		{`{"m009":9,` + tenDown + `"m128":1,"m064":1,"m065":3,"m000":1}`, "", repeatedKey},
		{`{"m128":1,"m064":1,"m065":3,` + tenDown + `"m000":1}`, `{"m000":1,"m001":7,"m002":2,"m003":3,"m004":4,"m005":5,"m006":6,"m007":7,"m008":8,"m009":9,"m010":10,"m011":11,"m064":1,"m065":3,"m128":1,"m129":7}`, accepted},
	} {
		out, why := plan.text(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":`+tt.spec+`}`, &Request{Create: true})
		if why != tt.why {
			t.Errorf("%s: the reason is %d, want %d", tt.spec, why, tt.why)
		}
		if why != accepted {
			continue
		}
		if got := out.Text(); !strings.HasSuffix(got, `"spec":`+tt.want+"}") {
			t.Errorf("%s becomes %s", tt.spec, got)
		}
		out.Release()
	}
}
