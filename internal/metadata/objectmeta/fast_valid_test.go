package objectmeta

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A canonical time is the one that package time writes.
func TestCanonicalTime(t *testing.T) {
	check := func(s string) {
		t.Helper()
		parsed, err := time.Parse(time.RFC3339, s)
		want := err == nil && !parsed.IsZero() && parsed.UTC().Format(time.RFC3339) == s
		if got := canonicalTime(s); got != want {
			t.Errorf("canonicalTime(%q) = %t", s, got)
		}
	}
	for _, year := range []int{0, 1, 1900, 1996, 2000, 2023, 2024, 2100, 9999} {
		for month := range 14 {
			for day := range 33 {
				check(fmt.Sprintf("%04d-%02d-%02dT03:04:05Z", year, month, day))
			}
		}
	}
	for _, clock := range []string{"00:00:00", "00:00:01", "09:59:59", "23:59:59", "24:00:00", "23:60:00", "23:59:60", "19:19:19"} {
		check("2024-01-02T" + clock + "Z")
		check("0001-01-01T" + clock + "Z")
	}
	const some = "2024-10-12T13:14:15Z"
	for i := range len(some) {
		for _, c := range "/0129:-TZ+" {
			check(some[:i] + string(c) + some[i+1:])
		}
	}
}

func fastCreate(m map[string]any) bool {
	return validCreate(map[string]any{"metadata": m}, false)
}

// TestFastLimits tests members at their limits: one more or one less is not accepted.
func TestFastLimits(t *testing.T) {
	owner := func(members ...any) map[string]any {
		m := map[string]any{"apiVersion": "v1", "kind": "X", "name": "n", "uid": "u"}
		for i := 0; i < len(members); i += 2 {
			m[members[i].(string)] = members[i+1]
		}
		return m
	}
	managed := func(name string, value any) []any {
		m := map[string]any{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}
		m[name] = value
		return []any{m}
	}
	for _, tt := range []struct {
		member  string
		value   any
		refused any
	}{
		{"labels", nil, map[string]any{"a": nil}},
		{"generation", int64(0), int64(-1)},
		{"generation", int64(1), 1.0},
		{"generateName", "a-", "A-"},
		{"annotations", map[string]any{"k": strings.Repeat("x", maxAnnotations-1)}, map[string]any{"k": strings.Repeat("x", maxAnnotations)}},
		{"annotations", map[string]any{"k": "", "kk": strings.Repeat("x", maxAnnotations-3)}, map[string]any{"k": "x", "kk": strings.Repeat("x", maxAnnotations-3)}},
		{"ownerReferences", []any{owner("controller", true), owner("controller", false), owner()}, []any{owner("controller", true), owner("controller", true)}},
		{"ownerReferences", []any{owner("blockOwnerDeletion", true)}, []any{owner("blockOwnerDeletion", "true")}},
		{"ownerReferences", []any{}, []any{owner("other", true)}},
		{"managedFields", managed("subresource", strings.Repeat("x", 256)), managed("subresource", strings.Repeat("x", 257))},
		{"managedFields", managed("manager", strings.Repeat("x", 128)), managed("manager", strings.Repeat("x", 129))},
		{"managedFields", managed("manager", "é ~"), managed("manager", "\u007f")},
		{"managedFields", managed("operation", "Apply"), managed("operation", "apply")},
		{"managedFields", managed("fieldsType", "FieldsV1"), managed("fieldsType", "FieldsV2")},
		{"finalizers", []any{"orphan", "a/b"}, []any{"orphan", "foregroundDeletion"}},
		{"finalizers", []any{"foregroundDeletion", "a/b"}, []any{"foregroundDeletion", "a/b", "orphan"}},
		{"selfLink", "x", int64(1)},
		{"creationTimestamp", nil, "x"},
	} {
		if !fastCreate(map[string]any{"name": "a", tt.member: tt.value}) {
			t.Errorf("%s %.60v is not accepted", tt.member, tt.value)
		}
		if problems := createProblems(map[string]any{"metadata": map[string]any{"name": "a", tt.member: tt.value}}, false, nil); len(problems) > 0 {
			t.Errorf("%s %.60v is not valid: %v", tt.member, tt.value, problems)
		}
		if fastCreate(map[string]any{"name": "a", tt.member: tt.refused}) {
			t.Errorf("%s %.60v is accepted", tt.member, tt.refused)
		}
	}
	for _, v := range []any{nil, "x"} {
		if fastCreate(map[string]any{"name": "a", "unknown": v}) {
			t.Errorf("an unknown member with %v is accepted", v)
		}
	}
}

// TestFastOwners compares with the rules. The fast check declines kinds named
// Event of every group.
func TestFastOwners(t *testing.T) {
	for _, apiVersion := range []string{"", "v1", "a/v1", "a.b/v1", "a/", "/v1", "/", "a/b/c", "a//", "//a"} {
		for _, kind := range []string{"", "X", "Event"} {
			for _, name := range []string{"", "n"} {
				for _, uid := range []string{"", "u"} {
					m := map[string]any{"name": "a", "ownerReferences": []any{map[string]any{"apiVersion": apiVersion, "kind": kind, "name": name, "uid": uid}}}
					want := kind != "Event" && len(createProblems(map[string]any{"metadata": m}, false, nil)) == 0
					if got := fastCreate(m); got != want {
						t.Errorf("%v is accepted: %t", m, got)
					}
				}
			}
		}
	}
}

