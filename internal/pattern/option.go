package pattern

// Bounds on one automaton. Nearly all expressions in published CRDs stay below a
// tenth of these bounds. An expression that exceeds them is hostile or has large
// repetition counts; package regexp is fast enough for it.
const (
	defaultMaxStates = 512
	defaultMaxBytes  = 64 << 10

	// maxInsts is the length of the longest program that becomes an automaton.
	// Its instruction numbers fit a uint16.
	maxInsts = 1 << 13

	// maxSteps bounds the sum of the instructions visited and the class entries
	// filled while building.
	maxSteps = 1 << 20

	// maxEntries is the number of table entries that a uint16 can address.
	maxEntries = 1 << 16
)

// An Option changes how [Compile] represents a pattern. No option changes a
// verdict. A later option overrides an earlier one of the same kind.
type Option interface{ apply(*config) }

type config struct {
	maxStates int
	maxBytes  int
	reference bool
}

type maxStates int

func (n maxStates) apply(c *config) { c.maxStates = int(n) }

type maxBytes int

func (n maxBytes) apply(c *config) { c.maxBytes = int(n) }

type referenceOption struct{}

func (referenceOption) apply(c *config) { c.reference = true }

// MaxStates bounds the number of states of the automaton. Package regexp matches
// a pattern that needs more. The default is 512.
func MaxStates(n int) Option { return maxStates(n) }

// MaxBytes bounds the size of the automaton in bytes. Package regexp matches a
// pattern that needs more. The default is 65536. Whatever the bound, an automaton
// has at most 65536 table entries of two bytes each.
func MaxBytes(n int) Option { return maxBytes(n) }

// Reference makes the pattern use package regexp and no automaton. It exists so
// that tests can compare the reference with the automaton.
func Reference() Option { return referenceOption{} }
