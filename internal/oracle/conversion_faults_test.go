package oracle

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// An authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a := &authority{}
	a.key, a.cert = sign(t, template, nil)
	return a
}

// sign signs a certificate, with its own key if there is no authority.
func sign(t *testing.T, template *x509.Certificate, by *authority) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, parentKey := template, key
	if by != nil {
		parent, parentKey = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return key, cert
}

// serving returns the certificate of a server. Its times are fixed, because
// errors quote them.
func (a *authority) serving(t *testing.T, expired bool, names ...string) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test server"}, DNSNames: names,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		}
	}
	if expired {
		template.NotAfter = time.Now().Add(-time.Minute)
	}
	key, cert := sign(t, template, a)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// serve starts a webhook with the certificate.
func serve(t *testing.T, cert tls.Certificate, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// untilHung is the timeout of calls of a webhook that never answers. Other calls have a
// timeout that is long enough on a busy machine.
const untilHung = time.Second

// A faulty webhook fails before it answers.
type faulty struct {
	name  string
	serve http.HandlerFunc
}

// hijacked gives f the raw connection. HTTP/2 does not allow this.
func hijacked(f func(net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		h, ok := w.(http.Hijacker)
		if !ok {
			panic(http.ErrAbortHandler)
		}
		conn, _, err := h.Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		f(conn)
	}
}

func respond(code int, contentType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if contentType == "none" {
			w.Header()["Content-Type"] = nil
		} else {
			w.Header().Set("Content-Type", contentType)
		}
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

func faultyWebhooks(good http.Handler) []faulty {
	list := []faulty{
		{"panics", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"is slow", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(50 * time.Millisecond)
			good.ServeHTTP(w, r)
		}},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}},
		{"hangs in the body", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"kind":`))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			// A client that closes the connection still reads for a moment. It
			// must not read the end of the body.
			time.Sleep(200 * time.Millisecond)
		}},
		{"breaks off in the body", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"kind":`))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		{"closes its half", hijacked(func(c net.Conn) {
			if t, ok := c.(*tls.Conn); ok {
				_ = t.CloseWrite()
			}
			time.Sleep(20 * time.Millisecond)
		})},
		{"does not speak HTTP", hijacked(func(c net.Conn) { _, _ = c.Write([]byte("SSH-2.0-OpenSSH_9\r\n\r\n")) })},
		{"says less than it announces", hijacked(func(c net.Conn) {
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\nConnection: close\r\n\r\n{}"))
		})},
		{"says nothing", respond(200, "application/json", "")},
		{"says nothing of no type", respond(200, "none", "")},
		{"says text", respond(200, "text/plain", "hello")},
		{"has a wrong media type", respond(200, "a/b/c; x", "{}")},
		{"redirects to nowhere", respond(302, "text/plain", "")},
		{"sends away", respond(301, "text/plain", "", "Location", "/elsewhere")},
	}
	for _, code := range []int{201, 204, 206, 207, 300, 304, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 500, 502, 503, 504} {
		list = append(list,
			faulty{fmt.Sprintf("says %d in text", code), respond(code, "text/plain; charset=utf-8", " some\nreason ")},
			faulty{fmt.Sprintf("says %d of no type", code), respond(code, "none", "some reason")},
			faulty{fmt.Sprintf("says %d in JSON", code), respond(code, "application/json", `{"error":"some reason"}`)},
			faulty{fmt.Sprintf("says %d with a Status", code), respond(code, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"a reason","reason":"Expired","code":410}`)},
			faulty{fmt.Sprintf("says %d with an untyped Status", code), respond(code, "application/json", `{"kind":"Status","status":"Failure","message":"a reason"}`)},
			faulty{fmt.Sprintf("says %d with a good Status", code), respond(code, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Success"}`)},
		)
	}
	return list
}

