package defaulting

import (
	"github.com/crdkit/crdkit/internal/names/nameindex"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A nullNode says which nulls to drop from a value. A nil node drops none. Equal schemas
// share a node.
type nullNode struct {
	// fields are the properties, in increasing order of name. Unless additionalProperties
	// drops nulls, only properties that drop nulls are listed.
	fields []nullField
	index  nameindex.Index // of fields
	others nullRule        // for entries that are not in fields
	items  *nullNode
}

type nullField struct {
	name string
	nullRule
}

type nullRule struct {
	below *nullNode
	drop  bool // drop the entry if its value is null
}

func (r nullRule) idle() bool { return r.below == nil && !r.drop }

type nullCompiler map[*schema.Node]*nullNode

func compileNulls(n *schema.Node) *nullNode {
	return nullCompiler{}.compileNode(n)
}

func (c nullCompiler) compileNode(n *schema.Node) *nullNode {
	if n == nil || !n.Facts().Has(schema.CanDropNulls) {
		return nil
	}
	if done, ok := c[n]; ok {
		return done
	}
	out := &nullNode{items: c.compileNode(n.Items())}
	additional, _ := n.AdditionalProperties()
	out.others = c.compileRule(additional)
	var names []string
	for name, p := range n.Properties() {
		if r := c.compileRule(p); !r.idle() || !out.others.idle() {
			out.fields = append(out.fields, nullField{name, r})
			names = append(names, name)
		}
	}
	out.index = nameindex.New(names)
	c[n] = out
	return out
}

func (c nullCompiler) compileRule(n *schema.Node) nullRule {
	if n == nil {
		return nullRule{}
	}
	return nullRule{below: c.compileNode(n), drop: !n.Nullable() && !hasDefault(n)}
}

func (n *nullNode) drop(v any, s schema.Step, rec *recorder) {
	switch v := v.(type) {
	case map[string]any:
		rec.Enter(s)
		n.dropInObject(v, rec)
		rec.Leave()
	case []any:
		if n.items == nil {
			return
		}
		rec.Enter(s)
		for i, e := range v {
			if jsonval.IsContainer(e) {
				n.items.drop(e, schema.Index(i), rec)
			}
		}
		rec.Leave()
	}
}

func (n *nullNode) dropInObject(m map[string]any, rec *recorder) {
	if n.others.idle() && probeIsFaster(len(n.fields), len(m)) {
		n.probe(m, rec)
	} else {
		n.scan(m, rec)
	}
}

func (n *nullNode) scan(m map[string]any, rec *recorder) {
	for name, v := range m {
		if v != nil && !jsonval.IsContainer(v) {
			continue
		}
		r := n.others
		if i := n.index.Find(name); i >= 0 {
			r = n.fields[i].nullRule
		}
		r.apply(m, name, v, rec)
	}
}

func (n *nullNode) probe(m map[string]any, rec *recorder) {
	left := len(m)
	for i := range n.fields {
		if left == 0 {
			return
		}
		f := &n.fields[i]
		if v, ok := m[f.name]; ok {
			left--
			if v == nil || jsonval.IsContainer(v) {
				f.apply(m, f.name, v, rec)
			}
		}
	}
}

func (r nullRule) apply(m map[string]any, name string, v any, rec *recorder) {
	switch {
	case v == nil && r.drop:
		rec.Record(schema.Field(name))
		delete(m, name)
	case r.below != nil:
		r.below.drop(v, schema.Field(name), rec)
	}
}
