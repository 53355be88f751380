package conversion_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// descriptors returns the number of open files of the process, 0 where it is not
// known.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// A leftover is what a test finds before it begins, and must find at its end.
type leftover struct{ goroutines, descriptors int }

func before() leftover {
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		_ = l.Close() // the runtime keeps two descriptors from the first socket on
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	return leftover{runtime.NumGoroutine(), descriptors()}
}

// after waits until goroutines and descriptors are as before. It returns how many
// more there are.
func (l leftover) after() (goroutines, open int) { return l.above(0, 0) }

// above is after, but waits only until there are so few more.
func (l leftover) above(fewGoroutines, fewOpen int) (goroutines, open int) {
	for range 250 {
		goroutines, open = runtime.NumGoroutine()-l.goroutines, descriptors()-l.descriptors
		if goroutines <= fewGoroutines && open <= fewOpen {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return max(goroutines, 0), max(open, 0)
}

// allocated returns the bytes that f allocates, those of other goroutines included.
func allocated(f func()) uint64 {
	var begin, end runtime.MemStats
	runtime.ReadMemStats(&begin)
	f()
	runtime.ReadMemStats(&end)
	return end.TotalAlloc - begin.TotalAlloc
}

// mostBytes returns what a call may allocate for an answer of a size in bytes. Package
// regexp has pools, which the race detector empties.
func mostBytes(size int) uint64 {
	most := uint64(20*size) + 64<<20
	if testkit.RaceDetector {
		return 20 * most
	}
	return most
}

// A classTable prints what became of each class of faults.
type classTable struct {
	mu    sync.Mutex
	rows  []string
	count int
}

func (c *classTable) add(name string, took time.Duration, bytes uint64, goroutines, open int, result string) {
	const most = 110
	if len(result) > most {
		result = result[:most] + "..."
	}
	result = strings.ReplaceAll(result, "\n", " ")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	c.rows = append(c.rows, fmt.Sprintf("%s\t%d ms\t%.1f MB\t%d\t%d\t%s", name, took.Milliseconds(), float64(bytes)/1e6, goroutines, open, result))
}

func (c *classTable) print(what string, passed int) {
	if !testing.Verbose() {
		return
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\ttime\tallocated\tgoroutines left\tdescriptors left\tresult\n", what)
	for _, row := range c.rows {
		fmt.Fprintln(w, row)
	}
	_ = w.Flush()
	fmt.Printf("%s: %d of %d classes\n", what, passed, c.count)
}

// serveRaw accepts connections and gives each to f. It returns the address and a
// function that ends everything.
func serveRaw(t *testing.T, f func(net.Conn)) (string, func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			group.Go(func() { f(conn) })
		}
	})
	return l.Addr().String(), func() {
		_ = l.Close()
		mu.Lock()
		for _, conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		group.Wait()
	}
}

// startServer is authority.start for a server that the caller stops.
func startServer(t *testing.T, a *authority, h http.Handler, tune func(*httptest.Server)) (*httptest.Server, func()) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableHTTP2 = true
	s.TLS = tlsOf(a.certificate(t, time.Time{}, "127.0.0.1", "hook.ns.svc"))
	if tune != nil {
		tune(s)
	}
	s.StartTLS()
	return s, func() {
		s.CloseClientConnections()
		s.Close()
	}
}

// closeConverter closes a converter of New.
func closeConverter(t testing.TB, c conversion.Converter) {
	t.Helper()
	if err := c.(io.Closer).Close(); err != nil {
		t.Error(err)
	}
}

// within returns a context that outlasts every test.
func within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}
