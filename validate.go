package crdkit

import (
	"cmp"
	"context"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

func (r *request) checkType() {
	v := r.version
	if got := r.obj.GetKind(); got != v.def.kind {
		r.addTypeError("kind", got, v.def.kind)
	}
	if got := r.obj.GetAPIVersion(); got != v.apiVersion() {
		if gv, err := runtimeschema.ParseGroupVersion(got); err == nil {
			got = gv.String() // the server prints "/v1" as v1
		}
		r.addTypeError("apiVersion", got, v.apiVersion())
	}
	r.otherType = len(r.result.Errors) > 0
}

func (r *request) addTypeError(name, got, want string) {
	r.add(validation.ErrorList{validation.NewError(field.Invalid(field.NewPath(name), got, "must be "+want), validation.StepTypeMeta, "/"+name, "")})
}

// checkScale validates the fields of the scale subresource, unless apiVersion or kind is wrong.
func (r *request) checkScale(withSpec bool) {
	if s := r.version.scale; s != nil && !r.otherType {
		if withSpec {
			r.add(s.spec.checkReplicas(r.obj.Object))
		}
		r.add(s.checkStatus(r.obj.Object))
	}
}

// addValidation adds the errors of a validation, without schema errors if apiVersion or kind is
// wrong.
func (r *request) addValidation(res validation.Result) {
	if r.otherType {
		res.Errors = slices.DeleteFunc(res.Errors, func(e *validation.Error) bool { return e.Step == validation.StepSchema })
	}
	r.add(res.Errors)
	r.omit(res.Omitted, res.BlocksRules())
	r.forgive(res.Ratcheted)
}

func (r *request) mostErrors() int { return cmp.Or(r.maxErrors, DefaultMaxErrors) }

func (r *request) add(errs validation.ErrorList) {
	if room := r.mostErrors() - len(r.result.Errors); len(errs) > room {
		r.omit(len(errs)-room, errs[room:].BlocksRules())
		errs = errs[:room]
	}
	r.result.Errors = append(r.result.Errors, errs...)
}

func (r *request) omit(n int, blockRules bool) {
	r.result.Omitted += n
	r.rulesBlocked = r.rulesBlocked || blockRules
}

func (r *request) forgive(errs validation.ErrorList) {
	room := r.mostErrors() - len(r.result.Ratcheted)
	r.result.Ratcheted = append(r.result.Ratcheted, errs[:min(len(errs), room)]...)
}

// newMetadataLimit returns the limit of errors for the next check of metadata. addProblems reads
// how many errors the limit omitted.
func (r *request) newMetadataLimit() *errorlimit.Limit {
	r.metadataLimit = *errorlimit.New(r.maxErrors)
	return &r.metadataLimit
}

func (r *request) addProblems(problems []objectmeta.Problem) {
	r.omit(r.metadataLimit.Omitted(), false)
	for _, p := range problems {
		r.add(validation.ErrorList{validation.NewError(p.Err, validation.StepObjectMeta, p.Pointer, p.SchemaPointer)})
	}
}

// evaluateRules runs the rules. If an earlier error prevents that, it adds an error that says so.
func (r *request) evaluateRules() error {
	if r.version.rules == nil {
		return nil
	}
	if r.rulesBlocked || r.result.Errors.BlocksRules() {
		r.add(validation.ErrorList{validation.NewError(field.Invalid(nil, nil,
			"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"),
			validation.StepRules, "", "")})
		return nil
	}
	opts := []cel.EvalOption{cel.MaxErrors(r.mostErrors())}
	if r.memory != 0 {
		opts = append(opts, cel.Memory(r.memory))
	}
	if r.old != nil {
		opts = append(opts, cel.Old(r.old.Object))
	}
	res := r.version.rules.Eval(r.ctx, r.obj.Object, opts...)
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.add(res.Errors)
	for _, e := range res.Ratcheted {
		r.result.Warnings = append(r.result.Warnings, e.Error())
	}
	r.omit(res.Omitted, false)
	r.forgive(res.Ratcheted)
	r.result.Cost = res.Cost
	return nil
}

// rulesHold evaluates the rules for the fast path. It returns their cost, and whether all of
// them hold.
func (v *Version) rulesHold(ctx context.Context, obj, old map[string]any) (cost uint64, ok bool) {
	opts := []cel.EvalOption{cel.MaxErrors(1)} // one error is enough to decline
	if old != nil {
		opts = append(opts, cel.Old(old))
	}
	res := v.rules.Eval(ctx, obj, opts...)
	return res.Cost, len(res.Errors) == 0 && len(res.Ratcheted) == 0 && ctx.Err() == nil
}

func (r *request) warnOfFinalizers() {
	if len(r.result.Errors) == 0 {
		r.warn(r.meta.FinalizerWarnings(r.oldMeta)...)
	}
}

// scale holds the paths of a scale subresource.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource.
type scale struct {
	spec, status scalePath
	selector     *scalePath
}

type scalePath struct{ crdpath.ScalePath }

func newScalePath(text string) scalePath { return scalePath{crdpath.NewScalePath(text)} }

func newScale(s *apiextensionsv1.CustomResourceSubresourceScale) *scale {
	if s == nil {
		return nil
	}
	out := &scale{spec: newScalePath(s.SpecReplicasPath), status: newScalePath(s.StatusReplicasPath)}
	if s.LabelSelectorPath != nil {
		p := newScalePath(*s.LabelSelectorPath)
		out.selector = &p
	}
	return out
}

func (s *scale) checkStatus(obj map[string]any) validation.ErrorList {
	errs := s.status.checkReplicas(obj)
	if s.selector == nil {
		return errs
	}
	return append(errs, s.selector.placed(s.selector.CheckSelector(obj))...)
}

func (p scalePath) checkReplicas(obj map[string]any) validation.ErrorList {
	return p.placed(p.CheckReplicas(obj))
}

// placed adds the JSON pointer of the field to an error.
func (p scalePath) placed(err *field.Error) validation.ErrorList {
	if err == nil {
		return nil
	}
	var path schema.Path
	for _, name := range p.Steps {
		path = append(path, schema.Field(name))
	}
	return validation.ErrorList{validation.NewError(err, validation.StepScale, path.Pointer(), "")}
}
