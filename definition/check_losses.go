package definition

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
)

// losses finds out whether pruning removes something from a default. It keeps the pruners
// that it compiles. When the watch ends, what it reports is of no use.
type losses struct {
	watch   *interrupt.Watch
	pruners map[prunerKey]*pruning.Pruner
	nothing *schema.Node // declares nothing
}

// A prunerKey selects a pruner.
type prunerKey struct {
	node     *schema.Node
	fragment bool
}

func (l *losses) pruner(k prunerKey) *pruning.Pruner {
	if p, ok := l.pruners[k]; ok {
		return p
	}
	var opts []pruning.Option
	if k.fragment {
		opts = append(opts, pruning.Fragment())
	}
	if l.pruners == nil {
		l.pruners = map[prunerKey]*pruning.Pruner{}
	}
	p := pruning.New(k.node, opts...)
	l.pruners[k] = p
	return p
}

// any reports whether pruning removes something from v, a value of the schema n.
func (l *losses) any(n *schema.Node, v any, resource bool) bool {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || l.watch.Ended() {
			return false
		}
		// PruneAndReport does not report everything: apiVersion, kind and metadata of
		// a part of an object are missing.
		pruned := jsonval.Clone(v).(map[string]any)
		l.pruner(prunerKey{n, !resource || n.EmbeddedResource()}).Prune(pruned)
		return !jsonval.Equal(pruned, v)
	case []any:
		return l.ofElements(n, v, false)
	}
	return false
}

// ofElements is any for the elements of a list. preserve reports that a list around this
// one preserves unknown fields.
func (l *losses) ofElements(n *schema.Node, list []any, preserve bool) bool {
	preserve = preserve || n != nil && n.PreserveUnknownFields()
	var items *schema.Node
	if n != nil {
		items = n.Items()
	}
	for _, e := range list {
		switch e := e.(type) {
		case map[string]any:
			if !preserve && l.any(l.orNothing(items), e, false) || preserve && l.ofKept(items, e) {
				return true
			}
		case []any:
			if l.ofElements(items, e, preserve) {
				return true
			}
		}
	}
	return false
}

// ofKept is any for an object that keeps its own unknown fields.
func (l *losses) ofKept(n *schema.Node, obj map[string]any) bool {
	if n == nil {
		return false
	}
	for name, v := range obj {
		if n.EmbeddedResource() && isMeta(name) {
			continue
		}
		child := n.Property(name)
		if child == nil {
			additional, declared := n.AdditionalProperties()
			if !declared {
				continue
			}
			child = additional
		}
		if l.any(l.orNothing(child), v, false) {
			return true
		}
	}
	return false
}

// orNothing returns n, or a schema that declares nothing if n is nil.
func (l *losses) orNothing(n *schema.Node) *schema.Node {
	if n != nil {
		return n
	}
	if l.nothing == nil {
		l.nothing, _ = schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object"})
	}
	return l.nothing
}
