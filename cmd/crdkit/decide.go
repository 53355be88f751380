package main

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/validation"
)

// A verdict is the result of admitting one document.
type verdict struct {
	finding
	gvk       schema.GroupVersionKind
	object    string // its name
	namespace string
	notes     []string
	result    *crdkit.Result
	invalid   validation.ErrorList       // what else is wrong with an object that is refused before validation
	omitted   int                        // how many errors invalid does not have
	stored    *unstructured.Unstructured // nil if not admitted

	explainer *explanation.Explainer // nil before the version is known
	explained bool                   // the errors have explanations
	noValues  bool                   // the values of the object are left out
	why       map[*validation.Error]*explanation.Explanation
}

func (v *verdict) admitted() bool { return v.verdict() == admitted }

// decide judges an object. The verdict has its reasons.
func (a *admitter) decide(ctx context.Context, o *manifest.Object) *verdict {
	v := a.newVerdict(o)
	defer v.finish(a.output)
	if a.passesOver(o) {
		return v
	}
	err := o.Err
	if errors.Is(err, manifest.ErrIncomplete) {
		v.record(nil, nil)
		v.addComplaint(levelError, codeBadRequest, err.Error(), a.sources.of(o))
		return v
	}
	if err == nil {
		err = a.judge(ctx, v)
	}
	v.record(err, a.sources.of(o))
	if broken, ok := errors.AsType[*definitionError](err); ok && bool(a.explains) && len(v.issues) > 0 {
		v.issues[0].why = explainDefinition(broken.crd, broken.err)
	}
	return v
}

// finish drops what the verdict does not need while it waits for its turn, and what no
// format prints but -o diff.
func (v *verdict) finish(output string) {
	v.invalid, v.why = nil, nil
	if output != "diff" {
		v.doc = withoutText(v.doc)
	}
}

// newVerdict returns the verdict on an object before it is judged.
func (a *admitter) newVerdict(o *manifest.Object) *verdict {
	return &verdict{
		finding: finding{doc: o}, gvk: o.GroupVersionKind, object: o.Name, namespace: o.Namespace,
		explained: bool(a.explains), noValues: a.explainers.noValues,
	}
}

// judge sends the object of a verdict as a request, and records the answer. It returns the
// error that prevents one.
func (a *admitter) judge(ctx context.Context, v *verdict) error {
	version, err := a.kinds.version(ctx, v.gvk)
	if err != nil {
		return err
	}
	v.explainer = a.explainers.of(version)
	out, err := a.request(ctx, v, version, a.fields)
	if err != nil {
		return a.webhook.hint(err)
	}
	if out == nil {
		if err := a.judgeRest(ctx, v, version); err != nil {
			return err
		}
		a.explain(ctx, v, version)
		return ctx.Err()
	}
	v.stored, err = a.store(ctx, v, version, out)
	return err
}

// judgeRest finds what is wrong with an object besides its unknown and duplicate fields. The
// server does not validate an object that it refuses because of them.
func (a *admitter) judgeRest(ctx context.Context, v *verdict, version *crdkit.Version) error {
	refusal := v.result.Refusal
	if !a.all || a.fields != crdkit.Strict || refusal == nil || len(refusal.Details) == 0 {
		return nil
	}
	rest := a.newVerdict(v.doc)
	if _, err := a.request(ctx, rest, version, crdkit.Ignore); err != nil {
		return a.webhook.hint(err)
	}
	v.invalid, v.omitted = rest.result.Errors, rest.result.Omitted
	return nil
}

// request sends the document as a request to the version. It returns the
// admitted object as JSON, nil if it is refused.
func (a *admitter) request(ctx context.Context, v *verdict, version *crdkit.Version, fields crdkit.FieldValidation) ([]byte, error) {
	opts := []crdkit.JSONOption{fields, crdkit.ReportChanges()}
	if v.doc.YAML {
		opts = append(opts, crdkit.YAML())
	}
	replaced, err := a.olds.find(ctx, version, v)
	if err != nil {
		return nil, err
	}
	var out, old []byte
	if replaced != nil {
		if old, err = replaced.MarshalJSON(); err != nil {
			return nil, err
		}
	}
	switch {
	case a.subresource != "" && old == nil:
		return nil, fmt.Errorf("%s %q has no old object whose %s could be written", v.gvk.Kind, v.object, a.subresource)
	case a.subresource != "":
		out, v.result, err = version.UpdateStatusJSON(ctx, v.doc.Text, old, opts...)
	case old != nil:
		out, v.result, err = version.UpdateJSON(ctx, v.doc.Text, old, opts...)
	default:
		out, v.result, err = version.CreateJSON(ctx, v.doc.Text, opts...)
	}
	return out, err
}

// store returns the object that the server stores for an admitted object. If only a
// webhook could convert it to the storage version, the object stays at the version of
// the request, and a note says so.
func (a *admitter) store(ctx context.Context, v *verdict, version *crdkit.Version, out []byte) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(out, &obj.Object); err != nil {
		return nil, err
	}
	stored, err := version.Store(ctx, obj)
	if a.webhook.needs(err) {
		v.notes = append(v.notes, fmt.Sprintf("the object is shown at %s: a webhook converts it to the storage version %s, and crdkit calls it only with --webhook",
			version.Name(), version.Definition().Storage().Name()))
		return obj, nil
	}
	return stored, err
}
