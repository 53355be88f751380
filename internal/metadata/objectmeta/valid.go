package objectmeta

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/metadata/objectname"
	"github.com/crdkit/crdkit/schema"
)

// The functions that begin with Valid accept metadata that is certainly valid. For all other
// metadata, the rules of apimachinery decide and word the errors.

// maxAnnotations bounds the size of annotations that are accepted here. It is a third of the
// server's limit, because JSON writes a byte that is not UTF-8 as three bytes.
const maxAnnotations = metavalidation.TotalAnnotationSizeLimitB / 3

// ValidCreate reports whether new metadata is certainly valid for [Meta.Validate] and
// [Meta.ValidateCommon].
func (m *Meta) ValidCreate(namespaced bool) bool {
	return objectname.IsSubdomain(m.Name) && (m.GenerateName == "" || objectname.IsSubdomainPrefix(m.GenerateName)) &&
		m.validNamespace(namespaced) && m.validFinalizers() && m.validCommon()
}

// ValidUpdate reports whether the metadata of an update is certainly valid for [Meta.Validate] and
// [Meta.ValidateCommon]. The caller checks that the object has a resource version.
func (m *Meta) ValidUpdate(old *Meta, namespaced bool) bool {
	return m.Name != "" && m.validEmbedded() && m.validNamespace(namespaced) && !old.unusual &&
		m.Generation >= old.Generation && (old.deleted == "" || slices.Equal(m.finalizers, old.finalizers)) &&
		m.Name == old.Name && m.Namespace == old.Namespace && m.UID == old.UID &&
		m.created == old.created && m.deleted == old.deleted && m.gracePeriod == old.gracePeriod
}

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

// valid reports whether an owner reference is valid. Its strings must not be empty. An Event cannot
// be an owner.
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

// Validate returns the problems that the strategy for custom resources finds, sorted by field, type
// and detail. It returns nil if there are none. m must be read from a map. limit bounds and counts
// the problems. An object must have a namespace if and only if namespaced is true.
//
// If old is nil, the object is new and its name must be a DNS subdomain. Otherwise the problems
// are changes of immutable members, missing members, and new invalid values. The rules for an
// update of the status are the same.
func (m *Meta) Validate(old *Meta, namespaced bool, limit *errorlimit.Limit) []Problem {
	if m.valid(old, namespaced) {
		return nil
	}
	return m.problems(m.strategyErrors(old, namespaced), limit)
}

// ValidateCommon returns the problems that the generic registry finds.
//
//   - For a create, call it after every other check. It finds one problem that [Meta.Validate]
//     does not find: a slash or percent sign before the dash at the end of a generateName.
//   - For an update, its problems come before the problems of [Meta.Validate]. It applies the
//     rules for new objects and then the rules for updates.
func (m *Meta) ValidateCommon(old *Meta, namespaced bool, limit *errorlimit.Limit) []Problem {
	if m.valid(old, namespaced) {
		return nil
	}
	return m.problems(m.registryErrors(old, namespaced), limit)
}

func (m *Meta) valid(old *Meta, namespaced bool) bool {
	if old == nil {
		return m.ValidCreate(namespaced)
	}
	return m.ResourceVersion != "" && m.ValidUpdate(old, namespaced)
}

func (m *Meta) strategyErrors(old *Meta, namespaced bool) field.ErrorList {
	meta, errs := m.typed()
	if old == nil && len(errs) == 0 {
		return newObjectErrors(meta, rootPath(), namespaced, metavalidation.NameIsDNSSubdomain)
	}
	if old == nil {
		return errs
	}
	before, oldErrs := old.typed()
	if errs = append(errs, oldErrs...); len(errs) > 0 {
		return errs[:1]
	}
	return metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Update,
		meta, before, namespaced, nil, rootPath(), true)
}

// registryErrors returns the errors of the generic registry. It returns nil if the metadata cannot
// be decoded, because the strategy reports that.
func (m *Meta) registryErrors(old *Meta, namespaced bool) field.ErrorList {
	meta, invalid := m.typed()
	if len(invalid) > 0 {
		return nil
	}
	errs := metavalidation.ValidateObjectMetaAccessor(meta, namespaced, pathSegmentMessages, rootPath())
	if old == nil {
		return errs
	}
	before, invalid := old.typed()
	if len(invalid) > 0 {
		return nil
	}
	return append(errs, metavalidation.ValidateObjectMetaAccessorUpdate(meta, before, rootPath())...)
}

