package cel

import (
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/celtypes"
	"github.com/crdkit/crdkit/schema"
)

// A lazy compiles the rules of a node when the first value comes along that
// they are for. All of a program share the builder, one at a time.
type lazyRules struct {
	once    sync.Once
	builder *builder
	schema  *schema.Node
	self    *celtypes.Type
	root    bool
}

// ready compiles the rules of n, unless that has been done.
func (n *node) ready() {
	l := n.lazy
	if l == nil {
		return
	}
	l.once.Do(func() {
		l.builder.mu.Lock()
		defer l.builder.mu.Unlock()
		l.builder.compile(n, l.schema, l.self, l.root, nil)
		l.builder, l.schema, l.self = nil, nil, nil
	})
}

// mayUseOld reports whether one of the rules refers to oldSelf, or looks like
// it before it is compiled.
func (l *lazyRules) mayUseOld() bool {
	return l != nil && slices.ContainsFunc(l.schema.Rules(), func(r schema.Rule) bool { return strings.Contains(r.Rule, celtypes.OldSelf) })
}
