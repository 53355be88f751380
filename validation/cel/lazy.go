package cel

import (
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/schema"
)

// A lazyRules compiles the rules of a node when its first value arrives. All
// nodes of a program share the builder, one at a time.
type lazyRules struct {
	once    sync.Once
	builder *builder
	schema  *schema.Node
	self    *celtypes.Type
	root    bool
}

// ready compiles the rules of n if that is still to be done.
func (n *node) ready() {
	l := n.lazy
	if l == nil {
		return
	}
	l.once.Do(func() {
		l.builder.mu.Lock()
		defer l.builder.mu.Unlock()
		l.builder.compile(n, l.schema, l.schema.Rules(), l.self, l.root, nil)
		l.builder, l.schema, l.self = nil, nil, nil
	})
}

// mayUseOld reports whether a rule that is not compiled yet may refer to oldSelf.
func (l *lazyRules) mayUseOld() bool {
	return l != nil && slices.ContainsFunc(l.schema.Rules(), func(r schema.Rule) bool { return strings.Contains(r.Rule, celtypes.OldSelf) })
}
