package celcond

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

func (x *translation) method(c ast.CallExpr, sc scope) (verdict, bool) {
	name, args := c.FunctionName(), c.Args()
	if name == "hasValue" && len(args) == 0 && c.Target().Kind() == ast.IdentKind && c.Target().AsIdent() == OldSelf {
		return constantVerdict(false), true // on a create there is no old object
	}
	if inner, ok := sc.onlyElement(c); ok {
		return x.boolean(args[1], inner), true
	}
	of, skipped := suffix(c.Target())
	p, ok := x.path(of, sc)
	if !ok {
		return verdict{}, false
	}
	if name == "all" || name == "exists" {
		return x.quantified(p, c, sc)
	}
	if len(args) != 1 {
		return verdict{}, false
	}
	value, _ := constantOf(args[0])
	text, isString := value.(string)
	mask, known := comparable(p.node)
	if !isString || !known || mask != search.String {
		return verdict{}, false
	}
	expr, ok := textPattern(name, text, skipped)
	if !ok {
		return verdict{}, false
	}
	holds, fails := search.Matches(expr), strictNot(search.String, search.Matches(expr))
	if skipped > 0 {
		fails = search.And(search.MinRunes(skipped), fails) // substring ends with an error for shorter strings
	}
	return verdict{x.at(p, holds), x.at(p, fails)}, true
}

// maxSkipped is the largest n in a pattern .{n}.
const maxSkipped = 1000

// suffix returns x and n for an expression x.substring(n) with a constant n, else e and 0.
func suffix(e ast.Expr) (of ast.Expr, skipped int64) {
	if e.Kind() == ast.CallKind {
		c := e.AsCall()
		if c.IsMemberFunction() && c.FunctionName() == "substring" && len(c.Args()) == 1 {
			v, _ := constantOf(c.Args()[0])
			if n, ok := v.(int64); ok && n >= 0 && n <= maxSkipped {
				return c.Target(), n
			}
		}
	}
	return e, 0
}

// textPattern returns a pattern for all strings s with s.substring(skipped).method(text).
func textPattern(method, text string, skipped int64) (string, bool) {
	start := ""
	if skipped > 0 {
		start = fmt.Sprintf(`^(?s:.{%d})`, skipped)
	}
	quoted := regexp.QuoteMeta(text)
	switch method {
	case "startsWith":
		return `^` + start + quoted, true
	case "endsWith":
		if skipped > 0 {
			start += `(?s:.*)`
		}
		return start + quoted + `$`, true
	case "contains":
		if skipped > 0 {
			start += `(?s:.*)`
		}
		return start + quoted, true
	case "matches":
		if skipped == 0 {
			return text, true
		}
		rest, ok := anchored(text)
		return start + `(?:` + rest + `)`, ok
	}
	return "", false
}

// anchored returns a pattern without the ^ at its start.
func anchored(expr string) (string, bool) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat || re.Sub[0].Op != syntax.OpBeginText {
		return "", false
	}
	rest := &syntax.Regexp{Op: syntax.OpConcat, Sub: re.Sub[1:], Flags: re.Flags}
	return rest.String(), !readsBefore(rest)
}

// readsBefore reports whether a pattern depends on the text before the match.
func readsBefore(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText, syntax.OpBeginLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, readsBefore)
}

// quantified translates all and exists over a list.
func (x *translation) quantified(p path, c ast.CallExpr, sc scope) (verdict, bool) {
	name, args := c.FunctionName(), c.Args()
	if len(args) != 2 || args[0].Kind() != ast.IdentKind || p.node.Kind() != schema.KindArray || p.node.Items() == nil {
		return verdict{}, false
	}
	inner := scope{name: args[0].AsIdent(), node: p.node.Items(), prefix: append(sc.below(p), Items), outer: &sc}
	v := elements(x.boolean(args[1], inner), name)
	if overSame(args[1], c.Target()) && !uses(c.Target(), inner.name) {
		inner.list = c.Target()
		one := elements(x.boolean(args[1], inner), name)
		few := strictNot(search.Array, search.MinItems(2))
		v = verdict{
			search.Or(search.And(search.MinItems(2), v.holds), search.And(few, one.holds)),
			search.Or(search.And(search.MinItems(2), v.fails), search.And(few, one.fails)),
		}
	}
	return verdict{x.at(p, v.holds), x.at(p, v.fails)}, true
}

func elements(body verdict, macro string) verdict {
	if macro == "exists" {
		body = body.not()
	}
	out := verdict{search.And(search.Types(search.Array), search.EveryItem(body.holds)), search.SomeItem(body.fails)}
	if macro == "exists" {
		return out.not()
	}
	return out
}

func overSame(e, list ast.Expr) bool {
	return contains(e, func(e ast.Expr) bool {
		return e.Kind() == ast.CallKind && isQuantifier(e.AsCall()) && Text(e.AsCall().Target()) == Text(list)
	})
}

// isQuantifier reports whether, for a list of one element, a macro has the value of its body.
func isQuantifier(c ast.CallExpr) bool {
	switch c.FunctionName() {
	case "all", "exists", "exists_one":
		return c.IsMemberFunction() && len(c.Args()) == 2 && c.Args()[0].Kind() == ast.IdentKind
	}
	return false
}

// onlyElement returns the scope of c if c is a macro over sc.list. Its variable equals sc's.
func (sc *scope) onlyElement(c ast.CallExpr) (scope, bool) {
	if sc.list == nil || !isQuantifier(c) || Text(c.Target()) != Text(sc.list) {
		return scope{}, false
	}
	name := c.Args()[0].AsIdent()
	inner := *sc
	inner.names = append(slices.Clip(sc.names), name)
	return inner, !uses(sc.list, name)
}
