package crdkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/versionsort"
)

// A Definition is a compiled CustomResourceDefinition. It is safe for concurrent use. Only
// [Definition.Close] changes it.
type Definition struct {
	name       string
	group      string
	kind       string
	plural     string
	namespaced bool
	names      crdversion.Claim // only set in a catalog
	// preserve keeps unknown fields of all objects (spec.preserveUnknownFields, from v1beta1).
	preserve  bool
	reference bool // use the reference implementations

	versions  []*Version // by priority
	byName    map[string]*Version
	storage   *Version
	converter heldConverter
	// noConverter is the error of conversions if there is no converter.
	noConverter error
}

// A heldConverter is the converter of a definition. Its Converter is nil if there is none.
type heldConverter struct {
	conversion.Converter
	own bool // Compile made it
}

// Compile prepares a definition for requests. It does not change or keep crd.
//
// The error lists everything that keeps the server from serving objects of the definition: schemas
// that are not structural, and rules that do not compile. It has the server's texts and field
// paths, and unwraps to *field.Error values.
//
// Work that cannot fail is done by the first request that needs it, not by Compile. Versions with
// the same schema share the result.
//
// If preserveUnknownFields is true, objects keep fields that their schema does not have.
// The schemas need not be structural then: they only decide which values are valid.
//
// If the strategy of the definition is Webhook, conversions call its webhook.
// [WithConverter] replaces or configures the call. If the webhook's address or certificates are
// unusable, the definition compiles, and conversions fail with conversion.ErrNoWebhook.
func Compile(crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) (*Definition, error) {
	if crd == nil {
		return nil, errors.New("crdkit: the definition is nil")
	}
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	cfg.limit = errorlimit.New(0)
	d, err := newDefinition(crd, cfg)
	if err != nil {
		return nil, err
	}
	if err := d.compileVersions(crd, cfg, interrupt.New(cfg.ctx)); err != nil {
		return nil, err
	}
	if err := d.setConverter(crd, cfg); err != nil {
		return nil, err
	}
	return d, nil
}

func newConfig(opts []Option) (config, error) {
	cfg := configOf(opts)
	return cfg, unknownVersion(cfg.version)
}

// newDefinition returns a definition without a converter, and compiles no version. It returns an
// error if crd lacks a field that every request needs.
func newDefinition(crd *apiextensionsv1.CustomResourceDefinition, cfg config) (*Definition, error) {
	d := &Definition{
		name:       crd.Name,
		group:      crd.Spec.Group,
		kind:       crd.Spec.Names.Kind,
		plural:     crd.Spec.Names.Plural,
		namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		preserve:   crd.Spec.PreserveUnknownFields,
		reference:  cfg.reference,
		byName:     make(map[string]*Version, len(crd.Spec.Versions)),
	}
	if err := d.checkShape(crd); err != nil {
		return nil, err
	}
	best := bestVersion(crd)
	for i := range crd.Spec.Versions {
		v := newVersion(d, &crd.Spec.Versions[i], best)
		d.versions = append(d.versions, v)
		d.byName[v.name] = v
		if v.storage {
			d.storage = v
		}
	}
	slices.SortFunc(d.versions, func(a, b *Version) int { return versionsort.Compare(a.name, b.name) })
	return d, nil
}

// setConverter sets the converter of the options, or else the converter that crd declares.
func (d *Definition) setConverter(crd *apiextensionsv1.CustomResourceDefinition, cfg config) error {
	if d.converter.Converter = cfg.converter; cfg.converter != nil {
		return nil
	}
	d.converter.Converter, d.noConverter = conversion.New(crd)
	d.converter.own = true
	if d.noConverter != nil && !errors.Is(d.noConverter, conversion.ErrNoWebhook) {
		return fmt.Errorf("crdkit: definition %s: %w", crd.Name, d.noConverter)
	}
	return nil
}