// typed decodes m.raw. If m.raw is nil, the result is empty.
func (m *Meta) typed() (*metav1.ObjectMeta, field.ErrorList) {
	meta := &metav1.ObjectMeta{}
	if m.raw == nil {
		return meta, nil
	}
	values, ok := m.raw.(map[string]any)
	err := fmt.Errorf("expected map[string]interface{}, got %T", m.raw)
	if ok {
		err = convert(values, meta)
	}
	if err == nil {
		return meta, nil
	}
	if ok {
		err = firstConvertError(values, err)
	}
	return nil, field.ErrorList{field.Invalid(rootPath(), m.raw, err.Error())}
}

// newObjectErrors applies the rules for new objects.
func newObjectErrors(meta *metav1.ObjectMeta, path *field.Path, namespaced bool, check metavalidation.ValidateNameFunc) field.ErrorList {
	return metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Create,
		meta, nil, namespaced, check, path, true)
}

func rootPath() *field.Path { return field.NewPath("metadata") }

// problems converts errors to problems, sorted and up to the limit.
func (m *Meta) problems(errs field.ErrorList, limit *errorlimit.Limit) []Problem {
	if errs = limit.Cut(errs); len(errs) == 0 {
		return nil
	}
	metadata, _ := m.raw.(map[string]any)
	l := newLocator(metadata, "metadata", "")
	problems := make([]Problem, len(errs))
	for i, err := range errs {
		problems[i] = Problem{Err: err, Pointer: l.pointer(err)}
	}
	slices.SortStableFunc(problems, compareProblems)
	return problems
}

func convert(m map[string]any, meta *metav1.ObjectMeta) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(m, meta)
}

// firstConvertError returns the first error of converting m, in the order of keys. err is the error
// of the converter, about a random key.
func firstConvertError(m map[string]any, err error) error {
	reduced := maps.Clone(m)
	for _, name := range [...]string{"labels", "annotations"} {
		entries, _ := m[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if v := entries[key]; v != nil && reflect.TypeOf(v).Kind() != reflect.String {
				reduced[name] = map[string]any{key: v}
				break
			}
		}
	}
	return cmp.Or(convert(reduced, &metav1.ObjectMeta{}), err)
}

const finalizerKubernetes = "kubernetes"

// FinalizerWarnings returns kube-apiserver's warnings about finalizers that old does not have,
// sorted. For a create, old is empty. The server does not warn in an update of the status.
func (m *Meta) FinalizerWarnings(old *Meta) []string {
	if !slices.ContainsFunc(m.finalizers, isWarnedOf) || slices.Equal(m.finalizers, old.finalizers) {
		return nil
	}
	before := make(map[string]bool, len(old.finalizers))
	for _, f := range old.finalizers {
		before[f] = true
	}
	var warnings []string
	for _, f := range slices.Compact(slices.Sorted(slices.Values(m.finalizers))) {
		if !before[f] {
			warnings = append(warnings, finalizerWarnings(f)...)
		}
	}
	return warnings
}

func isWarnedOf(name string) bool {
	return !objectname.IsQualifiedName(name, false) || !strings.Contains(name, "/") && !standardFinalizer(name)
}

func finalizerWarnings(name string) []string {
	var warnings []string
	if !objectname.IsQualifiedName(name, false) {
		for _, msg := range validation.IsQualifiedName(name) {
			warnings = append(warnings, "metadata.finalizers: "+strconv.Quote(name)+": "+msg)
		}
	}
	if strings.Contains(name, "/") || standardFinalizer(name) {
		return warnings
	}
	hint := ""
	if strings.Contains(name, ".") {
		hint = "including a path (/) "
	}
	return append(warnings, "metadata.finalizers: "+strconv.Quote(name)+": prefer a domain-qualified finalizer name "+hint+
		"to avoid accidental conflicts with other finalizer writers")
}

func standardFinalizer(name string) bool {
	return name == metav1.FinalizerOrphanDependents || name == metav1.FinalizerDeleteDependents || name == finalizerKubernetes
}

