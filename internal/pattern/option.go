package pattern

// Bounds on one automaton. Of the expressions found in published CRDs nearly
// all stay below a tenth of them; what is beyond is either hostile or counts
// very far, and package regexp is good enough for both.
const (
	defaultMaxStates = 512
	defaultMaxBytes  = 64 << 10

	// maxInsts is the length of the longest program worth an attempt. Places
	// in it fit a uint16.
	maxInsts = 1 << 13

	// maxSteps bounds the instructions visited and the class entries filled
	// while building.
	maxSteps = 1 << 20

	// maxEntries is what the uint16 entries of the table can address.
	maxEntries = 1 << 16
)

// An Option changes how [Compile] represents a pattern. No option changes a
// verdict. Later options win.
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

// MaxStates bounds the number of states of the automaton. A pattern that needs
// more is matched by package regexp. The default is 512.
func MaxStates(n int) Option { return maxStates(n) }

// MaxBytes bounds the size of the automaton's tables in bytes. A pattern that
// needs more is matched by package regexp. The default is 65536; no automaton
// has more than 65536 table entries of two bytes each, whatever the bound.
func MaxBytes(n int) Option { return maxBytes(n) }

// Reference makes the pattern use package regexp and no automaton. It exists so
// that tests can compare the two ways.
func Reference() Option { return referenceOption{} }
