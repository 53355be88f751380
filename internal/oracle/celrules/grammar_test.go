package celrules

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A term is a generated expression of CEL: texts with operands between them.
type term struct {
	typ      *types.Type
	texts    []string // one more than operands
	operands []*term
}

func (e *term) String() string {
	var b strings.Builder
	b.WriteString(e.texts[0])
	for i, o := range e.operands {
		s := o.String()
		if strings.ContainsAny(s, " ") || strings.HasPrefix(s, "-") || strings.HasPrefix(s, "!") {
			s = "(" + s + ")"
		}
		b.WriteString(s + e.texts[i+1])
	}
	return b.String()
}

// A form is a way to make an expression of a type.
type form struct {
	result *types.Type
	parts  []part
}

// A part of a form is a text, an operand, or the variable of a loop: its declaration if it
// has a type, or its use.
type part struct {
	text, variable string
	typ            *types.Type
}

// specials are the forms that are no functions: macros, simplest, and ways to hide the
// type of a value or to make it anew. $T is an operand of type T, a capital letter is any
// type, and @x:T declares x.
var specials = [][2]string{
	{"bool", "$list<A>.all(@x:A, $bool)"}, {"bool", "$list<A>.exists(@x:A, $bool)"}, {"bool", "$list<A>.exists_one(@x:A, $bool)"},
	{"bool", "$map<A,B>.all(@x:A, $bool)"}, {"bool", "$map<A,B>.exists(@x:A, $bool)"}, {"bool", "$map<A,B>.exists_one(@x:A, $bool)"},
	{"bool", "$list<A>.all(@i:int, @x:A, $bool)"}, {"bool", "$list<A>.exists(@i:int, @x:A, $bool)"}, {"bool", "$list<A>.existsOne(@i:int, @x:A, $bool)"}, {"bool", "$list<A>.exists_one(@i:int, @x:A, $bool)"},
	{"bool", "$map<A,B>.all(@k:A, @x:B, $bool)"}, {"bool", "$map<A,B>.exists(@k:A, @x:B, $bool)"}, {"bool", "$map<A,B>.existsOne(@k:A, @x:B, $bool)"},
	{"bool", "has({'a': $A}.a)"}, {"bool", "has($map<string,A>.a)"}, {"bool", "has(dyn($A).a)"}, {"bool", "has($opt<map<string,A>>.a)"},
	{"bool", "type($A) == $type"}, {"bool", "$A == dyn($B)"}, {"bool", "dyn($A) != $B"}, {"bool", "dyn($A) in $list<B>"}, {"bool", "$A in dyn($B)"}, {"bool", "dyn($A) in $map<B,C>"},
	{"bool", "dyn($A) < $B"}, {"bool", "$A >= dyn($B)"}, {"bool", "$bool || dyn($A) || $bool"}, {"bool", "dyn($A) && $bool"}, {"bool", "!($bool)"},
	{"bool", "$A in {$A: $B}"}, {"bool", "$A in {dyn($A): $B}"}, {"bool", "{$A: $B, $A: $C}.size() == 2"}, {"bool", "{$B: $A}.exists(@k:B, @x:A, $bool)"}, {"bool", "{dyn($B): $A}.all(@k:B, @x:A, $bool)"}, {"list<A>", "{$B: $A}.transformList(@k:B, @x:A, @x)"},
	{"bool", "dyn($A) in $list<B>.map(@x:B, @x)"}, {"bool", "dyn($A) in $list<B>.map(@x:B, $C)"}, {"bool", "dyn($A) in $list<B>.filter(@x:B, true)"}, {"bool", "$A in $list<A>.map(@x:A, $list<A>)"}, {"bool", "sets.contains($list<A>.map(@x:A, @x), [dyn($B)])"}, {"bool", "sets.intersects([dyn($B)], $list<A>.filter(@x:A, true))"},
	{"A", "$list<A>[dyn($double)]"}, {"A", "$list<A>[dyn($uint)]"},
	{"list<B>", "$list<A>.map(@x:A, $B)"}, {"list<B>", "$list<A>.map(@x:A, $bool, $B)"}, {"list<A>", "$list<A>.filter(@x:A, $bool)"},
	{"list<C>", "$map<A,B>.map(@x:A, $C)"}, {"list<A>", "$map<A,B>.filter(@x:A, $bool)"}, {"list<A>", "$list<A>.map(@x:A, @x)"}, {"list<A>", "$list<A>.filter(@x:A, true)"},
	{"list<B>", "$list<A>.transformList(@i:int, @x:A, $B)"}, {"list<B>", "$list<A>.transformList(@i:int, @x:A, $bool, $B)"}, {"list<A>", "$list<A>.transformList(@i:int, @x:A, @x)"},
	{"list<C>", "$map<A,B>.transformList(@k:A, @x:B, $C)"}, {"list<C>", "$map<A,B>.transformList(@k:A, @x:B, $bool, $C)"}, {"list<B>", "$map<A,B>.transformList(@k:A, @x:B, @x)"},
	{"list<A>", "$list<A>.sortBy(@x:A, $int)"}, {"list<A>", "$list<A>.sortBy(@x:A, $string)"}, {"list<A>", "$list<A>.sortBy(@x:A, dyn($B))"},
	{"list<A>", "[$A]"}, {"list<A>", "[$A, $A]"}, {"list<A>", "[?$opt<A>, $A]"}, {"list<A>", "[?$opt<A>]"}, {"list<A>", "[?dyn($B), $A]"}, {"list<dyn>", "[$A, $B]"}, {"list<A>", "[dyn($A)]"}, {"list<A>", "[dyn($A), $B]"},
	{"map<int,B>", "$list<A>.transformMap(@i:int, @x:A, $B)"}, {"map<int,B>", "$list<A>.transformMap(@i:int, @x:A, $bool, $B)"},
	{"map<A,C>", "$map<A,B>.transformMap(@k:A, @x:B, $C)"}, {"map<A,C>", "$map<A,B>.transformMap(@k:A, @x:B, $bool, $C)"}, {"map<A,B>", "$map<A,B>.transformMap(@k:A, @x:B, @x)"},
	{"map<B,C>", "$list<A>.transformMapEntry(@i:int, @x:A, {$B: $C})"}, {"map<A,int>", "$list<A>.transformMapEntry(@i:int, @x:A, {@x: @i})"}, {"map<C,D>", "$map<A,B>.transformMapEntry(@k:A, @x:B, {$C: $D})"}, {"map<B,A>", "$map<A,B>.transformMapEntry(@k:A, @x:B, $bool, {@x: @k})"},
	{"map<A,B>", "{$A: $B}"}, {"map<A,B>", "{$A: $B, $A: $B}"}, {"map<A,B>", "{?$A: $opt<B>}"}, {"map<A,B>", "{?$A: $opt<B>, $A: $B}"}, {"map<A,B>", "{?$A: dyn($C), $A: $B}"}, {"map<dyn,dyn>", "{$A: $B, $C: $D}"}, {"map<A,B>", "{dyn($A): $B}"}, {"map<A,B>", "{dyn($A): $B, dyn($C): $D}"},
	{"opt<B>", "$opt<A>.optMap(@x:A, $B)"}, {"opt<B>", "$opt<A>.optFlatMap(@x:A, $opt<B>)"}, {"opt<A>", "$map<string,A>.?a"}, {"opt<A>", "{'a': $A}.?a"}, {"opt<A>", "$opt<map<string,A>>.?a"}, {"opt<A>", "$opt<map<string,A>>.a"}, {"opt<A>", "$map<B,A>[?$B]"}, {"opt<A>", "dyn($B).?a"}, {"opt<A>", "dyn($B)[?dyn($C)]"}, {"opt<A>", "dyn(optional.of($A))"},
	{"int", "$opt<list<A>>.optMap(@x:list<A>, (@x + $list<A>).size() + @x.size()).orValue($int)"}, {"list<A>", "optional.of($list<A>).optMap(@x:list<A>, @x + $list<A>).value()"}, {"list<A>", "$list<A>.filter(@x:A, $bool).sortBy(@x:A, $int) + $list<A>"}, {"bool", "optional.of($A).optFlatMap(@x:A, optional.ofNonZeroValue(@x)).hasValue()"},
	{"A", "dyn($A)"}, {"A", "optional.of($A).orValue($A)"}, {"A", "optional.of($A).value()"}, {"A", "optional.none().orValue($A)"}, {"A", "{'a': $A}.a"}, {"A", "{'a': $A}[$string]"}, {"A", "{$B: $A}[$B]"}, {"A", "{dyn($B): $A}[dyn($B)]"}, {"A", "$map<B,A>[dyn($C)]"}, {"A", "$list<A>[dyn($B)]"}, {"A", "dyn($B)[$C]"}, {"A", "dyn($B).a"},
	{"A", "{'a': $A}.?a.orValue($A)"}, {"A", "optional.of({'a': $A}).a.value()"}, {"A", "[$A].map(@x:A, @x)[0]"}, {"A", "[$A].filter(@x:A, true)[0]"}, {"A", "[$A].transformList(@i:int, @x:A, @x)[0]"}, {"A", "{'a': $A}.transformMap(@k:string, @x:A, @x)['a']"}, {"A", "{'a': $A}.transformMapEntry(@k:string, @x:A, {@k: @x})['a']"}, {"A", "{$A: 1}.map(@x:A, @x)[0]"}, {"A", "{$A: 1}.transformList(@k:A, @x:int, @k)[0]"},
	{"A", "$bool ? $A : $A"}, {"A", "$bool ? dyn($A) : dyn($B)"}, {"A", "[dyn($A), $B].map(@x:dyn, @x)[0]"}, {"A", "[[$A]][0][0]"}, {"A", "{'a': {'b': $A}}.a.b"},
	{"int", "google.protobuf.Int64Value{value: $int}"}, {"uint", "google.protobuf.UInt64Value{value: $uint}"}, {"string", "google.protobuf.StringValue{value: $string}"}, {"bool", "google.protobuf.BoolValue{value: $bool}"}, {"double", "google.protobuf.DoubleValue{value: $double}"}, {"bytes", "google.protobuf.BytesValue{value: $bytes}"}, {"int", "google.protobuf.Int32Value{value: $int}"},
	{"string", "'%s'.format([$A])"}, {"string", "'%d %s'.format([$int, $A])"}, {"string", "'%e %f %b %o %x'.format([$double, $double, $int, $int, $A])"}, {"string", "string(dyn($A))"}, {"int", "size(dyn($A))"}, {"list<A>", "dyn($B) + $list<A>"}, {"int", "-dyn($A)"},
}