// ValidDefinition reports whether metadata of a new cluster-scoped object is certainly valid. It
// accepts only a name, labels and annotations. If it returns false, the rules of apimachinery
// decide.
func ValidDefinition(meta *metav1.ObjectMeta) bool {
	if meta.GenerateName != "" || meta.DeletionTimestamp != nil || meta.DeletionGracePeriodSeconds != nil ||
		len(meta.OwnerReferences)+len(meta.Finalizers)+len(meta.ManagedFields) > 0 {
		return false
	}
	m := New()
	defer m.Release()
	m.Name, m.Namespace, m.Generation = meta.Name, meta.Namespace, meta.Generation
	for k, v := range meta.Labels {
		m.labels = append(m.labels, pair{k, v})
	}
	for k, v := range meta.Annotations {
		m.annotations = append(m.annotations, pair{k, v})
	}
	return m.ValidCreate(false)
}

// A Problem is an error in metadata.
type Problem struct {
	Err *field.Error
	// Pointer is a JSON Pointer into the object. If the error is about an entry of labels,
	// annotations or finalizers, Pointer leads to the entry.
	Pointer string
	// SchemaPointer is a JSON Pointer to the schema of the embedded resource, "" for the root.
	SchemaPointer string
}

func compareProblems(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(a.Err.Field, b.Err.Field),
		cmp.Compare(a.Err.Type, b.Err.Type),
		cmp.Compare(a.Err.Detail, b.Err.Detail),
		cmp.Compare(a.Pointer, b.Pointer),
	)
}

// A locator finds the pointers of the errors in the metadata of one object.
type locator struct {
	metadata map[string]any
	field    string // field path of the metadata in errors
	parent   string // pointer to the object
	entries  map[string]map[string][]string
	located  map[locatedText]int // how many errors with this text were located
}

// Errors about several entries with equal values have the same locatedText.
type locatedText struct{ member, value, detail string }

func newLocator(metadata map[string]any, field, parent string) *locator {
	return &locator{metadata: metadata, field: field, parent: parent,
		entries: map[string]map[string][]string{}, located: map[locatedText]int{}}
}

func (l *locator) pointer(err *field.Error) string {
	rest, ok := strings.CutPrefix(err.Field, l.field)
	if !ok {
		return l.parent + "/" + err.Field[strings.LastIndexByte(err.Field, '.')+1:]
	}
	return l.parent + "/metadata" + pointerOf(rest) + l.element(rest, err)
}

// pointerOf converts a path such as .ownerReferences[0].uid to a JSON Pointer. The steps need no
// escaping.
func pointerOf(rest string) string {
	return strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(rest)
}

// element returns the pointer to the entry of labels, annotations or finalizers that has the key or
// value in the error. If several entries have the value, each call returns the next one.
func (l *locator) element(rest string, err *field.Error) string {
	value, ok := err.BadValue.(string)
	if !ok || err.Type != field.ErrorTypeInvalid {
		return ""
	}
	if rest != ".finalizers" && rest != ".labels" && rest != ".annotations" {
		return ""
	}
	if rest != ".finalizers" && err.Origin != "format=k8s-label-value" {
		return "/" + schema.EscapePointer(value)
	}
	entries := l.entriesOf(rest[1:])[value]
	if len(entries) == 0 {
		return ""
	}
	text := locatedText{rest, value, err.Detail}
	next := l.located[text]
	l.located[text]++
	if next >= len(entries) {
		next = 0
	}
	return entries[next]
}

// entriesOf returns the pointers to the entries of a member, grouped by value, in order of key or
// index. They are relative to the member.
func (l *locator) entriesOf(member string) map[string][]string {
	if entries, ok := l.entries[member]; ok {
		return entries
	}
	entries := map[string][]string{}
	add := func(value any, pointer string) {
		if text, ok := value.(string); ok {
			entries[text] = append(entries[text], pointer)
		}
	}
	switch v := l.metadata[member].(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			add(v[key], "/"+schema.EscapePointer(key))
		}
	case []any:
		for i, e := range v {
			add(e, "/"+strconv.Itoa(i))
		}
	}
	l.entries[member] = entries
	return entries
}
