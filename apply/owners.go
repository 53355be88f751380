package apply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// An Owner is a manager that owns a field.
type Owner struct {
	Manager     string
	Operation   metav1.ManagedFieldsOperationType
	Subresource string // "" for the object itself
	APIVersion  string // at which the manager wrote
	// Time is the last write of the manager, not of the field. It is zero if unknown.
	Time time.Time
}

// String returns a text such as
//
//	deployer (Apply, 2024-01-02T03:04:05Z)
func (o Owner) String() string {
	parts := []string{o.how()}
	if !o.Time.IsZero() {
		parts = append(parts, o.Time.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("%s (%s)", o.Manager, strings.Join(parts, ", "))
}

// A Field is a field of an object and its owners.
type Field struct {
	// Path is the field in the words of the server, such as .spec.env[name="A"].value.
	Path   string
	Owners []Owner // in the order of metadata.managedFields
	// Value is the value of the field, nil if the object does not have it.
	Value any

	path fieldpath.Path
}

// Owners returns the fields that managers of obj own, in increasing order of path. It
// returns an error for malformed managedFields. obj is not changed; values share memory
// with it.
func Owners(obj *unstructured.Unstructured) ([]Field, error) {
	byPath, err := fieldsByPath(obj)
	if err != nil {
		return nil, err
	}
	fields := make([]Field, 0, len(byPath))
	for _, text := range slices.Sorted(maps.Keys(byPath)) {
		fields = append(fields, byPath[text])
	}
	return fields, nil
}

// fieldsByPath returns the fields that managers of obj own.
func fieldsByPath(obj *unstructured.Unstructured) (map[string]Field, error) {
	if obj == nil {
		return nil, fmt.Errorf("apply: the object is nil")
	}
	if err := checkEntries(obj); err != nil {
		return nil, err
	}
	out := map[string]Field{}
	for i, entry := range obj.GetManagedFields() {
		set, err := setOf(entry)
		if err != nil {
			return nil, fmt.Errorf("apply: metadata.managedFields[%d] of %s: %w", i, entry.Manager, err)
		}
		owner := ownerOf(entry)
		set.Iterate(func(path fieldpath.Path) {
			text := path.String()
			f, found := out[text]
			if !found {
				f = Field{Path: text, path: path.Copy()}
				f.Value, _ = lookup(obj.Object, f.path)
			}
			f.Owners = append(f.Owners, owner)
			out[text] = f
		})
	}
	return out, nil
}

func ownerOf(entry metav1.ManagedFieldsEntry) Owner {
	o := Owner{Manager: entry.Manager, Operation: entry.Operation, Subresource: entry.Subresource, APIVersion: entry.APIVersion}
	if entry.Time != nil {
		o.Time = entry.Time.Time
	}
	return o
}

func setOf(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := &fieldpath.Set{}
	if entry.FieldsV1 == nil {
		return set, nil
	}
	return set, set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes()))
}

// pathsByText returns the paths of owned fields. Without managers "before-first-apply" owns
// all.
func (a *Applier) pathsByText(obj *unstructured.Unstructured) map[string]fieldpath.Path {
	fields, err := fieldsByPath(obj)
	if err != nil {
		return nil
	}
	out := map[string]fieldpath.Path{}
	for text, f := range fields {
		out[text] = f.path
	}
	if len(out) > 0 {
		return out
	}
	if value, err := a.typed(obj); err == nil {
		if set, err := value.ToFieldSet(); err == nil {
			set.Iterate(func(path fieldpath.Path) { out[path.String()] = path.Copy() })
		}
	}
	return out
}

func lookup(v any, path fieldpath.Path) (any, bool) {
	for _, element := range path {
		var ok bool
		if v, ok = member(v, element); !ok {
			return nil, false
		}
	}
	return v, true
}

// member returns the value that one element of a path denotes.
func member(v any, element fieldpath.PathElement) (any, bool) {
	if element.FieldName != nil {
		m, _ := v.(map[string]any)
		out, ok := m[*element.FieldName]
		return out, ok
	}
	list, _ := v.([]any)
	switch {
	case element.Index != nil:
		if i := *element.Index; i >= 0 && i < len(list) {
			return list[i], true
		}
	case element.Value != nil:
		for _, item := range list {
			if value.Equals(value.NewValueInterface(item), *element.Value) {
				return item, true
			}
		}
	case element.Key != nil:
		for _, item := range list {
			if m, ok := item.(map[string]any); ok && hasKey(m, *element.Key) {
				return item, true
			}
		}
	}
	return nil, false
}

// hasKey reports whether an item of a list of type map has a key.
func hasKey(item map[string]any, key value.FieldList) bool {
	for _, f := range key {
		got, ok := item[f.Name]
		if !ok || !value.Equals(value.NewValueInterface(got), f.Value) {
			return false
		}
	}
	return true
}

// valueText returns a value as short JSON, and "absent" for nil.
func valueText(v any) string {
	const most = 60
	if v == nil {
		return "absent"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	if len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "..."
	}
	return string(text)
}
