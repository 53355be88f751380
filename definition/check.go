package definition

import (
	"context"
	"fmt"
	"math"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/validation"
)

// A Report is the answer of kube-apiserver to a definition, with advice of this package. It belongs
// to the caller, but the values of its errors may be parts of the definition.
type Report struct {
	// Errors are the server's errors, sorted by field, type and detail; some are repeated.
	// Step is "definition". Pointer leads into the definition as it was given. Field is a path in
	// the server's internal form, see "Semantics" above.
	Errors validation.ErrorList
	// Omitted is the number of errors that [MaxErrors] keeps out of Errors.
	Omitted int
	// Warnings are the server's warnings, in this order: about duplicate owner references, about
	// unknown formats (one for each use), about lists of type set whose elements cannot be
	// compared. Refused definitions have warnings too.
	Warnings []Warning
	// Notes are advice of this package, sorted by pointer, code and text. Only [WithNotes] adds
	// them.
	Notes []Note
	// Undecided is nil if there is a verdict. Otherwise it is the error of the context that ended,
	// and Errors has one internal error.
	Undecided error
}

// A Warning is a warning of the server.
type Warning struct {
	Text    string // the server's
	Pointer string // into the definition, as a JSON Pointer (RFC 6901)
}

// String returns the text.
func (w Warning) String() string { return w.Text }

// Accepted reports whether the server accepts the definition.
func (r *Report) Accepted() bool { return len(r.Errors) == 0 }

// Err returns all errors as one, or nil if there are none. Its text counts the omitted ones. If
// there is no verdict, the error wraps [Report.Undecided].
func (r *Report) Err() error {
	if r.Undecided != nil {
		return fmt.Errorf("definition: the check ended before it was done: %w", r.Undecided)
	}
	errs := make([]error, len(r.Errors))
	for i, e := range r.Errors {
		errs[i] = e
	}
	if err := errorlist.Join(errs, r.Omitted); err != nil {
		return err
	}
	return nil
}

const stepDefinition validation.Step = "definition"

// Check returns the answer of kube-apiserver 1.37 to the creation of crd, as by kubectl create.
// Like the server, it first sets defaults (see [SetDefaults]) and ignores the status. crd is not
// changed. If crd is nil, the report has an error.
//
// Errors have the server's type, field and detail. Where the server panics, there is an error.
//
// An accepted definition compiles, see package crdkit.
func Check(crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) *Report {
	return check(crd, nil, opts)
}

// CheckUpdate returns the answer of kube-apiserver 1.37 to an update from old to crd, as by kubectl
// replace. Neither definition is changed. If crd is nil, the report has an error. If old is nil,
// CheckUpdate is [Check].
//
// old is the stored definition. Its status lists the versions that were ever stored and says
// whether the definition is established. Without a status it is not established. The scope and the
// kind of an established definition cannot change. The status of crd is ignored. Metadata that
// clients copy from the server, such as the resourceVersion, may be missing in crd. It is then
// taken from old.
//
// The server tolerates most faults that old already has, see
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting.
func CheckUpdate(crd, old *apiextensionsv1.CustomResourceDefinition, opts ...Option) *Report {
	return check(crd, old, opts)
}

func check(crd, old *apiextensionsv1.CustomResourceDefinition, opts []Option) *Report {
	if crd == nil {
		return refusal(field.Required(nil, "the definition is nil"))
	}
	cfg, report := newConfig(opts)
	if report != nil {
		return report
	}
	facts, report := factsOrRefuse(crd, cfg)
	if report != nil {
		return report
	}
	if old == nil {
		crd = prepareCreate(crd)
		meta := dropDuplicateOwners(crd)
		form := newInternalForm(crd, facts, cfg.limit)
		errs := meta.located(createdMeta(crd), cfg)
		errs = cfg.limit.Cut(append(errs, checkSpec(form, nil, cfg.strictness(createStrictness(), nil), cfg)...))
		return newReport(form, nil, errs, meta, cfg)
	}
	factsBefore, report := factsOrRefuse(old, cfg)
	if report != nil {
		return report
	}
	old = withDefaults(old)
	crd = prepareUpdate(crd, old)
	meta := dropDuplicateOwners(crd)
	form, before := newInternalForm(crd, facts, cfg.limit), newInternalForm(old, factsBefore, errorlimit.New(1))
	errs := meta.located(updatedMeta(crd, old), cfg)
	errs = cfg.limit.Cut(append(errs, checkSpec(form, before, cfg.strictness(updateStrictness(form, before), before), cfg)...))
	return newReport(form, before, errs, meta, cfg)
}

