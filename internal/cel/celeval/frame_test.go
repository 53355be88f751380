package celeval

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
)

const frameSchema = `{"properties": {"s": {"type": "string"}, "i": {"type": "integer"}, "l": {"type": "array", "items": {"type": "string"}},
	"m": {"type": "object", "additionalProperties": {"type": "string"}}, "o": {"type": "object", "properties": {"s": {"type": "string"}}}}}`

// compileText compiles a rule on frameSchema, or a messageExpression. It returns
// the reason if the compiler declines it.
func compileText(t *testing.T, text string, message bool) (*Closure, string) {
	t.Helper()
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	want := cel.BoolType
	if message {
		want = cel.StringType
	}
	tree, self := checked(language, schemaOf(t, []byte(frameSchema)), text, want)
	switch {
	case tree == nil:
		t.Fatalf("%.200s does not compile", text)
	case message:
		return CompileMessage(language, tree, self)
	}
	return CompileRule(language, tree, self, false)
}

func frameObject(elements int) map[string]any {
	list := make([]any, elements)
	for i := range list {
		list[i] = fmt.Sprint("e", i)
	}
	return map[string]any{"s": strings.Repeat("a,", elements), "i": int64(1), "l": list, "m": map[string]any{"k": "v"}, "o": map[string]any{"s": "x"}}
}

// TestReleaseForgets evaluates expressions that use each kind of memory of a frame. After Release
// the frame refers to nothing of the object, even in the unused parts of its slices. It keeps few
// lists and no large ones.
func TestReleaseForgets(t *testing.T) {
	many := "self.l.filter(x, x != '')"
	for range maxLists + 1 {
		many += " + self.l.filter(x, x != 'none')"
	}
	for _, tt := range []struct {
		text    string
		message bool
	}{
		{text: "self.l.all(x, x != '')"},
		{text: "self.m.all(k, k != '')"},
		{text: "self.l.all(i, x, x != '' && i >= 0)"},
		{text: "self.l.filter(x, x != '').size() > 0"},
		{text: "self.l.map(x, x + '!').size() > 0"},
		{text: "self.l.map(x, x + '!').all(y, y != '')"},
		{text: many + " != []"},
		{text: "self.s.split(',').all(x, x != '!')"},
		{text: "self.?o.?s.orValue('') == 'x'"},
		{text: "self.l.map(x, x + '!')[?0].orValue('') != ''"},
		{text: "self.?s.optMap(v, v + v).orValue('') != ''"},
		{text: "self.l.sortBy(x, x).size() > 0"},
		{text: "self.l.sortBy(x, x + '!').size() > 0"},
		{text: "self.l.transformMap(i, x, x).size() > 0"},
		{text: "!format.dns1123Label().validate(self.s).hasValue() || true"},
		{text: "format.dns1123Label().validate(self.s).value().size() > 0"},
		{text: "self.l.exists(x, x + self.s == self.s + x + 'y') || true"},
		{text: "self.s + self.o.s + 'x'", message: true},
	} {
		x, why := compileText(t, tt.text, tt.message)
		if x == nil {
			t.Errorf("%.60s: declined, %s", tt.text, why)
			continue
		}
		for _, elements := range []int{3, 40, maxKept + 1} {
			f := new(Frame)
			for range 2 {
				object := frameObject(elements)
				f.Self, f.Old, f.Limit, f.Ctx = object, object, math.MaxInt64, context.Background()
				if _, _, _, ok := x.Eval(f); !ok {
					t.Errorf("%.60s with %d elements: declined", tt.text, elements)
				}
				f.Release()
				for _, left := range leftovers(reflect.ValueOf(f).Elem(), "frame") {
					t.Errorf("%.60s with %d elements: %s is left after Release", tt.text, elements, left)
				}
				if len(f.lists) > maxLists {
					t.Errorf("%.60s: the frame keeps %d lists, want at most %d", tt.text, len(f.lists), maxLists)
				}
				if cap(f.texts) > maxKept {
					t.Errorf("%.60s: the frame keeps large slices", tt.text)
				}
			}
		}
	}
}

