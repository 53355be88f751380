package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

func TestSolve(t *testing.T) {
	closed := EveryOther([]string{"a", "b"}, False)
	for name, c := range map[string]struct {
		cond *Cond
		want Result
	}{
		"anything":             {True, found(map[string]any{})},
		"nothing":              {False, Result{}},
		"integer":              {Types(Integer), found(int64(0))},
		"over a bound":         {And(Types(Integer), AtLeast(10, true)), found(int64(11))},
		"over all int64":       {And(Types(Integer), AtLeast(1<<63, true)), found(float64(1<<63 + 2048))},
		"below all int64":      {And(Types(Integer), AtMost(-1<<63, true)), found(float64(-1<<63 - 2048))},
		"no integer":           {And(Types(Integer), AtLeast(10, true), AtMost(11, true)), Result{}},
		"a fraction":           {And(Types(Number), AtLeast(10, true), AtMost(11, true)), found(10.5)},
		"multiples":            {And(Types(Integer), MultipleOf(3), MultipleOf(5), AtLeast(1, false)), found(int64(15))},
		"multiple but not of":  {And(Types(Integer), MultipleOf(3), Not(MultipleOf(6))), found(int64(3))},
		"no multiple":          {And(Types(Integer), MultipleOf(6), Not(MultipleOf(3)), AtLeast(0, false), AtMost(60, false)), Result{}},
		"excluded integers":    {And(Types(Integer), AtLeast(0, false), AtMost(1, false), Not(Enum(int64(0), int64(1)))), Result{}},
		"short string":         {And(Types(String), Not(MinRunes(1))), found("")},
		"long string":          {And(Types(String), MinRunes(3)), found("aaa")},
		"string by pattern":    {And(Types(String), Matches("^[0-9]+$"), Not(Matches("^0")), MinRunes(2)), found("10")},
		"no string":            {And(Types(String), Matches("^a$"), MinRunes(2)), Result{}},
		"format":               {And(Types(String), Format("ipv4")), found("10.0.0.1")},
		"not a format":         {And(Types(String), Not(Format("ipv4"))), found("")},
		"a format and not":     {And(Types(String), Format("date-time"), Not(Format("datetime"))), Result{}},
		"enum":                 {And(Types(String), Enum("a", "bb", int64(1)), Not(Enum("a"))), found("bb")},
		"list":                 {And(Types(Array), MinItems(2), EveryItem(Types(Integer)), Distinct()), found([]any{int64(0), int64(1)})},
		"some element":         {And(Types(Array), EveryItem(Types(Integer)), SomeItem(AtLeast(5, false))), found([]any{int64(5)})},
		"no element":           {And(Types(Array), EveryItem(AtMost(4, false)), SomeItem(AtLeast(5, false))), Result{}},
		"repeated":             {And(Types(Array), EveryItem(Types(String)), Not(Distinct())), found([]any{"", ""})},
		"merged elements":      {And(Types(Array), Not(MinItems(2)), SomeItem(AtLeast(5, false)), SomeItem(AtMost(6, false))), found([]any{int64(5)})},
		"list map":             {And(Types(Array), Distinct("k"), MinItems(2), EveryItem(And(Types(Object), At("k", Types(Integer))))), found([]any{map[string]any{"k": int64(0)}, map[string]any{"k": int64(1)}})},
		"member":               {And(closed, At("a", AtLeast(1, false)), IfAt("a", Types(Integer))), found(map[string]any{"a": int64(1)})},
		"no member":            {And(closed, At("c", True)), Result{}},
		"vacuous":              {And(Types(Integer), Vacuous(MinRunes(3))), found(int64(0))},
		"strict":               {And(Types(Integer), MinRunes(3)), Result{}},
		"alternative":          {And(Or(At("a", True), At("b", True)), Not(At("a", True))), found(map[string]any{"b": map[string]any{}})},
		"no alternative":       {And(Or(At("a", True), At("b", True)), Not(At("a", True)), IfAt("b", False)), Result{}},
		"another member":       {And(Types(Object), SomeOther([]string{"a"}, Types(Integer))), found(map[string]any{"key": int64(0)})},
		"filled":               {And(Types(Object), closed, MinProps(2), IfAt("a", Types(Integer)), IfAt("b", Types(String))), found(map[string]any{"a": int64(0), "b": ""})},
		"not the empty object": {And(Types(Object), EveryOther(nil, Types(String)), Not(Enum(map[string]any{}))), found(map[string]any{"key": ""})},
		"not the empty list":   {And(Types(Array), EveryItem(Types(String)), Not(Enum([]any{}))), found([]any{""})},
		"not some objects":     {And(Types(Object), EveryOther(nil, Enum("a")), Not(Enum(map[string]any{}, map[string]any{"key": "a"}))), found(map[string]any{"key": "a", "key1": "a"})},
		"lists that differ":    {And(At("a", And(Types(Array), EveryItem(Types(Integer)))), At("b", Types(Array)), Relation([]string{"a"}, []string{"b"}, NoOrder|Less|Greater)), found(map[string]any{"a": []any{}, "b": []any{map[string]any{}}})},
		"booleans that differ": {And(At("a", Types(Bool)), At("b", Types(Bool)), Not(Relation([]string{"a"}, []string{"b"}, Same))), found(map[string]any{"a": true, "b": false})},
		"objects that agree":   {And(At("a", Types(Object)), At("b", At("c", True)), Relation([]string{"a"}, []string{"b"}, Same)), found(map[string]any{"a": map[string]any{"c": map[string]any{}}, "b": map[string]any{"c": map[string]any{}}})},
		"too few members":      {And(Types(Object), closed, MinProps(3)), Result{}},
		"too many members":     {And(At("a", True), At("b", True), Not(MinProps(2))), Result{}},
		"related":              {And(Types(Object), At("a", Types(Integer)), At("b", Types(Integer)), Relation([]string{"a"}, []string{"b"}, Greater)), found(map[string]any{"a": int64(0), "b": int64(-1)})},
		"no relation":          {And(Relation([]string{"a"}, []string{"b"}, Less), Relation([]string{"b"}, []string{"a"}, Less)), Result{}},
		"opaque contradiction": {And(Opaque("r", Holds), Opaque("r", Fails|Errors)), Result{}},
		"opaque":               {And(Types(Integer), Opaque("r", Holds)), found(int64(0))},
	} {
		s := NewSolver(context.Background(), 1<<20)
		if diff := cmp.Diff(c.want, s.Solve(c.cond)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSolveIsBounded(t *testing.T) {
	long := And(Types(Array), MinItems(1<<40))
	var alternatives []*Cond
	for range 40 {
		alternatives = append(alternatives, Or(And(Types(Integer), MultipleOf(7), Opaque("x", Holds)), And(Types(Integer), Opaque("x", Holds))))
	}
	alternatives = append(alternatives, Opaque("x", Fails))
	for name, c := range map[string]*Cond{"long list": long, "long string": MinRunes(1 << 40), "huge map": MinProps(1 << 40)} {
		if r := NewSolver(context.Background(), 1000).Solve(c); r.Status == Found {
			t.Errorf("%s: found", name)
		}
	}
	if r := NewSolver(context.Background(), 10).Solve(And(alternatives...)); r.Status != Undecided || r.Reason != workLimit {
		t.Errorf("alternatives: %+v", r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := NewSolver(ctx, 1000).Solve(Types(Integer)); r.Reason != ended {
		t.Errorf("ended context: %+v", r)
	}
}

// universe has small values, for which the tests evaluate conditions.
func universe() []any {
	scalars := []any{nil, true, false, int64(-1), int64(0), int64(1), int64(2), int64(3), int64(6), 0.5, 1.5, "", "a", "b", "aa", "ab", "0"}
	out := scalars
	for _, v := range scalars {
		out = append(out, []any{v}, map[string]any{"a": v}, map[string]any{"c": v})
		for _, w := range scalars[1:12] {
			out = append(out, []any{v, w}, map[string]any{"a": v, "b": w})
		}
	}
	return append(out, []any{}, map[string]any{})
}

// randomCond returns a condition. Every second one of a type is vacuous.
func randomCond(rng *rand.Rand, depth int) *Cond {
	sub := func() *Cond { return randomCond(rng, depth-1) }
	if depth == 0 {
		atoms := []*Cond{
			Types(Mask(rng.IntN(128))), Enum("a", int64(1)), Enum(int64(rng.IntN(4)), "", nil), IsTrue(), AtMost(float64(rng.IntN(4)), rng.IntN(2) == 0),
			AtLeast(float64(rng.IntN(4)), rng.IntN(2) == 0), MultipleOf(float64(1 + rng.IntN(3))), MinRunes(int64(rng.IntN(3))), Matches([]string{"^a", "b$", "^[a-z]+$", "^.?$"}[rng.IntN(4)]),
			MinItems(int64(rng.IntN(3))), MinProps(int64(rng.IntN(3))), Distinct(), Relation([]string{"a"}, []string{"b"}, Mask(rng.IntN(16))),
		}
		c := atoms[rng.IntN(len(atoms))]
		if int(c.kind) < len(about) && about[c.kind] != 0 && rng.IntN(2) == 0 {
			c = Vacuous(c)
		}
		if rng.IntN(2) == 0 {
			c = Not(c)
		}
		return c
	}
	switch rng.IntN(8) {
	case 0, 1:
		return And(sub(), sub(), sub())
	case 2:
		return Or(sub(), sub())
	case 3:
		return At([]string{"a", "b"}[rng.IntN(2)], sub())
	case 4:
		return Vacuous(IfAt([]string{"a", "b"}[rng.IntN(2)], sub()))
	case 5:
		return []*Cond{EveryItem(sub()), SomeItem(sub())}[rng.IntN(2)]
	case 6:
		return []*Cond{Vacuous(EveryOther([]string{"a", "b"}, sub())), SomeOther([]string{"a"}, sub())}[rng.IntN(2)]
	}
	return Not(sub())
}

// TestRandomConditions checks that a found value satisfies its condition, and that
// no small value satisfies a condition without values or the opposite of one that
// it satisfies.
func TestRandomConditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 7))
	values := universe()
	counts, reasons := map[Status]int{}, map[string]int{}
	for range 1500 {
		c := And(randomCond(rng, 1+rng.IntN(2)), randomCond(rng, 1), randomCond(rng, 0))
		s := NewSolver(context.Background(), 1<<18)
		r := s.Solve(c)
		counts[r.Status]++
		if r.Status == Found && !s.Satisfied(c, r.Value) {
			t.Fatalf("%v does not satisfy %s", r.Value, dump(c))
		}
		if r.Status == Undecided {
			reasons[r.Reason]++
		}
		for _, v := range values {
			holds := s.Satisfied(c, v)
			if holds && r.Status == None {
				t.Fatalf("no value found for %s, but %v", dump(c), v)
			}
			if holds == s.Satisfied(Not(c), v) {
				t.Fatalf("%v satisfies both or none of %s and its opposite", v, dump(c))
			}
		}
	}
	t.Log("none, found, undecided:", counts[None], counts[Found], counts[Undecided], reasons)
	if counts[Undecided] > 60 {
		t.Errorf("%d of 1500 conditions are undecided", counts[Undecided])
	}
}

func dump(c *Cond) string {
	out := fmt.Sprintf("(%d", c.kind)
	if c.neg {
		out += " not"
	}
	out += fmt.Sprintf(" %v %v %b %d %g %q %q %v", c.other, c.strict, c.mask, c.n, c.x, c.text, c.keys, c.values)
	for _, sub := range c.subs {
		out += " " + dump(sub)
	}
	return out + ")"
}

// TestEnumsEnd chooses from a long enum: the steps grow with its length, and the work limit
// and the context end it.
func TestEnumsEnd(t *testing.T) {
	const n = 10_000
	var values []any
	for i := range n {
		values = append(values, fmt.Sprint(i))
	}
	c := And(Types(String), Enum(append(values, "z")...), Not(Enum(values...)))
	for _, tt := range []struct {
		name  string
		steps int
		polls int
		want  Result
	}{
		{"enough", 2 * n, 1 << 30, found("z")},
		{"few steps", n / 2, 1 << 30, undecided(workLimit)},
		{"ends early", 2 * n, n / interrupt.Interval / 2, undecided(ended)},
	} {
		if got := NewSolver(testkit.EndingContext(tt.polls), tt.steps).Solve(c); !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestEnumKeys: values have the same key if they are equal.
func TestEnumKeys(t *testing.T) {
	values := []any{
		nil, true, "1", int64(1), 1.0, 1.5, int64(1<<53 + 1), float64(1 << 53), []any{int64(1)}, []any{1.0}, []any{"1"},
		map[string]any{"a": int64(1), "b": nil}, map[string]any{"b": nil, "a": 1.0}, "[1]",
	}
	for _, v := range values {
		for _, w := range values {
			if equal(v, w) && enumKey(v) != enumKey(w) {
				t.Errorf("%v and %v have two keys", v, w)
			}
			if got := NewSolver(t.Context(), 10).Satisfied(Enum(v), w); got != equal(w, v) {
				t.Errorf("enum of %v has %v: %t", v, w, got)
			}
		}
	}
}
