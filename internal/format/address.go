package format

import (
	"net"
	"net/netip"
	"strings"
)

// Kubernetes parses IPv4 addresses and CIDRs by the rules of Go before 1.17, which
// accept decimal numbers with leading zeros, because stored objects contain them.
// mayBeIPv4 and mayBeIPv6 follow those rules. The format ipv6 follows the rules of
// package netip.

// isIPv4 accepts an IPv4 address, and an IPv6 address that ends with an IPv4
// address.
func isIPv4(s string) bool {
	switch at := strings.IndexAny(s, ".:"); {
	case at < 0:
		return false
	case s[at] == '.':
		return mayBeIPv4(s)
	}
	return strings.Contains(s, ".") && mayBeIPv6(s)
}

func isIPv6(s string) bool {
	if !strings.Contains(s, ":") {
		return false
	}
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Zone() == ""
}

func isCIDR(s string) bool {
	addr, length, ok := strings.Cut(s, "/")
	if !ok {
		return false
	}
	most := 32
	if !mayBeIPv4(addr) {
		if !mayBeIPv6(addr) {
			return false
		}
		most = 128
	}
	rest, ok := cutDecimal(length, most)
	return ok && rest == ""
}

// mayBeIPv4 accepts four decimal numbers up to 255, separated by dots. The numbers
// may have leading zeros.
func mayBeIPv4(s string) bool {
	for i := range 4 {
		if i > 0 {
			if s == "" || s[0] != '.' {
				return false
			}
			s = s[1:]
		}
		var ok bool
		if s, ok = cutDecimal(s, 255); !ok {
			return false
		}
	}
	return s == ""
}

// mayBeIPv6 accepts eight hexadecimal groups up to ffff, separated by colons. The
// groups may have leading zeros. A double colon may replace one run of zero
// groups, and an IPv4 address may replace the last two groups.
func mayBeIPv6(s string) bool {
	groups, gap := 0, false
	if strings.HasPrefix(s, "::") {
		gap, s = true, s[2:]
		if s == "" {
			return true
		}
	}
	for groups < 8 {
		rest, ok := cutGroup(s)
		if !ok {
			return false
		}
		if strings.HasPrefix(rest, ".") {
			if groups > 6 || groups < 6 && !gap || !mayBeIPv4(s) {
				return false
			}
			groups, s = groups+2, ""
			break
		}
		groups, s = groups+1, rest
		if s == "" {
			break
		}
		if s[0] != ':' || len(s) == 1 {
			return false
		}
		if s = s[1:]; s[0] == ':' {
			if gap {
				return false
			}
			if gap, s = true, s[1:]; s == "" {
				break
			}
		}
	}
	return s == "" && gap == (groups < 8)
}

// cutDecimal returns the rest of s after the decimal number at its start. It
// reports false if there is no number or the number exceeds most.
func cutDecimal(s string, most int) (rest string, ok bool) {
	i, n := 0, 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		if n = n*10 + int(s[i]-'0'); n > most {
			return "", false
		}
	}
	return s[i:], i > 0
}

// cutGroup returns the rest of s after the hexadecimal number at its start. It
// reports false if there is no number or the number exceeds ffff.
func cutGroup(s string) (rest string, ok bool) {
	i, n := 0, 0
	for ; i < len(s) && isHex(s[i]); i++ {
		d := int(s[i] - '0')
		if s[i] > '9' {
			d = int(s[i]|0x20-'a') + 10
		}
		if n = n*16 + d; n > 0xffff {
			return "", false
		}
	}
	return s[i:], i > 0
}

// isMAC accepts the addresses that [net.ParseMAC] accepts: 6, 8 or 20 octets.
func isMAC(s string) bool {
	if isEUI48(s) {
		return true
	}
	_, err := net.ParseMAC(s)
	return err == nil
}

// isEUI48 accepts six octets of two hexadecimal digits, all separated by colons or
// all by dashes.
func isEUI48(s string) bool {
	if len(s) != len("00:00:5e:00:53:01") || s[2] != ':' && s[2] != '-' {
		return false
	}
	for i := 0; i < len(s); i += 3 {
		if !isHex(s[i]) || !isHex(s[i+1]) || i+2 < len(s) && s[i+2] != s[2] {
			return false
		}
	}
	return true
}
