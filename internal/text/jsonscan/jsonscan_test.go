package jsonscan_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// texts are JSON texts that Decode accepts.
var texts = []string{
	`0`, `-0`, `1`, `-1`, `123456789012345678`, `1234567890123456789`, `9223372036854775807`, `-9223372036854775808`,
	`9223372036854775808`, `-9223372036854775809`, `18446744073709551615`, `1.0`, `-0.0`, `1e3`, `1E+3`, `1.5e-7`, `1e-9`, `1e20`, `1e21`,
	`0.000001`, `0.0000001`, `123456789.125`, `4.9e-324`, `1e-400`, `1.7976931348623157e308`,
	`true`, `false`, `null`, `""`, `"a"`, `"abcdefghijklmnopqrstuvwxyz"`, `"aaaaaaa\n"`, `"<a>&b"`, `"é漢😀"`, `"\u2028"`, "\"\u2028\u2029\"", "\"\x7f\"",
	`"\u0000\u001f\b\f\n\r\t\"\\\/"`, `"\u0a9F\u0Af9"`, `"\ud800\udc00\udbff\udfff"`, `"\ud7ff\ue000\uffff"`, `"�"`, `"\u00e9\ud83d\ude00"`, `[]`, `{}`, `[1]`, `[[],{}]`, ` [ 1 , "a" , null ] `,
	`{"a":1}`, `{ "b" : [ true ] , "a" : { } }`, `{"<":"é"}`, `{"":0}`, `{"\u0061" : 1,"b":2,"c\"":{"\/":{}}}`, "\t{\r\n\"a\" :\t1}\n",
}

