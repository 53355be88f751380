package definition

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

// metadata finds the pointers of the errors of apimachinery's rules for the metadata of a
// definition, which have a path and a value only.
type metadata struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	kept     []int                        // the original indexes of the owner references; nil if all are kept
	warnings []Warning                    // about duplicate owner references
	entries  map[string]map[string]string // by member and value, see entriesOf; made at the first use
}

const ownersPointer = "/metadata/ownerReferences"

// dropDuplicateOwners removes owner references that equal an earlier one from crd, as the
// server does before validation. It does not change the slice that crd has.
func dropDuplicateOwners(crd *apiextensionsv1.CustomResourceDefinition) *metadata {
	m := &metadata{crd: crd}
	kept, was, texts := objectmeta.UniqueOwners(crd.OwnerReferences)
	if len(texts) == 0 {
		return m
	}
	crd.OwnerReferences, m.kept = kept, was
	for _, text := range texts {
		m.warnings = append(m.warnings, Warning{Text: text, Pointer: ownersPointer})
	}
	return m
}

// plainPointer returns the pointer of a field without names that need escaping.
func plainPointer(field string) string {
	return "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(field)
}

// pointer returns the pointer of an error into the definition as it was given. Errors about
// annotations, labels and finalizers lead to the entry that has the value of the error.
func (m *metadata) pointer(err *field.Error) string {
	pointer := plainPointer(err.Field)
	if rest, ok := strings.CutPrefix(pointer, ownersPointer+"/"); ok && m.kept != nil {
		number, rest, _ := strings.Cut(rest+"/", "/")
		if i, err := strconv.Atoi(number); err == nil {
			return strings.TrimSuffix(ownersPointer+"/"+strconv.Itoa(m.kept[i])+"/"+rest, "/")
		}
	}
	if text, ok := err.BadValue.(string); ok {
		if entry, ok := m.entriesOf(pointer)[text]; ok {
			return pointer + "/" + schema.EscapePointer(entry)
		}
	}
	return pointer
}

// entriesOf returns the entries of annotations, labels or finalizers by what errors say of
// them: the key or the value. A key counts before a value, and the first of several entries
// with the same value.
func (m *metadata) entriesOf(pointer string) map[string]string {
	if entries, ok := m.entries[pointer]; ok {
		return entries
	}
	entries := map[string]string{}
	named := func(values map[string]string) {
		for _, key := range slices.Backward(slices.Sorted(maps.Keys(values))) {
			entries[values[key]] = key
		}
		for key := range values {
			entries[key] = key
		}
	}
	switch pointer {
	case "/metadata/annotations":
		named(m.crd.Annotations)
	case "/metadata/labels":
		named(m.crd.Labels)
	case "/metadata/finalizers":
		for i, text := range slices.Backward(m.crd.Finalizers) {
			entries[text] = strconv.Itoa(i)
		}
	}
	if m.entries == nil {
		m.entries = map[string]map[string]string{}
	}
	m.entries[pointer] = entries
	return entries
}

// located returns errors about the metadata, after it has told their pointers to the limit.
func (m *metadata) located(errs field.ErrorList, cfg *config) field.ErrorList {
	for _, err := range errs {
		cfg.limit.AtPointer(m.pointer(err), err)
	}
	return errs
}
