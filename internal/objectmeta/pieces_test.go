package objectmeta

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testkit"
)

// entries returns n labels or annotations of which every second one is wrong.
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

// largeMetadata has metadata with more entries than one call of the rules checks.
func largeMetadata() map[string]map[string]any {
	const n = 5*piece + 7
	return map[string]map[string]any{
		"labels":            {"labels": entries(n, 1)},
		"annotations":       {"annotations": entries(n, 1)},
		"large annotations": {"annotations": entries(n, 5000)}, // more than the limit in each piece
		"finalizers":        {"finalizers": wrongFinalizers(n)},
		"conflict":          {"finalizers": wrongFinalizers(n, metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents)},
		"all": {"labels": entries(n, 1), "annotations": entries(n, 1), "finalizers": wrongFinalizers(n), "generation": int64(-1),
			"ownerReferences": []any{map[string]any{"kind": "Pod"}}},
	}
}

// TestPiecesHaveAllErrors compares checks in pieces with one call of the rules.
func TestPiecesHaveAllErrors(t *testing.T) {
	for name, metadata := range largeMetadata() {
		for _, deleted := range []bool{false, true} {
			old := map[string]any{"metadata": map[string]any{"name": "b", "uid": "u"}}
			if deleted {
				metadata["deletionTimestamp"] = "2024-02-29T12:00:00Z"
				old["metadata"].(map[string]any)["deletionTimestamp"] = "2024-02-29T12:00:00Z"
			}
			obj := map[string]any{"metadata": metadata}
			for check, got := range map[string][]Problem{
				"create":        createProblems(obj, true, Bounds{}),
				"update":        updateProblems(obj, old, true, Bounds{}),
				"common create": commonProblems(obj, nil, true, Bounds{}),
				"common update": commonProblems(obj, old, true, Bounds{}),
			} {
				want := wholeProblems(t, check, obj, old)
				if diff := cmp.Diff(problemLines(want), problemLines(got)); diff != "" || len(want) == 0 {
					t.Errorf("%s, %s, deleted %v: %d problems (-whole +pieces):\n%.2000s", name, check, deleted, len(want), diff)
				}
			}
		}
	}
}

// wholeProblems calls the rules once.
func wholeProblems(t *testing.T, check string, obj, old map[string]any) []Problem {
	t.Helper()
	meta, errs := typedMeta(obj, nil)
	before, _ := typedMeta(old, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	switch check {
	case "create":
		errs = createRules(true).check(meta)
	case "update":
		errs = updateRules(before, true).check(meta)
	case "common create":
		errs = commonCreateRules(true).check(meta)
	default:
		errs = append(commonCreateRules(true).check(meta), commonUpdateRules(before).check(meta)...)
	}
	return rootProblems(obj, errs, Bounds{})
}

// TestLimitOfProblems checks that the first problems are returned and the others counted.
func TestLimitOfProblems(t *testing.T) {
	for name, metadata := range largeMetadata() {
		obj := map[string]any{"metadata": metadata}
		limit := errorlimit.New(10)
		all, some := createProblems(obj, true, Bounds{}), createProblems(obj, true, Bounds{Limit: limit})
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

// TestMetadataPollsContext checks that a check polls in every piece, and ends.
func TestMetadataPollsContext(t *testing.T) {
	for name, metadata := range largeMetadata() {
		obj := map[string]any{"metadata": metadata}
		ctx := testkit.EndingContext(1 << 30)
		createProblems(obj, true, Bounds{Watch: interrupt.New(ctx)})
		if all := ctx.Polls(); all < 6 && name != "conflict" {
			t.Errorf("%s: %d polls, want 6", name, all)
		}
		ended := testkit.EndingContext(2)
		createProblems(obj, true, Bounds{Watch: interrupt.New(ended)})
		if ended.Polls() != 3 {
			t.Errorf("%s: %d polls after the end", name, ended.Polls()-3)
		}
	}
}

// TestConvertingInPieces compares the metadata that is converted in pieces with that of
// one call, also if entries or elements cannot be converted.
func TestConvertingInPieces(t *testing.T) {
	all := largeMetadata()
	owners := make([]any, 3*piece)
	for i := range owners {
		owners[i] = map[string]any{"uid": fmt.Sprint(i)}
	}
	all["owners"] = map[string]any{"ownerReferences": owners, "name": "a", "unknown": owners}
	for name, metadata := range all {
		var want metav1.ObjectMeta
		if err := convert(metadata, &want); err != nil {
			t.Fatal(err)
		}
		ctx := testkit.EndingContext(1 << 30)
		got, errs := typedMeta(map[string]any{"metadata": metadata}, interrupt.New(ctx))
		if ctx.Polls() < 3 {
			t.Errorf("%s: %d polls, want one for each piece", name, ctx.Polls())
		}
		if diff := cmp.Diff(&want, got); diff != "" || len(errs) > 0 {
			t.Errorf("%s: %v (-whole +pieces):\n%.2000s", name, errs, diff)
		}
	}
	wrong := map[string]any{"labels": entries(3*piece, 1), "ownerReferences": append(slices.Clone(owners), "x")}
	if _, errs := typedMeta(map[string]any{"metadata": wrong}, nil); len(errs) != 1 || !strings.Contains(errs[0].Detail, "cannot restore struct from: string") {
		t.Errorf("an owner of a wrong type: %v", errs)
	}
	labels := wrong["labels"].(map[string]any)
	labels["z"], labels["a"] = true, int64(1)
	for range 10 { // the order of the map changes
		if _, errs := typedMeta(map[string]any{"metadata": wrong}, nil); len(errs) != 1 || errs[0].Detail != "cannot convert int64 to string" {
			t.Errorf("labels of wrong types: %v", errs)
		}
	}
}

// TestEmbeddedInPieces compares the errors of large metadata of an embedded resource with
// those of one call of the rules.
func TestEmbeddedInPieces(t *testing.T) {
	path := field.NewPath("spec", "a", "metadata")
	for name, metadata := range largeMetadata() {
		meta, _ := typedMeta(map[string]any{"metadata": metadata}, nil)
		meta.Name = "fakename"
		want := embeddedRules(path, false).check(meta)
		got := embeddedMetaErrors(path, map[string]any{"metadata": metadata}, nil)
		texts := func(errs field.ErrorList) []string {
			var list []string
			for _, e := range errs {
				list = append(list, e.Error())
			}
			slices.Sort(list)
			return list
		}
		if diff := cmp.Diff(texts(want), texts(got)); diff != "" || len(want) == 0 {
			t.Errorf("%s: %d errors (-whole +pieces):\n%.2000s", name, len(want), diff)
		}
	}
}
