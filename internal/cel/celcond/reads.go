package celcond

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common/ast"
)

// Steps of a read that are not fields. No field has these names.
const (
	// Items leads to every element of a list.
	Items = "\x01[]"
	// Presence ends a read of whether a field is present.
	Presence = "\x01?"
	// Size ends a read of the size of a field.
	Size = "\x01#"
)

// reads returns what an expression reads of the value of a rule, as paths. A path
// that is empty is the whole value. bound has the paths of variables.
func reads(e ast.Expr, bound map[string][]string) [][]string {
	r := &reader{}
	r.read(e, bound)
	return r.paths
}

type reader struct{ paths [][]string }

// chain returns the path that an expression selects.
func chain(e ast.Expr, bound map[string][]string) ([]string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		path, ok := bound[e.AsIdent()]
		return path, ok
	case ast.SelectKind:
		s := e.AsSelect()
		path, ok := chain(s.Operand(), bound)
		if s.IsTestOnly() {
			return nil, false
		}
		return append(slices.Clip(path), unescaped(s.FieldName())), ok
	case ast.CallKind:
		if c := e.AsCall(); c.FunctionName() == "_[_]" && len(c.Args()) == 2 {
			path, ok := chain(c.Args()[0], bound)
			if key, known := constantOf(c.Args()[1]); known && ok {
				switch key := key.(type) {
				case string:
					return append(slices.Clip(path), key), true
				case int64:
					return append(slices.Clip(path), Items), true
				}
			}
		}
	}
	return nil, false
}

func (r *reader) add(path []string, end ...string) {
	r.paths = append(r.paths, append(slices.Clip(path), end...))
}

func (r *reader) read(e ast.Expr, bound map[string][]string) {
	if path, ok := chain(e, bound); ok {
		r.add(path)
		return
	}
	switch e.Kind() {
	case ast.SelectKind:
		s := e.AsSelect()
		if path, ok := chain(s.Operand(), bound); ok && s.IsTestOnly() {
			r.add(path, unescaped(s.FieldName()), Presence)
			return
		}
		r.read(s.Operand(), bound)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			r.read(element, bound)
		}
	case ast.CallKind:
		r.call(e, bound)
	}
}

func (r *reader) call(e ast.Expr, bound map[string][]string) {
	if of, ok := sizeOf(e); ok {
		if path, ok := chain(of, bound); ok {
			r.add(path, Size)
		} else if !r.macro(of, bound) {
			r.read(of, bound)
		}
		return
	}
	c := e.AsCall()
	if r.macro(e, bound) {
		if c.FunctionName() == "filter" { // the result has the elements
			path, _ := chain(c.Target(), bound)
			r.add(path, Items)
		}
		return
	}
	if c.IsMemberFunction() {
		r.read(c.Target(), bound)
	}
	for _, arg := range c.Args() {
		r.read(arg, bound)
	}
}

var macros = map[string]bool{"all": true, "exists": true, "exists_one": true, "map": true, "filter": true}

// macro reads a macro over the elements at a path. The variable of a macro over a map is a
// key, which the path of an element covers. It reports false for other expressions.
func (r *reader) macro(e ast.Expr, bound map[string][]string) bool {
	if e.Kind() != ast.CallKind {
		return false
	}
	c := e.AsCall()
	args := c.Args()
	if !c.IsMemberFunction() || !macros[c.FunctionName()] || len(args) != 2 || args[0].Kind() != ast.IdentKind {
		return false
	}
	path, ok := chain(c.Target(), bound)
	if !ok {
		return false
	}
	inner := maps.Clone(bound)
	inner[args[0].AsIdent()] = append(slices.Clip(path), Items)
	r.add(path, Size)
	r.read(args[1], inner)
	return true
}
