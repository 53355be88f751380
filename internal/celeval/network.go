package celeval

import (
	"errors"
	"math"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"
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
	if err != nil || u.Scheme != "" && strings.IndexByte(s, '#') < 0 {
		return u, err
	}
	return url.Parse(s)
}

func (x *compiler) addressCall(overload string, a operand) operand {
	is := func(test func(netip.Addr) bool) operand { return accessor(x, a, kindBool, always(test)) }
	switch overload {
	case "ip_family":
		return accessor(x, a, kindInt, always(familyOf))
	case "ip_to_string":
		return accessor(x, a, kindString, always(netip.Addr.String))
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
	return operand{}
}

func familyOf(a netip.Addr) int64 {
	if a.Is4() {
		return 4
	}
	return 6
}

func (x *compiler) networkCall(overload string, a operand) operand {
	switch overload {
	case "cidr_ip":
		return accessor(x, a, kindAddress, always(netip.Prefix.Addr))
	case "cidr_masked":
		return accessor(x, a, kindNetwork, always(netip.Prefix.Masked))
	case "cidr_prefix_length":
		return accessor(x, a, kindInt, always(func(p netip.Prefix) int64 { return int64(p.Bits()) }))
	case "cidr_to_string":
		return accessor(x, a, kindString, always(netip.Prefix.String))
	}
	return operand{}
}

// networkSize returns the number of address bytes that a network covers.
func networkSize(p netip.Prefix) int { return int(math.Ceil(float64(p.Bits()) / 8)) }

// networks compiles containsIP and containsCIDR. They cost by the size of the
// network, and of the text if there is one.
func (x *compiler) networks(overload string, a, b operand) operand {
	switch {
	case overload == "cidr_contains_ip_ip" && b.kind() == kindAddress:
		r := closureOf[netip.Addr](b)
		return x.contains(a, b, 0, func(f *Frame, p netip.Prefix) (bool, bool) {
			v := r(f)
			return p.Contains(v), true
		})
	case overload == "cidr_contains_cidr" && b.kind() == kindNetwork:
		r := closureOf[netip.Prefix](b)
		return x.contains(a, b, 1, func(f *Frame, p netip.Prefix) (bool, bool) { return covers(p, r(f)), true })
	case overload == "cidr_contains_ip_string" && b.kind() == kindString:
		r := closureOf[string](b)
		return x.contains(a, b, 0, func(f *Frame, p netip.Prefix) (bool, bool) {
			s := r(f)
			f.pay(tenthOf(utf8.RuneCountInString(s)))
			v, err := parseAddress(s)
			return p.Contains(v), err == nil
		})
	case overload == "cidr_contains_cidr_string" && b.kind() == kindString:
		r := closureOf[string](b)
		return x.contains(a, b, 1, func(f *Frame, p netip.Prefix) (bool, bool) {
			s := r(f)
			f.pay(tenthOf(utf8.RuneCountInString(s)))
			q, err := parseNetwork(s)
			return covers(p, q), err == nil
		})
	}
	return operand{}
}

func covers(p, q netip.Prefix) bool { return p.Overlaps(q) && p.Bits() <= q.Bits() }

// contains compiles a test of a network. It costs more if the network is masked
// first.
func (x *compiler) contains(a, b operand, masks int, test func(*Frame, netip.Prefix) (is, ok bool)) operand {
	network := closureOf[netip.Prefix](a)
	return operand{cost: costs(a, b, uint64(masks)), value: as(kindBool, func(f *Frame) bool {
		p := network(f)
		n := networkSize(p)
		f.pay(tenthOf(2*n) + uint64(masks)*tenthOf(n))
		is, ok := test(f, p)
		if f.failed || !ok {
			f.decline()
		}
		return is
	})}
}
