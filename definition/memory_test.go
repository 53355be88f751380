package definition

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// The limits of the peak memory, as multiples of the size of a definition's
// text. They are about twice the measured values.
const (
	parsePeak  = 8 // Parse, including the definition
	checkPeak  = 2 // Check, in addition to the definition, with or without notes
	sourcePeak = 5 // Source, after the first lookup of a position
)

// TestCheckMemory checks that the peak memory for the largest definition of the
// corpus is a small multiple of the size of its text. To see the values:
//
//	go test -v -run TestCheckMemory .
func TestCheckMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("short: collects garbage all the time")
	}
	for _, file := range largest(t, 1) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd *apiextensionsv1.CustomResourceDefinition
		for _, m := range []struct {
			name  string
			bound int
			do    func()
		}{
			{"Parse", parsePeak, func() { crd, err = Parse(text) }},
			{"Check", checkPeak, func() { Check(crd) }},
			{"Check with notes", checkPeak, func() { Check(crd, WithNotes()) }},
			{"Source", sourcePeak, func() { NewSource(text, Position{}).Position("/spec") }},
		} {
			peak, total := memoryOf(m.do)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d bytes: %s takes %.1f times as much at its peak, and allocates %.1f times as much in all",
				filepath.Base(file), len(text), m.name, float64(peak)/float64(len(text)), float64(total)/float64(len(text)))
			if peak > m.bound*len(text) {
				t.Errorf("%s takes %d bytes at its peak, more than %d times the text", m.name, peak, m.bound)
			}
		}
	}
}

// largest returns the files of the n largest definitions of the corpus. It does
// not load them, because a small live heap makes the measurement more precise:
// garbage is collected more often.
func largest(t *testing.T, n int) []string {
	t.Helper()
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Skipf("no corpus in %q; set CRDKIT_CORPUS to a directory with crds and samples", dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "crds", "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions in the corpus %s: %v", dir, err)
	}
	sizes := map[string]int64{}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		sizes[file] = info.Size()
	}
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(sizes[b], sizes[a]) })
	return files[:min(n, len(files))]
}

// memoryOf returns how much the live heap grows while do runs, and how much do
// allocates. The collector runs after every small growth, so the live heap that
// it reports is close to the actual one.
func memoryOf(do func()) (peak, total int) {
	defer debug.SetGCPercent(debug.SetGCPercent(3))
	runtime.GC()
	runtime.GC()
	const live, allocated = "/gc/heap/live:bytes", "/gc/heap/allocs:bytes"
	read := func() (uint64, uint64) {
		samples := []metrics.Sample{{Name: live}, {Name: allocated}}
		metrics.Read(samples)
		return samples[0].Value.Uint64(), samples[1].Value.Uint64()
	}
	before, allocatedBefore := read()
	most := before
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			now, _ := read()
			most = max(most, now)
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	_, allocatedAfter := read()
	return int(most - before), int(allocatedAfter - allocatedBefore)
}
