//go:build growth

package hostile_test

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

const (
	// pollFactor is the size of the inputs. The largest allowed number of allocations is a
	// small part of what an operation allocates for such an input.
	pollFactor = 64
	// mostUnpolled is how many values an operation may allocate between two polls. A step
	// that does not look at the context, such as the compiling of a schema, takes that many.
	mostUnpolled = 120_000
)

// polling are the operations that look at a context while they work with rules, by the first
// part of the names of cases. Other work looks at it between steps.
var polling = map[string]bool{"check": true, "notes": true, "check update": true, "compile": true, "estimate": true}

// TestPollsBetweenAllocations counts what operations allocate between two polls of their
// context, and after the last poll until they return. It depends on no clock.
func TestPollsBetweenAllocations(t *testing.T) {
	for _, c := range hostile.Cases() {
		operation, _, _ := strings.Cut(c.Name, "/")
		if !polling[operation] || !strings.Contains(c.Name, "rule") {
			continue
		}
		var watched *allocating
		for _, factor := range []int{1, pollFactor} { // the first run fills tables
			run, err := c.Op(c.Input(c.Larger(factor)))
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			watched = &allocating{last: objects()}
			run(watched)
		}
		t.Logf("%-60s %8d", c.Name, watched.most)
		if watched.most > mostUnpolled {
			t.Errorf("%s: %d allocations without a poll of the context before that of\n%s", c.Name, watched.most, watched.stack)
		}
	}
}

// An allocating context counts the allocations between two polls.
type allocating struct {
	last, most uint64
	stack      []byte // of the poll after most allocations
}

func (c *allocating) Err() error {
	if n := objects() - c.last; n > c.most {
		c.most, c.stack = n, debug.Stack()
	}
	c.last = objects()
	return nil
}

func (*allocating) Done() <-chan struct{}       { return make(chan struct{}) }
func (*allocating) Deadline() (time.Time, bool) { return time.Time{}, false }
func (*allocating) Value(any) any               { return nil }

var _ context.Context = (*allocating)(nil)

// objects returns how many values were allocated. It may count those of a page later.
func objects() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:objects"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