// named are the types that forms name in small letters.
var named = map[string]*types.Type{
	"bool": types.BoolType, "int": types.IntType, "uint": types.UintType, "double": types.DoubleType, "string": types.StringType, "bytes": types.BytesType, "dyn": types.DynType, "null": types.NullType,
	"duration": types.DurationType, "time": types.TimestampType, "type": types.NewTypeTypeWithParam(types.NewTypeParamType("Z")),
}

// readType returns the type at the start of a text, and the rest.
func readType(s string) (*types.Type, string) {
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	name, s := s[:n], s[n:]
	var params []*types.Type
	if strings.HasPrefix(s, "<") {
		for s[0] != '>' {
			var p *types.Type
			p, s = readType(s[1:])
			params = append(params, p)
		}
		s = s[1:]
	}
	switch {
	case name == "list":
		return types.NewListType(params[0]), s
	case name == "map":
		return types.NewMapType(params[0], params[1]), s
	case name == "opt":
		return types.NewOptionalType(params[0]), s
	case named[name] != nil:
		return named[name], s
	}
	return types.NewTypeParamType(name), s
}

// readForm reads a form of specials.
func readForm(result, s string) *form {
	f := &form{}
	f.result, _ = readType(result)
	for s != "" {
		var p part
		switch s[0] {
		case '$':
			p.typ, s = readType(s[1:])
		case '@':
			p.variable, s = s[1:2], s[2:]
			if len(s) > 1 && s[0] == ':' && s[1] != ' ' {
				p.typ, s = readType(s[1:])
			}
		default:
			n := strings.IndexAny(s, "$@")
			if n < 0 {
				n = len(s)
			}
			p.text, s = s[:n], s[n:]
		}
		f.parts = append(f.parts, p)
	}
	return f
}

