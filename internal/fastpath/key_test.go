package fastpath

import (
	"strings"
	"testing"

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
		{"numbers with another spelling", `{"d":-0,"list":[-0,1,-0],"n":1.50}`, `{"d":0,"list":[0,1,0],"n":1.5}`},
	} {
		for name, spec := range spellings(tt.spec) {
			out, why := plan.text(head+spec+"}", Request{Create: true})
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
			if _, why := plan.text(head+text+"}", Request{Create: true}); why == accepted {
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
		"map":{"type":"object","additionalProperties":{"type":"string"}},"n":{"type":"number"}}}}}`))
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
