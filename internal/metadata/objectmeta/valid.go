package objectmeta

import (
	"slices"
	"strings"
	"unicode"

	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"

	"github.com/crdkit/crdkit/internal/metadata/objectname"
)

// The functions in this file accept metadata that is certainly valid. Metadata that they
// do not accept may still be valid: then the rules of apimachinery decide, and word the
// errors.

// maxAnnotations is the largest size of annotations that is accepted here. Text may have
// more bytes than its string, and JSON makes three bytes of a byte that is not UTF-8.
const maxAnnotations = metavalidation.TotalAnnotationSizeLimitB / 3

// ValidCreate reports whether the metadata of a new object is certainly valid.
// [Meta.Validate] and [Meta.ValidateCommon] then find no problem.
func (m *Meta) ValidCreate(namespaced bool) bool {
	return objectname.IsSubdomain(m.Name) && (m.GenerateName == "" || objectname.IsSubdomainPrefix(m.GenerateName)) &&
		m.validNamespace(namespaced) && m.validFinalizers() && m.validCommon()
}

// ValidUpdate reports whether the metadata of an object that replaces old is certainly
// valid, apart from the resource version. If it has one, [Meta.Validate] and
// [Meta.ValidateCommon] find no problem.
func (m *Meta) ValidUpdate(old *Meta, namespaced bool) bool {
	return m.Name != "" && m.validEmbedded() && m.validNamespace(namespaced) && !old.unusual &&
		m.Generation >= old.Generation && (old.deleted == "" || slices.Equal(m.finalizers, old.finalizers)) &&
		m.Name == old.Name && m.Namespace == old.Namespace && m.UID == old.UID &&
		m.created == old.created && m.deleted == old.deleted && m.gracePeriod == old.gracePeriod
}

// validEmbedded reports whether the metadata of an embedded resource is certainly valid.
func (m *Meta) validEmbedded() bool {
	return objectname.IsPathName(m.Name) && objectname.IsPathPrefix(m.GenerateName) &&
		(m.Namespace == "" || objectname.IsLabel(m.Namespace)) && m.validFinalizers() && m.validCommon()
}

func (m *Meta) validNamespace(namespaced bool) bool {
	if namespaced {
		return objectname.IsLabel(m.Namespace)
	}
	return m.Namespace == ""
}

func (m *Meta) validFinalizers() bool {
	for _, f := range m.finalizers {
		if !objectname.IsQualifiedName(f, false) {
			return false
		}
	}
	return !slices.Contains(m.finalizers, metav1.FinalizerOrphanDependents) || !slices.Contains(m.finalizers, metav1.FinalizerDeleteDependents)
}

// validCommon checks what the rules for all objects have in common.
func (m *Meta) validCommon() bool {
	if m.unusual || m.Generation < 0 {
		return false
	}
	for _, p := range m.labels {
		if !objectname.IsLabelValue(p.value) || !objectname.IsQualifiedName(p.key, false) {
			return false
		}
	}
	size := 0
	for _, p := range m.annotations {
		if !objectname.IsQualifiedName(p.key, true) {
			return false
		}
		size += len(p.key) + len(p.value)
	}
	controllers := 0
	for i := range m.owners {
		if !m.owners[i].valid() {
			return false
		}
		if m.owners[i].controller.value {
			controllers++
		}
	}
	for i := range m.managed {
		if !m.managed[i].valid() {
			return false
		}
	}
	return size <= maxAnnotations && controllers <= 1
}

// valid reports whether an owner reference, whose strings are not empty, is valid. The rules
// refuse Events of the core group only.
func (o *owner) valid() bool {
	_, version, grouped := strings.Cut(o.apiVersion, "/")
	if !grouped {
		version = o.apiVersion
	}
	return version != "" && !strings.Contains(version, "/") && o.kind != "Event"
}

func (e *managedEntry) valid() bool {
	return isOperation(e.operation) && (e.fieldsType == "" || e.fieldsType == "FieldsV1") &&
		len(e.subresource) <= metav1validation.MaxSubresourceNameLength &&
		len(e.manager) <= metav1validation.FieldManagerMaxLength && !strings.ContainsFunc(e.manager, isNotPrint)
}

func isOperation(s string) bool {
	return s == string(metav1.ManagedFieldsOperationApply) || s == string(metav1.ManagedFieldsOperationUpdate)
}

func isNotPrint(r rune) bool { return !unicode.IsPrint(r) }