// allForms returns the forms: first those of specials, then those of functions, by name.
var allForms = sync.OnceValues(func() (special, functions [][]*form) {
	for _, s := range specials {
		special = append(special, []*form{readForm(s[0], s[1])})
	}
	declared := upstreamLanguage().StoredExpressionsEnv().Functions()
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if strings.Contains(name, "@") && name != operators.In || strings.HasPrefix(name, "__") || name == operators.OldIn || name == "in" || name == operators.OptSelect {
			continue // no rule can call it, or it is among specials
		}
		var group []*form
		for _, o := range declared[name].OverloadDecls() {
			group = append(group, callForm(name, o.IsMemberFunction(), o.ArgTypes(), o.ResultType()))
		}
		functions = append(functions, group)
	}
	return special, functions
})

// callForm returns the form of a call of a function or of an operator.
func callForm(name string, member bool, args []*types.Type, result *types.Type) *form {
	between := []string{name + "("}
	for range args {
		between = append(between, ", ")
	}
	between[len(args)] = ")"
	symbol, isOperator := operators.FindReverse(name)
	switch {
	case len(args) == 0:
		between = []string{name + "()"}
	case name == operators.Index:
		between = []string{"", "[", "]"}
	case name == operators.OptIndex:
		between = []string{"", "[?", "]"}
	case name == operators.Conditional:
		between = []string{"", " ? ", " : ", ""}
	case isOperator && len(args) == 1:
		between = []string{symbol, ""}
	case isOperator:
		between = []string{"", " " + symbol + " ", ""}
	case member && len(args) == 1:
		between = []string{"", "." + name + "()"}
	case member:
		between[0], between[1] = "", "."+name+"("
	}
	f := &form{result: result, parts: []part{{text: between[0]}}}
	for i, a := range args {
		f.parts = append(f.parts, part{typ: a}, part{text: between[i+1]})
	}
	return f
}

