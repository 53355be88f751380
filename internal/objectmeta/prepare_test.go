package objectmeta

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/jsonval"
)

func withMetadata(members ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		m[members[i].(string)] = members[i+1]
	}
	return map[string]any{"metadata": m}
}

func TestEnterNamespace(t *testing.T) {
	for _, c := range []struct {
		name       string
		obj        map[string]any
		namespaced bool
		namespace  string
		want       map[string]any
		wantErr    string
	}{
		{"the same", withMetadata("namespace", "a"), true, "a", withMetadata("namespace", "a"), ""},
		{"none in the object", withMetadata(), true, "a", withMetadata("namespace", "a"), ""},
		{"none in the request", withMetadata("namespace", "a"), true, "", withMetadata("namespace", "a"), ""},
		{"none at all", withMetadata(), true, "", withMetadata("namespace", "default"), ""},
		{"no metadata", map[string]any{}, true, "a", withMetadata("namespace", "a"), ""},
		{"not namespaced", withMetadata("namespace", "a"), false, "", withMetadata(), ""},
		{"another", withMetadata("namespace", "b"), true, "a", withMetadata("namespace", "b"),
			"the namespace of the provided object does not match the namespace sent on the request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := EnterNamespace(c.obj, c.namespaced, c.namespace)
			if diff := cmp.Diff(c.wantErr, errorText(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, c.obj); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetGeneration(t *testing.T) {
	for _, c := range []struct {
		name       string
		obj        map[string]any
		generation int64
		want       map[string]any
	}{
		{"set", withMetadata("generation", int64(3)), 4, withMetadata("generation", int64(4))},
		{"removed", withMetadata("generation", int64(3)), 0, withMetadata()},
		{"no metadata", map[string]any{}, 1, withMetadata("generation", int64(1))},
		{"no metadata and nothing to set", map[string]any{}, 0, map[string]any{}},
		{"null", map[string]any{"metadata": nil}, 1, map[string]any{"metadata": nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			SetGeneration(c.obj, c.generation)
			if diff := cmp.Diff(c.want, c.obj); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Null, a nil map and deep field sets neither panic nor pass for canonical
// metadata.
func TestUnusualValues(t *testing.T) {
	deep := any(map[string]any{})
	for range 3 * maxFieldsDepth {
		deep = map[string]any{"f:a": deep}
	}
	for name, m := range map[string]map[string]any{
		"nil map":     nil,
		"nil labels":  {"labels": map[string]any(nil)},
		"nil owner":   {"ownerReferences": []any{map[string]any(nil)}},
		"nil entry":   {"managedFields": []any{map[string]any(nil)}},
		"deep fields": {"managedFields": []any{map[string]any{"fieldsV1": deep}}},
		"bytes":       {"name": "\xff", "labels": map[string]any{"a": "\xff"}},
		"keys":        {"\xff": int64(1), "\xfe": int64(2)},
		"Go types":    {"labels": map[string]string{"a": "b"}, "finalizers": []string{"x/y"}, "generation": 3},
	} {
		t.Run(name, func(t *testing.T) {
			obj := func() map[string]any { return map[string]any{"metadata": jsonval.Clone(m)} }
			fast, reference := obj(), obj()
			fastUnknown, fastErr := Coerce(fast, Options{ReportUnknown: true})
			referenceUnknown, referenceErr := Coerce(reference, Options{ReportUnknown: true, Reference: true})
			if diff := cmp.Diff(pathLines(referenceUnknown)+errorText(referenceErr), pathLines(fastUnknown)+errorText(fastErr)); diff != "" {
				t.Errorf("(-reference +fast):\n%s", diff)
			}
			if diff := cmp.Diff(reference, fast); diff != "" {
				t.Errorf("(-reference +fast):\n%s", diff)
			}
			if ValidCreate(obj(), false) && createProblems(obj(), false) != nil {
				t.Error("taken for right")
			}
			FinalizerWarnings(obj(), nil)
			PrepareUpdate(fast, reference)
			PrepareStatusUpdate(fast, reference)
			PrepareCreate(fast)
		})
	}
}
