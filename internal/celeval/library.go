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

	"github.com/crdkit/crdkit/internal/cellib"
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
		switch a.kind() {
		case kindString:
			return x.parsing(name, overload, a)
		case kindQuantity:
			return x.quantityCall(name, overload, a)
		case kindAddress:
			return x.addressCall(overload, a)
		case kindNetwork:
			return x.networkCall(overload, a)
		case kindURL:
			return x.urlCall(overload, a)
		case kindVersion:
			return x.versionCall(overload, a)
		}
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

// parsing compiles functions of one string, which cost by its size.
func (x *compiler) parsing(name, overload string, a operand) operand {
	own := x.identity()
	fails := x.errorsOf(name, overload, own)
	switch overload {
	case "string_to_quantity":
		return parsed(a, kindQuantity, own, fails, cellib.ParseQuantity)
	case "string_to_ip":
		return parsed(a, kindAddress, own, fails, parseAddress)
	case "string_to_cidr":
		return parsed(a, kindNetwork, own, fails, parseNetwork)
	case "string_to_url":
		return parsed(a, kindURL, own, fails, parseURL)
	case "string_to_semver":
		return parsed(a, kindVersion, own, fails, parseVersion)
	case "is_quantity_string":
		return tested(a, own, 1, cellib.ParseQuantity)
	case "is_ip":
		return tested(a, own, 1, parseAddress)
	case "ip_is_canonical":
		return operand{cost: a.cost, id: own, value: as(kindBool, parseCall(a, own, 2, fails, isCanonical))}
	case "is_cidr":
		return tested(a, own, 1, parseNetwork)
	case "is_url_string": // costs one unit
		out := tested(a, own, 0, url.ParseRequestURI)
		out.cost++
		return out
	case "is_semver_string":
		return tested(a, own, 1, parseVersion)
	}
	return operand{}
}

// parsed compiles the conversion of a string to a library value. A constant string
// is converted once.
func parsed[T any](a operand, is kind, own identity, fails failure, parse func(string) (T, error)) operand {
	out := operand{cost: a.cost, id: own}
	if text, ok := a.constant.(types.String); ok {
		if v, err := parse(string(text)); err == nil {
			out.cost += tenthOf(utf8.RuneCountInString(string(text)))
			out.value = as(is, func(*Frame) T { return v })
			return out
		}
	}
	out.value = as(is, parseCall(a, own, 1, fails, parse))
	return out
}

// tested compiles the test whether a string can be parsed.
func tested[T any](a operand, own identity, times int, parse func(string) (T, error)) operand {
	return operand{cost: a.cost, id: own, value: as(kindBool, parseCall(a, own, times, nil, func(s string) (bool, error) {
		_, err := parse(s)
		return err == nil, nil
	}))}
}

