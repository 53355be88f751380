package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// repeating are objects that repeat members, which Decode declines.
var repeating = []string{
	`{"a":1,"a":2}`, `{"a":{"b":1,"b":[]}}`, `{"a":{"b":{"c":1,"c":2}},"d":{"c":1}}`, `{"a":[{"b":1},0,[{"c":1},{"c":1,"c":2}]]}`,
	`{"":{"":1},"":{}}`, `{"é\"<":1,"é\"<":2}`, `{"\u0061":1,"a":2}`, `{"\u0061" : {"\n":1,"\n":2}}`,
}

// neverRead are texts that are no JSON, or nested too deeply.
var neverRead = []string{
	`{"a":1,"a":}`, `{"\u00":1}`, `{"\ud800":1}`, `{"a\":1}`, `{"\u0061"1}`, `{"\u0061"`, `{"a":1 "a":2}`, `{"\u0061":1,}`, `{1:1}`, "{\"\xff\":1}",
	strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000), strings.Repeat("[", 20_000),
}

func TestDecodeDeclines(t *testing.T) {
	for _, s := range append(repeating, neverRead...) {
		if _, ok := jsonscan.Decode(s); ok {
			t.Errorf("%.100q is read", s)
		}
	}
	if deep := strings.Repeat(`{"a":`, 9_999) + "1" + strings.Repeat("}", 9_999); !check(t, deep) {
		t.Error("what the server reads is declined")
	}
}
