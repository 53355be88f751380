package conversion

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// encodeTests are values in JSON.
var encodeTests = []string{
	`{}`, `{"a":null,"b":true,"c":false}`, `{"a":[],"b":{},"c":[[],{},[1]]}`,
	`{"a":9223372036854775807,"b":-9223372036854775808,"c":0.1,"d":1e21,"e":1e-7,"f":1.0}`,
	`{"z":1,"a":2,"m":{"z":1,"a":2},"Z":3,"":4,"é":5}`,
	`{"a":"<b>&'\"\\/","b":"\u0000\n\t\r\u007f","c":"ünï\u2028\u2029😀","d":"\ud800"}`,
	"{\"a\":\"\xff\xfe\"}",
}

func encodeBoth(t *testing.T, v map[string]any) {
	t.Helper()
	want, errWant := json.Marshal(v)
	got, err := appendJSON(nil, v, true)
	if (err == nil) != (errWant == nil) {
		t.Fatalf("value: %v, want %v", err, errWant)
	}
	if errWant == nil && !bytes.Equal(got, want) {
		t.Errorf("value = %s, want %s", got, want)
	}
	plain, err := appendJSON(nil, v, false)
	var again map[string]any
	if err == nil && (utiljson.Unmarshal(plain, &again) != nil || len(plain) > len(got)) {
		t.Errorf("plain value = %s, want %s", plain, want)
	}
	var same map[string]any
	if err == nil && utiljson.Unmarshal(want, &same) == nil && !reflect.DeepEqual(same, again) {
		t.Errorf("plain value = %s, want %s", plain, want)
	}
}

func TestEncode(t *testing.T) {
	for _, text := range encodeTests {
		var v map[string]any
		if err := utiljson.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		encodeBoth(t, v)
	}
	encodeBoth(t, map[string]any{"a": map[string]any(nil), "b": []any(nil), "c": int32(5), "d": []string{"x"}, "e": map[string]string{"b": "1", "a": "2"}})
	for _, unit := range []string{"x", "é", "😀", "\xff", "\x80", "x\xf0\x9f", "<"} {
		encodeBoth(t, map[string]any{"a" + strings.Repeat(unit, 32<<10): "ab" + strings.Repeat(unit, 32<<10)})
	}
	encodeBoth(t, map[string]any{"a": math.NaN()})
	encodeBoth(t, map[string]any{"a": func() {}})
}

func TestEncodeCycle(t *testing.T) {
	cycle := map[string]any{}
	cycle["a"] = []any{cycle}
	if _, err := appendJSON(nil, cycle, false); err == nil || !strings.Contains(err.Error(), "10000 levels") {
		t.Errorf("value of a cycle: %v", err)
	}
}

// TestEncodeDepth pins the deepest nesting that is written.
func TestEncodeDepth(t *testing.T) {
	for levels, want := range map[int]bool{maxDepth - 1: true, maxDepth: true, maxDepth + 1: false} {
		v := any("innermost")
		for range levels - 1 {
			v = []any{v}
		}
		if _, err := appendJSON(nil, map[string]any{"a": v}, true); (err == nil) != want {
			t.Errorf("%d levels: %v, want success %v", levels, err, want)
		}
	}
}

// FuzzEncode compares the encoding with encoding/json.
func FuzzEncode(f *testing.F) {
	for _, text := range encodeTests {
		f.Add([]byte(text))
	}
	fuzz.Run(f, func(t *testing.T, data []byte) {
		var v map[string]any
		if utiljson.Unmarshal(data, &v) == nil {
			encodeBoth(t, v)
		}
	})
}