func (d *Definition) checkShape(crd *apiextensionsv1.CustomResourceDefinition) error {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	if d.group == "" {
		errs = append(errs, field.Required(spec.Child("group"), ""))
	}
	if d.kind == "" {
		errs = append(errs, field.Required(spec.Child("names", "kind"), ""))
	}
	if d.plural == "" {
		errs = append(errs, field.Required(spec.Child("names", "plural"), ""))
	}
	switch crd.Spec.Scope {
	case apiextensionsv1.ClusterScoped, apiextensionsv1.NamespaceScoped:
	case "":
		errs = append(errs, field.Required(spec.Child("scope"), ""))
	default:
		errs = append(errs, field.NotSupported(spec.Child("scope"), crd.Spec.Scope, []apiextensionsv1.ResourceScope{apiextensionsv1.ClusterScoped, apiextensionsv1.NamespaceScoped}))
	}
	errs = append(errs, crdversion.CheckVersions(crd.Spec.Versions, spec.Child("versions"), field.OmitValueType{})...)
	return d.wrong(errs, 0)
}

// wrong returns the error of Compile for errs. more is the number of errors that are not in errs.
// wrong returns nil if errs is empty.
func (d *Definition) wrong(errs field.ErrorList, more int) error {
	if len(errs) == 0 {
		return nil
	}
	return &wrongDefinition{cmp.Or(d.name, "without a name"), errs, more}
}

// A wrongDefinition is the error of Compile. Its text is made when Error is called.
type wrongDefinition struct {
	name string
	errs field.ErrorList
	more int // errors that are not in errs
}

func (e *wrongDefinition) Error() string {
	return "crdkit: definition " + e.name + ": " + e.Unwrap().Error()
}

func (e *wrongDefinition) Unwrap() error { return errorlist.OfSome(e.errs, e.more) }

func (d *Definition) compileVersions(crd *apiextensionsv1.CustomResourceDefinition, cfg config, watch *interrupt.Watch) error {
	var errs field.ErrorList
	for i := range crd.Spec.Versions {
		v := d.byName[crd.Spec.Versions[i].Name]
		if !watch.Poll() {
			errs = append(errs, v.compile(crd, i, cfg, d.earlierEqual(crd, i), watch)...)
		}
		if err := watch.Err(); err != nil {
			return fmt.Errorf("crdkit: definition %s: compiling ended early: %w", cmp.Or(d.name, "without a name"), err)
		}
	}
	return d.wrong(cfg.limit.Cut(errs), cfg.limit.Omitted())
}

// earlierVersions is the number of earlier versions that a version is compared with. Comparing all
// pairs may take longer than compiling all versions.
const earlierVersions = 16

// earlierEqual returns a compiled version with the schema of version i, or nil. It tries only the
// last [earlierVersions] before i.
func (d *Definition) earlierEqual(crd *apiextensionsv1.CustomResourceDefinition, i int) *Version {
	wanted := crdversion.Schema(&crd.Spec.Versions[i])
	if d.reference || wanted == nil {
		return nil
	}
	for j := max(0, i-earlierVersions); j < i; j++ {
		declared := &crd.Spec.Versions[j]
		earlier := d.byName[declared.Name]
		if props := crdversion.Schema(declared); props != nil && earlier.engines != nil && crdversion.SameSchema(wanted, props) {
			return earlier
		}
	}
	return nil
}

// Name returns the name of the definition, plural.group.
func (d *Definition) Name() string { return d.name }

// GroupKind returns the group and kind of the objects.
func (d *Definition) GroupKind() runtimeschema.GroupKind {
	return runtimeschema.GroupKind{Group: d.group, Kind: d.kind}
}

// Namespaced reports whether objects live in namespaces.
func (d *Definition) Namespaced() bool { return d.namespaced }

// Versions returns all versions, served or not, in the order of priority that
// clients see: the most stable and newest first.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority.
func (d *Definition) Versions() []*Version { return slices.Clone(d.versions) }

// Version returns the version with this name, served or not, and reports whether there is one.
func (d *Definition) Version(name string) (*Version, bool) {
	v, ok := d.byName[name]
	return v, ok
}

// VersionFor returns the version that the apiVersion of obj names. It returns an error if the
// definition does not serve that version, if obj is of another group or kind, if its apiVersion is
// malformed, and if obj is nil. [Definition.Version] also returns versions that are not served.
func (d *Definition) VersionFor(obj *unstructured.Unstructured) (*Version, error) {
	gvk, err := kindOf(obj)
	if err != nil {
		return nil, err
	}
	return d.servedVersion(gvk)
}