// unify binds the parameters of a type so that it becomes another one.
func unify(pattern, t *types.Type, bound map[string]*types.Type) bool {
	if pattern.Kind() == types.TypeParamKind {
		if b := bound[pattern.TypeName()]; b != nil {
			return b.IsExactType(t)
		}
		bound[pattern.TypeName()] = t
		return true
	}
	a, b := pattern.Parameters(), t.Parameters()
	if pattern.Kind() != t.Kind() || pattern.TypeName() != t.TypeName() || len(a) != len(b) {
		return false
	}
	for i := range a {
		if !unify(a[i], b[i], bound) {
			return false
		}
	}
	return true
}

// A known is an expression without operands, or a field of objects.
type known struct {
	name string
	typ  *types.Type
	of   *types.Type // the object, for a field
}

// A grammar generates expressions.
type grammar struct {
	rng     *rand.Rand
	paths   []known // values of self and of oldSelf
	untyped []known // those without a type
	fields  []known
	vars    []known // of loops
	right   int     // of this number of operands, two have a wrong type, and three are behind dyn
	made    int
	cache   map[string][2][][]*form // the forms that make a type
}

// declare makes an expression and the values within it known.
func (g *grammar) declare(name string, d *apiservercel.DeclType, depth int) {
	g.paths = append(g.paths, known{name: name, typ: d.CelType()})
	if d.CelType().Kind() == types.DynKind {
		g.untyped = append(g.untyped, known{name: name})
	}
	switch {
	case depth == 0:
	case d.IsObject():
		for _, f := range slices.Sorted(maps.Keys(d.Fields)) {
			of := known{name: f, typ: d.Fields[f].Type.CelType(), of: d.CelType()}
			if !slices.ContainsFunc(g.fields, func(k known) bool { return k.name == f && k.of.TypeName() == of.of.TypeName() }) {
				g.fields = append(g.fields, of)
			}
			g.declare(name+"."+f, d.Fields[f].Type, depth-1)
		}
	case d.IsList():
		g.declare(name+"[0]", d.ElemType, depth-1)
	case d.IsMap():
		g.declare(name+".a", d.ElemType, depth-1)
	}
}

