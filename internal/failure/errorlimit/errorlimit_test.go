package errorlimit_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// errorsOf returns n errors in a random order.
func errorsOf(n int, seed uint64) field.ErrorList {
	list := make(field.ErrorList, n)
	for i, k := range rand.New(rand.NewPCG(seed, 0)).Perm(n) {
		list[i] = field.Invalid(field.NewPath("a").Index(k), k, "too large")
	}
	return list
}

func fields(list field.ErrorList) []string {
	var out []string
	for _, e := range list {
		out = append(out, e.Field)
	}
	return out
}

func TestKeptErrorsDoNotDependOnOrder(t *testing.T) {
	want := []string{"a[0]", "a[100]", "a[101]"}
	for seed := range uint64(5) {
		l := errorlimit.List{Limit: errorlimit.New(3)}
		for _, err := range errorsOf(1000, seed) {
			l.Add(err)
		}
		if l.Added() != 1000 {
			t.Errorf("seed %d: %d errors were added, want 1000", seed, l.Added())
		}
		if diff := cmp.Diff(want, fields(l.Errors())); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
		if l.Limit.Omitted() != 997 {
			t.Errorf("seed %d: %d errors are omitted, want 997", seed, l.Limit.Omitted())
		}
	}
}

func TestPartsShareALimit(t *testing.T) {
	limit := errorlimit.New(3)
	var all field.ErrorList
	for seed := range uint64(2) {
		l := errorlimit.List{Limit: limit}
		l.Add(errorsOf(10, seed)...)
		all = append(all, l.Errors()...)
	}
	if diff := cmp.Diff([]string{"a[0]", "a[0]", "a[1]"}, fields(limit.Cut(all))); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if limit.Omitted() != 17 {
		t.Errorf("%d errors are omitted, want 17", limit.Omitted())
	}
}

func TestListWithinLimitKeepsOrder(t *testing.T) {
	for name, limit := range map[string]*errorlimit.Limit{"none": nil, "default": errorlimit.New(0), "large": errorlimit.New(50)} {
		l := errorlimit.List{Limit: limit}
		in := errorsOf(50, 1)
		l.Add(in...)
		if diff := cmp.Diff(fields(in), fields(l.Errors())); diff != "" || limit.Omitted() != 0 {
			t.Errorf("%s: %d omitted (-want +got):\n%s", name, limit.Omitted(), diff)
		}
	}
}

func TestListHoldsTwiceTheLimit(t *testing.T) {
	l := errorlimit.List{Limit: errorlimit.New(10)}
	for _, err := range errorsOf(10_000, 1) {
		l.Add(err)
	}
	if held := cap(l.Errors()); held > 64 {
		t.Errorf("memory for %d errors, limit 10", held)
	}
}

// A limit keeps the pointers of its errors, and of the errors of separate limits.
func TestPointers(t *testing.T) {
	limit := errorlimit.New(2)
	limit.KeepPointers()
	l := errorlimit.List{Limit: limit}
	all := errorsOf(4, 1)
	for _, err := range all {
		at := pathstack.At(nil).Child(err.Field)
		l.AddAt(at, err)
	}
	for _, err := range all {
		want := ""
		if err.Field < "a[2]" {
			want = "/" + err.Field
		}
		if got := limit.Pointer(err); got != want {
			t.Errorf("pointer of %s = %q, want %q", err.Field, got, want)
		}
	}
	apart := limit.Separate()
	apart.AtPointer("/x", all[0])
	apart.Omit(7)
	if limit.Pointer(all[0]) != "/x" || limit.Omitted() != 2 || apart.Most() != 2 {
		t.Errorf("pointer %q, %d omitted, apart at most %d", limit.Pointer(all[0]), limit.Omitted(), apart.Most())
	}
	var none errorlimit.List
	none.AddAt(nil, all[0])
	if got := none.Limit.AtPointer("/y", all[0]); got != all[0] || none.Added() != 1 {
		t.Error("a list without a limit does not keep the error")
	}
}
