package correlate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/value/correlate"
)

const tested = `{"type":"object","properties":{
	"s":{"type":"string"},
	"m":{"type":"object","additionalProperties":{"type":"integer"}},
	"p":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
	"a":{"type":"array","items":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},
	"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
	"one":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{
		"k":{"x-kubernetes-preserve-unknown-fields":true},"v":{"x-kubernetes-preserve-unknown-fields":true}}}},
	"two":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","l"],"items":{"type":"object","properties":{
		"k":{"x-kubernetes-preserve-unknown-fields":true},"l":{"x-kubernetes-preserve-unknown-fields":true},"v":{"type":"integer"}}}},
	"single":{"type":"object","properties":{"x":{"type":"integer"}}},
	"none":{"type":"array","x-kubernetes-list-type":"map","items":{"type":"object","properties":{"k":{"type":"string"}}}}
}}`

func object(t testing.TB, text string) any {
	t.Helper()
	v, err := testkit.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestUnchanged(t *testing.T) {
	s := correlate.New(enginetest.MustCompile(t, []byte(tested)))
	for _, test := range []struct {
		next, old string
		want      bool
	}{
		{`{}`, `{}`, true},
		{`null`, `null`, true},
		{`null`, `{}`, false},
		{`{}`, `null`, false},
		{`{"s":"a"}`, `{"s":"a"}`, true},
		{`{"s":"a"}`, `{"s":"b"}`, false},
		{`{"s":"a"}`, `{}`, false},
		{`{"s":"a"}`, `{"m":{},"s":"a"}`, false},
		{`{"s":null}`, `{"s":null}`, true},
		{`{"s":5}`, `{"s":5.0}`, false},
		{`{"s":[]}`, `{"s":{}}`, false},
		{`{"z":1}`, `{"z":1}`, false}, // not declared
		{`{"m":{"a":1}}`, `{"m":{"a":1}}`, true},
		{`{"m":{"a":1}}`, `{"m":{"b":1}}`, false},
		{`{"single":{"x":1}}`, `{"single":{"x":1}}`, true},
		{`{"single":{"x":1}}`, `{"single":{"x":2}}`, false},
		{`{"p":{}}`, `{"p":{}}`, true},
		{`{"p":{"a":1}}`, `{"p":{"a":1}}`, false}, // not declared
		{`{"a":[{"z":1}]}`, `{"a":[{"z":1}]}`, true},
		{`{"a":[{},{"z":1}]}`, `{"a":[{"z":1},{}]}`, false},
		{`{"set":["a","b"]}`, `{"set":["b","a"]}`, false},
		{`{"one":[{"k":1,"v":2},{"k":2}]}`, `{"one":[{"k":2},{"k":1,"v":2}]}`, true},
		{`{"one":[{"k":1},{"k":1}]}`, `{"one":[{"k":1},{"k":2}]}`, true}, // both are the first
		{`{"one":[{"k":1}]}`, `{"one":[{"k":1},{"k":2}]}`, false},        // another length
		{`{"one":[]}`, `{"one":[{"k":1}]}`, false},
		{`{"one":[{"k":1}]}`, `{"one":[{"k":1.0}]}`, false},
		{`{"one":[{}]}`, `{"one":[{}]}`, false},             // no key
		{`{"one":[{"k":{}}]}`, `{"one":[{"k":{}}]}`, false}, // no scalar
		{`{"one":[]}`, `{"one":[]}`, true},
		{`{"one":[null]}`, `{"one":[null]}`, false},
		{`{"two":[{"k":1,"l":2}]}`, `{"two":[{"k":1,"l":2}]}`, true},
		{`{"two":[{"k":1,"l":2}]}`, `{"two":[{"k":1,"l":3}]}`, false},
		{`{"none":[{"k":"a"}]}`, `{"none":[{"k":"a"}]}`, false},
	} {
		next, old := object(t, test.next), object(t, test.old)
		if got := s.Unchanged(next, old); got != test.want {
			t.Errorf("Unchanged(%s, %s) = %v, want %v", test.next, test.old, got, test.want)
		}
	}
}

func TestPair(t *testing.T) {
	s := correlate.New(enginetest.MustCompile(t, []byte(tested)))
	p := s.Pair(object(t, `{"s":"a","z":1,"two":[{"k":1.00000001,"l":"x","v":1},{"k":3,"l":"x"}],"a":[{}],"m":null}`),
		object(t, `{"s":"b","z":1,"two":[{"k":1.00000002,"l":"x","v":2}],"a":[{}]}`))
	if got := p.Key("s"); !got.Correlated() || got.Next != "a" || got.Old != "b" || got.Unchanged() {
		t.Errorf("Key(s) = %v", got)
	}
	for _, name := range []string{"z", "m", "missing"} {
		if got := p.Key(name); got.Correlated() {
			t.Errorf("Key(%s) = %v, want the zero Pair", name, got)
		}
	}
	if got := p.Key("z").Key("z"); got.Correlated() {
		t.Errorf("Key of the zero Pair = %v", got)
	}
	two := p.Key("two").Elements()
	if got := two.At(0); !got.Correlated() || !reflect.DeepEqual(got.Old, object(t, `{"k":1.00000002,"l":"x","v":2}`)) {
		t.Errorf("At(0) = %v: of several keys, floats count by six decimals", got)
	}
	for _, i := range []int{1, 2} {
		if got := two.At(i); got.Correlated() {
			t.Errorf("At(%d) = %v, want the zero Pair", i, got)
		}
	}
	atomic := p.Key("a").Elements()
	if got := atomic.At(0); got.Correlated() {
		t.Errorf("At(0) of an atomic list = %v, want the zero Pair", got)
	}
	none := correlate.New(nil)
	if p := none.Pair(1, 1); none != nil || p.Correlated() || p.Unchanged() {
		t.Error("the schema of no node correlates something")
	}
}

// Lists without elements are equal, whether they are nil or not.
func TestUnchangedNilList(t *testing.T) {
	s := correlate.New(enginetest.MustCompile(t, []byte(tested)))
	for _, name := range []string{"a", "one"} {
		if !s.Child(name).Unchanged([]any(nil), []any{}) {
			t.Errorf("%s: a nil list differs from an empty one", name)
		}
	}
}

// Short lists are searched without allocating.
func TestSearchAllocatesNothing(t *testing.T) {
	s := correlate.New(enginetest.MustCompile(t, []byte(tested)))
	obj := object(t, `{"one":[{"k":"a"},{"k":"b"},{"k":"c"}],"two":[{"k":"a","l":1.5},{"k":"b","l":0.25}]}`)
	if got := testing.AllocsPerRun(100, func() {
		if !s.Unchanged(obj, obj) {
			t.Fatal("the object has changed")
		}
	}); got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

// Equal schemas are compiled once.
func TestSharing(t *testing.T) {
	s := correlate.New(enginetest.MustCompile(t, []byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}}},
		"b":{"type":"object","properties":{"x":{"type":"string"}}},"c":{"type":"object","properties":{"y":{"type":"string"}}}}}`)))
	if s.Child("a") != s.Child("b") || s.Child("a") == s.Child("c") {
		t.Error("equal schemas are not one, or different ones are")
	}
}

// naive finds the old element of item by the definition: it is the first old
// element with the same text of its keys.
func naive(keys []string, old []any, item any) any {
	text := func(v any) (string, bool) {
		m, ok := v.(map[string]any)
		if !ok {
			return "", false
		}
		var s string
		for _, k := range keys {
			switch v := m[k].(type) {
			case bool, int64:
				s += fmt.Sprintf("\x00%T%v", v, v)
			case float64:
				if len(keys) == 1 {
					s += fmt.Sprintf("\x00f%v", v+0)
				} else {
					s += "\x00f" + strconv.FormatFloat(v, 'f', 6, 64)
				}
			case string:
				s += "\x00" + strconv.Quote(v)
			default:
				return "", false
			}
		}
		return s, true
	}
	want, ok := text(item)
	if !ok {
		return nil
	}
	for _, o := range old {
		if got, ok := text(o); ok && got == want {
			return o
		}
	}
	return nil
}

// TestElements compares with naive on lists of few different keys, short and
// long.
func TestElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := correlate.New(enginetest.MustCompile(t, []byte(tested)))
	values := []any{"a", "b", int64(1), 1.0, int64(2), int64(11), int64(12), 0.5, 0.5000000001, 0.123456, 0.123457, 0.1234561, 0.1 + 0.2, 0.3, 7.5, 0.0, math.Copysign(0, -1), true, false, nil, "\x00", []any{}, "1", "true"}
	list := func() []any {
		out := make([]any, rng.IntN(40))
		for i := range out {
			m := map[string]any{"v": int64(rng.IntN(3))}
			for _, k := range []string{"k", "l"} {
				if rng.IntN(9) > 0 {
					m[k] = values[rng.IntN(len(values))]
				}
			}
			if out[i] = m; rng.IntN(20) == 0 {
				out[i] = values[rng.IntN(len(values))]
			}
		}
		return out
	}
	found := 0
	for name, keys := range map[string][]string{"one": {"k"}, "two": {"k", "l"}} {
		for range 500 {
			next, old := list(), list()
			e := s.Child(name).Pair(next, old).Elements()
			for i := range next {
				want, got := naive(keys, old, next[i]), e.At(i)
				if !reflect.DeepEqual(want, got.Old) || got.Correlated() != (want != nil) {
					t.Fatalf("%s: At(%d) = %v, want the old value %v\nnext %v\nold %v", name, i, got, want, next, old)
				}
				if want != nil {
					found++
				}
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d elements corresponded: the test says little", found)
	}
}

// In a long list too, each of several keys counts by itself.
func TestSeveralKeysStaySeparate(t *testing.T) {
	s := correlate.New(enginetest.MustCompile(t, []byte(tested)))
	old := []any{map[string]any{"k": int64(11), "l": int64(1)}}
	for i := range 20 {
		old = append(old, map[string]any{"k": "filler", "l": int64(i)})
	}
	want := map[string]any{"k": int64(1), "l": int64(11)}
	e := s.Child("two").Pair([]any{want}, append(old, want)).Elements()
	if got := e.At(0); !reflect.DeepEqual(got.Old, want) {
		t.Errorf("At(0) = %v, want the old value %v", got.Old, want)
	}
}

func BenchmarkUnchanged(b *testing.B) {
	s := correlate.New(enginetest.MustCompile(b, []byte(tested)))
	for _, n := range []int{10, 1000} {
		list := make([]any, n)
		for i := range list {
			list[i] = map[string]any{"k": "key " + strconv.Itoa(i), "v": int64(i)}
		}
		obj := map[string]any{"one": list}
		b.Run(fmt.Sprintf("case=list%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !s.Unchanged(obj, obj) {
					b.Fatal("changed")
				}
			}
		})
	}
}
