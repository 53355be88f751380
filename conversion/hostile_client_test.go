package conversion_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// A hostileClient is a class of clients that attack a handler.
type hostileClient struct {
	name    string
	convert conversion.ConvertFunc // renaming if nil
	opts    []conversion.HandlerOption
	// One of them sends requests: body with the POST of a server, or raw with bytes
	// of HTTP/1.1 and a function that goes on with the connection.
	body    func(io.Writer)
	header  [2]string
	request string
	after   func(net.Conn)
	want    string // in the status and body of the response, "" for none
	bytes   int    // of the request
}

// reviewOf returns a function that writes a review whose objects are unit, repeated
// until there are n bytes of it.
func reviewOf(prefix, unit, suffix string, n int) func(io.Writer) {
	return func(w io.Writer) {
		_, _ = io.WriteString(w, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"stable.example.com/v1","objects":[`+prefix+strings.TrimPrefix(unit, ","))
		_ = repeat(w, unit, n)
		_, _ = io.WriteString(w, suffix+`]}}`)
	}
}

// rawPost is the header of a review in HTTP/1.1 without a length.
const rawPost = "POST /convert HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"

func hostileClients(size int) []hostileClient {
	small := reviewOf(`{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab"}`, " ", "", 0)
	oneMiB := []conversion.HandlerOption{conversion.MaxRequestBytes(1 << 20)}
	brief := []conversion.HandlerOption{conversion.HandlerTimeout(300 * time.Millisecond)}
	return []hostileClient{
		{name: "sends a request that is too large", body: reviewOf("", ",{}", "", 4<<20), opts: oneMiB, want: "413", bytes: 1 << 20},
		{name: "sends chunks without end", request: rawPost + "Transfer-Encoding: chunked\r\n\r\n", opts: oneMiB, after: func(c net.Conn) {
			_ = repeat(c, "400\r\n"+strings.Repeat(" ", 0x400)+"\r\n", 1<<30)
		}, bytes: 1 << 20},
		{name: "sends empty lists as objects", body: reviewOf("", ",[]", "", size), want: "413 the review has ", bytes: size},
		{name: "sends small objects", body: reviewOf("", `,{"a":0}`, "", size), want: "413 the review has ", bytes: size},
		{name: "sends an object of small objects", body: reviewOf("[", `,{"a":0}`, "]", 3*size), want: "413 the request would take more than", bytes: 3 * size},
		{name: "sends more objects than are allowed", body: reviewOf("", ",{}", "", 4000), opts: []conversion.HandlerOption{conversion.MaxObjects(1000)}, want: "413 the review has ", bytes: 4000},
		{name: "sends objects that no one can convert", body: reviewOf("", ",5", "", 100_000), want: "200 ", bytes: 100_000},
		{name: "nests lists too deeply", body: reviewOf("", "[", "", size), want: "400 decoding the request", bytes: size},
		{name: "sends YAML", body: func(w io.Writer) { _ = repeat(w, "- []\n", size) }, want: "400 decoding the request", bytes: size},
		{name: "repeats the objects", body: func(w io.Writer) {
			_, _ = io.WriteString(w, `{"request":{"objects":[{}],"objects":[{}]}}`)
		}, want: "400 decoding the request"},
		{name: "sends a compressed request", body: small, header: [2]string{"Content-Encoding", "gzip"}, want: "415"},
		{name: "sends another media type", body: small, header: [2]string{"Content-Type", "application/yaml"}, want: "415"},
		{name: "sends two lengths", request: rawPost + "Content-Length: 2\r\nContent-Length: 60\r\n\r\n{}GET /smuggled HTTP/1.1\r\n\r\n", want: "400"},
		{name: "sends a length and chunks", request: rawPost + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n", want: "400"},
		{name: "sends an unknown encoding", request: rawPost + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", want: "501"},
		{name: "sends a header with a space before its colon", request: rawPost + "Content-Length : 2\r\n\r\n{}", want: "400"},
		{name: "sends a wrong chunk", request: rawPost + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n{}\r\n", want: "400"},
		{name: "writes slowly", request: rawPost + "Content-Length: 100000\r\n\r\n{", opts: brief, want: "408"},
		{name: "does not read the response", request: rawPost + "Content-Length: %d\r\n\r\n", body: reviewOf(`{"apiVersion":"stable.example.com/v1","kind":"K","text":"`, "x", `"}`, 4*size),
			opts: brief, after: func(net.Conn) { time.Sleep(1500 * time.Millisecond) }, bytes: 4 * size},
		{name: "goes away", request: rawPost + "Content-Length: 100000\r\n\r\n{", after: func(c net.Conn) { _ = c.Close() }},
		{name: "waits for a conversion that hangs", body: small, opts: brief, convert: func(ctx context.Context, _ *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, want: "context deadline exceeded"},
		{name: "makes the conversion panic", body: small, convert: func(context.Context, *unstructured.Unstructured, string) (*unstructured.Unstructured, error) {
			panic(errors.New("on purpose"))
		}, want: "the conversion panicked: on purpose"},
		{name: "makes the conversion end its goroutine", body: small, convert: func(context.Context, *unstructured.Unstructured, string) (*unstructured.Unstructured, error) {
			runtime.Goexit()
			return nil, nil
		}, want: "the conversion ended its goroutine"},
	}
}

// TestHostileClients sends requests of every class. The limits are those of
// TestHostileWebhooks.
func TestHostileClients(t *testing.T) {
	size := 16 << 20
	if testing.Short() {
		size = 1 << 20
	}
	table, passed := &classTable{}, 0
	for _, tt := range hostileClients(size) {
		if t.Run(tt.name, func(t *testing.T) { attack(t, tt, table) }) {
			passed++
		}
	}
	table.print("hostile clients", passed)
}

func attack(t *testing.T, tt hostileClient, table *classTable) {
	left := before()
	convert := tt.convert
	if convert == nil {
		convert = renaming
	}
	s := httptest.NewServer(conversion.Handler(convert, tt.opts...))
	s.Config.ErrorLog = nil
	var got string
	begin := time.Now()
	bytes := allocated(func() { got = tt.send(t, s) })
	took := time.Since(begin)
	// What one client does has no effect on another.
	if got := postReview(t, s, tt.convert == nil); !strings.HasPrefix(got, "200 ") && tt.convert == nil {
		t.Errorf("the next client: %s", got)
	}
	s.CloseClientConnections()
	s.Close()
	goroutines, open := left.after()
	table.add(tt.name, took, bytes, goroutines, open, got)
	switch {
	case !strings.Contains(got, tt.want) || strings.Contains(got, "smuggled") || strings.Count(got, "HTTP/1.1") > 1:
		t.Errorf("the response is %.300q, want %q", got, tt.want)
	case took > 20*time.Second:
		t.Errorf("it took %v", took)
	case bytes > mostBytes(tt.bytes):
		t.Errorf("%d bytes allocated for a request of %d", bytes, tt.bytes)
	case goroutines+open > 0:
		t.Errorf("%d goroutines and %d descriptors are left", goroutines, open)
	}
}

// postReview sends a right review if wanted.
func postReview(t *testing.T, s *httptest.Server, wanted bool) string {
	if !wanted {
		return ""
	}
	return hostileClient{body: reviewOf(`{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab"}`, " ", "", 0)}.send(t, s)
}

// send attacks a server and returns the status and the body of the response.
func (c hostileClient) send(t *testing.T, s *httptest.Server) string {
	t.Helper()
	if c.request != "" {
		return c.sendRaw(t, s)
	}
	reader, writer := io.Pipe()
	go func() {
		c.body(writer)
		_ = writer.Close()
	}()
	req, err := http.NewRequest(http.MethodPost, s.URL, reader)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.header[0] != "" {
		req.Header.Set(c.header[0], c.header[1])
	}
	resp, err := s.Client().Do(req)
	_ = reader.Close()
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	return readResponse(resp)
}

func readResponse(resp *http.Response) string {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(resp.StatusCode, " ", string(body))
}

func (c hostileClient) sendRaw(t *testing.T, s *httptest.Server) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	request := c.request
	if c.body != nil {
		var text strings.Builder
		c.body(&text)
		request = fmt.Sprintf(request, text.Len()) + text.String()
	}
	_, _ = io.WriteString(conn, request)
	if c.after != nil {
		c.after(conn)
		return ""
	}
	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, nil)
	if err != nil {
		return err.Error()
	}
	text := readResponse(resp)
	// What follows would be the response to a smuggled request.
	_ = conn.SetDeadline(time.Now().Add(200 * time.Millisecond))
	rest, _ := io.ReadAll(reader)
	if len(rest) > 0 {
		text += " followed by " + string(rest)
	}
	return text
}
