package objectmeta

import (
	"strings"
	"unicode"

	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"

	"github.com/crdkit/crdkit/internal/objectname"
)

// The functions in this file accept metadata that is certainly valid. If they
// do not accept it, the rules of apimachinery must decide: it may still be
// valid.

// maxFastAnnotations is the largest size of annotations that is accepted here.
// JSON makes three bytes of a byte that is not UTF-8.
const maxFastAnnotations = metavalidation.TotalAnnotationSizeLimitB / 3

// fastValidCommon checks what the rules for all objects have in common: labels,
// annotations, owners, managed fields, and the types of all other members.
func fastValidCommon(m map[string]any) bool {
	if m == nil {
		return false
	}
	for name, v := range m {
		if v == nil {
			if memberOf(name) == memberUnknown {
				return false
			}
			continue
		}
		if !fastValidMember(name, v) {
			return false
		}
	}
	return true
}

func fastValidMember(name string, v any) bool {
	switch kind := memberOf(name); kind {
	case memberText:
		_, ok := v.(string)
		return ok
	case memberGeneration:
		generation, ok := v.(int64)
		return ok && generation >= 0
	case memberStrings:
		if name == "labels" {
			return fastValidLabels(v)
		}
		return fastValidAnnotations(v)
	case memberOwners:
		return fastValidOwners(v)
	case memberFinalizers:
		return canonicalList(v, anyCanonicalString)
	case memberManaged:
		return canonicalList(v, fastValidManaged)
	default:
		return kind.canonical(v)
	}
}

func fastValidLabels(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for k, v := range m {
		s, ok := v.(string)
		if !ok || !objectname.IsLabelValue(s) || !objectname.IsQualifiedName(k, false) {
			return false
		}
	}
	return true
}

func fastValidAnnotations(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	size := 0
	for k, v := range m {
		s, ok := v.(string)
		if !ok || !objectname.IsQualifiedName(k, true) {
			return false
		}
		size += len(k) + len(s)
	}
	return size <= maxFastAnnotations
}

func fastValidOwners(v any) bool {
	list, ok := v.([]any)
	if !ok {
		return false
	}
	controllers := 0
	for _, e := range list {
		if !canonicalOwner(e) || !fastValidOwner(e.(map[string]any)) {
			return false
		}
		if e.(map[string]any)["controller"] == true {
			controllers++
		}
	}
	return controllers <= 1
}

// fastValidOwner checks an owner reference that is canonical.
func fastValidOwner(m map[string]any) bool {
	return m["name"] != "" && m["uid"] != "" && fastValidOwnerType(m["apiVersion"].(string), m["kind"].(string))
}

// fastValidOwnerType checks the type of an owner. No rule refuses Events of all groups, but
// this does.
func fastValidOwnerType(apiVersion, kind string) bool {
	if slash := strings.IndexByte(apiVersion, '/'); apiVersion == "" ||
		slash == len(apiVersion)-1 || slash >= 0 && strings.IndexByte(apiVersion[slash+1:], '/') >= 0 {
		return false
	}
	return kind != "" && kind != "Event"
}

func fastValidFinalizers(v any) bool {
	list, _ := v.([]any)
	orphan, foreground := false, false
	for _, e := range list {
		s, ok := e.(string)
		if !ok || !objectname.IsQualifiedName(s, false) {
			return false
		}
		orphan = orphan || s == metav1.FinalizerOrphanDependents
		foreground = foreground || s == metav1.FinalizerDeleteDependents
	}
	return !orphan || !foreground
}

func fastValidManaged(v any) bool {
	if !canonicalManaged(v) {
		return false
	}
	m := v.(map[string]any)
	if !fastManagedOperation(text(m, "operation")) {
		return false
	}
	if fieldsType, ok := m["fieldsType"]; ok && fieldsType != "FieldsV1" {
		return false
	}
	subresource, _ := m["subresource"].(string)
	manager, _ := m["manager"].(string)
	return len(subresource) <= metav1validation.MaxSubresourceNameLength && fastValidManager(manager)
}

func fastValidManager(s string) bool {
	if len(s) > metav1validation.FieldManagerMaxLength {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// text returns a member that is a string, "" if it is absent or another type.
func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// fastValidEmbedded checks the metadata of an embedded resource.
func fastValidEmbedded(m map[string]any) bool {
	namespace := text(m, "namespace")
	return fastValidCommon(m) && fastValidFinalizers(m["finalizers"]) &&
		objectname.IsPathPrefix(text(m, "generateName")) && objectname.IsPathName(text(m, "name")) &&
		(namespace == "" || objectname.IsLabel(namespace))
}

// fastValidCreate checks the metadata of a new object.
func fastValidCreate(m map[string]any, namespaced bool) bool {
	prefix := text(m, "generateName")
	return fastValidCommon(m) && fastValidFinalizers(m["finalizers"]) &&
		objectname.IsSubdomain(text(m, "name")) && (prefix == "" || objectname.IsSubdomainPrefix(prefix)) &&
		fastValidNamespace(text(m, "namespace"), namespaced)
}

func fastValidNamespace(namespace string, namespaced bool) bool {
	if namespaced {
		return objectname.IsLabel(namespace)
	}
	return namespace == ""
}

// fastValidCommonCreate checks metadata by the rules for all resources.
func fastValidCommonCreate(m map[string]any, namespaced bool) bool {
	name := text(m, "name")
	return fastValidCommon(m) && fastValidFinalizers(m["finalizers"]) &&
		name != "" && objectname.IsPathName(name) && objectname.IsPathPrefix(text(m, "generateName")) &&
		fastValidNamespace(text(m, "namespace"), namespaced)
}

// fastValidUpdate checks metadata m that replaces old.
func fastValidUpdate(m, old map[string]any) bool {
	if !fastValidCommon(m) || roundTripVerdict(old) == verdictDeclined || text(m, "resourceVersion") == "" {
		return false
	}
	generation, _ := m["generation"].(int64)
	before, _ := old["generation"].(int64)
	if generation < before || old["deletionTimestamp"] != nil && !sameList(m["finalizers"], old["finalizers"]) {
		return false
	}
	for _, name := range [...]string{"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"} {
		if text(m, name) != text(old, name) {
			return false
		}
	}
	return m["deletionGracePeriodSeconds"] == old["deletionGracePeriodSeconds"]
}

// sameList reports whether a and b are equal lists of strings.
func sameList(a, b any) bool {
	x, _ := a.([]any)
	y, _ := b.([]any)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if s, ok := x[i].(string); !ok || y[i] != s {
			return false
		}
	}
	return true
}
