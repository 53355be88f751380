package apply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// canonicalBodies are bodies of applies, and whether decodeCanonical takes them.
var canonicalBodies = map[string]bool{
	`{}`: true,
	`{"a":1,"b":-2,"c":true,"d":null,"e":"x","f":{"g":[1,[2],{}]},"h":[]}` + "\n":                              true,
	`{"a":"~!@#$%^\u0026*()_+{}[]|:;'\u003c\u003e?,./ - # --- ..."}`:                                           true,
	`{"a":"yes","b":"1","c":"0x1","d":"2001-01-01","e":"null","f":"!!int 1","g":"\u0026a","h":"*a","i":"1_0"}`: true,
	`{"":5,"- b":7,"1":2,"? a":6,"null":3,"on":8,"yes":1,"~":4}`:                                               true,
	`{"a":"line\nbreak\r\ttab \"quoted\" back\\slash"}`:                                                        true,
	`{"a":"  spaces  ","b":" ","c":"trailing: "}`:                                                              true,
	`{"a":9223372036854775807,"b":-9223372036854775808}`:                                                       true,
	`{"a":true,"b":false}`: true,
	``:                     false,
	`[]`:                   false,
	`[1]`:                  false,
	`"x"`:                  false,
	`{"a":1,"a":2}`:        false,
	`{"<<":{"a":1}}`:       false,
	`{"a":1.0}`:            false,
	`{"a":1.5,"b":-0.25,"c":[123456.789,0.000001,-12.1]}`: true,
	`{"a":4008047265280110.8}`:                            false,
	`{"a":0.0}`:                                           false,
	`{"a":-0.0}`:                                          false,
	`{"a":1.5e3}`:                                         false,
	`{"a":1.5E3}`:                                         false,
	`{"a":0.1234567890123456789}`:                         false,
	`{"a":1.}`:                                            false,
	`{"a":1e3}`:                                           false,
	`{"a":-0}`:                                            false,
	`{"a":9999999999999999999}`:                           false,
	`{"a":"\u00e9"}`:                                      false,
	`{"a":"é"}`:                                           false,
	"{\"a\":\"\u2028\"}":                                  false,
	`{"a":"\/"}`:                                          false,
	`{"b":1,"a":2}`:                                       false,
	`{"a":"<"}`:                                           false,
	`{ "a":1}`:                                            false,
	"{\n\"a\":1}":                                         false,
	"{\"a\":1}\n\n":                                       false,
	`{"a":tru}`:                                           false,
	`{"a":1`:                                              false,
	`{a:1}`:                                               false,
	`{"a":yes}`:                                           false,
	`{"a":01}`:                                            false,
	`{"a":1}x`:                                            false,
	`{"a":--1}`:                                           false,
	"a: 1":                                                false,
	`{"` + strings.Repeat("k", 1000) + `":1}`:                     false,
	`{"a":"` + strings.Repeat("v", 3000) + `"}`:                   true,
	strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600): false,
}

// TestDecodeCanonical compares decodeCanonical with a decoder of YAML, and records what it accepts.
func TestDecodeCanonical(t *testing.T) {
	for body, want := range canonicalBodies {
		got, ok := decodeCanonical(body)
		if ok != want {
			t.Errorf("%.60s: taken %v, want %v", body, ok, want)
		}
		if ok {
			compareWithYAML(t, body, got)
		}
	}
}

func compareWithYAML(t *testing.T, body string, got map[string]any) {
	t.Helper()
	want := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(body), &want); err != nil {
		t.Errorf("%.200s: YAML has the error %v", body, err)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%.200s (-yaml +canonical):\n%s", body, diff)
	}
}

// FuzzDecodeCanonical compares decodeCanonical with a decoder of YAML.
func FuzzDecodeCanonical(f *testing.F) {
	for body := range canonicalBodies {
		f.Add(body)
	}
	fuzz.Run(f, func(t *testing.T, body string) {
		if got, ok := decodeCanonical(body); ok {
			compareWithYAML(t, body, got)
		}
	})
}
