package validation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/correlate"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

// A run is one walk over an object. It finds every error and reports it as kube-apiserver
// does.
//
// If no branch of an anyOf or oneOf is satisfied, the errors of the branch with the most
// passed checks are reported. So the walk counts checks as the server does, see [run.check].
//
// Where the walk does not count checks, it calls Valid for each value and skips valid values.
// After maxMisses invalid values on the path, it does not call Valid for containers,
// because each call visits everything in the value again.
type run struct {
	stack       pathstack.Stack
	found       []finding
	ratcheted   []finding // errors of values that did not change
	limit       *limit
	mark        int  // join merges only findings in found[mark:]
	counting    bool // the walk is below allOf, anyOf, oneOf or not
	checkAll    bool // check valid values too
	validMisses int  // number of values on the path that were validated and are invalid

	buf  []byte // for texts
	path int    // length of the path in buf

	// The initial arrays of stack.Steps, found and buf.
	steps [16]pathstack.Step
	first [4]finding
	bytes [256]byte
}

// A finding is an error and its text. Findings with equal texts are reported once. A text
// begins with the path, and is the Detail of most errors.
type finding struct {
	text string
	err  *Error
	more int // if err is a placeholder: how many more errors it stands for
}

const maxMisses = 4

// start collects the errors of v, which is invalid, unless n is nil.
func (r *run) start(n *leafcheck.Node, v any, p correlate.Pair) {
	r.stack.Steps, r.found, r.buf = r.steps[:0], r.first[:0], r.bytes[:0]
	if n != nil {
		r.check(n, v, p)
	}
}

// checkUnlessValid checks v as check does. It skips a valid v unless counting or checkAll is set.
// p has v and its old value.
func (r *run) checkUnlessValid(n *leafcheck.Node, v any, p correlate.Pair) (count int, changed bool) {
	if r.counting || r.checkAll {
		return r.check(n, v, p)
	}
	if r.validMisses == maxMisses && jsonval.IsContainer(v) {
		return r.check(n, v, p)
	}
	if n.Valid(v) {
		return 0, false
	}
	r.validMisses++
	_, changed = r.check(n, v, p)
	r.validMisses--
	return 0, changed
}

// check checks v and everything in it. changed reports whether v is known to differ from its
// old value. count is the number of checks, as the server counts:
//
//	null                1 if null is allowed, else 0; no other check counts
//	type                2; 1 if it is wrong; 0 if it is not declared
//	junctors            2, and the checks in their branches
//	enum                1
//	number, list        2, and the checks of the elements
//	string, object      1, and 1 for a format or the checks of the properties
//	the value           1
func (r *run) check(n *leafcheck.Node, v any, p correlate.Pair) (count int, changed bool) {
	before, outer := len(r.found), r.mark
	r.mark = before
	kind := leafcheck.MaskOf(v)
	switch {
	case n.Accept&kind == 0:
		r.wrongType(n, kind)
		count = 1
	case n.Type.Declared():
		count = 2
	}
	if kind == leafcheck.Null {
		count = 0
		if n.Accept&kind != 0 {
			count = 1
		}
		r.enum(n, v)
	} else {
		count += r.nested(n, v) + 2 // two for the junctors
		var c int
		c, changed = r.kind(n, v, p)
		count += c + 1 + 1 // one for the enum, one for the value
	}
	if p.Correlated() && len(r.found) > before {
		changed = r.ratchet(before, p, changed)
	}
	r.mark = outer
	r.join()
	return count, changed && p.Correlated()
}

// kind runs the checks for the kind of v. It checks the enum, then the properties of an
// object.
func (r *run) kind(n *leafcheck.Node, v any, p correlate.Pair) (count int, changed bool) {
	switch t := v.(type) {
	case string:
		count = r.text(n, t, v) + 1
	case int64, float64:
		r.number(n.Number, v)
		count = 2
	case []any:
		count, changed = r.list(n, t, p)
		count += 2
	}
	r.enum(n, v)
	if obj, ok := v.(map[string]any); ok {
		count, changed = r.object(n, obj, p)
		count++
	}
	return count, changed
}

