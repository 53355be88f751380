package celeval

import (
	"errors"
	"math"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// errUnsupported stands for errors that cel-go words.
var errUnsupported = errors.New("no such address")

// parseAddress parses an address. It refuses zones and IPv4 addresses mapped to
// IPv6.
func parseAddress(s string) (netip.Addr, error) {
	if !mayBeAddress(s, ":.") {
		return netip.Addr{}, errUnsupported
	}
	a, err := netip.ParseAddr(s)
	if err == nil && a.Is4In6() {
		err = errUnsupported
	}
	return a, err
}

// mayBeAddress reports whether s has only hexadecimal digits and bytes of
// others, as addresses and networks without a zone do. It avoids the allocation
// of a parse error.
func mayBeAddress(s, others string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f', 'A' <= c && c <= 'F', strings.IndexByte(others, c) >= 0:
		default:
			return false
		}
	}
	return true
}

// isCanonical reports whether an address is spelled as it is printed.
func isCanonical(s string) (bool, error) {
	a, err := parseAddress(s)
	if err != nil {
		return false, err
	}
	var text [64]byte
	return string(a.AppendTo(text[:0])) == s, nil
}

func parseNetwork(s string) (netip.Prefix, error) {
	if !mayBeAddress(s, ":./") {
		return netip.Prefix{}, errUnsupported
	}
	p, err := netip.ParsePrefix(s)
	if err == nil && p.Addr().Is4In6() {
		err = errUnsupported
	}
	return p, err
}

// parseURL parses a URL as cel-go does. Only a request URI may have a fragment or
// a host without a scheme.
func parseURL(s string) (*url.URL, error) {
	u, err := url.ParseRequestURI(s)
	if err != nil || isWholeURL(u, s) {
		return u, err
	}
	return url.Parse(s)
}

// isWholeURL reports whether u, the request URI of s, is the URL of s.
func isWholeURL(u *url.URL, s string) bool { return u.Scheme != "" && strings.IndexByte(s, '#') < 0 }

func addressCall(overload string, p receiver) value {
	is := func(test func(netip.Addr) bool) value { return accessor(p, kindBool, test) }
	switch overload {
	case "ip_family":
		return accessor(p, kindInt, familyOf)
	case "ip_to_string":
		return accessor(p, kindString, netip.Addr.String)
	case "ip_is_unspecified":
		return is(netip.Addr.IsUnspecified)
	case "ip_is_loopback":
		return is(netip.Addr.IsLoopback)
	case "ip_is_link_local_multicast":
		return is(netip.Addr.IsLinkLocalMulticast)
	case "ip_is_link_local_unicast":
		return is(netip.Addr.IsLinkLocalUnicast)
	case "ip_is_global_unicast":
		return is(netip.Addr.IsGlobalUnicast)
	}
	return nil
}

func familyOf(a netip.Addr) int64 {
	if a.Is4() {
		return 4
	}
	return 6
}

func networkCall(overload string, p receiver) value {
	switch overload {
	case "cidr_ip":
		return accessor(p, kindAddress, netip.Prefix.Addr)
	case "cidr_masked":
		return accessor(p, kindNetwork, netip.Prefix.Masked)
	case "cidr_prefix_length":
		return accessor(p, kindInt, func(p netip.Prefix) int64 { return int64(p.Bits()) })
	case "cidr_to_string":
		return accessor(p, kindString, netip.Prefix.String)
	}
	return nil
}

// networkSize returns the number of address bytes that a network covers.
func networkSize(p netip.Prefix) int { return int(math.Ceil(float64(p.Bits()) / 8)) }

// networks compiles containsIP and containsCIDR. They cost by the size of the
// network, and of the text if there is one.
func (x *compiler) networks(name, overload string, a, b operand) operand {
	o := x.operandIDs(a, b)
	fails := x.errorsOf(name, overload, o.own)
	switch {
	case overload == "cidr_contains_ip_ip" && b.kind() == kindAddress:
		return inNetwork(a, b, o, 0, func(_ *Frame, p netip.Prefix, v netip.Addr) bool { return p.Contains(v) }, free)
	case overload == "cidr_contains_cidr" && b.kind() == kindNetwork:
		return inNetwork(a, b, o, 1, func(_ *Frame, p, q netip.Prefix) bool { return covers(p, q) }, free)
	case overload == "cidr_contains_ip_string" && b.kind() == kindString:
		return inNetwork(a, b, o, 0, func(f *Frame, p netip.Prefix, s string) bool {
			v, err := parseAddress(s)
			if err != nil {
				fails(f, apiservercel.CIDR{Prefix: p}, types.String(s))
				return false
			}
			return p.Contains(v)
		}, utf8.RuneCountInString)
	case overload == "cidr_contains_cidr_string" && b.kind() == kindString:
		return inNetwork(a, b, o, 1, func(f *Frame, p netip.Prefix, s string) bool {
			q, err := parseNetwork(s)
			if err != nil {
				fails(f, apiservercel.CIDR{Prefix: p}, types.String(s))
				return false
			}
			return covers(p, q)
		}, utf8.RuneCountInString)
	}
	return operand{}
}

// free is the size of an argument that is not parsed.
func free[T any](T) int { return 0 }

func covers(p, q netip.Prefix) bool { return p.Overlaps(q) && p.Bits() <= q.Bits() }

// inNetwork compiles a test of a network. It costs more if the network is masked
// first, and if the other operand is parsed, whose size is then not 0.
func inNetwork[T any](a, b operand, o operandIDs, masks int, test func(*Frame, netip.Prefix, T) bool, size func(T) int) operand {
	network, other := closureOf[netip.Prefix](a), closureOf[T](b)
	parsed := b.kind() == kindString
	return operand{cost: costs(a, b, uint64(masks)), id: o.own, value: as(kindBool, func(f *Frame) bool {
		p, v, left, right, ok := both(f, o, network, other)
		if !ok {
			return false
		}
		n, m := networkSize(p), size(v)
		if left != nil {
			n = len(errorText)
		}
		if right != nil && parsed {
			m = len(errorText)
		}
		f.pay(tenthOf(2*n) + uint64(masks)*tenthOf(n) + tenthOf(m))
		return !f.failEither(left, right, o.own) && !f.failed && test(f, p, v)
	})}
}
