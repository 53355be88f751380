package objectmeta

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/internal/value/jsonval"
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
	}{
		{"the same", withMetadata("namespace", "a"), true, "a", withMetadata("namespace", "a")},
		{"none in the object", withMetadata(), true, "a", withMetadata("namespace", "a")},
		{"none in the request", withMetadata("namespace", "a"), true, "", withMetadata("namespace", "a")},
		{"none at all", withMetadata(), true, "", withMetadata("namespace", "default")},
		{"no metadata", map[string]any{}, true, "a", withMetadata("namespace", "a")},
		{"not namespaced", withMetadata("namespace", "a"), false, "", withMetadata()},
		{"another", withMetadata("namespace", "b"), true, "a", withMetadata("namespace", "b")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if ok := enterNamespace(c.obj, c.namespaced, c.namespace); ok != (c.name != "another") {
				t.Errorf("the namespace is right: %t", ok)
			}
			if diff := cmp.Diff(c.want, c.obj); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteGeneration(t *testing.T) {
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
		{"null", map[string]any{"metadata": nil}, 1, withMetadata("generation", int64(1))},
		{"a nil map", map[string]any{"metadata": map[string]any(nil)}, 1, withMetadata("generation", int64(1))},
		{"no object", map[string]any{"metadata": "text"}, 1, map[string]any{"metadata": "text"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := readMap(c.obj)
			m.Generation = c.generation
			m.Write(c.obj)
			if diff := cmp.Diff(c.want, c.obj); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An update keeps what only the server sets.
func TestPrepareUpdate(t *testing.T) {
	const time, other = "2024-02-29T10:00:00Z", "2020-01-01T00:00:00Z"
	for _, c := range []struct {
		name           string
		obj, old, want map[string]any
	}{
		{"no metadata", map[string]any{}, map[string]any{}, map[string]any{}},
		{"no metadata, and nothing to keep", map[string]any{}, withMetadata("name", "a"), map[string]any{}},
		{"no metadata, and a uid to keep", map[string]any{}, withMetadata("name", "a", "uid", "u"), withMetadata("uid", "u")},
		{"a uid", withMetadata("uid", "other"), withMetadata("uid", "u"), withMetadata("uid", "other")},
		{"an empty uid", withMetadata("uid", ""), withMetadata("uid", "u"), withMetadata("uid", "u")},
		{"a generation", withMetadata("generation", int64(9)), withMetadata("generation", int64(3)), withMetadata("generation", int64(3))},
		{"a time", withMetadata("creationTimestamp", other), withMetadata("creationTimestamp", time), withMetadata("creationTimestamp", time)},
		{"the same time", withMetadata("deletionTimestamp", time), withMetadata("deletionTimestamp", time), withMetadata("deletionTimestamp", time)},
		{"no old time", withMetadata("creationTimestamp", other), withMetadata("name", "a"), withMetadata("creationTimestamp", other)},
		{"an old time in another zone", withMetadata(), withMetadata("creationTimestamp", "2024-02-29T12:00:00+02:00"), withMetadata("creationTimestamp", time)},
		{"an old time that cannot be read", withMetadata("creationTimestamp", other), withMetadata("creationTimestamp", "soon"), withMetadata("creationTimestamp", other)},
		{"the zero time", withMetadata("creationTimestamp", other), withMetadata("creationTimestamp", "0001-01-01T00:00:00Z"), withMetadata("creationTimestamp", other)},
		{"a grace period", withMetadata(), withMetadata("deletionGracePeriodSeconds", int64(3)), withMetadata("deletionGracePeriodSeconds", int64(3))},
		{"another grace period", withMetadata("deletionGracePeriodSeconds", int64(5)), withMetadata("deletionGracePeriodSeconds", int64(3)), withMetadata("deletionGracePeriodSeconds", int64(5))},
		{"metadata that is no object", map[string]any{"metadata": "text"}, withMetadata("uid", "u"), map[string]any{"metadata": "text"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if warnings := prepareUpdate(c.obj, c.old); warnings != nil {
				t.Errorf("warnings %q", warnings)
			}
			if diff := cmp.Diff(c.want, c.obj); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Owner references that differ in anything are kept, with the index that each had.
func TestUniqueOwners(t *testing.T) {
	yes, no := true, false
	refs := []metav1.OwnerReference{
		{UID: "a"}, {UID: "b"}, {UID: "a", Name: "n"}, {UID: "a", Kind: "K"}, {UID: "a", APIVersion: "v1"},
		{UID: "a", Controller: &yes}, {UID: "a", Controller: &no}, {UID: "a", BlockOwnerDeletion: &yes}, {UID: "a", BlockOwnerDeletion: &no},
	}
	kept, was, warnings := UniqueOwners(refs)
	if diff := cmp.Diff(refs, kept); diff != "" || warnings != nil || !slices.Equal(was, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("indices %v, warnings %q, references (-want +got):\n%s", was, warnings, diff)
	}
	other := true
	kept, was, warnings = UniqueOwners(append(slices.Clone(refs[5:8]), metav1.OwnerReference{UID: "a", Controller: &other}, metav1.OwnerReference{UID: "z"}))
	if len(kept) != 4 || len(warnings) != 1 || !slices.Equal(was, []int{0, 1, 2, 4}) {
		t.Errorf("with a duplicate: indices %v, warnings %q", was, warnings)
	}
}

// Metadata that is reset refers to no part of the text, and can be read anew.
func TestReset(t *testing.T) {
	const text = `{"name":"a","namespace":"b","labels":{"k":"v"},"annotations":{"l":"w"},"finalizers":["f/g"],"resourceVersion":"1","uid":"u"}`
	var p Meta
	for range 2 {
		if end := p.Read(text, 0); end != len(text) {
			t.Fatalf("Read = %d, want %d", end, len(text))
		}
		p.Reset()
		if p.Name != "" || p.Namespace != "" || p.ResourceVersion != "" || p.seen != 0 || len(p.labels)+len(p.annotations)+len(p.finalizers) != 0 || p.finalizers[:1][0] != "" {
			t.Errorf("after Reset: %+v", p)
		}
		for _, x := range append(slices.Clone(p.labels[:1]), p.annotations[:1]...) {
			if x != (pair{}) {
				t.Errorf("the memory that Reset keeps has %v", x)
			}
		}
	}
	owners := &Meta{owners: make([]owner, 1), managed: make([]managedEntry, 1)}
	owners.owners[0].uid, owners.managed[0].manager = "u", "m"
	kept := owners.managed
	owners.Reset()
	if !reflect.ValueOf(kept[0]).IsZero() {
		t.Errorf("the memory that Reset keeps has %v", kept[0])
	}
	for name, m := range map[string]*Meta{
		"labels": {labels: make([]pair, 10_001)}, "annotations": {annotations: make([]pair, 10_001)}, "finalizers": {finalizers: make([]string, 10_001)},
		"owners": {owners: make([]owner, 10_001)}, "managed fields": {managed: make([]managedEntry, 10_001)},
	} {
		if m.Reset(); cap(m.labels)+cap(m.annotations)+cap(m.finalizers)+cap(m.owners)+cap(m.managed) != 0 {
			t.Errorf("Reset keeps the memory of many %s", name)
		}
	}
	for _, text := range []string{``, `x`, `{`, `{"name"`, `{"name":`, `{"name":"a"`, `{"name":"a",`, `{}`, `{"name":""}`, `{"name":"a","name":"a"}`, `{"labels":{}}`,
		`{"name":"a","labels":{"k":"v","k":"w"}}`, `{"name":"a","labels":{"k":1}}`, `{"name":"a","labels":{"k":"v w"}}`, `{"name":"a","labels":[]}`, `{"labels":`, `{"annotations":`, `{"name":"a","labels":{`, `{"name":"a","labels":{"k":`, `{"name":"a","labels":{"k":"v"},"labels":{"l":"v"}}`} {
		var p Meta
		if end := readCreate(&p, text, 0, false, ""); end >= 0 {
			t.Errorf("readCreate(%s) = %d", text, end)
		}
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
			referenceUnknown, referenceErr := roundTrip(reference, Options{ReportUnknown: true})
			if diff := cmp.Diff(pathLines(referenceUnknown)+errorText(referenceErr), pathLines(fastUnknown)+errorText(fastErr)); diff != "" {
				t.Errorf("(-reference +fast):\n%s", diff)
			}
			if diff := cmp.Diff(reference, fast); diff != "" {
				t.Errorf("(-reference +fast):\n%s", diff)
			}
			if validCreate(obj(), false) && createProblems(obj(), false, nil) != nil {
				t.Error("taken for right")
			}
			finalizerWarningsOf(obj(), nil)
			prepareUpdate(fast, reference)
			prepareStatusUpdate(fast, reference)
			prepareCreate(fast)
		})
	}
}