// ratchet forgives the errors in r.found[before:], unless the value changed. It returns
// whether the value changed. changed is true if that is known already.
func (r *run) ratchet(before int, p correlate.Pair, changed bool) bool {
	if changed || !p.Unchanged() {
		return true
	}
	for _, x := range r.takeBack(before) {
		if !x.err.omitted() && r.limit.holds(len(r.ratcheted)) {
			r.ratcheted = append(r.ratcheted, x)
		}
	}
	return false
}

func (r *run) wrongType(n *leafcheck.Node, kind leafcheck.Mask) {
	want, got := n.Type.Refusal(kind)
	r.mistyped(want, got, got)
}

func (r *run) mistyped(want, got string, bad any) {
	b := append(r.begin(), "must be of type "...)
	b = append(append(b, want...), ": "...)
	r.end(strconv.AppendQuote(b, got), field.Error{Type: field.ErrorTypeTypeInvalid, BadValue: bad})
}

func (r *run) enum(n *leafcheck.Node, v any) {
	if n.Enum == nil || n.Enum.Valid(v) {
		return
	}
	b := append(append(r.begin(), "should be one of "...), n.Enum.Text()...)
	r.end(b, field.Error{Type: field.ErrorTypeNotSupported, BadValue: v, Detail: n.Enum.Detail()})
}

// text checks a string. It reports only the first failure of length and pattern. It returns
// 1 if a format was checked, else 0.
func (r *run) text(n *leafcheck.Node, s string, v any) int {
	t := n.Text
	if t == nil {
		return 0
	}
	switch {
	case t.TooLong(s):
		e := field.TooLong(nil, "", int(t.Max.N))
		r.end(quantity(r.begin(), "should be at most ", t.Max.N, " chars long"), *e)
	case t.TooShort(s):
		r.invalid(quantity(r.begin(), "should be at least ", t.Min.N, " chars long"), v)
	case !t.Matches(s):
		b := append(append(r.begin(), "should match '"...), t.Expr...)
		if t.BadExpr != "" {
			b = append(append(b, ", but pattern is invalid: "...), t.BadExpr...)
		}
		r.invalid(append(b, '\''), v)
	}
	if t.HasFormat == nil {
		return 0
	}
	if !t.HasFormat(s) {
		r.mistyped(t.Format, s, v)
	}
	return 1
}

func quantity(b []byte, what string, n int64, of string) []byte {
	return append(strconv.AppendInt(append(b, what...), n, 10), of...)
}

// number checks an int64 or a float64 against the bounds of num, which may be nil. A bound
// that does not fit the type is an error. It is still checked, as a float64.
func (r *run) number(num *leafcheck.Number, v any) {
	if num == nil {
		return
	}
	i, isInt := v.(int64)
	f, _ := v.(float64)
	if isInt {
		f = float64(i)
	}
	if isInt && !num.FitsInt(i) || !isInt && !num.FitsFloat(f) {
		r.misfit("Checked", num)
	}
	for _, b := range [...]struct {
		*leafcheck.Limit
		name    string
		offInt  func(int64) bool
		offReal func(float64) bool
	}{
		{&num.Multiple, "MultipleOf", num.Multiple.NotMultipleInt, num.Multiple.NotMultipleFloat},
		{&num.Min, "Minimum boundary", num.Min.TooLowInt, num.Min.TooLowFloat},
		{&num.Max, "Maximum boundary", num.Max.TooHighInt, num.Max.TooHighFloat},
	} {
		switch {
		case !b.Set:
		case isInt && b.Fits:
			if b.offInt(i) {
				r.off(num, b.Limit, b.Int, b.Int > 0, v)
			}
		default:
			if !b.Fits {
				r.misfit(b.name, num)
			}
			if b.offReal(f) {
				r.off(num, b.Limit, b.Value, b.Value > 0, f)
			}
		}
	}
}

// misfit reports that a value or a bound is outside the range of the type.
func (r *run) misfit(what string, n *leafcheck.Number) {
	form := "(default format)"
	if n.Format != "" {
		form = "with format " + n.Format
	}
	r.atStart([]byte(what + " value must be of type " + n.Type + " " + form + " in " + r.stack.Text()))
}