// factsOrRefuse returns the facts of all schemas, or a report if a schema is too large or too deep.
func factsOrRefuse(crd *apiextensionsv1.CustomResourceDefinition, cfg *config) ([]facts, *Report) {
	facts, errs := factsOf(crd, &cfg.visitor)
	if cfg.watch.Poll() {
		return nil, undecided(cfg.watch.Err())
	}
	if len(errs) == 0 {
		return facts, nil
	}
	r := &Report{}
	for _, err := range errs {
		r.Errors = append(r.Errors, validation.NewError(err, stepDefinition, "", ""))
	}
	return nil, r
}

func createdMeta(crd *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	want := crd.Spec.Names.Plural + "." + crd.Spec.Group
	generated := crd.Name == "" && crd.GenerateName != ""
	if generated {
		crd.Name = objectmeta.PlaceholderName(crd.GenerateName)
	}
	if crd.Name == want && objectmeta.ValidDefinition(&crd.ObjectMeta) {
		return nil
	}
	name := func(name string, prefix bool) []string {
		texts := metavalidation.NameIsDNSSubdomain(name, prefix)
		if name != want || generated && name == crd.Name {
			texts = append(texts, `must be spec.names.plural+"."+spec.group`)
		}
		return texts
	}
	return metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Create,
		&crd.ObjectMeta, nil, false, name, field.NewPath("metadata"), true)
}

func newReport(form, old *internalForm, errs field.ErrorList, meta *metadata, cfg *config) *Report {
	r := &Report{Warnings: append(meta.warnings, form.warnings(old)...), Omitted: cfg.limit.Omitted()}
	if cfg.notes {
		r.Notes = advise(form, cfg)
	}
	return r.explain(errs, cfg)
}

// explain adds errors with their pointers. If the context has ended, it returns a report without a
// verdict instead.
func (r *Report) explain(errs field.ErrorList, cfg *config) *Report {
	for _, err := range errs {
		r.Errors = append(r.Errors, validation.NewError(err, stepDefinition, cfg.limit.Pointer(err), ""))
	}
	if r.Errors.Sort(); cfg.watch.Poll() {
		return undecided(cfg.watch.Err())
	}
	return r
}

// CheckStatus returns the answer of kube-apiserver 1.37 to a write to the status subresource, as by
// kubectl replace --subresource=status. After a migration of objects, a controller removes a
// version from status.storedVersions by this write. old is the stored definition, and crd has the
// new status. The spec of crd is ignored. The write can also change the metadata, which is judged
// as by [CheckUpdate]. [StoredStatus] returns what an accepted write stores.
//
// The server checks that accepted names are well-formed. It does not compare the stored versions
// with the spec; [WithNotes] adds a note if the spec lacks a stored version, or if the storage
// version is missing.
//
// Neither definition is changed. If one of them is nil, the report has an error.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version.
func CheckStatus(crd, old *apiextensionsv1.CustomResourceDefinition, opts ...Option) *Report {
	cfg, report := newConfig(opts)
	if report != nil {
		return report
	}
	if crd == nil {
		return refusal(field.Required(nil, "the definition is nil"))
	}
	if old == nil {
		return refusal(field.Required(nil, "the old definition, which has the status, is nil"))
	}
	old = withDefaults(old)
	crd = prepareStatus(crd, old)
	cfg.limit = errorlimit.New(math.MaxInt)
	cfg.limit.KeepPointers()
	meta := dropDuplicateOwners(crd)
	errs := append(meta.located(updatedMeta(crd, old), cfg), checkStatusNames(&crd.Status, cfg)...)
	r := &Report{Warnings: meta.warnings}
	if cfg.notes {
		r.Notes = adviseStatus(crd)
	}
	return r.explain(errs, cfg)
}

func updatedMeta(crd, old *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	segment := func(name string, prefix bool) []string {
		if prefix {
			return content.IsPathSegmentPrefix(name)
		}
		return content.IsPathSegmentName(name)
	}
	path := field.NewPath("metadata")
	errs := metavalidation.ValidateObjectMetaAccessor(&crd.ObjectMeta, false, segment, path) // the rules for metadata of all kinds
	errs = append(errs, metavalidation.ValidateObjectMetaAccessorUpdate(&crd.ObjectMeta, &old.ObjectMeta, path)...)
	return append(errs, metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Update,
		&crd.ObjectMeta, &old.ObjectMeta, false, nil, path, true)...)
}

