package objectmeta

import (
	"strings"
	"unicode"

	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
)

// The functions here know ordinary metadata that nothing is wrong with. What
// they do not accept may still be right; the rules of apimachinery say so.

// maxFastAnnotations bounds the size of annotations that are accepted here.
// JSON makes three bytes of one that is not UTF-8.
const maxFastAnnotations = metavalidation.TotalAnnotationSizeLimitB / 3

// fastValidCommon reports whether members that are checked alike everywhere are
// right: labels, annotations, owners, managed fields, and the types of all
// others.
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
		if !ok || !isLabelValue(s) || !isQualifiedName(k, false) {
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
		if !ok || !isQualifiedName(k, true) {
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

// fastValidOwner is asked about owner references as they are written.
func fastValidOwner(m map[string]any) bool {
	apiVersion, kind := m["apiVersion"].(string), m["kind"].(string)
	if slash := strings.IndexByte(apiVersion, '/'); apiVersion == "" ||
		slash == len(apiVersion)-1 || slash >= 0 && strings.IndexByte(apiVersion[slash+1:], '/') >= 0 {
		return false
	}
	return kind != "" && kind != "Event" && m["name"] != "" && m["uid"] != ""
}

func fastValidFinalizers(v any) bool {
	list, _ := v.([]any)
	orphan, foreground := false, false
	for _, e := range list {
		s, ok := e.(string)
		if !ok || !isQualifiedName(s, false) {
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
	if operation := m["operation"]; operation != "Apply" && operation != "Update" {
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

// text returns a member that is a string; "" stands for none.
func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// fastValidEmbedded: metadata of an embedded resource.
func fastValidEmbedded(m map[string]any) bool {
	namespace := text(m, "namespace")
	return fastValidCommon(m) && fastValidFinalizers(m["finalizers"]) &&
		isPathPrefix(text(m, "generateName")) && isPathName(text(m, "name")) &&
		(namespace == "" || isLabel(namespace))
}

// fastValidCreate: metadata of a new object.
func fastValidCreate(m map[string]any, namespaced bool) bool {
	prefix := text(m, "generateName")
	return fastValidCommon(m) && fastValidFinalizers(m["finalizers"]) &&
		isSubdomain(text(m, "name")) && (prefix == "" || isSubdomainPrefix(prefix)) &&
		fastValidNamespace(text(m, "namespace"), namespaced)
}

func fastValidNamespace(namespace string, namespaced bool) bool {
	if namespaced {
		return isLabel(namespace)
	}
	return namespace == ""
}

// fastValidCommonCreate: metadata of an object by the rules for all resources.
func fastValidCommonCreate(m map[string]any, namespaced bool) bool {
	name := text(m, "name")
	return fastValidCommon(m) && fastValidFinalizers(m["finalizers"]) &&
		name != "" && isPathName(name) && isPathPrefix(text(m, "generateName")) &&
		fastValidNamespace(text(m, "namespace"), namespaced)
}

// fastValidUpdate: metadata m of an object whose metadata was old.
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

// sameList reports whether two lists of strings are equal.
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