// off reports a number that a limit refuses. bound is the limit with the Go type of v.
func (r *run) off(num *leafcheck.Number, l *leafcheck.Limit, bound any, positive bool, v any) {
	what := "should be a multiple of "
	switch {
	case l == &num.Min && l.Exclusive:
		what = "should be greater than "
	case l == &num.Min:
		what = "should be greater than or equal to "
	case l == &num.Max && l.Exclusive:
		what = "should be less than "
	case l == &num.Max:
		what = "should be less than or equal to "
	case !positive:
		path := r.begin()[:r.path]
		text := fmt.Appendf(nil, "factor MultipleOf declared for %s must be positive: %v", path, bound)
		if err := r.add(text, field.Error{Type: field.ErrorTypeInvalid, BadValue: bound}, false); err != nil {
			err.fieldError.Field = r.stack.FieldOf(string(path))
		}
		return
	}
	r.invalid(fmt.Append(append(r.begin(), what...), bound), v)
}

// list checks a list and its elements. It returns what check returns, but of the elements only.
func (r *run) list(n *leafcheck.Node, list []any, p correlate.Pair) (count int, changed bool) {
	if n.Items != nil {
		old := p.Elements()
		for i, v := range list {
			r.stack.Push(pathstack.Item, "", i)
			c, ch := r.checkUnlessValid(n.Items, v, old.At(i))
			r.stack.Pop()
			count += c
			changed = changed || ch
		}
	}
	l := n.List
	if l == nil {
		return count, changed
	}
	size := int64(len(list))
	if l.Min.Set && size < l.Min.N {
		r.invalid(quantity(r.begin(), "should have at least ", l.Min.N, " items"), size)
	}
	if l.Max.Set && size > l.Max.N {
		r.tooMany(size, l.Max.N, " items")
	}
	if l.Unique && leafcheck.HasEqual(list) {
		r.invalid(append(r.begin(), "shouldn't contain duplicates"...), "")
	}
	return count, changed
}

func (r *run) tooMany(size, limit int64, what string) {
	e := field.TooMany(nil, int(size), int(limit))
	r.end(quantity(r.begin(), "should have at most ", limit, what), *e)
}

// object checks an object and its properties. It counts the checks of the properties,
// and reports whether a property is known to have changed.
func (r *run) object(n *leafcheck.Node, obj map[string]any, p correlate.Pair) (count int, changed bool) {
	f := n.Fields
	size := int64(len(obj))
	if f.Min.Set && size < f.Min.N {
		r.invalid(quantity(r.begin(), "should have at least ", f.Min.N, " properties"), size)
	}
	if f.Max.Set && size > f.Max.N {
		r.tooMany(size, f.Max.N, " properties")
	}
	if f.Closed || f.Additional != nil {
		count, changed = r.additional(f, obj, p)
	}
	c, ch := r.declared(f, obj, p)
	for _, name := range f.Required {
		if _, ok := obj[name]; !ok {
			r.required(name)
		}
	}
	return count + c, changed || ch
}

// declared checks the declared properties in increasing order of name.
func (r *run) declared(f *leafcheck.Fields, obj map[string]any, p correlate.Pair) (count int, changed bool) {
	for i := range f.Props {
		if v, ok := obj[f.Props[i].Name]; ok {
			c, ch := r.property(&f.Props[i], v, p)
			count += c
			changed = changed || ch
		}
	}
	return count, changed
}

func (r *run) property(prop *leafcheck.Prop, v any, p correlate.Pair) (count int, changed bool) {
	before := r.key(p, prop.Name)
	r.stack.Push(pathstack.Property, prop.Name, 0)
	count, changed = r.checkUnlessValid(prop.Node, v, before)
	r.stack.Pop()
	return count, changed
}

// key returns the pair of an entry. kind and apiVersion of the object itself get no old
// value, so their errors are not forgiven.
func (r *run) key(p correlate.Pair, name string) correlate.Pair {
	if (name == "kind" || name == "apiVersion") && r.stack.TextIsEmpty() {
		return correlate.Pair{}
	}
	return p.Key(name)
}

// additional checks undeclared properties in increasing order of name.
func (r *run) additional(f *leafcheck.Fields, obj map[string]any, p correlate.Pair) (count int, changed bool) {
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if _, ok := f.Index(name); ok {
			continue
		}
		if f.Closed {
			r.forbidden(name)
			continue
		}
		before := r.key(p, name)
		r.stack.Push(pathstack.Entry, name, 0)
		c, ch := r.checkUnlessValid(f.Additional, obj[name], before)
		r.stack.Pop()
		count += c
		changed = changed || ch
	}
	return count, changed
}

