package leafcheck

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/schema"
)

// values has values of all kinds, many of them nearly equal.
var values = []any{
	nil, true, false, int64(0), int64(1), int64(2), int64(65), int64(-1), int64(math.MaxInt64), int64(math.MinInt64), int64(1) << 40,
	int64(9223372036854775000), int64(1<<53 + 1),
	0.0, math.Copysign(0, -1), 1.0, 1.5, 1.9, 2.0, 65.0, 1.0000000001, 1e300, 9223372036854774784.0, 9007199254740992.0, math.MaxInt32 + 1.0,
	"", "a", "A", "\x00", "\ufffd", "\xff", "\xfe", "1", "null", "{}",
	[]any{}, []any{int64(1)}, []any{1.0}, []any{nil}, []any{"a", []any{}}, []any{"\xff"}, []any{"\xfe"}, []any{"a\xff"}, []any{"\ufffd"},
	map[string]any{}, map[string]any{"a": int64(1)}, map[string]any{"a": 1.0}, map[string]any{"b": nil}, map[string]any{"a": math.Copysign(0, -1)},
	map[string]any{"a": 0.0}, map[string]any{"a": int64(0)}, map[string]any{"a": int64(9223372036854775000)}, map[string]any{"a": 9223372036854774784.0},
}

// TestTypeMask implements the rules about types in the order of the server.
func TestTypeMask(t *testing.T) {
	admits := func(typ *Type, v any) bool {
		names := map[string]bool{}
		for _, n := range typ.Names {
			names[n] = true
		}
		var name, format string
		switch v.(type) {
		case nil:
			return len(names) == 0 || names["null"] || typ.Nullable
		case bool:
			name = "boolean"
		case int64:
			name, format = "integer", "int64"
		case float64:
			name, format = "number", "float64"
		case string:
			name = "string"
		case []any:
			name = "array"
		case map[string]any:
			name = "object"
		}
		if len(names) == 0 && typ.Format == "" {
			return true
		}
		f, isFloat := v.(float64)
		fits := names[name] || isFloat && IsWhole(f) && names["integer"] || name == "integer" && names["number"]
		textual := name == "string" || name == "array"
		if !textual && typ.Format != "" && !fits && format != typ.Format {
			return false
		}
		if !names["number"] && !names["integer"] && typ.Format != "" && textual {
			return true
		}
		return fits
	}
	for _, names := range [][]string{nil, {"string"}, {"integer"}, {"number"}, {"boolean"}, {"array"}, {"object"}, {"integer", "string"}, {"null"}, {"other"}} {
		for _, format := range []string{"", "date", "int32", "int64", "float", "double"} {
			for _, nullable := range []bool{false, true} {
				typ := &Type{Names: names, Format: format, Nullable: nullable}
				for _, v := range values {
					if got, want := typ.Mask()&MaskOf(v) != 0, admits(typ, v); got != want {
						t.Errorf("%+v admits %T %v: %v, want %v", *typ, v, v, got, want)
					}
				}
			}
		}
	}
}

// TestEnum compares with conversion by reflection, as in the server.
func TestEnum(t *testing.T) {
	converts := func(v any, enum []any) bool {
		for _, e := range enum {
			typ, val := reflect.TypeOf(e), reflect.ValueOf(v)
			if typ == nil || !val.IsValid() || !val.Type().ConvertibleTo(typ) {
				continue
			}
			if reflect.DeepEqual(val.Convert(typ).Interface(), e) {
				return true
			}
		}
		return false
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		enum := make([]any, rng.IntN(14))
		for i := range enum {
			enum[i] = values[rng.IntN(len(values))]
		}
		v := values[rng.IntN(len(values))]
		if got, want := newEnum(enum).Valid(v), converts(v, enum); got != want {
			t.Fatalf("enum %#v admits %T %#v: %v, want %v", enum, v, v, got, want)
		}
	}
}