func TestFinalizerNames(t *testing.T) {
	const (
		prefer    = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
		preferDot = "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"
	)
	for name, want := range map[string][]string{
		"a/b": nil, "a.b/c": nil, "orphan": nil, "foregroundDeletion": nil, "kubernetes": nil, "kubernetes2": {prefer},
		"x": {prefer}, "x.y": {preferDot}, "a/b/c": {"a valid label key must consist"}, "a/": {"name part must be"}, "A/b": {"prefix part"},
		"x y": {"name part must consist", prefer}, "a.b c": {"name part must consist", preferDot},
	} {
		got := finalizerWarningsOf(withMetadata("finalizers", []any{name}), nil)
		for i, text := range want {
			if i >= len(got) || !strings.HasPrefix(got[i], fmt.Sprintf("metadata.finalizers: %q: ", name)) || !strings.Contains(got[i], text) {
				t.Errorf("warnings of %q = %q, want %q", name, got, want)
			}
		}
		if (len(got) == 0) != (len(want) == 0) {
			t.Errorf("warnings of %q = %q, want %q", name, got, want)
		}
	}
}

// An update of the status keeps managed fields that can be decoded, and takes the rest from
// the old object.
func TestStatusManagedFields(t *testing.T) {
	same := map[string]any{"manager": "m", "operation": "Update"}
	for _, tt := range []struct{ managed, want any }{
		{nil, nil},
		{"x", nil},
		{[]any{}, nil},
		{[]any{same}, []any{same}},
		{[]any{same, "x"}, nil},
		{[]any{map[string]any{"manager": int64(1)}}, nil},
	} {
		obj := withMetadata("managedFields", jsonval.Clone(tt.managed))
		prepareStatusUpdate(obj, withMetadata("name", "a", "managedFields", []any{map[string]any{"manager": "old"}}))
		want := withMetadata("name", "a", "managedFields", tt.want)
		if tt.want == nil {
			want = withMetadata("name", "a")
		}
		if diff := cmp.Diff(want, obj); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.managed, diff)
		}
	}
}

// Owner references without duplicates are not written again.
func TestOwnersKept(t *testing.T) {
	owner := func(name string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "X", "name": name, "uid": "u", "unknown": true}
	}
	obj := withMetadata("ownerReferences", []any{owner("a"), owner("b")})
	want := jsonval.Clone(obj)
	m := readMap(obj)
	if warnings := m.DropDuplicateOwners(); len(warnings) > 0 {
		t.Errorf("warnings %q", warnings)
	}
	m.Write(obj)
	if diff := cmp.Diff(want, any(obj)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFastResources compares with what an embedded resource becomes.
func TestFastResources(t *testing.T) {
	e := &Embedded{Schema: enginetest.MustCompile(t, []byte(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`)), IsResource: true}
	resource := func(members ...any) map[string]any {
		m := map[string]any{"apiVersion": "v1", "kind": "X"}
		for i := 0; i < len(members); i += 2 {
			m[members[i].(string)] = members[i+1]
		}
		return m
	}
	for _, tt := range []struct {
		m    map[string]any
		want bool
	}{
		{resource(), true},
		{resource("other", "x"), true},
		{resource("apiVersion", "a.b/v1"), true},
		{resource("apiVersion", "a/b/c"), false},
		{resource("apiVersion", ""), false},
		{resource("apiVersion", nil), false},
		{resource("kind", ""), false},
		{resource("kind", nil), false},
		{resource("kind", "a b"), false},
		{resource("metadata", nil), false},
		{resource("metadata", "x"), false},
		{resource("metadata", map[string]any{}), true},
		{resource("metadata", map[string]any{"name": "a", "namespace": "b"}), true},
		{resource("metadata", map[string]any{"name": "a/b"}), false},
		{resource("metadata", map[string]any{"namespace": "A"}), false},
		{resource("metadata", map[string]any{"generateName": ".."}), true},
		{resource("metadata", map[string]any{"generateName": "a/"}), false},
		{resource("metadata", map[string]any{"labels": map[string]any{"a": "b c"}}), false},
		{resource("metadata", map[string]any{"labels": map[string]any{}}), false}, // is dropped
		{resource("metadata", map[string]any{"unknown": "x"}), false},
		{map[string]any{}, false},
		{nil, false},
	} {
		if got := canonicalResource(tt.m) && fastValidResource(tt.m); got != tt.want {
			t.Errorf("the fast verdict on %v is %t", tt.m, got)
		}
		if !tt.want {
			continue
		}
		obj := jsonval.Clone(tt.m).(map[string]any)
		unknown, err := e.Coerce(obj, Options{ReportUnknown: true})
		if diff := cmp.Diff(tt.m, obj); diff != "" || err != nil || len(unknown) > 0 || len(e.Validate(obj)) > 0 {
			t.Errorf("%v is not left alone: %v %v %v\n%s", tt.m, unknown, err, e.Validate(obj), diff)
		}
	}
}
