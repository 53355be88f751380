package apply_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/apply"
)

// TestReorderedList tests that an apply which reverses a long list costs little more than
// the merge of the field manager: no other step compares the two lists.
func TestReorderedList(t *testing.T) {
	const items = 1000
	a := appliers()["v1"]
	list := func(order func(i int) int) *unstructured.Unstructured {
		var b strings.Builder
		for i := range items {
			fmt.Fprintf(&b, "{name: a%05d, value: v}, ", order(i))
		}
		return widget("spec: {env: [" + b.String() + "]}")
	}
	config := list(func(i int) int { return items - 1 - i })
	live := applied(nil, "spec: {replicas: 1}", "other")
	res, err := a.Apply(context.Background(), apply.Request{Live: live, Config: list(func(i int) int { return i }), Manager: "deployer"})
	live = admitted(t, res, err)
	merge := allocated(func() { err = a.MergeAlone(live.DeepCopy(), config.DeepCopy(), "deployer") })
	if err != nil {
		t.Fatal(err)
	}
	whole := allocated(func() {
		res, err = a.Apply(context.Background(), apply.Request{Live: live, Config: config, Manager: "deployer"})
	})
	admitted(t, res, err)
	t.Logf("%d bytes, %d of them by the merge", whole, merge)
	if 2*whole > 3*merge {
		t.Errorf("the apply allocates %d bytes, more than 1.5 times the %d bytes of the merge", whole, merge)
	}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