// TestSpaces compares with a conversion to decimal digits, as in the server.
func TestSpaces(t *testing.T) {
	floats := []float64{math.Inf(1), math.NaN(), math.MaxFloat32, 3.4028235677973366e38, 3.402823669209385e38, 3.4028235677973362e38,
		-3.4028235677973366e38, 9223372036854775808, -9223372036854775808, -9223372036854774784, math.MinInt32, math.MinInt32 - 1, math.MaxInt32, 1e22, 5e-324}
	for _, v := range values {
		if f, ok := v.(float64); ok {
			floats = append(floats, f)
		}
	}
	for _, f := range floats {
		digits := strconv.FormatFloat(f, 'f', -1, 64)
		_, err64 := strconv.ParseInt(digits, 10, 64)
		_, err32 := strconv.ParseInt(digits, 10, 32)
		_, errFloat := strconv.ParseFloat(digits, 32)
		for s, err := range map[space]error{anyInteger: err64, int32s: err32, float32s: errFloat, anyNumber: nil} {
			if got := s.float(f); got != (err == nil) {
				t.Errorf("space %d holds %v: %v, want %v", s, f, got, err == nil)
			}
		}
	}
}

func TestTextLengths(t *testing.T) {
	texts := []string{"", "a", "é", "éé", "𝄞", "𝄞𝄞𝄞", "\xff\xff", "ab𝄞", "日本語", "aaaaaaaaaaaaaaaa"}
	for _, s := range texts {
		runes := int64(utf8.RuneCountInString(s))
		for n := int64(-2); n < 20; n++ {
			limit := schema.Count{N: n, Set: true}
			if got := (&Text{Max: limit}).TooLong(s); got != (runes > n) {
				t.Errorf("%q of %d runes is longer than %d: %v", s, runes, n, got)
			}
			if got := (&Text{Min: limit}).TooShort(s); got != (runes < n) {
				t.Errorf("%q of %d runes is shorter than %d: %v", s, runes, n, got)
			}
		}
	}
}

// naiveDistinct reports whether no scalar occurs twice, as a key of a Go map,
// and no JSON text of an object or a list.
func naiveDistinct(list []any) bool {
	scalars, texts := map[any]bool{}, map[string]bool{}
	for _, v := range list {
		switch v.(type) {
		case map[string]any, []any:
			text, _ := json.Marshal(v)
			if texts[string(text)] {
				return false
			}
			texts[string(text)] = true
		default:
			if scalars[v] {
				return false
			}
			scalars[v] = true
		}
	}
	return true
}

func naiveMapDistinct(keys []string, list []any) bool {
	ids := make([]any, len(list))
	for _, v := range list {
		if _, ok := v.(map[string]any); v != nil && !ok {
			return false
		}
	}
	if len(list) <= 1 {
		return true
	}
	for i, v := range list {
		m, _ := v.(map[string]any)
		id := map[string]any{}
		for _, k := range keys {
			if v, ok := m[k]; ok {
				id[k] = v
			}
		}
		ids[i] = id
		if len(keys) == 1 {
			ids[i] = struct{}{}
			if v, ok := id[keys[0]]; ok {
				ids[i] = v
			}
		}
	}
	return naiveDistinct(ids)
}

