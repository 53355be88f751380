package crdkit

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// budget is what all rules of one object may spend together, in CEL cost units.
const budget = 10_000_000

// validate judges the object: its type, its metadata, and its content.
func (r *request) validate(ctx context.Context) error {
	namespaced := r.version.def.namespaced
	if r.verb == creating {
		if r.checkType() {
			r.addProblems(objectmeta.ValidateCreate(r.obj.Object, namespaced))
		}
		if err := r.validateContent(ctx); err != nil {
			return err
		}
		if len(r.result.Errors) == 0 {
			r.addProblems(objectmeta.ValidateCommonCreate(r.obj.Object, namespaced))
		}
		return nil
	}
	obj, old := r.obj.Object, r.old.Object
	if r.checkType() {
		r.addProblems(objectmeta.ValidateUpdate(obj, old, namespaced))
	}
	if err := r.validateContent(ctx); err != nil {
		return err
	}
	r.addProblems(objectmeta.ValidateCommonUpdate(obj, old, namespaced))
	return nil
}

// checkType checks kind and apiVersion, and reports whether they are right.
func (r *request) checkType() bool {
	v := r.version
	if got := r.obj.GetKind(); got != v.def.kind {
		r.addTypeError("kind", got, v.def.kind)
	}
	if got := r.obj.GetAPIVersion(); got != v.apiVersion() {
		r.addTypeError("apiVersion", got, v.apiVersion())
	}
	r.typed = len(r.result.Errors) == 0
	return r.typed
}

func (r *request) addTypeError(name, got, want string) {
	r.add(validation.ErrorList{validation.NewError(field.Invalid(field.NewPath(name), got, "must be "+want), validation.StepTypeMeta, "/"+name, "")})
}

// validateContent judges the object by its scale, its schema and its rules.
func (r *request) validateContent(ctx context.Context) error {
	if r.typed {
		if err := r.carrier.checkScale(); err != nil {
			return err
		}
	}
	if err := r.carrier.checkSchema(); err != nil {
		return err
	}
	return r.evaluateRules(ctx)
}

// addValidation adds what the schema says. The values of an object of another
// kind are not held against the schema.
func (r *request) addValidation(res validation.Result) {
	if r.typed {
		r.add(res.Errors)
	} else {
		r.add(slices.DeleteFunc(res.Errors, func(e *validation.Error) bool { return e.Step == validation.StepSchema }))
	}
	r.result.Ratcheted = append(r.result.Ratcheted, res.Ratcheted...)
}

func (r *request) add(errs validation.ErrorList) {
	r.result.Errors = append(r.result.Errors, errs...)
}

func (r *request) addProblems(problems []objectmeta.Problem) {
	for _, p := range problems {
		r.result.Errors = append(r.result.Errors, validation.NewError(p.Err, validation.StepObjectMeta, p.Pointer, p.SchemaPointer))
	}
}

// evaluateRules runs the rules, unless the object has an error that makes its
// values unfit for them.
func (r *request) evaluateRules(ctx context.Context) error {
	if r.version.rules == nil {
		return nil
	}
	if r.result.Errors.BlocksRules() {
		r.add(validation.ErrorList{validation.NewError(field.Invalid(nil, nil,
			"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"),
			validation.StepRules, "", "")})
		return nil
	}
	res, err := r.evaluate(ctx, false)
	if err != nil {
		return err
	}
	r.add(res.Errors)
	for _, e := range res.Ratcheted {
		r.result.Warnings = append(r.result.Warnings, e.Error())
	}
	r.result.Ratcheted = append(r.result.Ratcheted, res.Ratcheted...)
	r.result.Cost = res.Cost
	return nil
}

// evaluate runs the rules on the input of the carrier. Errors hold values of the
// object, so rules that fail on partial input are run again on the whole object.
func (r *request) evaluate(ctx context.Context, whole bool) (cel.Result, error) {
	in, err := r.carrier.ruleInput(whole)
	if err != nil {
		return cel.Result{}, err
	}
	opts := []cel.EvalOption{cel.Budget(budget)}
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
	if len(r.result.Errors) > 0 {
		return
	}
	var old map[string]any
	if r.old != nil {
		old = r.old.Object
	}
	r.warn(objectmeta.FinalizerWarnings(r.obj.Object, old)...)
}
