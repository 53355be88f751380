package jsonscan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// repeating are objects that Decode declines and DecodeRepeated reads.
var repeating = []string{
	`{"a":1,"a":2}`, `{"a":1,"a":2,"a":3,"b":0,"b":0}`, `{"a":{"b":1,"b":[]}}`, `{"a":{"b":{"c":1,"c":2}},"d":{"c":1,"c":{}}}`,
	`{"a":[{"b":1,"b":2},0,[{"c":1},{"c":1,"c":2}],{"b":1,"b":2}]}`, `{"":{"":1,"":2},"":{"":1,"":2}}`, `{"":{"a":1,"a":2}}`,
	`{"a":1,"a":{"b":1,"b":2}}`, `{"a":{"b":1,"b":2},"a":{"b":1,"b":2}}`, `{"a":[0,{"a":1,"a":1}],"a":[0,{"a":1,"a":1}]}`,
	`{"a.b":{"c":1,"c":1},"a":{"b":{"c":1,"c":1}}}`, `{"é\"<":1,"é\"<":2}`, `{"\u0061":1,"a":2}`, `{"\u0061" : {"\n":1,"\n":2}}`,
	`{"a":{"kind":1,"kind":2}}`, `{"a":[1,2],"a":[3]}`, `{"a":[[],[{"b":1,"b":1}]]}`,
	"{" + many(150, `"k%d":1,"k%[1]d":2`) + "}", `{"a":[` + many(150, `{"k%d":1,"k%[1]d":2}`) + "]}",
	deepObjects(600), deepObjects(9_999), `{"a":` + strings.Repeat("[", 9_998) + strings.Repeat("]", 9_998) + "}",
}

// neverRead are texts that both decline.
var neverRead = []string{
	`{"a":1,"a":}`, `{"\u00":1}`, `{"\ud800":1}`, `{"a\":1}`, `{"\u0061"1}`, `{"\u0061"`, `{"a":1 "a":2}`, `{"\u0061":1,}`, `{1:1}`, "{\"\xff\":1}",
	deepObjects(10_001), strings.Repeat("[", 20_000),
}

func many(n int, layout string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, layout, i)
	}
	return b.String()
}

func deepObjects(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

// checkRepeated compares DecodeRepeated with sigs.k8s.io/json. It reports whether
// DecodeRepeated accepted the text.
func checkRepeated(t *testing.T, s string) bool {
	t.Helper()
	v, repeated, ok := jsonscan.DecodeRepeated(s)
	if !ok {
		return false
	}
	var want any = map[string]any{} // as the serializer of apimachinery
	var strict []error
	var err error
	if object, isObject := v.(map[string]any); isObject {
		decoded := map[string]any{}
		strict, err = kjson.UnmarshalStrict([]byte(s), &decoded)
		want, v = decoded, any(object)
	} else {
		strict, err = kjson.UnmarshalStrict([]byte(s), &want)
	}
	if err != nil {
		t.Errorf("%.100q: DecodeRepeated takes what is refused: %v", s, err)
		return true
	}
	var paths []string
	for _, err := range strict {
		paths = append(paths, err.(kjson.FieldError).FieldPath())
	}
	if diff := cmp.Diff(paths, repeated); diff != "" {
		t.Errorf("%.100q: paths (-want +got):\n%s", s, diff)
	}
	if diff := fuzz.Diff(want, v); diff != "" {
		t.Errorf("%.100q: value (-want +got):\n%s", s, diff)
	}
	return true
}

func TestRepeatedMembersAreThoseOfTheServer(t *testing.T) {
	for _, s := range append(texts, repeating...) {
		if !checkRepeated(t, s) {
			t.Errorf("%.100q is declined", s)
		}
	}
	for _, s := range repeating {
		if _, ok := jsonscan.Decode(s); ok {
			t.Errorf("Decode reads %.100q", s)
		}
	}
	for _, s := range neverRead {
		if checkRepeated(t, s) {
			t.Errorf("%.100q is taken", s)
		}
	}
}

func TestOutermostMembersThatMustNotRepeat(t *testing.T) {
	for s, want := range map[string]bool{
		`{"kind":1,"kind":2}`: false, `{"k\u0069nd":{},"kind":{}}`: false, `{"kind":0,"a":1}`: true, `{"a":1,"a":2,"kind":0}`: true,
		`{"a":{"kind":1,"kind":2}}`: true, `{"":{"kind":1,"kind":2}}`: true, `{"a":[{"kind":1,"kind":2}]}`: true,
	} {
		if _, _, ok := jsonscan.DecodeRepeated(s, "apiVersion", "kind"); ok != want {
			t.Errorf("%s: %t, want %t", s, ok, want)
		}
	}
}
