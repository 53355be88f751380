package apply

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// times replaces the times of managers by placeholders, because a field manager reads the system's
// clock. restore turns placeholders into the old times, and new times into t.now. The placeholder
// for seconds[i] is i, or placeholderFuture+i if seconds[i] > t.now.
type times struct {
	seconds []int64 // the times of managers, in increasing order
	now     int64   // the time of the request
}

// placeholderFuture is the beginning of the year 9000.
const placeholderFuture = 221845392000

func newTimes(now time.Time, objs ...*unstructured.Unstructured) *times {
	t := &times{now: now.Unix()}
	for _, obj := range objs {
		for _, entry := range entriesOf(obj) {
			if at, ok := timeOf(entry); ok {
				t.seconds = append(t.seconds, at)
			}
		}
	}
	slices.Sort(t.seconds)
	t.seconds = slices.Compact(t.seconds)
	return t
}

// timeOf returns the time of an entry. It reports false if there is none.
func timeOf(entry map[string]any) (seconds int64, ok bool) {
	text, _ := entry["time"].(string)
	at, err := time.Parse(time.RFC3339, text)
	return at.Unix(), err == nil
}

func timeText(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

// hide replaces the times in obj by placeholders. obj must be a copy.
func (t *times) hide(obj *unstructured.Unstructured) {
	for _, entry := range entriesOf(obj) {
		at, ok := timeOf(entry)
		if !ok {
			continue
		}
		i, _ := slices.BinarySearch(t.seconds, at)
		placeholder := int64(i)
		if at > t.now {
			placeholder += placeholderFuture
		}
		entry["time"] = timeText(placeholder)
	}
}

// restore replaces the placeholders by times, and sorts the entries as the server does.
func (t *times) restore(obj *unstructured.Unstructured) {
	entries := entriesOf(obj)
	for _, entry := range entries {
		if _, ok := entry["time"].(string); !ok {
			continue
		}
		at, _ := timeOf(entry)
		if at >= placeholderFuture {
			at -= placeholderFuture
		}
		if at >= 0 && at < int64(len(t.seconds)) {
			entry["time"] = timeText(t.seconds[at])
		} else {
			entry["time"] = timeText(t.now)
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
	first, _ := timeOf(a)
	second, _ := timeOf(b)
	return cmp.Or(
		cmp.Compare(text(a, "operation"), text(b, "operation")),
		cmp.Compare(first, second),
		cmp.Compare(text(a, "manager"), text(b, "manager")),
		cmp.Compare(text(a, "apiVersion"), text(b, "apiVersion")),
		cmp.Compare(text(a, "subresource"), text(b, "subresource")),
	)
}

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

// entriesOf returns the entries of managedFields. It returns nil if one is not an object.
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
