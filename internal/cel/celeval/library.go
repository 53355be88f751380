package celeval

import (
	"net/netip"
	"net/url"
	"unicode/utf8"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// This file compiles library functions on quantities, addresses, networks, URLs
// and versions. Such a value stays a Go value while only the next call reads it.
// It is boxed elsewhere. A failed operand makes the call fail, and so does an error
// of the function itself.

// library compiles a call of a function by its overload. It returns an operand without kind for
// other calls.
func (x *compiler) library(name, overload string, args []operand) operand {
	switch len(args) {
	case 1:
		a := args[0]
		if a.kind() == kindString {
			return x.parsing(name, overload, a)
		}
		p := receiver{of: a.value, id: a.id, own: x.identity()}
		return callOf(a.cost+1, p.own, x.accessorOf(name, overload, a.kind(), p))
	case 2:
		a, b := args[0], args[1]
		switch {
		case a.kind() == kindQuantity:
			return x.quantities(overload, a, b)
		case a.kind() == kindNetwork:
			return x.networks(name, overload, a, b)
		case a.kind() == kindVersion && b.kind() == kindVersion:
			return x.versions(overload, a, b)
		}
	}
	return operand{}
}

// callOf returns the operand of a call, without kind if v is nil. Values have type
// parameters. The linker would keep a copy of code that makes operands, which are
// large, for each type.
func callOf(cost uint64, own identity, v value) operand {
	if v == nil {
		return operand{}
	}
	return operand{cost: cost, id: own, value: v}
}

// A receiver is the value of which a call reads a part.
type receiver struct {
	of      value
	id, own identity // of the value and of the call
}

// accessorOf returns the value of a function of one library value, nil if it is not
// known.
func (x *compiler) accessorOf(name, overload string, of kind, p receiver) value {
	switch of {
	case kindQuantity:
		return x.quantityCall(name, overload, p)
	case kindAddress:
		return addressCall(overload, p)
	case kindNetwork:
		return networkCall(overload, p)
	case kindURL:
		return urlCall(overload, p)
	case kindVersion:
		return versionCall(overload, p)
	}
	return nil
}

// parsing compiles functions of one string, which cost by its size.
func (x *compiler) parsing(name, overload string, a operand) operand {
	own, cost := x.identity(), a.cost
	fails := x.errorsOf(name, overload, own)
	t := textOperand{string: closureOf[string](a), constant: a.constant, id: a.id}
	var v value
	switch overload {
	case "string_to_quantity":
		v = parsed(t, kindQuantity, own, fails, cellib.ParseQuantity)
	case "string_to_ip":
		v = parsed(t, kindAddress, own, fails, parseAddress)
	case "string_to_cidr":
		v = parsed(t, kindNetwork, own, fails, parseNetwork)
	case "string_to_url":
		v = parsed(t, kindURL, own, fails, parseURL)
	case "string_to_semver":
		v = parsed(t, kindVersion, own, fails, parseVersion)
	case "is_quantity_string":
		v = tested(t, own, 1, cellib.ParseQuantity)
	case "is_ip":
		v = tested(t, own, 1, parseAddress)
	case "ip_is_canonical":
		v = as(kindBool, parseCall(t, own, 2, fails, isCanonical))
	case "is_cidr":
		v = tested(t, own, 1, parseNetwork)
	case "is_url_string": // costs one unit
		v = tested(t, own, 0, url.ParseRequestURI)
		cost++
	case "is_semver_string":
		v = tested(t, own, 1, parseVersion)
	}
	return callOf(cost, own, v)
}

// A textOperand is the operand of a function of a string.
type textOperand struct {
	string   func(*Frame) string
	constant ref.Val
	id       identity
}

// parsed returns the value of the conversion of a string to a library value. A
// constant string is converted once.
func parsed[T any](a textOperand, is kind, own identity, fails failure, parse func(string) (T, error)) value {
	if text, ok := a.constant.(types.String); ok {
		if known, err := parse(string(text)); err == nil {
			units := tenthOf(utf8.RuneCountInString(string(text)))
			return as(is, func(f *Frame) T {
				f.pay(units)
				return known
			})
		}
	}
	return as(is, parseCall(a, own, 1, fails, parse))
}

// tested returns the value of the test whether a string can be parsed.
func tested[T any](a textOperand, own identity, times int, parse func(string) (T, error)) value {
	return as(kindBool, parseCall(a, own, times, nil, func(s string) (bool, error) {
		_, err := parse(s)
		return err == nil, nil
	}))
}

// parseCall returns the closure of a function of a string, which costs a tenth of
// the size, times over.
func parseCall[T any](a textOperand, own identity, times int, fails failure, parse func(string) (T, error)) func(*Frame) T {
	s, operandID := a.string, a.id
	return func(f *Frame) T {
		v := s(f)
		if f.failed {
			var none T
			f.pay(tenthOf(times * len(errorText)))
			f.propagate(operandID, own)
			return none
		}
		if f.pay(tenthOf(times * utf8.RuneCountInString(v))); f.failed {
			var none T
			return none
		}
		out, err := parse(v)
		if err != nil {
			fails(f, types.String(v))
		}
		return out
	}
}

// A failure fails a closure with the error of a function for its arguments.
type failure func(f *Frame, args ...ref.Val)

// errorsOf returns the failure of a call, which asks cel-go's function for its
// error. It declines arguments for which that function does not fail.
func (x *compiler) errorsOf(name, overload string, own identity) failure {
	fn := x.language.Functions[name]
	return func(f *Frame, args ...ref.Val) {
		var v ref.Val
		switch impl := implementation(fn, name, overload); {
		case impl == nil:
		case len(args) == 1 && impl.Unary != nil:
			v = impl.Unary(args[0])
		case len(args) == 2 && impl.Binary != nil:
			v = impl.Binary(args[0], args[1])
		case impl.Function != nil:
			v = impl.Function(args...)
		}
		if !types.IsError(v) {
			f.decline()
			return
		}
		f.valueOr(v, own)
	}
}

// accessor returns the value of a function of one value.
func accessor[T, R any](p receiver, is kind, read func(T) R) value {
	return partOf(p, is, nil, func(v T) (R, bool) { return read(v), true })
}

// partOf is like accessor for a function that may fail.
func partOf[T, R any](p receiver, is kind, fails func(*Frame, T), read func(T) (R, bool)) value {
	of := p.of.(*closure[T]).run
	return as(is, func(f *Frame) R {
		v := of(f)
		if f.failed {
			var none R
			f.propagate(p.id, p.own)
			return none
		}
		r, ok := read(v)
		if !ok {
			fails(f, v)
		}
		return r
	})
}

// operation returns the value of a function of two values.
func operation[T, R any](a, b value, o operandIDs, is kind, op func(T, T) R) value {
	l, r := a.(*closure[T]).run, b.(*closure[T]).run
	return as(is, func(f *Frame) R {
		v := l(f)
		if f.failed {
			var none R
			evalRight(f, o, r)
			return none
		}
		w := r(f)
		if f.failed {
			var none R
			f.propagate(o.right, o.own)
			return none
		}
		return op(v, w)
	})
}

func (x *compiler) quantityCall(name, overload string, p receiver) value {
	switch overload {
	case "quantity_sign":
		return accessor(p, kindInt, func(q resource.Quantity) int64 { return int64(q.Sign()) })
	case "quantity_get_float":
		return accessor(p, kindDouble, func(q resource.Quantity) float64 { return q.AsApproximateFloat64() })
	case "quantity_get_int":
		fails := x.errorsOf(name, overload, p.own)
		return partOf(p, kindInt, func(f *Frame, q resource.Quantity) { fails(f, apiservercel.Quantity{Quantity: &q}) },
			func(q resource.Quantity) (int64, bool) { return q.AsInt64() })
	case "quantity_is_integer":
		return accessor(p, kindBool, func(q resource.Quantity) bool { _, ok := q.AsInt64(); return ok })
	}
	return nil
}

func (x *compiler) quantities(overload string, a, b operand) operand {
	right, o := b.value, x.operandIDs(a, b)
	switch b.kind() {
	case kindQuantity:
		if v := compared(overload, "quantity", a.value, b.value, o, func(q, p resource.Quantity) int { return q.Cmp(p) }); v != nil {
			return callOf(costs(a, b, 1), o.own, v)
		}
	case kindInt:
		i := closureOf[int64](b)
		right = as(kindQuantity, func(f *Frame) resource.Quantity { return *resource.NewQuantity(i(f), resource.DecimalExponent) })
	default:
		return operand{}
	}
	subtract := overload == "quantity_sub" || overload == "quantity_sub_int"
	if !subtract && overload != "quantity_add" && overload != "quantity_add_int" {
		return operand{}
	}
	out := callOf(costs(a, b, 1), o.own, operation(a.value, right, o, kindQuantity, func(q, p resource.Quantity) resource.Quantity {
		sum := q.DeepCopy()
		if subtract {
			sum.Sub(p)
		} else {
			sum.Add(p)
		}
		return sum
	}))
	out.summed = true
	return out
}

// compared returns the value of isLessThan, isGreaterThan and compareTo, nil for other
// functions.
func compared[T any](overload, library string, a, b value, o operandIDs, compare func(T, T) int) value {
	switch overload {
	case library + "_is_greater_than":
		return operation(a, b, o, kindBool, func(v, w T) bool { return compare(v, w) == 1 })
	case library + "_is_less_than":
		return operation(a, b, o, kindBool, func(v, w T) bool { return compare(v, w) == -1 })
	case library + "_compare_to":
		return operation(a, b, o, kindInt, func(v, w T) int64 { return int64(compare(v, w)) })
	}
	return nil
}

func versionCall(overload string, p receiver) value {
	part := func(read func(semver.Version) uint64) value {
		return accessor(p, kindInt, func(v semver.Version) int64 { return int64(read(v)) })
	}
	switch overload {
	case "semver_major":
		return part(func(v semver.Version) uint64 { return v.Major })
	case "semver_minor":
		return part(func(v semver.Version) uint64 { return v.Minor })
	case "semver_patch":
		return part(func(v semver.Version) uint64 { return v.Patch })
	}
	return nil
}

func (x *compiler) versions(overload string, a, b operand) operand {
	o := x.operandIDs(a, b)
	return callOf(costs(a, b, 1), o.own, compared(overload, "semver", a.value, b.value, o, semver.Version.Compare))
}

// parseVersion is [semver.Parse] without allocation for versions of three
// numbers.
func parseVersion(s string) (semver.Version, error) {
	var numbers [3]uint64
	at := 0
	for i := range numbers {
		from := at
		for at < len(s) && s[at] >= '0' && s[at] <= '9' {
			numbers[i] = numbers[i]*10 + uint64(s[at]-'0')
			at++
		}
		if at == from || at-from > 18 || at-from > 1 && s[from] == '0' {
			return semver.Parse(s)
		}
		if i < len(numbers)-1 {
			if at == len(s) || s[at] != '.' {
				return semver.Parse(s)
			}
			at++
		}
	}
	if at != len(s) {
		return semver.Parse(s)
	}
	return semver.Version{Major: numbers[0], Minor: numbers[1], Patch: numbers[2]}, nil
}

func urlCall(overload string, p receiver) value {
	part := func(read func(*url.URL) string) value { return accessor(p, kindString, read) }
	switch overload {
	case "url_get_scheme":
		return part(func(u *url.URL) string { return u.Scheme })
	case "url_get_host":
		return part(func(u *url.URL) string { return u.Host })
	case "url_get_hostname":
		return part((*url.URL).Hostname)
	case "url_get_port":
		return part((*url.URL).Port)
	case "url_get_escaped_path":
		return part((*url.URL).EscapedPath)
	}
	return nil
}

// equalOpaque compiles == and != of two library values. It returns an operand
// without kind for comparisons that CEL defines differently.
func (x *compiler) equalOpaque(a, b operand, not bool) operand {
	o := x.operandIDs(a, b)
	var v value
	switch {
	case a.kind() == kindQuantity && !b.summed:
		v = operation(a.value, b.value, o, kindBool, func(q, p resource.Quantity) bool { return q.Cmp(p) == 0 })
	case a.kind() == kindVersion:
		v = operation(a.value, b.value, o, kindBool, semver.Version.EQ)
	case a.kind() == kindAddress && !not:
		v = operation(a.value, b.value, o, kindBool, func(v, w netip.Addr) bool { return v == w })
	case a.kind() == kindNetwork && !not:
		l, r := closureOf[netip.Prefix](a), closureOf[netip.Prefix](b)
		v = as(kindBool, func(f *Frame) bool {
			p, q, left, right, ok := both(f, o, l, r)
			if ok && left != nil && right == nil && networkSize(q) == 0 {
				f.cost-- // the smaller size is 0
			}
			return ok && !f.failEither(left, right, o.own) && p == q
		})
	}
	return callOf(costs(a, b, 1), o.own, v)
}
