package objectmeta

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
)

// entries returns n labels or annotations. Every second one is wrong.
func entries(n, size int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[fmt.Sprintf("%sk%04d", strings.Repeat("-", i%2), i)] = strings.Repeat("-", size)
	}
	return m
}

func wrongFinalizers(n int, more ...any) []any {
	var list []any
	for i := range n {
		list = append(list, fmt.Sprintf("%sexample.com/f%04d", strings.Repeat("-", i%2), i))
	}
	return append(list, more...)
}

// The first problems are returned and the others counted. They do not depend on the order
// of a map.
func TestLimitOfProblems(t *testing.T) {
	const n = 300
	for name, metadata := range map[string]map[string]any{
		"labels":            {"labels": entries(n, 1)},
		"annotations":       {"annotations": entries(n, 1)},
		"large annotations": {"annotations": entries(n, 5000)},
		"finalizers":        {"finalizers": wrongFinalizers(n)},
		"conflict":          {"finalizers": wrongFinalizers(n, metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents)},
		"all": {"labels": entries(n, 1), "annotations": entries(n, 1), "finalizers": wrongFinalizers(n), "generation": int64(-1),
			"ownerReferences": []any{map[string]any{"kind": "Pod"}}},
	} {
		obj := map[string]any{"metadata": metadata}
		limit := errorlimit.New(10)
		all, some := createProblems(obj, true, nil), createProblems(obj, true, limit)
		if diff := cmp.Diff(fieldErrors(all[:10]), fieldErrors(some)); diff != "" || limit.Omitted() != len(all)-10 {
			t.Errorf("%s: %d of %d problems are omitted (-want +got):\n%s", name, limit.Omitted(), len(all), diff)
		}
	}
}

func fieldErrors(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		e := field.Error{Type: p.Err.Type, Field: p.Err.Field, Detail: p.Err.Detail}
		out = append(out, e.Error())
	}
	return out
}

// Of several errors of types, the first by key is reported.
func TestFirstErrorOfTypes(t *testing.T) {
	owners := []any{map[string]any{"uid": "u"}, "x"}
	labels := entries(200, 1)
	wrong := map[string]any{"metadata": map[string]any{"labels": labels, "ownerReferences": owners}}
	if _, errs := readMap(wrong).typed(); len(errs) != 1 || !strings.Contains(errs[0].Detail, "cannot restore struct from: string") {
		t.Errorf("an owner of a wrong type: %v", errs)
	}
	labels["z"], labels["a"] = true, int64(1)
	for range 10 { // the order of the map changes
		if _, errs := readMap(wrong).typed(); len(errs) != 1 || errs[0].Detail != "cannot convert int64 to string" {
			t.Errorf("labels of wrong types: %v", errs)
		}
	}
}