func adviseStatus(crd *apiextensionsv1.CustomResourceDefinition) []Note {
	at := (*pathstack.Chain)(nil).Child("status").Child("storedVersions")
	var a adviser
	stored := crd.Status.StoredVersions
	for i := range crd.Spec.Versions {
		if v := &crd.Spec.Versions[i]; v.Storage && !slices.Contains(stored, v.Name) {
			a.add(StoredVersionsUnsound, at, "the storage version %s is not among them, though objects are stored at it", v.Name)
		}
	}
	for i, name := range stored {
		has := func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name }
		if !slices.ContainsFunc(crd.Spec.Versions, has) {
			a.add(StoredVersionsUnsound, at.Index(i),
				"spec.versions has no %s, so that the server refuses every update of the spec that does not bring it back", name)
		}
	}
	return a.notes
}

// An Option changes the rules or the report of [Check], [CheckUpdate] and [CheckStatus]. Without
// options, these functions judge as kube-apiserver 1.37 does. A later option wins over an earlier
// one, and a nil Option changes nothing.
type Option interface{ apply(*config) }

type option func(*config)

func (o option) apply(c *config) { o(c) }

type config struct {
	notes     bool
	v1beta1   bool   // judge by the rules of v1beta1
	version   string // of Kubernetes, "" for the default
	watch     *interrupt.Watch
	maxErrors int
	limit     *errorlimit.Limit // made from maxErrors
	visitor   visitor           // shared by all walks of a check
}

func newConfig(opts []Option) (*config, *Report) {
	c := &config{}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(c)
		}
	}
	if c.watch.Poll() {
		return nil, undecided(c.watch.Err())
	}
	if c.maxErrors < 0 {
		return nil, refusal(field.Invalid(nil, c.maxErrors, "must be a number of errors, or 0 for the default"))
	}
	c.limit = errorlimit.New(c.maxErrors)
	c.limit.KeepPointers()
	if _, err := kubeversion.Parse(c.version); err == nil {
		return c, nil
	}
	return nil, refusal(field.Invalid(nil, c.version, "must be a version of Kubernetes "+kubeversion.Span))
}

func refusal(err *field.Error) *Report {
	return &Report{Errors: validation.ErrorList{validation.NewError(err, stepDefinition, "", "")}}
}

func undecided(err error) *Report {
	r := refusal(field.InternalError(nil, fmt.Errorf("the check ended before it was done: %w", err)))
	r.Undecided = err
	return r
}

// WithContext ends a check when ctx ends: between the schemas of versions, between rules, and
// during the evaluation of rules for a default. There is then no verdict, see [Report.Undecided]. A
// nil ctx never ends.
func WithContext(ctx context.Context) Option {
	return option(func(c *config) { c.watch = interrupt.New(ctx) })
}

// DefaultMaxErrors is how many errors a report has at most without [MaxErrors].
const DefaultMaxErrors = errorlimit.Default

// MaxErrors limits [Report.Errors] to its first n errors. [Report.Omitted] counts the others. 0
// means [DefaultMaxErrors]; [math.MaxInt] lifts the limit. If n is negative, the report has one
// error, about the option.
func MaxErrors(n int) Option { return option(func(c *config) { c.maxErrors = n }) }

// WithNotes adds advice to the report, see [Report.Notes]. This takes about as long as checking the
// rules again.
func WithNotes() Option { return option(func(c *config) { c.notes = true }) }

// KubernetesVersion sets the server version, such as "1.33", whose CEL functions rules may use.
// Everything else is judged as by 1.37. The version must be between 1.29 and 1.37, else the report
// has one error. The patch version is ignored, and an empty version means 1.37.
//
// See https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries.
func KubernetesVersion(version string) Option {
	return option(func(c *config) { c.version = version })
}

// V1beta1Rules judges a definition as one of apiextensions.k8s.io/v1beta1, which servers up to 1.21
// served:
//
//   - preserveUnknownFields may be true.
//   - Versions need no schema.
//   - Schemas need not be structural unless they use a feature that requires it.
//   - Types may have any name.
//   - Groups of the Kubernetes community need no approval.
//   - Defaults cannot be set unless the old definition has some.
//
// All other rules are the rules of 1.37.
//
// See https://kubernetes.io/docs/reference/using-api/deprecation-guide/#customresourcedefinition-v122.
func V1beta1Rules() Option { return option(func(c *config) { c.v1beta1 = true }) }
