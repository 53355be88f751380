package conversion_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// An authority signs certificates. Only the tests trust it.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{}
	a.cert, a.key = issue(t, &x509.Certificate{
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil)
	return a
}

func issue(t testing.TB, template *x509.Certificate, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber, template.Subject = big.NewInt(1), pkix.Name{CommonName: "test"}
	template.NotBefore = time.Now().Add(-2 * time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

func (a *authority) bundle() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// certificate returns a certificate for names, for a server or a client. It is
// valid until expires.
func (a *authority) certificate(t testing.TB, expires time.Time, names ...string) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		NotAfter: expires, DNSNames: names,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		}
	}
	cert, key := issue(t, template, a)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// start serves h with a certificate of a for 127.0.0.1 and for the service hook
// in the namespace ns. tune may change the server before it starts.
func (a *authority) start(t testing.TB, h http.Handler, tune ...func(*httptest.Server)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{Certificates: []tls.Certificate{a.certificate(t, time.Time{}, "127.0.0.1", "hook.ns.svc")}}
	for _, f := range tune {
		f(s)
	}
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// calling returns a definition whose webhook is at url.
func calling(url string, bundle []byte, reviews ...string) *apiextensionsv1.CustomResourceDefinition {
	if len(reviews) == 0 {
		reviews = []string{"v1", "v1beta1"}
	}
	crd := definition(apiextensionsv1.WebhookConverter)
	crd.Spec.Conversion.Webhook = &apiextensionsv1.WebhookConversion{
		ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: bundle},
		ConversionReviewVersions: reviews,
	}
	return crd
}

// referring returns a definition whose webhook is a service.
func referring(service apiextensionsv1.ServiceReference, bundle []byte) *apiextensionsv1.CustomResourceDefinition {
	crd := calling("", bundle)
	crd.Spec.Conversion.Webhook.ClientConfig.URL = nil
	crd.Spec.Conversion.Webhook.ClientConfig.Service = &service
	return crd
}

func client(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition, opts ...conversion.Option) conversion.Converter {
	t.Helper()
	c, err := conversion.New(crd, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// renaming is a conversion: it renames spec.list of v1beta1 to spec.items of
// v1.
func renaming(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	spec, _ := obj.Object["spec"].(map[string]any)
	from, into := "list", "items"
	if to == "v1beta1" {
		from, into = into, from
	}
	if v, ok := spec[from]; ok {
		delete(spec, from)
		spec[into] = v
	}
	return obj, nil
}

func convert(c conversion.Converter, to string, objs ...*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return c.Convert(context.Background(), objs, to)
}

// pool returns a pool with only this authority.
func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

func serviceNamed(name string) apiextensionsv1.ServiceReference {
	return apiextensionsv1.ServiceReference{Namespace: "ns", Name: name}
}
