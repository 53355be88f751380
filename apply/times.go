package apply

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// times replaces the times of managers by stand-ins while a field manager works, which
// reads the clock of the system. Afterwards a time that is no stand-in is one that the
// field manager has set, and becomes that of the clock of the request. The stand-ins are
// in the order of the times.
type times struct {
	standIns, originals map[string]string
	now                 time.Time
}

// newTimes returns the stand-ins for the times in the objects.
func newTimes(now time.Time, objs ...*unstructured.Unstructured) *times {
	t := &times{standIns: map[string]string{}, originals: map[string]string{}, now: now.UTC().Truncate(time.Second)}
	found := map[string]time.Time{}
	for _, obj := range objs {
		for _, entry := range entriesOf(obj) {
			if text, ok := entry["time"].(string); ok {
				if at, err := time.Parse(time.RFC3339, text); err == nil {
					found[text] = at
				}
			}
		}
	}
	texts := slices.SortedFunc(maps.Keys(found), func(a, b string) int { return cmp.Or(found[a].Compare(found[b]), cmp.Compare(a, b)) })
	past, future := time.Unix(0, 0), time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)
	rank, last := time.Duration(0), time.Time{}
	for i, text := range texts {
		at := found[text].Truncate(time.Second)
		if i == 0 || !at.Equal(last) {
			rank++
		}
		last = at
		base := past
		if at.After(t.now) {
			base = future
		}
		standIn := base.Add(rank * time.Second).UTC().Format(time.RFC3339)
		t.standIns[text] = standIn
		if _, ok := t.originals[standIn]; !ok {
			t.originals[standIn] = at.UTC().Format(time.RFC3339)
		}
	}
	return t
}

// hide replaces the times in obj, which must be a copy.
func (t *times) hide(obj *unstructured.Unstructured) {
	for _, entry := range entriesOf(obj) {
		if text, ok := entry["time"].(string); ok {
			if standIn, ok := t.standIns[text]; ok {
				entry["time"] = standIn
			}
		}
	}
}

// restore replaces stand-ins by the times, and sorts the entries as the server does.
func (t *times) restore(obj *unstructured.Unstructured) {
	entries := entriesOf(obj)
	for _, entry := range entries {
		text, ok := entry["time"].(string)
		if !ok {
			continue
		}
		if original, ok := t.originals[text]; ok {
			entry["time"] = original
		} else {
			entry["time"] = t.now.Format(time.RFC3339)
		}
	}
	slices.SortStableFunc(entries, compareEntries)
	if len(entries) == 0 {
		return
	}
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = e
	}
	obj.Object["metadata"].(map[string]any)["managedFields"] = list
}

func compareEntries(a, b map[string]any) int {
	text := func(m map[string]any, name string) string { s, _ := m[name].(string); return s }
	seconds := func(m map[string]any) int64 {
		at, err := time.Parse(time.RFC3339, text(m, "time"))
		if err != nil {
			return 0
		}
		return at.Unix()
	}
	return cmp.Or(
		cmp.Compare(text(a, "operation"), text(b, "operation")),
		cmp.Compare(seconds(a), seconds(b)),
		cmp.Compare(text(a, "manager"), text(b, "manager")),
		cmp.Compare(text(a, "apiVersion"), text(b, "apiVersion")),
		cmp.Compare(text(a, "subresource"), text(b, "subresource")),
	)
}

// checkEntries returns an error for managedFields that cannot be decoded.
func checkEntries(obj *unstructured.Unstructured) error {
	metadata, _ := obj.Object["metadata"].(map[string]any)
	raw, found := metadata["managedFields"]
	if !found {
		return nil
	}
	list, ok := raw.([]any)
	if !ok {
		return errors.New("apply: metadata.managedFields is no list")
	}
	for i, e := range list {
		entry, _ := e.(map[string]any)
		if entry == nil {
			return fmt.Errorf("apply: metadata.managedFields[%d] is no object", i)
		}
		var decoded metav1.ManagedFieldsEntry
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(entry, &decoded); err != nil {
			return fmt.Errorf("apply: metadata.managedFields[%d]: %w", i, err)
		}
	}
	return nil
}

// entriesOf returns the entries of managedFields that are objects, nil if one is not.
func entriesOf(obj *unstructured.Unstructured) []map[string]any {
	metadata, _ := obj.Object["metadata"].(map[string]any)
	list, _ := metadata["managedFields"].([]any)
	var out []map[string]any
	for _, e := range list {
		entry, ok := e.(map[string]any)
		if !ok {
			return nil
		}
		out = append(out, entry)
	}
	return out
}
