package crdkit

import (
	"cmp"
	"context"
	"slices"

	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// budget is what all rules of one object may spend together, in CEL cost units.
const budget = 10_000_000

// checkType checks kind and apiVersion.
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

// checkScale judges the fields of the scale subresource, unless the object is of
// another kind.
func (r *request) checkScale() error {
	if r.otherType {
		return nil
	}
	return r.carrier.checkScale()
}

func (r *request) checkSchema() error { return r.carrier.checkSchema() }

// addValidation adds what the schema says. The values of an object of another
// kind are not held against the schema.
func (r *request) addValidation(res validation.Result) {
	if r.otherType {
		res.Errors = slices.DeleteFunc(res.Errors, func(e *validation.Error) bool { return e.Step == validation.StepSchema })
	}
	r.add(res.Errors)
	r.omit(res.Omitted, res.BlocksRules())
	r.forgive(res.Ratcheted)
}

// mostErrors returns how many errors the result has at most.
func (r *request) mostErrors() int { return cmp.Or(r.maxErrors, DefaultMaxErrors) }

func (r *request) add(errs validation.ErrorList) {
	if room := r.mostErrors() - len(r.result.Errors); len(errs) > room {
		r.omit(len(errs)-room, errs[room:].BlocksRules())
		errs = errs[:room]
	}
	r.result.Errors = append(r.result.Errors, errs...)
}

// omit counts errors that the result does not have.
func (r *request) omit(n int, blockRules bool) {
	r.result.Omitted += n
	r.rulesBlocked = r.rulesBlocked || blockRules
}

// forgive adds forgiven errors.
func (r *request) forgive(errs validation.ErrorList) {
	room := r.mostErrors() - len(r.result.Ratcheted)
	r.result.Ratcheted = append(r.result.Ratcheted, errs[:min(len(errs), room)]...)
}

// bounds returns the bounds of a check of the metadata, of which addProblems takes the
// result.
func (r *request) bounds() objectmeta.Bounds {
	r.metadataLimit = *errorlimit.New(r.maxErrors)
	return objectmeta.Bounds{Limit: &r.metadataLimit, Watch: r.watch}
}

func (r *request) addProblems(problems []objectmeta.Problem) {
	r.omit(r.metadataLimit.Omitted(), false)
	for _, p := range problems {
		if r.watch.Ended() {
			return
		}
		r.add(validation.ErrorList{validation.NewError(p.Err, validation.StepObjectMeta, p.Pointer, p.SchemaPointer)})
	}
}

// evaluateRules runs the rules, unless the object has an error that makes its
// values unfit for them.
func (r *request) evaluateRules(ctx context.Context) (*Refusal, error) {
	if r.version.rules == nil {
		return nil, nil
	}
	if r.rulesBlocked || r.result.Errors.BlocksRules() {
		r.add(validation.ErrorList{validation.NewError(field.Invalid(nil, nil,
			"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"),
			validation.StepRules, "", "")})
		return nil, nil
	}
	res, err := r.evaluate(ctx, false)
	if err != nil {
		return nil, err
	}
	r.add(res.Errors)
	for _, e := range res.Ratcheted {
		if r.watch.Ended() {
			return nil, nil
		}
		r.result.Warnings = append(r.result.Warnings, e.Error())
	}
	r.omit(res.Omitted, false)
	r.forgive(res.Ratcheted)
	r.result.Cost = res.Cost
	return nil, nil
}

// evaluate runs the rules on the input of the carrier. Errors hold values of the
// object, so rules that fail on partial input are run again on the whole object.
func (r *request) evaluate(ctx context.Context, whole bool) (cel.Result, error) {
	in, err := r.carrier.ruleInput(whole)
	if err != nil {
		return cel.Result{}, err
	}
	opts := []cel.EvalOption{cel.Budget(budget), cel.MaxErrors(DefaultMaxErrors)}
	if r.maxErrors != 0 {
		opts = append(opts, cel.MaxErrors(r.maxErrors)) // allocates
	}
	if r.memory != 0 {
		opts = append(opts, cel.Memory(r.memory))
	}
	if in.old != nil {
		opts = append(opts, cel.Old(in.old))
	}
	res := r.version.rules.Eval(ctx, in.obj, opts...)
	if err := ctx.Err(); err != nil {
		return cel.Result{}, err
	}
	failed := len(res.Errors) > 0
	if in.memory != nil && (in.partial || !failed && len(res.Ratcheted) == 0) {
		defer in.memory.Release()
	}
	if failed && in.partial {
		return r.evaluate(ctx, true)
	}
	return res, nil
}

// warnOfFinalizers adds the warnings about finalizers of an object that the server
// accepts.
func (r *request) warnOfFinalizers() {
	if len(r.result.Errors) == 0 {
		r.warn(r.carrier.finalizerWarnings()...)
	}
}

// finalizerWarnings returns the warnings about the finalizers of the object of the run.
func (r *run) finalizerWarnings() []string {
	var old map[string]any
	if r.old != nil {
		old = r.old.Object
	}
	return objectmeta.FinalizerWarnings(r.obj.Object, old)
}
