package fieldaccess

import (
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
)

// A Program is an option with which cel.Compile returns what rules read.
type Program struct {
	// NeedsOld is true if a rule may refer to oldSelf. If it is false, an old object serves only to
	// forgive errors of rules.
	NeedsOld bool

	Sets map[*schema.Node]*ReadSet // by the schema that rules are on; nil if they are not known
}

func (*Program) CELOption(testopt.Sealed) {}

// Reads returns what the rules of n read of their value if there is no old object and no rule
// fails. n is the schema of the program or one below it. Reads returns nil if no rule of n is
// evaluated.
func (p *Program) Reads(n *schema.Node) *ReadSet {
	switch {
	case n == nil || len(n.Rules()) == 0:
		return nil
	case p.Sets == nil:
		return AllOf(n)
	}
	return p.Sets[n]
}