// scalars are the types that a type parameter mostly stands for.
var scalars = []*types.Type{
	types.BoolType, types.IntType, types.IntType, types.UintType, types.DoubleType, types.DoubleType, types.StringType, types.StringType, types.BytesType, types.NullType, types.DurationType, types.TimestampType,
}

func (g *grammar) anyType(depth int) *types.Type {
	switch n := g.rng.IntN(20); {
	case n < 6:
		return g.paths[g.rng.IntN(len(g.paths))].typ
	case n < 8 && depth > 0:
		return types.NewListType(g.anyType(depth - 1))
	case n < 10 && depth > 0:
		return types.NewMapType(g.anyType(depth-1), g.anyType(depth-1))
	case n < 11 && depth > 0:
		return types.NewOptionalType(g.anyType(depth - 1))
	case n == 11:
		return []*types.Type{
			apiservercel.QuantityType, apiservercel.URLType, apiservercel.IPType, apiservercel.CIDRType, apiservercel.SemverType, types.NewTypeTypeWithParam(types.IntType), apiservercel.FormatType,
		}[g.rng.IntN(7)]
	}
	return scalars[g.rng.IntN(len(scalars))]
}

// simplest are expressions of types that are no parameters of others.
var simplest = map[string][]string{
	"bool":                      {"true", "false"},
	"int":                       {"1", "0", "1", "0", "-1", "2", "3", "9223372036854775807", "-9223372036854775808"},
	"uint":                      {"1u", "0u", "0u", "2u", "18446744073709551615u"},
	"double":                    {"1.0", "0.0", "1.0", "0.0", "1.5", "2.0", "-0.0", "1e300", "double('NaN')", "double('-Infinity')", "0.5"},
	"string":                    {"'a'", "'b'", "''", "'abc'", "'1'", "'x'", "'[a-c]+'", "'1h'", "'2024-01-01T00:00:00Z'", "'10.0.0.1'", "'10.0.0.0/8'", "'1.2.3'", "'5Gi'", "'é日'", "'https://a.b:80/c?d=e'", "','", "'dns1123Label'", "'UTC'", "'['"},
	"bytes":                     {"b'a'", "b''", "b'\\xff'", "b'ab'"},
	"null_type":                 {"null"},
	"google.protobuf.Duration":  {"duration('1h')", "duration('-1s')", "duration('1ms')"},
	"google.protobuf.Timestamp": {"timestamp('2024-01-01T00:00:00Z')", "timestamp(0)", "timestamp('2024-02-03T04:05:06.789+02:00')"},
	"kubernetes.Quantity":       {"quantity('1')", "quantity('5Gi')", "quantity('-1.5')"},
	"kubernetes.URL":            {"url('https://a.b:80/c?d=e')", "url('/x')"},
	"net.IP":                    {"ip('10.0.0.1')", "ip('::1')"},
	"net.CIDR":                  {"cidr('10.0.0.0/8')", "cidr('::1/64')"},
	"kubernetes.Semver":         {"semver('1.2.3')", "semver('v1.0', true)"},
	"kubernetes.NamedFormat":    {"format.dns1123Label()", "format.uuid()"},
	"type":                      {"int", "string", "list", "null_type", "optional_type", "google.protobuf.Timestamp"},
}

