package oracle

import (
	"runtime"
	"sync"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// onAll calls compare for each definition, on all processors.
func onAll(list []*testkit.Definition, compare func(*testkit.Definition)) {
	work := make(chan *testkit.Definition)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for d := range work {
				compare(d)
			}
		})
	}
	for _, d := range list {
		work <- d
	}
	close(work)
	group.Wait()
}