// refused are texts that Decode declines.
var refused = []string{
	``, ` `, `nul`, `nulll`, `tru`, `falsy`, `-`, `01`, `-01`, `1.`, `.5`, `+1`, `1e`, `1e+`, `0x1`, `1e400`, `-1e400`, `NaN`,
	`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u12:4"`, `"\u12/4"`, `"\u12@4"`, `"\u12G4"`, "\"\\u12`4\"", `"\ud800\ue000"`, `"\ud800\udbff"`, `"\udfff"`, `"\ud800"`, `"\udc00"`, `"\ud800\u0041"`, `"\ud800a"`, "\"\n\"", "\"aaaaaaaa\x01\"", "\"\xff\"", "\"\xed\xa0\x80\"",
	`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `{`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{a:1}`, `{1:1}`, `{"a" 1}`, `{"a":1 "b":2}`,
	`{"a":1,"a":2}`, `{"\u0061":1,"a":1}`, `1 2`, `{} {}`, "\ufeff1", "\u00a01",
	strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
}

// check compares Decode, Skip and Append with encoding/json and the decoders of
// Kubernetes. It reports whether Decode accepted the text.
func check(t *testing.T, s string) bool {
	t.Helper()
	v, ok := jsonscan.Decode(s)
	deep := strings.Count(s, "[")+strings.Count(s, "{") > jsonscan.MaxDepth // perhaps
	if start := jsonscan.Space(s, 0); ok && !deep && (jsonscan.Skip(s, start) < 0 || jsonscan.Space(s, jsonscan.Skip(s, start)) != len(s)) {
		t.Errorf("%q: Skip refuses what Decode takes", s)
	}
	if end := jsonscan.Skip(s, jsonscan.Space(s, 0)); end >= 0 && jsonscan.Space(s, end) == len(s) {
		if !json.Valid([]byte(s)) {
			t.Errorf("%q: Skip takes what is not JSON", s)
		}
	}
	if !ok {
		return false
	}
	var want any
	strict, err := kjson.UnmarshalStrict([]byte(s), &want)
	if err != nil || len(strict) > 0 {
		t.Errorf("%q: Decode takes what is refused: %v %v", s, err, strict)
		return true
	}
	var lax any
	if err := utiljson.Unmarshal([]byte(s), &lax); err != nil || !reflect.DeepEqual(lax, want) {
		t.Fatalf("%q: %v and %v", s, lax, want)
	}
	if diff := fuzz.Diff(want, v); diff != "" {
		t.Errorf("%q: Decode (-want +got):\n%s", s, diff)
	}
	encoded, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := jsonscan.Append([]byte("x"), v)
	if !(ok || deep) || ok && string(got) != "x"+string(encoded) {
		t.Errorf("%q: Append = %s, %t; want x%s", s, got, ok, encoded)
	}
	return true
}

func TestValues(t *testing.T) {
	for _, s := range texts {
		if !check(t, s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range refused {
		if check(t, s) {
			t.Errorf("%q is taken", s)
		}
	}
}

// TestStringStops checks that String finds a stop byte at every position and
// between different neighbours.
func TestStringStops(t *testing.T) {
	for _, stop := range []string{`"`, `\n`, "<", ">", "&", "\x1f", "\x00", "é", "\u2028", "\xff", "="} {
		for _, fill := range []string{"a", "!", "#", "[", "]", ";", "=", "?", "%", "'", " ", "\x7f"} {
			for at := range 20 {
				s := `"` + strings.Repeat(fill, at) + stop + strings.Repeat(fill, 12) + `"`
				check(t, s)
				end, text := jsonscan.String(s, 1)
				want := len(s) - 1
				switch stop {
				case `"`:
					want = at + 1
				case "\x1f", "\x00", "\xff":
					want = -1
				}
				if end != want {
					t.Fatalf("String(%q) = %d, want %d", s, end, want)
				}
				special := stop == "<" || stop == ">" || stop == "&" || stop == "\u2028"
				if end > 0 && (text&jsonscan.Respelled != 0) != special || end > 0 && (text&jsonscan.Escaped != 0) != (stop == `\n`) {
					t.Fatalf("String(%q): text %d", s, text)
				}
			}
		}
	}
}

// The text that String does not call respelled is the one that AppendString writes.
func TestRespelled(t *testing.T) {
	for text, respelled := range map[string]bool{
		`a`: false, `é漢😀`: false, "\x7f": false, `<`: true, `a&b`: true, "\u2028": true, "\u2029": true, "\u2027": false,
		`\n`: false, `\"\\\b\f\r\t`: false, `\/`: true, `\u003c\u003e\u0026`: false, `\u2028\u2029`: false,
		`\u003C`: true, `\u0041`: true, `\u000a`: true, `\u001f`: true, `\u2027`: true, `\ud83d\ude00`: true,
		`0123456\n89`: false, `0123456\/89`: true, `\n<`: true, `\/\n`: true,
	} {
		end, got := jsonscan.String(text+`"`, 0)
		decoded, ok := jsonscan.Unescape(nil, text)
		written, isUTF8 := jsonscan.AppendString(nil, string(decoded))
		if end != len(text) || !ok || !isUTF8 {
			t.Errorf("%q is not read", text)
		}
		if got&jsonscan.Respelled != 0 != respelled {
			t.Errorf("%q is respelled: %t", text, !respelled)
		}
		if same := string(written) == `"`+text+`"`; !same && !respelled {
			t.Errorf("%q is written as %s", text, written)
		}
		if again, ok := jsonscan.Respell(text); !ok || `"`+again+`"` != string(written) {
			t.Errorf("Respell(%q) = %q, %t; want %s", text, again, ok, written)
		}
	}
	long := strings.Repeat(`<\/`, 300)
	if got, ok := jsonscan.Respell(long); !ok || got != strings.Repeat(`\u003c/`, 300) {
		t.Errorf("Respell(%q) = %q, %t", long, got, ok)
	}
	for _, half := range []string{`\ud83d`, `<\ude00`, `\ud83dx`} {
		if got, ok := jsonscan.Respell(half); ok {
			t.Errorf("Respell(%q) = %q", half, got)
		}
	}
}

// TestOffset checks that the text before index i has no effect, and that functions
// return exactly -1 for a text that they decline.
func TestOffset(t *testing.T) {
	readers := map[string]func(s string, i int) int{
		"Skip":        jsonscan.Skip,
		"Value":       func(s string, i int) int { _, end := jsonscan.Value(s, i); return end },
		"Number":      func(s string, i int) int { end, _ := jsonscan.Number(s, i); return end },
		"String":      func(s string, i int) int { end, _ := jsonscan.String(s, i); return end },
		"Key":         func(s string, i int) int { _, _, at := jsonscan.Key(s, i); return at },
		"Next object": func(s string, i int) int { next, _ := jsonscan.Next(s, i, '}'); return next },
		"Next list":   func(s string, i int) int { next, _ := jsonscan.Next(s, i, ']'); return next },
	}
	for name, read := range readers {
		for _, s := range slices.Concat(texts, refused) {
			want := read(s, 0)
			if want < -1 || want > len(s) {
				t.Errorf("%s of %.40q = %d", name, s, want)
			}
			for _, before := range []string{strings.Repeat("]", 600), strings.Repeat("}", 600), ",1]"} {
				got := read(before+s, len(before))
				if got >= 0 {
					got -= len(before)
				}
				if got != want {
					t.Errorf("%s of %.40q after %.4q = %d, want %d", name, s, before, got, want)
				}
			}
		}
	}
}

// TestMaxDepth checks that Skip, Value and Append have the same limit.
func TestMaxDepth(t *testing.T) {
	for _, around := range [][2]string{{"[", "]"}, {`{"a":`, "}"}, {`[{"a":`, "}]"}} {
		each := strings.Count(around[0], "[") + strings.Count(around[0], "{")
		for depth := jsonscan.MaxDepth - 2; depth <= jsonscan.MaxDepth+2; depth += each {
			s := strings.Repeat(around[0], depth/each) + "1" + strings.Repeat(around[1], depth/each)
			want := depth <= jsonscan.MaxDepth
			if got := jsonscan.Skip(s, 0) == len(s); got != want {
				t.Errorf("Skip takes %d levels of %s: %t", depth, around, got)
			}
			if _, end := jsonscan.Value(s, 0); (end >= 0) != want {
				t.Errorf("Value takes %d levels of %s: %t", depth, around, end >= 0)
			}
			var v any
			if err := utiljson.Unmarshal([]byte(s), &v); err != nil {
				t.Fatal(err)
			}
			if got, ok := jsonscan.Append(nil, v); ok != want || ok && string(got) != s {
				t.Errorf("Append takes %d levels of %s: %t", depth, around, ok)
			}
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	deep := any("x")
	for range 600 {
		deep = []any{deep}
	}
	for _, v := range []any{1, "\xff", map[string]any{"\xff": 1.5}, []any{struct{}{}}, []any(nil), map[string]any(nil), deep} {
		if got, ok := jsonscan.Append(nil, v); ok {
			t.Errorf("Append(%T) = %s", v, got)
		}
	}
}

func TestLookup(t *testing.T) {
	const s = ` {"a": {"b" : [1, {"c":2}], "d":-3.5 }, "e":null,"f":{}} `
	for _, tt := range []struct {
		names, want string
		ok          bool
	}{
		{"a.d", "-3.5", true},
		{"a.b", `[1, {"c":2}]`, true},
		{"e", "null", true},
		{"f", "{}", true},
		{"f.x", "", true},
		{"x", "", true},
		{"x.y", "", true},
		{"e.x", "", false},
		{"a.b.c", "", false},
		{"a.d.c", "", false},
	} {
		for _, s := range []string{s, strings.TrimSpace(s), "\n " + s} {
			got, ok := jsonscan.Lookup(s, strings.Split(tt.names, ".")...)
			if got != tt.want || ok != tt.ok {
				t.Errorf("Lookup(%s) = %q, %t; want %q, %t", tt.names, got, ok, tt.want, tt.ok)
			}
		}
	}
	for _, broken := range []string{``, `{`, `{"a"`, `{"b":}`, `{"b":1`, `{"a":[}`} {
		if got, ok := jsonscan.Lookup(broken, "a"); ok {
			t.Errorf("Lookup(%s) = %q", broken, got)
		}
	}
}

// TestIsIntegral checks that a float64 is integral exactly if AppendFloat writes
// neither a fraction nor an exponent.
func TestIsIntegral(t *testing.T) {
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 1.5, 1e3, 123456789, 1e-6, 1e-7, 0.1, 1e20, 1e21, -1e21, 999999999999999868928, 1 << 53, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		want := !strings.ContainsAny(string(jsonscan.AppendFloat(nil, f)), ".eE")
		for name, got := range map[string]bool{
			"IsIntegral":           jsonscan.IsIntegral(f),
			"HasIntegral":          jsonscan.HasIntegral(f),
			"HasIntegral in a map": jsonscan.HasIntegral(map[string]any{"a": int64(1), "b": []any{"c", f}}),
		} {
			if got != want {
				t.Errorf("%s(%v) = %t, want %t", name, f, got, want)
			}
		}
	}
	if jsonscan.HasIntegral(map[string]any{"a": []any{int64(1), "1", true, nil}}) {
		t.Error("HasIntegral of values without floats = true")
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	for _, s := range refused {
		f.Add(s)
	}
	for _, s := range repeating {
		f.Add(s)
	}
	fuzz.Run(f, func(t *testing.T, s string) {
		check(t, s)
	})
}

func BenchmarkSkip(b *testing.B) {
	s := `{"items":[` + strings.Repeat(`{"name":"a-name-like-any-other","replicas":3,"labels":{"app":"something"},"ratio":0.25},`, 100) + `{}]}`
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		if jsonscan.Skip(s, 0) != len(s) {
			b.Fatal("not skipped")
		}
	}
}

// SkipSorted accepts what Skip accepts, apart from objects whose keys may be repeated.
func TestSkipSorted(t *testing.T) {
	for s, want := range map[string]bool{
		`{}`:                               true,
		`{"a":1,"b":[{"a":1},{"a":1}]}`:    true,
		`{"a":{"b":1},"b":1}`:              true,
		`{"":1,"a":1}`:                     true,
		`[1,"x",{"a":null}]`:               true,
		`{"a":1,"a":1}`:                    false,
		`{"":1,"":1}`:                      false,
		`{"b":1,"a":1}`:                    false,
		`{"a":1,"\u0062":1}`:               false,
		`[{"a":1},{"x":{"b":1,"b":true}}]`: false,
		`{"a":1,"b":[{"c":1,"c":1}]}`:      false,
		`{"a":1`:                           false,
		`"x"`:                              true,
	} {
		if got := jsonscan.SkipSorted(s, 0) == len(s); got != want {
			t.Errorf("SkipSorted(%s) accepts %t, want %t", s, got, want)
		}
	}
}
