package conversion

import (
	"fmt"
	"net/netip"
	"syscall"
)

// refusePrivate is the control function of a dialer, which calls it with the
// address of each connection after the name is resolved. Another answer of the
// name server cannot come between the check and the connection.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("the address %q is not one: %w", address, err)
	}
	if !isPublic(at.Addr()) {
		return fmt.Errorf("the address %s is not public", at.Addr())
	}
	return nil
}

// reserved are the blocks that are not globally reachable or reach other
// addresses through a relay, beside those that netip knows. See
// https://www.iana.org/assignments/iana-ipv4-special-registry and
// https://www.iana.org/assignments/iana-ipv6-special-registry.
func reserved() []netip.Prefix {
	var out []netip.Prefix
	for _, block := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(block))
	}
	return out
}

// isPublic reports whether an address is a public unicast address. An IPv6 address
// that embeds an IPv4 address is public if both are.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, block := range reserved() {
		if block.Contains(a) {
			return false
		}
	}
	if embedded, ok := embeddedIPv4(a); ok {
		return isPublic(embedded)
	}
	return true
}

// embeddedIPv4 returns the IPv4 address to which a translator (RFC 6052) or a 6to4
// relay (RFC 3056) forwards packets for a.
func embeddedIPv4(a netip.Addr) (netip.Addr, bool) {
	b := a.As16()
	switch {
	case !a.Is6():
		return netip.Addr{}, false
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case netip.MustParsePrefix("2002::/16").Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}
