package definition

import (
	"context"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/validation"
)

// A Report says what kube-apiserver would make of a definition, and what it
// keeps to itself. It belongs to the caller; the values of errors may be parts
// of the definition.
type Report struct {
	// Errors are why the server refuses the definition, sorted by field, type
	// and detail; there are none if it accepts it. An error that the server
	// repeats is repeated. Their Step is "definition", and their Pointer leads
	// to the place in the definition as it was given. Field may name another,
	// because the server moves what all versions have in common out of the
	// versions before it looks.
	Errors validation.ErrorList
	// Warnings are the warning headers of the response to an accepted
	// definition: owners that are given twice, then formats, sorted, one each
	// time it is used, and then lists of type set. Other than the server, which
	// sends no such warnings with a refusal, Report always has them.
	Warnings []Warning
	// Notes are advice of ours, sorted by pointer, code and text, if it was
	// asked for with [WithNotes]. The server says none of it.
	Notes []Note
}

// A Warning is what the server warns of.
type Warning struct {
	Text    string // the server's
	Pointer string // into the definition, as a JSON Pointer (RFC 6901)
}

// String returns the text.
func (w Warning) String() string { return w.Text }

// Accepted reports whether the server accepts the definition.
func (r *Report) Accepted() bool { return len(r.Errors) == 0 }

// Err returns an aggregate of the errors, nil if there are none.
func (r *Report) Err() error { return r.Errors.Err() }

// stepDefinition is the step of errors about a definition.
const stepDefinition validation.Step = "definition"

// Check says what kube-apiserver 1.37 would say to the creation of a
// definition, as by kubectl create. Defaults are set first, see [SetDefaults];
// the status that the definition may have is ignored, as the server does. crd is
// not changed. A nil crd is refused.
//
// Errors have the type, field and detail of the server's. Two things for which
// the server has no answer but a panic are errors: selectable fields of a schema
// that cannot be converted, and paths that lead on through
// additionalProperties: true.
//
// A definition that passes can be compiled, see [Compile]. Check may be called
// from several goroutines.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
func Check(crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) *Report {
	if crd == nil {
		return refusal(field.Required(nil, "the definition is nil"))
	}
	cfg, report := newConfig(opts)
	if report != nil {
		return report
	}
	scans, report := scanOrRefuse(crd)
	if report != nil {
		return report
	}
	crd = prepareCreate(crd)
	owners := dropDuplicateOwners(crd)
	form := newInternalForm(crd, scans)
	generated := crd.Name == "" && crd.GenerateName != ""
	if generated {
		crd.Name = objectmeta.StandInName(crd.GenerateName)
	}
	fastValid := !cfg.reference && nameOf(crd) == crd.Name && objectmeta.FastValidDefinition(&crd.ObjectMeta)
	var errs field.ErrorList
	if !fastValid {
		errs = metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Create,
			&crd.ObjectMeta, nil, false, definitionName(crd, generated), field.NewPath("metadata"), true)
	}
	errs = append(errs, checkSpec(form, nil, cfg.strictness(createStrictness(), nil), cfg)...)
	if len(errs) == 0 && !fastValid {
		errs = commonMeta(&crd.ObjectMeta)
	}
	return newReport(form, errs, createWarnings(form), owners, cfg)
}

// CheckUpdate says what kube-apiserver 1.37 would say to an update of the
// definition old to crd, as by kubectl replace. The definition old is taken as
// it was stored: its status says which versions were ever stored, and whether
// it is established, after which scope and kind cannot change. Without a status
// it is not established. Of crd the status is ignored, and metadata that a
// client takes over from the server, such as the resourceVersion, is taken from
// old where it is missing. Neither is changed. A nil crd is refused; a nil old
// makes CheckUpdate the same as [Check].
//
// What old got away with is not held against crd, see
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting.
//
// CheckUpdate may be called from several goroutines.
func CheckUpdate(crd, old *apiextensionsv1.CustomResourceDefinition, opts ...Option) *Report {
	if old == nil {
		return Check(crd, opts...)
	}
	if crd == nil {
		return refusal(field.Required(nil, "the definition is nil"))
	}
	cfg, report := newConfig(opts)
	if report != nil {
		return report
	}
	scans, report := scanOrRefuse(crd)
	if report != nil {
		return report
	}
	seenBefore, report := scanOrRefuse(old)
	if report != nil {
		return report
	}
	old = withDefaults(old)
	crd = prepareUpdate(crd, old)
	owners := dropDuplicateOwners(crd)
	form, before := newInternalForm(crd, scans), newInternalForm(old, seenBefore)

	errs := updatedMeta(crd, old)
	strictness := cfg.strictness(updateStrictness(form, before), before)
	errs = append(errs, checkSpec(form, before, strictness, cfg)...)
	return newReport(form, errs, updateWarnings(form, before), owners, cfg)
}

// scanOrRefuse looks at a definition for the first time. It returns the report on one
// that is too deep or too large for a second time, nil for any other.
func scanOrRefuse(crd *apiextensionsv1.CustomResourceDefinition) (scanResult, *Report) {
	scans, errs := scan(crd)
	if len(errs) == 0 {
		return scans, nil
	}
	r := &Report{}
	for _, err := range errs {
		r.Errors = append(r.Errors, validation.NewError(err, stepDefinition, "", ""))
	}
	return nil, r
}

// nameOf returns the name that a definition must have.
func nameOf(crd *apiextensionsv1.CustomResourceDefinition) string {
	return crd.Spec.Names.Plural + "." + crd.Spec.Group
}

// definitionName returns the rule for the name of a definition. A generated name
// breaks it.
func definitionName(crd *apiextensionsv1.CustomResourceDefinition, generated bool) metavalidation.ValidateNameFunc {
	want := nameOf(crd)
	return func(name string, prefix bool) []string {
		texts := metavalidation.NameIsDNSSubdomain(name, prefix)
		if name != want || generated && name == crd.Name {
			texts = append(texts, `must be spec.names.plural+"."+spec.group`)
		}
		return texts
	}
}

// commonMeta is what the server asks of the metadata of all kinds.
func commonMeta(meta *metav1.ObjectMeta) field.ErrorList {
	segment := func(name string, prefix bool) []string {
		if prefix {
			return content.IsPathSegmentPrefix(name)
		}
		return content.IsPathSegmentName(name)
	}
	return metavalidation.ValidateObjectMetaAccessor(meta, false, segment, field.NewPath("metadata"))
}

func newReport(form *internalForm, errs field.ErrorList, texts []string, o owners, e *config) *Report {
	r := &Report{Warnings: append(o.warnings, warnings(form, texts)...)}
	if e.notes {
		r.Notes = advise(form)
	}
	r.explain(form, errs, o)
	return r
}

// explain adds errors, each with its place, to a report that has none.
func (r *Report) explain(form *internalForm, errs field.ErrorList, o owners) {
	for _, err := range errs {
		pointer := metadataPointer(&form.crd.ObjectMeta, o.pointer(form.pointer(err.Field)), err.BadValue)
		r.Errors = append(r.Errors, validation.NewError(err, stepDefinition, pointer, ""))
	}
	r.Errors.Sort()
}