// conversionFaults compares the errors of webhooks that fail before they answer, and
// prints a table of them.
func conversionFaults(t *testing.T, n *conversions) {
	good := &answering{spoil: func(a map[string]any) any { return a }}
	ca, stranger := newAuthority(t), newAuthority(t)
	bundle := certificatePEM(ca.cert.Raw)
	var table [][3]string
	try := func(c *conversionCase, reset func()) {
		theirs, mine := n.compare(t, c, apiextensionsv1.WebhookConverter, reset)
		table = append(table, [3]string{c.name, short(theirs), short(mine)})
	}
	nothing := func() {}
	url := func(s *httptest.Server) apiextensionsv1.WebhookClientConfig {
		return apiextensionsv1.WebhookClientConfig{URL: pointer(s.URL + "/x/"), CABundle: bundle}
	}
	single := func(name string, config apiextensionsv1.WebhookClientConfig) *conversionCase {
		return &conversionCase{name: name, input: "single", to: "v1", reviews: []string{"v1"}, config: config, timeout: 20 * time.Second}
	}
	local := ca.serving(t, false, "127.0.0.1", "localhost", "hook.ns.svc")
	try(single("has the wrong authority", url(serve(t, stranger.serving(t, false, "127.0.0.1"), good))), nothing)
	try(single("has the wrong name", url(serve(t, ca.serving(t, false, "example.net"), good))), nothing)
	try(single("has no name", url(serve(t, ca.serving(t, false), good))), nothing)
	expired := single("has an expired certificate", url(serve(t, ca.serving(t, true, "127.0.0.1"), good)))
	comparePrefix(t, n, expired, "x509: certificate has expired or is not yet valid")
	unbundled := url(serve(t, local, good))
	unbundled.CABundle = []byte(" \n\t")
	try(single("is known to no authority, bundle of white space", unbundled), nothing)
	for name, text := range map[string]string{"text": "text", "an empty block": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "a key": "-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n"} {
		broken := url(serve(t, local, good))
		broken.CABundle = []byte(text)
		compareSuffix(t, n, single("bundle is "+name, broken))
	}
	for _, f := range faultyWebhooks(good) {
		c := single(f.name, url(serve(t, local, f.serve)))
		if strings.HasPrefix(f.name, "hangs") {
			c.timeout = untilHung
		}
		try(c, nothing)
		// Run the webhook a second time as a service. Clients use HTTP/2 only
		// for URLs of the loopback interface.
		s := serve(t, local, f.serve)
		service := single(f.name+" (service)", apiextensionsv1.WebhookClientConfig{
			CABundle: bundle, Service: &apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook", Port: pointer(int32(8443)), Path: pointer("/a/b/../c")},
		})
		service.resolve = func() (string, error) { return s.Listener.Addr().String(), nil }
		service.timeout = c.timeout
		try(service, nothing)
	}
	lost := single("cannot be resolved", apiextensionsv1.WebhookClientConfig{CABundle: bundle, Service: &apiextensionsv1.ServiceReference{Namespace: "ns", Name: "hook", Port: pointer(int32(443))}})
	lost.resolve = func() (string, error) { return "", errors.New("no such service") }
	try(lost, nothing)
	closed := serve(t, local, good)
	closed.Close()
	try(single("is closed", url(closed)), nothing)
	flapping(t, n, try, func(h http.Handler) *conversionCase { return single("", url(serve(t, local, h))) }, good)
	printFaults(t, table)
}

// flapping compares webhooks that send Retry-After.
func flapping(t *testing.T, n *conversions, try func(*conversionCase, func()), to func(http.Handler) *conversionCase, good http.Handler) {
	for _, f := range []struct {
		name    string
		times   int32
		code    int
		header  string
		timeout time.Duration // 0 for a timeout that is never reached
	}{
		{"is overloaded twice, then fine", 2, 429, "0", 0}, {"breaks down ten times, then is fine", 10, 503, "0", 0},
		{"breaks down eleven times", 11, 500, "0", 0}, {"is overloaded for longer than anybody waits", 1, 429, "60", 2 * time.Second},
		{"is overloaded and says when", 1, 429, "1", 0}, {"asks again without reason", 1, 404, "0", 0},
		{"says when in words", 1, 503, "Wed, 21 Oct 2065 07:28:00 GMT", 0},
	} {
		var calls atomic.Int32
		c := to(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if calls.Add(1) <= f.times {
				respond(f.code, "text/plain", "later", "Retry-After", f.header)(w, r)
				return
			}
			good.ServeHTTP(w, r)
		}))
		c.name, c.timeout = f.name, cmp.Or(f.timeout, c.timeout)
		try(c, func() { calls.Store(0) })
	}
}

// comparePrefix compares a case whose error ends with a time of day.
func comparePrefix(t *testing.T, n *conversions, c *conversionCase, until string) {
	compareCut(t, n, c, func(s string) string {
		before, _, _ := strings.Cut(s, until)
		return before + until
	})
}

// compareSuffix compares an error to which our side adds a prefix.
func compareSuffix(t *testing.T, n *conversions, c *conversionCase) {
	compareCut(t, n, c, func(s string) string {
		_, after, _ := strings.Cut(s, "unable to load root certificates")
		return after
	})
}

func compareCut(t *testing.T, n *conversions, c *conversionCase, cut func(string) string) {
	t.Helper()
	n.cases++
	var theirs, mine answer
	if up, err := c.upstream(apiextensionsv1.WebhookConverter); err != nil {
		theirs = failed(err)
	} else {
		theirs = c.runUpstream(t, up)
	}
	if ours, err := c.ours(apiextensionsv1.WebhookConverter); err != nil {
		mine = failed(err)
	} else {
		mine = c.runOurs(t, ours)
	}
	if theirs.err == "" || cut(theirs.err) != cut(mine.err) {
		n.different++
		t.Errorf("%s:\n-upstream %v\n+ours     %v", c.name, theirs, mine)
	}
}

func short(a answer) string {
	const most = 150
	text := strings.TrimPrefix(a.String(), "error conversion webhook for example.com/v1beta1, Kind=CronTab ")
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.ReplaceAll(text, "\n", `\n`)
}

// printFaults prints the table of faulty webhooks. If the answers are the same, it prints
// them once.
func printFaults(t *testing.T, table [][3]string) {
	if !testing.Verbose() {
		return
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "the webhook\tkube-apiserver says\tcrdkit says")
	for _, row := range table {
		if row[1] == row[2] {
			row[2] = "the same"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", row[0], row[1], row[2])
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
}
