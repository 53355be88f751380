package cellib

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

func addresses() cel.EnvOption {
	t := apiservercel.IPType
	is := func(name, id string, f func(netip.Addr) bool) cel.EnvOption {
		return define(name, declare(id, cel.BoolType, t).method(test(f)))
	}
	return newLibrary("kubernetes.net.ip",
		cel.Types(t),
		define("ip", ofString("string_to_ip", t)),
		define("isIP", ofString("is_ip", cel.BoolType)),
		define("ip.isCanonical", ofString("ip_is_canonical", cel.BoolType)),
		define("string", declare("ip_to_string", cel.StringType, t).function(text(netip.Addr.String))),
		define("family", declare("ip_family", cel.IntType, t).method(unary(familyOf))),
		is("isUnspecified", "ip_is_unspecified", netip.Addr.IsUnspecified),
		is("isLoopback", "ip_is_loopback", netip.Addr.IsLoopback),
		is("isLinkLocalMulticast", "ip_is_link_local_multicast", netip.Addr.IsLinkLocalMulticast),
		is("isLinkLocalUnicast", "ip_is_link_local_unicast", netip.Addr.IsLinkLocalUnicast),
		is("isGlobalUnicast", "ip_is_global_unicast", netip.Addr.IsGlobalUnicast),
	)
}

// parseIP parses an address. It refuses zones, and IPv4 addresses in IPv6 form.
func parseIP(s string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return netip.Addr{}, fmt.Errorf("IP Address %q parse error during conversion from string: %v", s, err)
	case addr.Zone() != "":
		return netip.Addr{}, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case addr.Is4In6():
		return netip.Addr{}, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return addr, nil
}

func isIP(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Zone() == "" && !addr.Is4In6()
}

func toIP(s string) ref.Val {
	addr, err := parseIP(s)
	if err != nil {
		return types.NewErr("%v", err)
	}
	return apiservercel.IP{Addr: addr}
}

// isCanonical reports whether s is an address as [netip.Addr] prints it.
func isCanonical(s string) ref.Val {
	addr, err := parseIP(s)
	if err != nil {
		return types.NewErr("%v", err)
	}
	return types.Bool(addr.String() == s)
}

func familyOf(addr netip.Addr) ref.Val {
	if addr.Is4() {
		return types.Int(4)
	}
	return types.Int(6)
}

func networks() cel.EnvOption {
	t, addr := apiservercel.CIDRType, apiservercel.IPType
	return newLibrary("kubernetes.net.cidr",
		cel.Types(t),
		define("cidr", ofString("string_to_cidr", t)),
		define("isCIDR", ofString("is_cidr", cel.BoolType)),
		define("string", declare("cidr_to_string", cel.StringType, t).function(text(netip.Prefix.String))),
		define("containsIP",
			declare("cidr_contains_ip_string", cel.BoolType, t, cel.StringType).method(binary(containsText)),
			declare("cidr_contains_ip_ip", cel.BoolType, t, addr).method(binary(containsIP))),
		define("containsCIDR",
			declare("cidr_contains_cidr_string", cel.BoolType, t, cel.StringType).method(binary(containsCIDRText)),
			declare("cidr_contains_cidr", cel.BoolType, t, t).method(binary(containsCIDR))),
		define("ip", declare("cidr_ip", addr, t).method(unary(func(p netip.Prefix) ref.Val {
			return apiservercel.IP{Addr: p.Addr()}
		}))),
		define("prefixLength", declare("cidr_prefix_length", cel.IntType, t).method(unary(func(p netip.Prefix) ref.Val {
			return types.Int(p.Bits())
		}))),
		define("masked", declare("cidr_masked", t, t).method(unary(func(p netip.Prefix) ref.Val {
			return apiservercel.CIDR{Prefix: p.Masked()}
		}))),
	)
}

// noNetwork formats the error of a text that is not a network, sometimes twice, as in the server.
const noNetwork = "network address parse error during conversion from string: %v"

func parseCIDR(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return netip.Prefix{}, fmt.Errorf(noNetwork, err)
	case p.Addr().Is4In6():
		return netip.Prefix{}, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return p, nil
}

func isCIDR(s string) bool {
	_, err := parseCIDR(s)
	return err == nil
}

func toCIDR(s string) ref.Val {
	p, err := parseCIDR(s)
	if err != nil {
		return types.NewErr(noNetwork, err)
	}
	return apiservercel.CIDR{Prefix: p}
}

func containsIP(p netip.Prefix, addr netip.Addr) ref.Val { return types.Bool(p.Contains(addr)) }

// containsText returns the error for a missing overload if s is not an address.
func containsText(p netip.Prefix, s string) ref.Val {
	addr, err := parseIP(s)
	if err != nil {
		return types.NoSuchOverloadErr()
	}
	return containsIP(p, addr)
}

func containsCIDR(p, q netip.Prefix) ref.Val {
	return types.Bool(p.Overlaps(q) && p.Bits() <= q.Bits())
}

func containsCIDRText(p netip.Prefix, s string) ref.Val {
	q, err := parseCIDR(s)
	if err != nil {
		return types.NewErr(noNetwork, err)
	}
	return containsCIDR(p, q)
}

func urls() cel.EnvOption {
	t := apiservercel.URLType
	part := func(name, id string, f func(*url.URL) string) cel.EnvOption {
		return define(name, declare(id, cel.StringType, t).method(text(f)))
	}
	query := cel.MapType(cel.StringType, cel.ListType(cel.StringType))
	return newLibrary("kubernetes.urls",
		define("url", ofString("string_to_url", t)),
		define("isURL", ofString("is_url_string", cel.BoolType)),
		part("getScheme", "url_get_scheme", func(u *url.URL) string { return u.Scheme }),
		part("getHost", "url_get_host", func(u *url.URL) string { return u.Host }),
		part("getHostname", "url_get_hostname", (*url.URL).Hostname),
		part("getPort", "url_get_port", (*url.URL).Port),
		part("getEscapedPath", "url_get_escaped_path", (*url.URL).EscapedPath),
		define("getQuery", declare("url_get_query", query, t).method(unary(queryOf))),
	)
}

func isURL(s string) bool {
	_, err := url.ParseRequestURI(s)
	return err == nil
}

// toURL accepts the texts that isURL accepts. A request URI has no fragment, and no host after two
// slashes, so texts with these are parsed again.
func toURL(s string) ref.Val {
	u, err := url.ParseRequestURI(s)
	if err == nil && (u.Scheme == "" || strings.Contains(s, "#")) {
		u, err = url.Parse(s)
	}
	if err == nil {
		return apiservercel.URL{URL: u}
	}
	return types.NewErr("URL parse error during conversion from string: %v", err)
}

func queryOf(u *url.URL) ref.Val {
	query := make(map[ref.Val]ref.Val)
	for name, values := range u.Query() {
		query[types.String(name)] = texts(values)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, query)
}