// literal returns an expression of a type that needs little else.
func (g *grammar) literal(t *types.Type) *term {
	plain := func(s string) *term { return &term{typ: t, texts: []string{s}} }
	around := func(s ...string) *term {
		e := &term{typ: t, texts: s}
		for _, p := range t.Parameters() {
			e.operands = append(e.operands, g.leaf(p))
		}
		return e
	}
	empty := g.rng.IntN(4) == 0
	switch {
	case t.Kind() == types.DynKind:
		e := g.literal(g.anyType(1))
		return &term{typ: t, texts: []string{"dyn(", ")"}, operands: []*term{e}}
	case t.Kind() == types.ListKind && empty:
		return plain("[]")
	case t.Kind() == types.ListKind:
		return around("[", "]")
	case t.Kind() == types.MapKind && empty:
		return plain("{}")
	case t.Kind() == types.MapKind:
		return around("{", ": ", "}")
	case isOptional(t) && empty:
		return plain("optional.none()")
	case isOptional(t):
		return around("optional.of(", ")")
	}
	if list := simplest[t.TypeName()]; list != nil {
		return plain(list[g.rng.IntN(len(list))])
	}
	return &term{typ: t, texts: []string{"dyn(", ")"}, operands: []*term{g.literal(scalars[g.rng.IntN(len(scalars))])}}
}

// leaf returns a variable, a value of self, or a literal.
func (g *grammar) leaf(t *types.Type) *term {
	if t.Kind() == types.TypeParamKind {
		t = g.anyType(1)
	}
	of := func(list []known) *term {
		var fitting []string
		for _, k := range list {
			if k.typ.IsExactType(t) || t.Kind() == types.DynKind {
				fitting = append(fitting, k.name)
			}
		}
		if len(fitting) == 0 {
			return nil
		}
		return &term{typ: t, texts: []string{fitting[g.rng.IntN(len(fitting))]}}
	}
	if len(g.untyped) > 0 && g.rng.IntN(12) == 0 {
		return &term{typ: t, texts: []string{g.untyped[g.rng.IntN(len(g.untyped))].name}}
	}
	if e := of(g.vars); e != nil && g.rng.IntN(5) > 1 {
		return e
	}
	if e := of(g.paths); e != nil && g.rng.IntN(3) > 0 {
		return e
	}
	return g.literal(t)
}

// expr returns an expression of a type whose depth is about depth.
func (g *grammar) expr(t *types.Type, depth int) *term {
	if t.Kind() == types.TypeParamKind || t.Kind() == types.DynKind && depth > 0 {
		e := g.expr(g.anyType(2), depth)
		if t.Kind() == types.DynKind && g.rng.IntN(2) == 0 {
			return &term{typ: t, texts: []string{"dyn(", ")"}, operands: []*term{e}}
		}
		return e
	}
	n := g.rng.IntN(20)
	if depth <= 0 || n == 0 {
		return g.leaf(t)
	}
	if n < 4 {
		if f := g.fieldForm(t); f != nil {
			return g.fill(f, t, map[string]*types.Type{}, depth-1)
		}
	}
	special, functions := g.making(t)
	groups := special
	if n >= 11 && len(functions) > 0 {
		groups = functions
	}
	if len(groups) == 0 {
		return g.leaf(t)
	}
	group := groups[g.rng.IntN(len(groups))]
	f := group[g.rng.IntN(len(group))]
	bound := map[string]*types.Type{}
	unify(f.result, t, bound)
	return g.fill(f, t, bound, depth-1)
}

// rule returns an expression of type bool. Half of them are calls of any form, whose result
// is compared if it is no bool.
func (g *grammar) rule(depth int) *term {
	g.right = 24
	special, functions := allForms()
	groups := special
	switch g.rng.IntN(6) {
	case 0, 1:
		groups = functions
	case 2, 3, 4:
		return g.expr(types.BoolType, depth)
	}
	group := groups[g.rng.IntN(len(groups))]
	f := group[g.rng.IntN(len(group))]
	bound := map[string]*types.Type{}
	t := g.bind(f.result, bound)
	g.right = 8 // more often than elsewhere
	e := g.fill(f, t, bound, depth-1)
	if t.Kind() != types.BoolKind {
		after := []string{"", " || true", " && false", " ? true : true"}[g.rng.IntN(4)]
		e = &term{typ: types.BoolType, texts: []string{"", " == ", after}, operands: []*term{e, g.expr(t, depth-2)}}
	}
	return e
}