// leftovers returns the paths of the references and texts that v holds, in the
// unused part of slices too.
func leftovers(v reflect.Value, path string) (out []string) {
	switch v.Kind() {
	case reflect.Interface, reflect.Map, reflect.Pointer:
		if !v.IsNil() {
			return []string{path}
		}
	case reflect.String:
		if v.Len() > 0 {
			return []string{path}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = append(out, leftovers(v.Field(i), path+"."+v.Type().Field(i).Name)...)
		}
	case reflect.Array:
		for i := range v.Len() {
			out = append(out, leftovers(v.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Int {
			return nil
		}
		v = v.Slice(0, v.Cap())
		for i := range v.Len() {
			out = append(out, leftovers(v.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return out
}

// TestReleaseKeepsMemory pins that the second evaluation in a frame allocates no
// list: Release keeps lists and slices that are not large.
func TestReleaseKeepsMemory(t *testing.T) {
	for _, text := range []string{
		"self.l.filter(x, x != '').size() > 0",
	} {
		x, why := compileText(t, text, false)
		if x == nil {
			t.Fatalf("%s: declined, %s", text, why)
		}
		f, object := new(Frame), frameObject(20)
		evaluate := func() {
			f.Self, f.Limit = object, math.MaxInt64
			if _, _, _, ok := x.Eval(f); !ok {
				t.Fatalf("%s: declined", text)
			}
			f.Release()
		}
		evaluate()
		if got := testing.AllocsPerRun(20, evaluate); got > 0 {
			t.Errorf("%s: %v allocations in a used frame, want 0", text, got)
		}
	}
}

func TestEmptied(t *testing.T) {
	for _, tt := range []struct {
		capacity, want int
	}{{0, 0}, {1, 1}, {maxKept, maxKept}, {maxKept + 1, 0}} {
		s := make([]string, tt.capacity)
		for i := range s {
			s[i] = "full"
		}
		got := Emptied(s)
		if len(got) != 0 || cap(got) != tt.want {
			t.Errorf("Emptied of %d elements has length %d and capacity %d, want 0 and %d", tt.capacity, len(got), cap(got), tt.want)
		}
		for i, text := range got[:cap(got)] {
			if text != "" {
				t.Fatalf("Emptied of %d elements keeps element %d", tt.capacity, i)
			}
		}
	}
}

// TestCostLimit pins that a closure has a result if the limit is just its cost, and
// not if it is one unit less.
func TestCostLimit(t *testing.T) {
	for text, least := range map[string]uint64{
		"self.i == 1":            3,
		"self.l.all(x, x != '')": 15,
		"has(self.o.s)":          2,
	} {
		x, why := compileText(t, text, false)
		if x == nil {
			t.Fatalf("%s: declined, %s", text, why)
		}
		if !x.Compiled() {
			t.Errorf("%s: Compiled is false", text)
		}
		for limit := range least + 3 {
			f := &Frame{Self: frameObject(3), Limit: limit}
			_, cost, failed, ok := x.Eval(f)
			if want := limit >= least; ok != want || failed != nil {
				t.Errorf("%s with limit %d: ok is %v at cost %d, failed with %v, want a result: %v", text, limit, ok, cost, failed, want)
			}
		}
	}
	if new(Closure).Compiled() {
		t.Error("the zero Closure is compiled")
	}
}

// TestCancelledContext pins that a loop ends with the context, and that little work
// does not look at it.
func TestCancelledContext(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		text        string
		elements    int
		interrupted bool
	}{
		{"self.i == 1", 0, false},
		{"self.l.all(x, x != '')", 10, false},
		{"self.l.all(x, x != '')", pollCost, true},
		{"self.l.exists(x, x == 'none') || true", pollCost, true},
		{"self.l.exists_one(x, x == 'none') || true", pollCost, true},
		{"self.l.map(x, x + '!').size() > 0", pollCost, true},
		{"self.l.filter(x, x == '!').size() == 0", pollCost, true},
		{"self.l.transformMap(i, x, x).size() > 0", pollCost, true},
	} {
		x, why := compileText(t, tt.text, false)
		if x == nil {
			t.Fatalf("%s: declined, %s", tt.text, why)
		}
		for ctx, want := range map[context.Context]bool{nil: false, context.Background(): false, cancelled: tt.interrupted} {
			f := &Frame{Self: frameObject(tt.elements), Limit: math.MaxInt64, Ctx: ctx}
			if _, _, failed, ok := x.Eval(f); !ok || (failed == Interrupted) != want {
				t.Errorf("%s with %d elements and context %v: failed with %v, want an interrupt: %v", tt.text, tt.elements, ctx, failed, want)
			}
		}
	}
}

// TestLargeExpressions pins how large an expression a closure takes.
func TestLargeExpressions(t *testing.T) {
	for _, tt := range []struct {
		name, text, why string
	}{
		{"loops within loops", nested(maxVariables, "x != ''"), ""},
		{"one more", nested(maxVariables+1, "x != ''"), "deep nesting of comprehensions"},
		{"a named value in loops", nested(maxVariables-1, "self.?s.optMap(y, y).hasValue()"), ""},
		{"a named value in one more", nested(maxVariables, "self.?s.optMap(y, y).hasValue()"), "deep nesting of comprehensions"},
		{"alternatives", "self.?s" + strings.Repeat(".or(self.?s)", maxChoices) + ".hasValue()", ""},
		{"one alternative more", "self.?s" + strings.Repeat(".or(self.?s)", maxChoices+1) + ".hasValue()", "many optionals"},
	} {
		x, why := compileText(t, tt.text, false)
		if why != tt.why || (x == nil) != (tt.why != "") {
			t.Errorf("%s: declined for %q, want %q", tt.name, why, tt.why)
			continue
		}
		if x == nil {
			continue
		}
		f := &Frame{Self: frameObject(1), Limit: math.MaxInt64}
		if result, _, failed, ok := x.Eval(f); !result || failed != nil || !ok || f.Recovered > 0 {
			t.Errorf("%s: Eval = %v, %v, %v", tt.name, result, failed, ok)
		}
	}
}

// nested returns a condition within loops over self.l.
func nested(loops int, condition string) string {
	return strings.Repeat("self.l.all(x, ", loops) + condition + strings.Repeat(")", loops)
}

// TestShiftedASCII pins that only ASCII letters change, and that bytes that are
// not UTF-8 become the replacement character, as in cel-go.
func TestShiftedASCII(t *testing.T) {
	for _, tt := range []struct{ text, lower, upper string }{
		{"", "", ""},
		{"@AZ[`az{", "@az[`az{", "@AZ[`AZ{"},
		{"éÉ", "éÉ", "éÉ"},
		{"éA", "éa", "éA"},
		{"\x80", "\ufffd", "\ufffd"},
		{"1\xff", "1\ufffd", "1\ufffd"},
		{"123", "123", "123"},
	} {
		if got := lowerASCII(tt.text); got != tt.lower {
			t.Errorf("lowerASCII(%q) = %q, want %q", tt.text, got, tt.lower)
		}
		if got := upperASCII(tt.text); got != tt.upper {
			t.Errorf("upperASCII(%q) = %q, want %q", tt.text, got, tt.upper)
		}
	}
}
