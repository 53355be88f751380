package celcond

import (
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/search"
)

// A Count is a macro exists_one in the body of a macro over the same list, such as
//
//	self.all(a, self.exists_one(b, b.name == a.name))
//
// It is opaque, but two of them agree if their bodies agree on all pairs of elements.
type Count struct {
	// Name is the name of its opaque conditions.
	Name string
	// List leads from the value of the rule to the list.
	List []string
	// Holds and Fails are the conditions that the body holds and that it fails, on an
	// object whose members [First] and [Second] are the elements a and b.
	Holds, Fails *search.Cond
}

// The members of a pair of elements.
const (
	First  = "first"
	Second = "second"
)

// SetKnown sets what Rule asks about each [Count]: the name of one in a rule that is known
// to have been evaluated on the same value. If that holds, the count must hold, and if it
// fails, the count must fail. Nil means that none is known.
func (t *Translator) SetKnown(known func(c Count) (name string, ok bool)) { t.known = known }

// count returns the count of an expression over an element of a list.
func (x *translation) count(e ast.Expr, name string, sc scope) (Count, bool) {
	if e.Kind() != ast.CallKind || sc.outer == nil || sc.outer.outer != nil || sc.outer.update != nil || sc.list != nil {
		return Count{}, false
	}
	c := e.AsCall()
	if c.FunctionName() != "exists_one" || !isQuantifier(c) {
		return Count{}, false
	}
	first, second := sc.name, c.Args()[0].AsIdent()
	list, ok := chain(c.Target(), sc.outer.bound())
	if !ok || first == second || first == Self || second == Self || !slices.Equal(append(slices.Clip(list), Items), sc.prefix) {
		return Count{}, false
	}
	if x.changed != nil && slices.ContainsFunc(reads(e, sc.bound()), x.changed) {
		return Count{}, false
	}
	body := &translation{Translator: x.Translator}
	v := body.boolean(c.Args()[1], scope{
		name: first + "," + second, update: &update{node: sc.node, members: map[string]string{first: First, second: Second}},
	})
	return Count{Name: name, List: list, Holds: v.holds, Fails: v.fails}, true
}

// orKnown returns the verdict of a count by a known one: the same, unless the known one
// ended with an error.
func (x *translation) orKnown(v verdict, c *Count) verdict {
	if x.known == nil {
		return v
	}
	name, ok := x.known(*c)
	if !ok {
		return v
	}
	by := func(truth search.Mask, otherwise *search.Cond) *search.Cond {
		return search.Or(search.Opaque(name, truth), search.And(search.Opaque(name, search.Errors), otherwise))
	}
	return verdict{by(search.Holds, v.holds), by(search.Fails, v.fails)}
}
