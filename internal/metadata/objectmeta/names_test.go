package objectmeta

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
)

// A generated name has at most 58 characters of its prefix.
func TestPlaceholderName(t *testing.T) {
	for prefix, want := range map[string]string{
		"":                      "00000",
		"a-":                    "a-00000",
		strings.Repeat("a", 57): strings.Repeat("a", 57) + "00000",
		strings.Repeat("a", 58): strings.Repeat("a", 58) + "00000",
		strings.Repeat("a", 59): strings.Repeat("a", 58) + "00000",
	} {
		if got := PlaceholderName(prefix); got != want {
			t.Errorf("PlaceholderName(%s) = %s, want %s", prefix, got, want)
		}
	}
}

// The fast checks of metadata accept as much as their limits say, and no more.
func TestFastLimitsAreExact(t *testing.T) {
	fields := func(depth int) any {
		v := any(map[string]any{})
		for range depth - 1 {
			v = map[string]any{"f:a": v}
		}
		return v
	}
	for name, limit := range map[string]struct {
		most    int
		accepts func(n int) bool
	}{
		"levels of a field set": {maxFieldsDepth, func(n int) bool { return isFieldSet(fields(n), maxFieldsDepth) }},
		"bytes of annotations": {maxAnnotations, func(n int) bool {
			return fastCreate(map[string]any{"name": "a", "annotations": map[string]any{"k": strings.Repeat("v", n-3), "l": "v"}})
		}},
	} {
		if !limit.accepts(limit.most) || limit.accepts(limit.most+1) {
			t.Errorf("%s: %d are accepted: %t; one more: %t", name, limit.most, limit.accepts(limit.most), limit.accepts(limit.most+1))
		}
	}
	for _, v := range []any{nil, "text", map[string]any(nil), map[string]any{"f:a": map[string]any(nil)}, map[string]any{"f:a": "text"}, map[string]any{"\xff": map[string]any{}}} {
		if isFieldSet(v, maxFieldsDepth) {
			t.Errorf("%v is a field set", v)
		}
	}
	if m := readMap(withMetadata("ownerReferences", []any{map[string]any{"apiVersion": "v1", "kind": "A", "name": "a"}})); !m.unusual {
		t.Error("an owner reference without a uid is canonical")
	}
}

// The paths of unknown fields are in the order of their texts, not of the list.
func TestUnknownFieldsAreSorted(t *testing.T) {
	n := enginetest.MustCompileYAML(t, "{type: object, properties: {l: {type: array, items: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}")
	var list []any
	for range 11 {
		list = append(list, map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "a", "x": int64(1)}})
	}
	unknown, err := (&Embedded{Schema: n}).Coerce(map[string]any{"l": list}, Options{ReportUnknown: true})
	if err != nil || len(unknown) != len(list) || unknown[1].String() != "l[10].metadata.x" {
		t.Errorf("unknown fields %v, %v", unknown, err)
	}
}