// kindOf returns the kind of an object. It returns an error if obj is nil, or if apiVersion
// or kind is malformed.
func kindOf(obj *unstructured.Unstructured) (runtimeschema.GroupVersionKind, error) {
	if obj == nil || obj.Object == nil {
		return runtimeschema.GroupVersionKind{}, errNil
	}
	gv, err := groupVersionOf(obj.Object)
	if err != nil {
		return runtimeschema.GroupVersionKind{}, fmt.Errorf("crdkit: apiVersion of the object: %w", err)
	}
	return gv.WithKind(obj.GetKind()), nil
}

func (d *Definition) servedVersion(gvk runtimeschema.GroupVersionKind) (*Version, error) {
	if v, ok := d.byName[gvk.Version]; ok && v.served && gvk.GroupKind() == d.GroupKind() {
		return v, nil
	}
	return nil, noMatch(gvk, "definition "+d.name+" does not serve it")
}

// noMatch returns the error for a kind that no version serves. It begins with the words of
// Kubernetes clients.
func noMatch(gvk runtimeschema.GroupVersionKind, why string) error {
	return fmt.Errorf("crdkit: no matches for kind %q in version %q: %s", gvk.Kind, gvk.GroupVersion(), why)
}

// Storage returns the version at which objects are stored.
func (d *Definition) Storage() *Version { return d.storage }

// Preferred returns the version that clients use if they may choose: the served
// version with the highest priority. It returns false if no version is served.
func (d *Definition) Preferred() (*Version, bool) {
	for _, v := range d.versions {
		if v.served {
			return v, true
		}
	}
	return nil, false
}

// Convert returns objs, in the same order, at one version. to is the name of the version. Convert
// follows the conversion strategy of the definition. It does not prune, default or validate;
// [Version.Read] returns objects as they are served. Convert does not change objs, but the results
// may share memory with them below their top-level fields; see [conversion.Converter].
func (d *Definition) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	if d.byName[to] == nil {
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s/%s", d.group, to)
	}
	if d.converter.Converter == nil {
		return nil, d.noConverter
	}
	return d.converter.Convert(orBackground(ctx), objs, to)
}

// Close closes the connections to the conversion webhook of the definition. Later requests
// that need the webhook return an error. Requests in progress end as usual. Close does
// nothing if there is no webhook, or if the caller set the converter by [WithConverter]. It
// may be called several times and by several goroutines.
func (d *Definition) Close() error {
	if c, ok := d.converter.Converter.(io.Closer); ok && d.converter.own {
		return c.Close()
	}
	return nil
}

func (d *Definition) closeIdle() {
	if c, ok := d.converter.Converter.(interface{ CloseIdleConnections() }); ok && d.converter.own {
		c.CloseIdleConnections()
	}
}

// convertOne is Convert for one object. It may change the object.
func (d *Definition) convertOne(ctx context.Context, obj *unstructured.Unstructured, to *Version) (*unstructured.Unstructured, error) {
	if obj.GetAPIVersion() == to.apiVersion() {
		return obj, nil
	}
	out, err := d.Convert(ctx, []*unstructured.Unstructured{obj}, to.name)
	if err != nil {
		return nil, err
	}
	if len(out) != 1 || out[0] == nil || out[0].Object == nil {
		return nil, fmt.Errorf("crdkit: the converter returned %d objects for one", len(out))
	}
	if got := out[0].GroupVersionKind(); got != to.GroupVersionKind() {
		return nil, fmt.Errorf("crdkit: the converter returned a %s, want a %s", got, to.GroupVersionKind())
	}
	return out[0], nil
}

// deprecation returns the warning of v, "" if v is not deprecated. If best is not nil, the server's
// default text recommends best.
func (d *Definition) deprecation(v, best *apiextensionsv1.CustomResourceDefinitionVersion) string {
	if !v.Deprecated {
		return ""
	}
	if v.DeprecationWarning != nil {
		return *v.DeprecationWarning
	}
	text := fmt.Sprintf("%s/%s %s is deprecated", d.group, v.Name, d.kind)
	if best != nil && versionsort.Compare(best.Name, v.Name) < 0 {
		text += fmt.Sprintf("; use %s/%s %s", d.group, best.Name, d.kind)
	}
	return text
}

// bestVersion returns the served version with the highest priority that is not deprecated, or nil.
func bestVersion(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionVersion {
	var best *apiextensionsv1.CustomResourceDefinitionVersion
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Served && !v.Deprecated && (best == nil || versionsort.Compare(v.Name, best.Name) < 0) {
			best = v
		}
	}
	return best
}
