package cel

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// An endingContext ends when it was looked at several times, so while the work
// runs.
type endingContext struct {
	context.Context
	polls       int // before it ends
	polledLater int // polls after it ended
}

func (c *endingContext) Done() <-chan struct{} { return make(chan struct{}) }

func (c *endingContext) Deadline() (time.Time, bool) { return time.Time{}, false }

func (c *endingContext) Err() error {
	if c.polls--; c.polls >= 0 {
		return nil
	}
	c.polledLater++
	return context.Canceled
}

// interruptible are rules that take long with hostileObject(100_000), each in
// another kind of loop or in none.
var interruptible = map[string]string{
	"all":                 "self.numbers.all(x, x >= 0)",
	"exists":              "self.numbers.exists(x, x < 0)",
	"exists_one":          "self.numbers.exists_one(x, x < 0)",
	"filter":              "self.numbers.filter(x, x < 0).size() == 0",
	"map":                 "self.numbers.map(x, x + 1).size() > 0",
	"two variables":       "self.numbers.all(i, x, i == x)",
	"keys":                "self.map.all(k, k != '')",
	"transformMap":        "self.map.transformMap(k, v, v + 'a').size() > 0",
	"transformList":       "self.map.transformList(k, v, v + 'a').size() > 0",
	"constant body":       "self.numbers.exists_one(x, true)",
	"sums":                terms("self.s", " + ", 5) + " != ''",
	"join":                "self.list.join(',') != self.list.join(';')",
	"split":               "self.s.split('a').size() > 0 && self.s.split('aa').size() > 0",
	"replace":             "self.s.replace('a', 'b') != self.s.replace('a', 'c')",
	"regular expressions": terms("self.b.matches('a*b')", " || ", 5) + " || true",
	"no automaton":        "self.b.matches('(a|b)*c(.|d){500}e') || true",
	"find":                "(self.s.find('a+b') + self.s.find('b')).size() == 0",
	"format":              "'%s'.format([self.b + '!']).size() > 0 && self.b.lowerAscii() != ''",
	"search":              terms("self.s.indexOf(self.b + 'b') == -1", " && ", 5),
	"sizes":               terms("self.s.size() > 0", " && ", 2000),
	"equality":            terms("self.s == self.b", " && ", 5),
	"in":                  terms("!('b' in self.list)", " && ", 5),
}

// TestInterrupt: an evaluation polls at its context while it works, and ends when the
// context ended.
func TestInterrupt(t *testing.T) {
	obj := hostileObject(100_000)
	for name, rule := range interruptible {
		t.Run(name, func(t *testing.T) {
			p := hostilePrograms(t, rule)["closures"]
			ctx := &endingContext{Context: context.Background(), polls: 2} // one before the rule
			watched := 0
			res := p.Eval(ctx, obj, watchOption(func(e evaluation) {
				if watched++; !e.fast {
					t.Error("cel-go evaluates the rule")
				}
			}))
			if got, want := detailOf(res), "operation interrupted: context canceled evaluating rule: false"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if watched != 1 || ctx.polledLater > 2 {
				t.Errorf("%d evaluations, and %d polls after the end", watched, ctx.polledLater)
			}
		})
	}
}

// TestInterruptReference: cel-go polls at the context in loops, and a run between
// values.
func TestInterruptReference(t *testing.T) {
	n := hostileNode(t, interruptible["all"], "true")
	p, errs := Compile(n, testopt.Reference{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	ctx, cancel := context.WithCancel(context.Background())
	obj := hostileObject(100_000)
	cancel()
	res := p.Eval(ctx, obj)
	if got := detailOf(res); len(res.Errors) != 1 || !strings.HasPrefix(got, "operation interrupted: context canceled") {
		t.Errorf("got %q", got)
	}
}

// TestInterruptWalk: a run over many values ends between them.
func TestInterruptWalk(t *testing.T) {
	p, errs := Compile(nodeOf(t, "{type: object, properties: {list: {type: array, items: {type: string, x-kubernetes-validations: [{rule: self != ''}]}}}}"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	ctx, evaluations := &endingContext{Context: context.Background(), polls: 3}, 0
	res := p.Eval(ctx, hostileObject(10_000), watchOption(func(evaluation) { evaluations++ }))
	if got := detailOf(res); got != "operation interrupted: context canceled" || len(res.Errors) != 1 {
		t.Errorf("got %d errors, the first is %q", len(res.Errors), got)
	}
	if evaluations != 3*pollVisits {
		t.Errorf("%d evaluations, want %d", evaluations, 3*pollVisits)
	}
}
