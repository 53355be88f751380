package conversion

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// An endpoint is the address of a webhook as a definition declares it.
type endpoint struct {
	scheme, host, path string
	caBundle           []byte // nil for the system's roots
	loopback           bool   // a URL that names this machine

	// For a service:
	serverName      string // "" for a URL
	namespace, name string
	port            int32
}

const defaultPort = 443

// newEndpoint returns the server's error for a configuration that the server
// refuses.
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

// unreadable returns the error of a bundle without certificates.
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
