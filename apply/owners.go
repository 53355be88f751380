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
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// An Owner is a manager that owns a field.
type Owner struct {
	Manager     string                            `json:"manager"`
	Operation   metav1.ManagedFieldsOperationType `json:"operation"`
	Subresource string                            `json:"subresource,omitempty"` // "" for the object itself
	APIVersion  string                            `json:"-"`                     // the version at which the manager wrote
	// Time is the time of the manager's last write, which may be of another field. It is zero if
	// unknown.
	Time time.Time `json:"-"`
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

// Owners returns the fields that managers of obj own, sorted by path. It returns an error for
// malformed managedFields. obj is not changed. The values in the fields share memory with it.
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

// pathsByText returns the paths of all fields that have an owner. If no field has an owner, it
// returns the paths of all fields, because an apply makes the manager "before-first-apply" own all
// of them.
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

// A FieldChange is a field whose value or whose owners an apply changes.
type FieldChange struct {
	// Path is the field in the words of the server, such as .spec.env[name="A"].value.
	Path string
	// Before and After are the values, nil if the object does not have the field.
	Before, After any
	// OwnersBefore and OwnersAfter are the owners in the order of metadata.managedFields.
	OwnersBefore, OwnersAfter []Owner
}

// String returns a line such as
//
//	.spec.replicas: 1 -> 3, owned by autoscaler (Update of scale) -> deployer (Apply)
func (c FieldChange) String() string {
	text := c.Path + ": " + valueText(c.Before)
	if after := valueText(c.After); after != valueText(c.Before) {
		text += " -> " + after
	}
	before, after := ownersText(c.OwnersBefore), ownersText(c.OwnersAfter)
	switch {
	case before != after:
		text += ", owned by " + before + " -> " + after
	case len(c.OwnersAfter) > 0:
		text += ", owned by " + after
	}
	return text
}

func ownersText(owners []Owner) string {
	if len(owners) == 0 {
		return "nobody"
	}
	var names []string
	for _, o := range owners {
		names = append(names, o.Manager+" ("+o.how()+")")
	}
	return strings.Join(names, " and ")
}

// changes returns the fields that differ, sorted by path. It leaves out fields below a field that
// only one of the objects has.
func (a *Applier) changes(live, obj *unstructured.Unstructured) ([]FieldChange, error) {
	before, err := a.typed(live)
	if err != nil {
		return nil, err
	}
	after, err := a.typed(obj)
	if err != nil {
		return nil, err
	}
	compared, err := before.Compare(after)
	if err != nil {
		return nil, fmt.Errorf("apply: comparing the objects: %w", err)
	}
	ownersBefore, err := fieldsByPath(live)
	if err != nil {
		return nil, err
	}
	ownersAfter, err := fieldsByPath(obj)
	if err != nil {
		return nil, err
	}
	whole, paths := compared.Added.Union(compared.Removed), map[string]fieldpath.Path{}
	add := func(path fieldpath.Path) {
		if !isWithin(path, whole) {
			paths[path.String()] = path.Copy()
		}
	}
	whole.Iterate(add)
	compared.Modified.Iterate(add)
	for _, fields := range []map[string]Field{ownersBefore, ownersAfter} {
		for text, f := range fields {
			if !sameOwners(ownersBefore[text].Owners, ownersAfter[text].Owners) {
				add(f.path)
			}
		}
	}
	var out []FieldChange
	for _, text := range slices.Sorted(maps.Keys(paths)) {
		c := FieldChange{Path: text, OwnersBefore: ownersBefore[text].Owners, OwnersAfter: ownersAfter[text].Owners}
		c.Before, _ = lookup(live.Object, paths[text])
		c.After, _ = lookup(obj.Object, paths[text])
		out = append(out, c)
	}
	return out, nil
}

// typed returns the typed value of an object, without the fields that only the server sets.
func (a *Applier) typed(obj *unstructured.Unstructured) (*typed.TypedValue, error) {
	obj = obj.DeepCopy()
	for _, name := range []string{"generation", "managedFields", "resourceVersion"} {
		unstructured.RemoveNestedField(obj.Object, "metadata", name)
	}
	value, err := a.types.ObjectToTyped(obj, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("apply: comparing the objects: %w", err)
	}
	return value, nil
}

// isWithin reports whether a path is below a path in a set.
func isWithin(path fieldpath.Path, set *fieldpath.Set) bool {
	for i := 1; i < len(path); i++ {
		if set.Has(path[:i]) {
			return true
		}
	}
	return false
}

// sameOwners reports whether two lists have the same owners. Times are not compared.
func sameOwners(a, b []Owner) bool {
	return slices.EqualFunc(a, b, func(a, b Owner) bool {
		return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource
	})
}

func (o Owner) how() string {
	if o.Subresource == "" {
		return string(o.Operation)
	}
	return string(o.Operation) + " of " + o.Subresource
}

// keepTimes makes obj equal to live, if only times differ, as the store does. It returns false if
// anything else differs.
func keepTimes(obj, live *unstructured.Unstructured) bool {
	if !jsonval.Equal(withoutTimes(obj), withoutTimes(live)) {
		return false
	}
	now, before := entriesOf(obj), entriesOf(live)
	for i := range now {
		if at, ok := before[i]["time"]; ok {
			now[i]["time"] = at
		} else {
			delete(now[i], "time")
		}
	}
	return true
}

// withoutTimes returns an object without the times of managers. It shares memory with obj.
func withoutTimes(obj *unstructured.Unstructured) map[string]any {
	entries := entriesOf(obj)
	if len(entries) == 0 {
		return obj.Object
	}
	list := make([]any, len(entries))
	for i, entry := range entries {
		entry = maps.Clone(entry)
		delete(entry, "time")
		list[i] = entry
	}
	metadata := maps.Clone(obj.Object["metadata"].(map[string]any))
	metadata["managedFields"] = list
	object := maps.Clone(obj.Object)
	object["metadata"] = metadata
	return object
}
