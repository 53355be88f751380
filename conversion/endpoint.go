package conversion

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"syscall"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// An endpoint is the address of a webhook as a definition declares it.
type endpoint struct {
	scheme, host, path string
	caBundle           []byte // nil for the system's roots
	loopback           bool   // the host of the URL is this machine

	// For a service:
	serverName      string // "" for a URL
	namespace, name string
	port            int32
}

const defaultPort = 443

// newEndpoint returns the address, or the server's error about a wrong configuration.
func newEndpoint(crd *apiextensionsv1.CustomResourceDefinition) (*endpoint, error) {
	hook := crd.Spec.Conversion.Webhook
	if hook == nil || hook.ClientConfig == nil {
		return nil, errors.New("spec.conversion.webhook.clientConfig: required when strategy is set to Webhook")
	}
	config := hook.ClientConfig
	if (config.URL == nil) == (config.Service == nil) {
		return nil, errors.New("spec.conversion.webhook.clientConfig: exactly one of url or service is required")
	}
	e := &endpoint{scheme: "https"}
	if len(bytes.TrimSpace(config.CABundle)) > 0 {
		e.caBundle = bytes.Clone(config.CABundle)
	}
	if config.URL != nil {
		return e, e.setURL(*config.URL)
	}
	return e, e.setService(config.Service)
}

func (e *endpoint) setURL(raw string) error {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(raw)
	reason := ""
	switch {
	case err != nil:
		reason = "url must be a valid URL: " + err.Error() + form
	case u.Scheme != "https":
		reason = "'https' is the only allowed URL scheme" + form
	case u.Host == "":
		reason = "host must be specified" + form
	case u.User != nil:
		reason = "user information is not permitted in the URL"
	case u.Fragment != "":
		reason = "fragments are not permitted in the URL"
	case u.RawQuery != "":
		reason = "query parameters are not permitted in the URL"
	}
	if reason != "" {
		return fmt.Errorf("spec.conversion.webhook.clientConfig.url: %s", reason)
	}
	e.host, e.path = u.Host, path.Join("/", u.Path)
	e.loopback = isLoopback(u.Hostname())
	return nil
}

func (e *endpoint) setService(s *apiextensionsv1.ServiceReference) error {
	const field = "spec.conversion.webhook.clientConfig.service"
	e.namespace, e.name, e.port = s.Namespace, s.Name, defaultPort
	if s.Port != nil && *s.Port != 0 {
		e.port = *s.Port
	}
	servicePath := "/"
	if s.Path != nil {
		servicePath = *s.Path
	}
	switch {
	case s.Name == "":
		return errors.New(field + ".name: service name is required")
	case s.Namespace == "":
		return errors.New(field + ".namespace: service namespace is required")
	case e.port < 1 || e.port > 65535:
		return errors.New(field + ".port: port is not valid: must be between 1 and 65535, inclusive")
	case servicePath != "" && !strings.HasPrefix(servicePath, "/"):
		return errors.New(field + ".path: must start with a '/'")
	}
	e.serverName = s.Name + "." + s.Namespace + ".svc"
	e.host = net.JoinHostPort(e.serverName, strconv.Itoa(int(e.port)))
	e.path = path.Join("/", servicePath)
	return nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// trust adds the caBundle to roots, which may be nil.
func (e *endpoint) trust(roots *x509.CertPool) (*x509.CertPool, error) {
	if e.caBundle == nil {
		return roots, nil
	}
	if roots == nil {
		roots = x509.NewCertPool()
	} else {
		roots = roots.Clone()
	}
	if !roots.AppendCertsFromPEM(e.caBundle) {
		return nil, fmt.Errorf("unable to load root certificates: %w", unreadable(e.caBundle))
	}
	return roots, nil
}

func unreadable(bundle []byte) error {
	for len(bundle) > 0 {
		var block *pem.Block
		if block, bundle = pem.Decode(bundle); block == nil {
			return errors.New("unable to parse bytes as PEM block")
		}
		if block.Type != "CERTIFICATE" || len(block.Headers) > 0 {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Errorf("failed to parse certificate: %w", err)
		}
	}
	return errors.New("no valid certificate authority data seen")
}

// refusePrivate is the control function of a dialer. It checks the resolved address, so a name
// server cannot change its answer after the check.
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

// reserved returns the blocks of addresses that are not globally reachable or belong to relays. It
// leaves out blocks that methods of netip.Addr recognize. See
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

// isPublic reports whether an address is public unicast. If it contains an IPv4 address, that must
// be public, too.
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

// embeddedIPv4 returns the IPv4 address in an IPv6 address of a translator (RFC 6052) or of a 6to4
// relay (RFC 3056).
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
