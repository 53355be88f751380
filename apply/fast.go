package apply

import (
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// The fast merge does what the field manager of apimachinery does for most applies: all
// managers wrote at the version of the request, and the configuration has all fields that
// its manager applied before. It works on the maps of the object and of fieldsV1, without
// typed values and sets. It declines all other applies, and all that end with an error
// other than a conflict. TestFastMerge compares it with the field manager.

// An entry is an entry of managedFields that is written as the server writes it.
type entry struct {
	object                          map[string]any
	manager, operation, subresource string
	fields                          fieldSet
}

// entriesFor returns the entries of an object. It reports false for an entry that the
// field manager would write in another way, and for one at another version.
func (a *Applier) entriesFor(obj *unstructured.Unstructured) ([]entry, bool) {
	metadata, _ := obj.Object["metadata"].(map[string]any)
	list, _ := metadata["managedFields"].([]any)
	out := make([]entry, 0, len(list)+1)
	for _, v := range list {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		e, ok := a.readEntry(object)
		if !ok || slices.ContainsFunc(out, func(other entry) bool {
			return other.manager == e.manager && other.operation == e.operation && other.subresource == e.subresource
		}) {
			return nil, false
		}
		out = append(out, e)
	}
	return out, len(out) > 0
}

func (a *Applier) readEntry(object map[string]any) (entry, bool) {
	e, known := entry{object: object}, 0
	for name, v := range object {
		if name == "fieldsV1" {
			e.fields, _ = v.(map[string]any)
			continue
		}
		text, ok := v.(string)
		if !ok || text == "" {
			return entry{}, false
		}
		switch name {
		case "manager":
			e.manager = text
		case "operation":
			e.operation, ok = text, text == string(metav1.ManagedFieldsOperationApply) || text == string(metav1.ManagedFieldsOperationUpdate)
			known++
		case "apiVersion":
			ok = text == a.version.GroupVersionKind().GroupVersion().String()
			known++
		case "fieldsType":
			ok = text == "FieldsV1"
			known++
		case "subresource":
			e.subresource = text
		case "time":
			at, err := time.Parse(time.RFC3339, text)
			ok = err == nil && at.UTC().Format(time.RFC3339) == text
		default:
			ok = false
		}
		if !ok {
			return entry{}, false
		}
	}
	return e, known == 3 && e.manager != "" && isCanonical(e.fields, 0)
}

// fastMerge returns the merged object with its managers, which shares no memory with live
// and config, or the conflicts that prevent it. It reports false if it declines.
func (a *Applier) fastMerge(s subresource, live, config *unstructured.Unstructured, manager string, force bool) (*unstructured.Unstructured, *conflictError, bool) {
	root := a.root()
	if root == nil || a.reference || live == nil || config.GroupVersionKind() != a.version.GroupVersionKind() || hasManagers(config) {
		return nil, nil, false
	}
	entries, ok := a.entriesFor(live)
	if !ok || !root.fitsLive(live) || manager == kubectlManager && (hasLastApplied(live) || hasLastApplied(config)) {
		return nil, nil, false
	}
	for _, e := range entries {
		if !root.object.keeps(e.fields) {
			return nil, nil, false
		}
	}
	m := &merging{}
	result, ok := m.merge(root, present{live.Object, true}, config.Object, 0)
	if !ok {
		return nil, nil, false
	}
	for _, name := range a.resetNames(s) {
		delete(result.owned, fieldPrefix+name)
		delete(result.changed, fieldPrefix+name)
	}
	stripped(result.owned)
	own := slices.IndexFunc(entries, func(e entry) bool {
		return e.manager == manager && e.operation == string(metav1.ManagedFieldsOperationApply) && e.subresource == string(s)
	})
	if len(result.owned) == 0 || own >= 0 && !covers(result.owned, entries[own].fields) {
		return nil, nil, false
	}
	if len(result.changed) > 0 {
		if found := conflictsWith(entries, own, result.changed); len(found) > 0 && !force {
			if manager == kubectlManager {
				return nil, nil, false
			}
			conflict, err := newConflictError(found, live, config)
			return nil, conflict, err == nil
		}
	}
	return a.assemble(s, live, result, entries, own, manager, m.changed), nil, true
}

// kubectlManager is the manager for which the field manager looks at the annotation
// [LastApplied].
const kubectlManager = "kubectl"

func hasLastApplied(obj *unstructured.Unstructured) bool {
	metadata, _ := obj.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	_, found := annotations[LastApplied]
	return found
}

func hasManagers(obj *unstructured.Unstructured) bool {
	metadata, ok := obj.Object["metadata"].(map[string]any)
	_, found := metadata["managedFields"]
	return !ok || found
}

// fitsLive is fits for an object whose entries of managedFields are canonical.
func (a *atom) fitsLive(live *unstructured.Unstructured) bool {
	for name, value := range live.Object {
		member, _ := a.object.member(name)
		if member == nil || name != "metadata" && !member.fits(value, 1) {
			return false
		}
		if name != "metadata" {
			continue
		}
		metadata, ok := value.(map[string]any)
		if !ok || member.object == nil || member.object.atomic {
			return false
		}
		for name, value := range metadata {
			if m, _ := member.object.member(name); m == nil || name != "managedFields" && !m.fits(value, 2) {
				return false
			}
		}
	}
	return true
}

// resetNames returns the members of the object that a request cannot set.
func (a *Applier) resetNames(s subresource) []string {
	reset := a.reset[s][fieldpath.APIVersion(a.version.GroupVersionKind().GroupVersion().String())]
	var out []string
	for _, name := range [...]string{"metadata", "spec", "status"} {
		if reset != nil && reset.Has(fieldpath.MakePathOrDie(name)) {
			out = append(out, name)
		}
	}
	return out
}

// stripped drops what nobody owns from a set.
func stripped(owned fieldSet) {
	drop := func(set fieldSet, names ...string) {
		for _, name := range names {
			if part, ok := set[fieldPrefix+name].(map[string]any); ok {
				delete(part, self)
				if len(part) == 0 {
					delete(set, fieldPrefix+name)
				}
			}
		}
	}
	if metadata, ok := owned["f:metadata"].(map[string]any); ok {
		drop(metadata, "name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion")
	}
	drop(owned, "apiVersion", "kind", "metadata")
}

// assemble returns the merged object with its managers.
func (a *Applier) assemble(s subresource, live *unstructured.Unstructured, result merged, entries []entry, own int, manager string, changed bool) *unstructured.Unstructured {
	object := live.Object
	if changed {
		object = result.value.(map[string]any)
	}
	obj := withoutManagers(object)
	if changed {
		defaulter{a}.Default(obj)
	}
	var list []map[string]any
	for i, e := range entries {
		if i == own {
			continue
		}
		object := e.object
		if taken := intersect(e.fields, result.changed); taken != nil {
			left := subtract(e.fields, taken)
			if len(left) == 0 {
				continue
			}
			object = cloneOf(object, 0)
			object["fieldsV1"] = left
		}
		list = append(list, jsonval.Clone(object).(map[string]any))
	}
	mine := map[string]any{"manager": manager, "operation": string(metav1.ManagedFieldsOperationApply), "apiVersion": obj.GetAPIVersion(), "fieldsType": "FieldsV1", "fieldsV1": result.owned}
	if s != mainResource {
		mine["subresource"] = string(s)
	}
	if own >= 0 {
		if at, ok := entries[own].object["time"]; ok {
			mine["time"] = at
		}
	}
	if changed {
		mine["time"] = a.clock().UTC().Truncate(time.Second).Format(time.RFC3339)
	}
	list = append(list, mine)
	slices.SortStableFunc(list, compareEntries)
	setEntries(obj, list)
	return obj
}

// withoutManagers returns a copy of an object with metadata, without managedFields.
func withoutManagers(object map[string]any) *unstructured.Unstructured {
	object = maps.Clone(object)
	metadata := maps.Clone(object["metadata"].(map[string]any))
	delete(metadata, "managedFields")
	object["metadata"] = metadata
	return &unstructured.Unstructured{Object: jsonval.Clone(object).(map[string]any)}
}

// setEntries sets managedFields of an object with metadata.
func setEntries(obj *unstructured.Unstructured, entries []map[string]any) {
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = e
	}
	obj.Object["metadata"].(map[string]any)["managedFields"] = list
}

// conflictsWith returns the fields of each entry but one that a request would change.
func conflictsWith(entries []entry, own int, changed fieldSet) []conflicting {
	var out []conflicting
	for i, e := range entries {
		if i == own {
			continue
		}
		if fields := intersect(e.fields, changed); fields != nil {
			out = append(out, conflicting{e, fields})
		}
	}
	slices.SortFunc(out, func(a, b conflicting) int { return strings.Compare(a.identifier(), b.identifier()) })
	return out
}