func (r *run) required(name string) {
	b := append(append(r.stack.AppendText(r.buf[:0]), '.'), name...)
	r.path = len(b)
	b = append(append(b, inBody...), "is required"...)
	r.stack.Push(pathstack.Name, name, 0)
	r.end(b, field.Error{Type: field.ErrorTypeRequired, BadValue: ""})
	r.stack.Pop()
}

func (r *run) forbidden(name string) {
	b := r.begin()[:r.path]
	b = append(append(append(b, '.'), name...), inBody...)
	b = append(b, "is a forbidden property"...)
	r.stack.Push(pathstack.Name, name, 0)
	r.invalid(b, name)
	r.stack.Pop()
}

// A listRun finds duplicate elements in lists of type set and map, and elements of map lists
// that are not objects. [leafcheck.List] says which elements are equal.
type listRun struct {
	stack    pathstack.Stack
	errs     ErrorList
	limit    *limit
	checkAll bool   // see run
	buf      []byte // for texts
}

func (r *listRun) walk(n *leafcheck.Node, v any) {
	if n == nil || !n.HasLists {
		return
	}
	switch v := v.(type) {
	case []any:
		r.list(n, v)
	case map[string]any:
		r.object(n, v)
	}
}

func (r *listRun) object(n *leafcheck.Node, obj map[string]any) {
	if a := n.Fields.Additional; a != nil && a.HasLists {
		for _, name := range slices.Sorted(maps.Keys(obj)) {
			r.stack.Push(pathstack.Entry, name, 0)
			r.walk(a, obj[name])
			r.stack.Pop()
		}
	}
	for i := range n.Fields.Props {
		p := &n.Fields.Props[i]
		if v, ok := obj[p.Name]; ok && p.Node.HasLists {
			r.stack.Push(pathstack.Property, p.Name, 0)
			r.walk(p.Node, v)
			r.stack.Pop()
		}
	}
}

func (r *listRun) list(n *leafcheck.Node, list []any) {
	r.elements(n, list)
	if n.Items == nil || !n.Items.HasLists {
		return
	}
	for i, v := range list {
		r.stack.Push(pathstack.Item, "", i)
		r.walk(n.Items, v)
		r.stack.Pop()
	}
}

// elements reports each repeated element once. If a map list has elements that are not
// objects, it reports only the first of these elements.
func (r *listRun) elements(n *leafcheck.Node, list []any) {
	l := n.List
	if l == nil || l.Kind == leafcheck.AnyList || !r.checkAll && l.Distinct(list) {
		return
	}
	shown := func(v any) any { return v }
	if l.Kind == leafcheck.MapList {
		for i, v := range list {
			if _, ok := v.(map[string]any); v != nil && !ok {
				r.addAt(i, *field.Invalid(nil, v, "must be an object for an array of list-type map"))
				return
			}
		}
		shown = func(v any) any { return l.KeysOf(v) }
	}
	times := make(map[any]int, len(list))
	var second []int
	for i, v := range list {
		id, err := l.Identity(v)
		if err != nil {
			r.addAt(i, *field.Invalid(nil, shown(v), "internal error"))
			return
		}
		if times[id]++; times[id] == 2 {
			second = append(second, i)
		}
	}
	for _, i := range second {
		r.addAt(i, *field.Duplicate(nil, shown(list[i])))
	}
}

// addAt adds the error e for the element at index i. It sets the field of e.
func (r *listRun) addAt(i int, e field.Error) {
	if placeholder := r.limit.placeholder(len(r.errs), e.Type); placeholder != nil {
		r.errs = append(r.errs, placeholder)
		return
	}
	b := r.stack.AppendSchemaPointer(r.buf[:0])
	schema := len(b)
	r.stack.Push(pathstack.Item, "", i)
	b = r.stack.AppendPointer(b)
	pointer := len(b)
	b = r.stack.AppendFieldPath(b)
	r.stack.Pop()
	r.buf = b
	all := string(b)
	x := &located{field: e}
	x.field.Field = all[pointer:]
	x.err = Error{fieldError: &x.field, Pointer: all[schema:pointer], Step: StepListType, SchemaPointer: all[:schema], Rule: -1}
	r.errs = append(r.errs, &x.err)
}