func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var counts [2]int
	for range 30000 {
		list := make([]any, rng.IntN(8))
		if rng.IntN(3) == 0 {
			list = make([]any, rng.IntN(40))
		}
		for i := range list {
			if list[i] = values[rng.IntN(len(values))]; rng.IntN(2) == 0 || len(list) > 12 {
				list[i] = fmt.Sprint(rng.IntN(4000))
			}
		}
		l := &List{Kind: SetList}
		got, want := l.Distinct(list), naiveDistinct(list)
		if got != want || l.distinctLong(list) != want {
			t.Fatalf("set %#v is distinct: %v, looked up %v, want %v", list, got, l.distinctLong(list), want)
		}
		if want {
			counts[0]++
		}
		for _, keys := range [][]string{{}, {"k"}, {"k", "l"}, {"k", "l", "m", "n", "o"}} {
			objects := make([]any, len(list))
			for i, v := range list {
				m := map[string]any{"k": v}
				for _, k := range []string{"l", "m", "n", "o"} {
					if rng.IntN(3) == 0 {
						m[k] = values[rng.IntN(len(values))]
					}
				}
				if rng.IntN(50) == 0 {
					delete(m, "k")
				}
				if objects[i] = m; rng.IntN(100) == 0 {
					objects[i] = values[rng.IntN(len(values))]
				}
			}
			l := &List{Kind: MapList, Keys: keys}
			got, want := l.Distinct(objects), naiveMapDistinct(keys, objects)
			if got != want || onlyObjects(objects) && l.distinctLong(objects) != want {
				t.Fatalf("keys %v: map %#v is distinct: %v, looked up %v, want %v", keys, objects, got, l.distinctLong(objects), want)
			}
			if want {
				counts[1]++
			}
		}
	}
	if counts[0] < 3000 || counts[1] < 3000 {
		t.Errorf("only %v lists were distinct: the test says little", counts)
	}
}

func TestShortListsAllocateNothing(t *testing.T) {
	set, byKeys := make([]any, pairwise), make([]any, pairwise)
	for i := range set {
		set[i], byKeys[i] = strconv.Itoa(i), map[string]any{"k": int64(i), "l": "x"}
	}
	if got := testing.AllocsPerRun(20, func() { (&List{Kind: SetList}).Distinct(set) }); got != 0 {
		t.Errorf("a set allocated %v times, want 0", got)
	}
	l := &List{Kind: MapList, Keys: []string{"k", "l"}}
	if got := testing.AllocsPerRun(20, func() { l.Distinct(byKeys) }); got != 0 {
		t.Errorf("a map allocated %v times, want 0", got)
	}
}

// TestProbeAndRangeAgree compares the two methods to check an object.
func TestProbeAndRangeAgree(t *testing.T) {
	text := func(n int64) *Node {
		return &Node{Accept: String, Text: &Text{Max: schema.Count{N: n, Set: true}}, Type: &Type{Names: []string{"string"}}, Fields: &Fields{}}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		f := &Fields{}
		for i := range rng.IntN(12) {
			n := text(int64(rng.IntN(3)))
			if rng.IntN(4) == 0 {
				n = &Node{Accept: All, Type: &Type{}, Fields: &Fields{}}
			}
			f.Props = append(f.Props, Prop{Name: strconv.Itoa(i), Node: n})
		}
		for range rng.IntN(3) {
			f.Required = append(f.Required, strconv.Itoa(rng.IntN(14)))
		}
		f.finish()
		obj := map[string]any{}
		for range rng.IntN(8) {
			obj[strconv.Itoa(rng.IntN(14))] = "aaa"[:rng.IntN(3)]
		}
		if got, want := f.valid(obj), f.validRange(obj); got != want {
			t.Fatalf("%v is valid: %v, ranged over %v", obj, got, want)
		}
	}
}

// TestSharing checks that equal schemas are compiled once.
func TestSharing(t *testing.T) {
	const text = `{"type":"object","properties":{"a":{"type":"string","pattern":"^a"},"b":{"type":"string","pattern":"^a"},
		"c":{"type":"string","minLength":1,"pattern":"^a"}}}`
	got := New(enginetest.MustCompile(t, []byte(text)), Config{Minor: 37}).Fields.Props
	if got[0].Node != got[1].Node {
		t.Error("equal schemas became two nodes")
	}
	if got[0].Node.Text.Pattern != got[2].Node.Text.Pattern {
		t.Error("one pattern was compiled twice")
	}
}

func TestSizeof(t *testing.T) {
	if got := unsafe.Sizeof(Node{}); got > 96 {
		t.Errorf("a Node takes %d bytes, want at most 96", got)
	}
}
