package celeval

import (
	"math"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
)

// closedRules are rules with closed expressions, whose evaluations end in every way.
var closedRules = []string{
	"'a'.replace('a', 'b') == 'b' && self.i == 1",
	"self.i == 1 && [1, 2, 3].map(x, x * 2).exists(x, x == 4)",
	"self.i == [1, 2].map(x, x / 2)[1]",
	"[[1], [2]].all(x, x.all(y, y == x[0]))",
	"1 / 0 == self.i",
	"self.i == 1 || 1 / 0 == 1",
	"[1, 2].all(x, [3, 4].all(y, x / 0 > y)) || self.i == 1",
	"'%d and %s'.format([1, 'b']) == self.s",
	"'abc'.substring(5) == self.s",
	"['x,y'.split(',')] == [['x', 'y']] && self.i == 1",
	"['x,y'.split(',')] == [self.s.split(',')]",
	"'abc'.find('b+') + self.s == 'b'",
	"[1, 2].transformMapEntry(i, v, {'a': v}) == {'a': self.i}", // declined
	"[1.5, 2.5].map(x, x + 1.0)[0] == 2.5",
	"{'a': 1}.map(k, k)[0] == 'a'",
	"(self.i == 1 ? {'a': 1} : {'b': 1}).transformMap(k, v, v + 1) == {'a': 2}",
	"dyn({'a': 1}).b == 1",
	"[1, 2].exists(x, x == self.i)",
	"['a', 'b'].map(x, x + self.s).size() == 2",
	"timestamp('2020-01-01T00:00:00Z').getFullYear() == 2020 && duration('1h') > duration('1m')",
	"quantity('1Gi').add(quantity('1')).isLessThan(quantity('2Gi'))",
	"optional.of([1]).optMap(x, x[0]).orValue(2) == self.i",
}

// A keptEvaluation is what [Closure.Eval] returns for a frame.
type keptEvaluation struct {
	result, ok bool
	cost, took uint64
	least      uint64
	text       string
}

func evaluated(f *Frame, x *Compiled, object map[string]any, limit, memory uint64) keptEvaluation {
	f.Self, f.Limit, f.Memory.Limit = object, limit, memory
	defer f.Release()
	result, cost, failed, ok := x.Eval(f)
	out := keptEvaluation{result: result, ok: ok, cost: cost, took: f.Memory.Taken}
	if failed != nil {
		out.text = failed.Error()
	}
	if failed == OverCost {
		out.least = f.Least()
	}
	return out
}

// TestKept evaluates rules with closed expressions again. Each evaluation ends like
// the first one of a new closure, for other objects too.
func TestKept(t *testing.T) {
	for _, text := range closedRules {
		again, why := compileText(t, text, false)
		if again == nil {
			t.Errorf("%s: declined, %s", text, why)
			continue
		}
		if least := again.parts * partSize; again.keeps > 0 && again.HeapHidden() <= least {
			t.Errorf("%s: the kept results take %d bytes", text, again.HeapHidden()-least)
		}
		f := new(Frame)
		for i := range 6 {
			object := frameObject(1)
			object["i"], object["s"] = int64(i%3), []string{"", "1 and b"}[i%2]
			first, _ := compileText(t, text, false)
			want := evaluated(new(Frame), first, object, math.MaxInt64, 0)
			if got := evaluated(f, again, object, math.MaxInt64, 0); got != want {
				t.Errorf("%s: evaluation %d: %+v, want %+v", text, i, got, want)
			}
		}
	}
}

// TestKeptLimits evaluates rules with closed expressions again with each limit of
// cost and of memory up to what they take.
func TestKeptLimits(t *testing.T) {
	for _, text := range closedRules {
		again, _ := compileText(t, text, false)
		f, object := new(Frame), frameObject(1)
		most := evaluated(f, again, object, math.MaxInt64, 0)
		for limit := range most.cost + 8 {
			first, _ := compileText(t, text, false)
			if got, want := evaluated(f, again, object, limit, 0), evaluated(new(Frame), first, object, limit, 0); got != want {
				t.Errorf("%s: limit %d: %+v, want %+v", text, limit, got, want)
			}
		}
		for _, memory := range []uint64{1, most.took / 2, most.took - 1, most.took, most.took + 1} {
			if memory == 0 || memory > math.MaxInt32 {
				continue
			}
			first, _ := compileText(t, text, false)
			got, want := evaluated(f, again, object, math.MaxInt64, memory), evaluated(new(Frame), first, object, math.MaxInt64, memory)
			if got.text != want.text || got.ok != want.ok || got.result != want.result {
				t.Errorf("%s: %d bytes: %+v, want %+v", text, memory, got, want)
			}
		}
	}
}

// TestKeptBytes holds the results that are kept to their largest size. Evaluations
// that repeat a kept result allocate nothing.
func TestKeptBytes(t *testing.T) {
	large, small := strings.Repeat("a", maxKeptBytes), strings.Repeat("a", 100)
	for text, kept := range map[string]bool{
		"'a'.replace('a', '" + large + "') != ''":                        true, // the root is a bool
		"self.s != '" + large + "'.replace('a', 'bb')":                   false,
		"self.s != '" + small + "'.replace('a', 'bb')":                   true,
		"self.s == 'x' + {'a': 'b'}['" + large + "'.replace('a', 'bb')]": false,
		"self.s == 'x' + {'a': 'b'}['" + small + "'.replace('a', 'bb')]": true,
	} {
		x, _ := compileText(t, text, false)
		f := &Frame{Self: frameObject(1), Limit: math.MaxInt64}
		x.Eval(f)
		if got := testing.AllocsPerRun(100, func() { x.Eval(f) }); got == 0 != kept && !testkit.RaceDetector {
			t.Errorf("%.40s: %v allocations, kept %v", text, got, kept)
		}
	}
}