// parseCall returns the closure of a function of a string, which costs a tenth of
// the size, times over.
func parseCall[T any](a operand, own identity, times int, fails failure, parse func(string) (T, error)) func(*Frame) T {
	s, operandID := closureOf[string](a), a.id
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

// accessor compiles a function of one value. It costs one unit.
func accessor[T, R any](x *compiler, a operand, is kind, read func(T) R) operand {
	own := x.identity()
	return partOf(a, is, own, nil, func(v T) (R, bool) { return read(v), true })
}

// partOf is like accessor for a function that may fail.
func partOf[T, R any](a operand, is kind, own identity, fails func(*Frame, T), read func(T) (R, bool)) operand {
	of, operandID := closureOf[T](a), a.id
	return operand{cost: a.cost + 1, id: own, value: as(is, func(f *Frame) R {
		v := of(f)
		if f.failed {
			var none R
			f.propagate(operandID, own)
			return none
		}
		r, ok := read(v)
		if !ok {
			fails(f, v)
		}
		return r
	})}
}

// operation compiles a function of two values. It costs the operands plus units.
func operation[T, R any](x *compiler, a, b operand, is kind, units uint64, op func(T, T) R) operand {
	l, r, o := closureOf[T](a), closureOf[T](b), x.operandIDs(a, b)
	return operand{cost: costs(a, b, units), id: o.own, value: as(is, func(f *Frame) R {
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
	})}
}

func (x *compiler) quantityCall(name, overload string, a operand) operand {
	switch overload {
	case "quantity_sign":
		return accessor(x, a, kindInt, func(q resource.Quantity) int64 { return int64(q.Sign()) })
	case "quantity_get_float":
		return accessor(x, a, kindDouble, func(q resource.Quantity) float64 { return q.AsApproximateFloat64() })
	case "quantity_get_int":
		own := x.identity()
		fails := x.errorsOf(name, overload, own)
		return partOf(a, kindInt, own, func(f *Frame, q resource.Quantity) { fails(f, apiservercel.Quantity{Quantity: &q}) },
			func(q resource.Quantity) (int64, bool) { return q.AsInt64() })
	case "quantity_is_integer":
		return accessor(x, a, kindBool, func(q resource.Quantity) bool { _, ok := q.AsInt64(); return ok })
	}
	return operand{}
}

func (x *compiler) quantities(overload string, a, b operand) operand {
	switch {
	case b.kind() == kindQuantity:
		switch overload {
		case "quantity_add":
			return x.quantitySum(a, b, closureOf[resource.Quantity](b), false)
		case "quantity_sub":
			return x.quantitySum(a, b, closureOf[resource.Quantity](b), true)
		}
		return compared(x, overload, "quantity", a, b, func(q, p resource.Quantity) int { return q.Cmp(p) })
	case b.kind() == kindInt:
		i := closureOf[int64](b)
		of := func(f *Frame) resource.Quantity { return *resource.NewQuantity(i(f), resource.DecimalExponent) }
		switch overload {
		case "quantity_add_int":
			return x.quantitySum(a, b, of, false)
		case "quantity_sub_int":
			return x.quantitySum(a, b, of, true)
		}
	}
	return operand{}
}

// quantitySum compiles add and sub.
func (x *compiler) quantitySum(a, b operand, right func(*Frame) resource.Quantity, subtract bool) operand {
	left := closureOf[resource.Quantity](a)
	o := x.operandIDs(a, b)
	return operand{cost: costs(a, b, 1), id: o.own, summed: true, value: as(kindQuantity, func(f *Frame) resource.Quantity {
		q := left(f)
		if f.failed {
			evalRight(f, o, right)
			return q
		}
		p := right(f)
		if f.failed {
			f.propagate(o.right, o.own)
			return q
		}
		sum := q.DeepCopy()
		if subtract {
			sum.Sub(p)
		} else {
			sum.Add(p)
		}
		return sum
	})}
}

// compared compiles isLessThan, isGreaterThan and compareTo.
func compared[T any](x *compiler, overload, library string, a, b operand, compare func(T, T) int) operand {
	switch overload {
	case library + "_is_greater_than":
		return operation(x, a, b, kindBool, 1, func(v, w T) bool { return compare(v, w) == 1 })
	case library + "_is_less_than":
		return operation(x, a, b, kindBool, 1, func(v, w T) bool { return compare(v, w) == -1 })
	case library + "_compare_to":
		return operation(x, a, b, kindInt, 1, func(v, w T) int64 { return int64(compare(v, w)) })
	}
	return operand{}
}

func (x *compiler) versionCall(overload string, a operand) operand {
	part := func(read func(semver.Version) uint64) operand {
		return accessor(x, a, kindInt, func(v semver.Version) int64 { return int64(read(v)) })
	}
	switch overload {
	case "semver_major":
		return part(func(v semver.Version) uint64 { return v.Major })
	case "semver_minor":
		return part(func(v semver.Version) uint64 { return v.Minor })
	case "semver_patch":
		return part(func(v semver.Version) uint64 { return v.Patch })
	}
	return operand{}
}

func (x *compiler) versions(overload string, a, b operand) operand {
	return compared(x, overload, "semver", a, b, semver.Version.Compare)
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

func (x *compiler) urlCall(overload string, a operand) operand {
	part := func(read func(*url.URL) string) operand { return accessor(x, a, kindString, read) }
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
	return operand{}
}

// equalOpaque compiles == and != of two library values. It returns an operand
// without kind for comparisons that CEL defines differently.
func (x *compiler) equalOpaque(a, b operand, not bool) operand {
	switch {
	case a.kind() == kindQuantity && !b.summed:
		return operation(x, a, b, kindBool, 1, func(q, p resource.Quantity) bool { return q.Cmp(p) == 0 })
	case a.kind() == kindVersion:
		return operation(x, a, b, kindBool, 1, semver.Version.EQ)
	case a.kind() == kindAddress && !not:
		return operation(x, a, b, kindBool, 1, func(v, w netip.Addr) bool { return v == w })
	case a.kind() == kindNetwork && !not:
		l, r, o := closureOf[netip.Prefix](a), closureOf[netip.Prefix](b), x.operandIDs(a, b)
		return operand{cost: costs(a, b, 1), id: o.own, value: as(kindBool, func(f *Frame) bool {
			p, q, left, right, ok := both(f, o, l, r)
			if ok && left != nil && right == nil && networkSize(q) == 0 {
				f.cost-- // the smaller size is 0
			}
			return ok && !f.failEither(left, right, o.own) && p == q
		})}
	}
	return operand{}
}