// making returns the forms that make a type.
func (g *grammar) making(t *types.Type) (special, functions [][]*form) {
	if g.cache == nil {
		g.cache = map[string][2][][]*form{}
	}
	name := t.String()
	found, ok := g.cache[name]
	if !ok {
		special, functions = allForms()
		for i, groups := range [][][]*form{special, functions} {
			for _, group := range groups {
				var fitting []*form
				for _, f := range group {
					if unify(f.result, t, map[string]*types.Type{}) {
						fitting = append(fitting, f)
					}
				}
				if fitting != nil {
					found[i] = append(found[i], fitting)
				}
			}
		}
		g.cache[name] = found
	}
	return found[0], found[1]
}

// fieldForm returns a form that reads a field of an object, nil if no field has the type.
func (g *grammar) fieldForm(t *types.Type) *form {
	var list []*form
	of := func(f known, before, between string, after string) {
		list = append(list, &form{result: t, parts: []part{{text: before}, {typ: f.of}, {text: between + f.name + after}}})
	}
	for _, f := range g.fields {
		switch {
		case f.typ.IsExactType(t):
			of(f, "", ".", "")
		case t.Kind() == types.BoolKind:
			of(f, "has(", ".", ")")
		case isOptional(t) && t.Parameters()[0].IsExactType(f.typ):
			of(f, "", ".?", "")
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[g.rng.IntN(len(list))]
}

// fill makes the operands of a form. A few have another type than the form says, behind
// dyn. The variables of a loop are known after the loop declares them.
func (g *grammar) fill(f *form, t *types.Type, bound map[string]*types.Type, depth int) *term {
	outer := len(g.vars)
	defer func() { g.vars = g.vars[:outer] }()
	names := map[string]string{}
	e := &term{typ: t, texts: []string{""}}
	say := func(s string) { e.texts[len(e.texts)-1] += s }
	for _, p := range f.parts {
		switch {
		case p.text != "":
			say(p.text)
		case p.variable == "" && p.typ != nil:
			typ := g.bind(p.typ, bound)
			switch n := g.rng.IntN(g.right); {
			case n < 2 && typ.Kind() != types.DynKind:
				typ = types.DynType
			case n < 5 && typ.Kind() != types.DynKind:
				e.operands = append(e.operands, &term{typ: typ, texts: []string{"dyn(", ")"}, operands: []*term{g.expr(typ, depth)}})
				e.texts = append(e.texts, "")
				continue
			}
			operand := g.expr(typ, depth)
			if typ.Kind() == types.DynKind && operand.typ.Kind() != types.DynKind && p.typ.Kind() != types.DynKind {
				operand = &term{typ: typ, texts: []string{"dyn(", ")"}, operands: []*term{operand}}
			}
			e.operands = append(e.operands, operand)
			e.texts = append(e.texts, "")
		case p.typ != nil:
			g.made++
			name := fmt.Sprintf("v%d", g.made)
			if g.rng.IntN(4) == 0 {
				name = p.variable
			}
			names[p.variable] = name
			g.vars = append(g.vars, known{name: name, typ: g.bind(p.typ, bound)})
			say(name)
		default:
			say(names[p.variable])
		}
	}
	return e
}

// bind returns a type without parameters, which it binds to arbitrary types if they are not
// bound.
func (g *grammar) bind(t *types.Type, bound map[string]*types.Type) *types.Type {
	params := make([]*types.Type, len(t.Parameters()))
	for i, p := range t.Parameters() {
		params[i] = g.bind(p, bound)
	}
	switch {
	case t.Kind() == types.TypeParamKind:
		if bound[t.TypeName()] == nil {
			bound[t.TypeName()] = g.anyType(1)
		}
		return bound[t.TypeName()]
	case t.Kind() == types.ListKind:
		return types.NewListType(params[0])
	case t.Kind() == types.MapKind:
		return types.NewMapType(params[0], params[1])
	case isOptional(t):
		return types.NewOptionalType(params[0])
	case t.Kind() == types.TypeKind && len(params) == 1:
		return types.NewTypeTypeWithParam(params[0])
	}
	return t
}

func isOptional(t *types.Type) bool {
	return t.TypeName() == "optional_type" && len(t.Parameters()) == 1
}
