package main

import (
	"context"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/validation"
)

// maxExplained is how many errors of one object or definition are explained. To explain a
// rule, it is evaluated again.
const maxExplained = 100

// explain explains the errors of a refused object. The requests on JSON leave no object, so
// it repeats the request on the decoded object.
func (a *admitter) explain(ctx context.Context, v *verdict, version *crdkit.Version) {
	errs := v.result.Errors
	if !a.explains || len(errs) == 0 {
		return
	}
	obj, old, err := a.replay(ctx, v, version)
	if err != nil {
		v.notes = append(v.notes, fmt.Sprintf("the errors are not explained: %v", err))
		return
	}
	v.why = map[*validation.Error]*explanation.Explanation{}
	for _, e := range errs[:min(len(errs), maxExplained)] {
		switch why, err := v.explainer.Error(ctx, e, obj, old); {
		case ctx.Err() != nil:
			return
		case err != nil:
			v.notes = append(v.notes, fmt.Sprintf("an error is not explained: %v", err))
		case why != nil:
			v.why[e] = why
		}
	}
	if len(errs) > maxExplained {
		v.notes = append(v.notes, fmt.Sprintf("only the first %d errors are explained", maxExplained))
	}
}

// replay repeats the request of a verdict. It returns the object as the request leaves it,
// and the object that it replaces, nil if there is none.
func (a *admitter) replay(ctx context.Context, v *verdict, version *crdkit.Version) (obj, old *unstructured.Unstructured, err error) {
	if obj, err = objectOf(v.doc); err != nil {
		return nil, nil, err
	}
	if old, err = a.oldOf(ctx, version, v.doc); err != nil {
		return nil, nil, err
	}
	switch {
	case a.subresource != "":
		_, err = version.UpdateStatus(ctx, obj, old)
	case old != nil:
		_, err = version.Update(ctx, obj, old)
	default:
		_, err = version.Create(ctx, obj)
	}
	return obj, old, err
}

// explainDefinition explains an error about a definition, nil if there is nothing to
// add.
func explainDefinition(crd *apiextensionsv1.CustomResourceDefinition, err error) *explanation.Explanation {
	list := []error{err}
	if all, ok := errors.AsType[utilerrors.Aggregate](err); ok {
		list = all.Errors()
	}
	for _, err := range list {
		if e, ok := errors.AsType[*field.Error](err); ok {
			if why := explanation.Definition(crd, e); why != nil {
				return why
			}
		}
	}
	return nil
}

// A lineExplanation is "explanation" in an entry of "errors" in a line of JSON.
type lineExplanation struct {
	Text       string        `json:"text"`
	Decided    string        `json:"decided,omitempty"`
	Operands   []lineOperand `json:"operands,omitempty"`
	Branches   *lineBranches `json:"branches,omitempty"`
	Suggestion string        `json:"suggestion,omitempty"`
}

type lineOperand struct {
	Expression string `json:"expression"`
	Value      string `json:"value,omitempty"`
}

// lineBranches say how the branches of an anyOf or a oneOf judge a value.
type lineBranches struct {
	Keyword string   `json:"keyword"`
	Count   int      `json:"count"`
	Valid   []int    `json:"valid"`
	Closest *int     `json:"closest,omitempty"`
	Errors  []string `json:"errors,omitempty"` // of the closest one
}

// explanationLine returns an explanation as JSON, nil for none.
func (i *issue) explanationLine() *lineExplanation {
	if i.why == nil {
		return nil
	}
	line := &lineExplanation{Text: i.why.Text, Decided: i.why.Decided, Suggestion: i.why.Suggestion}
	line.Operands = mapped(i.why.Operands, func(o explanation.Operand) lineOperand { return lineOperand(o) })
	if b := i.why.Branches; b != nil {
		line.Branches = &lineBranches{Keyword: b.Keyword, Count: b.Len, Valid: append([]int{}, b.Valid...)}
		if b.Closest >= 0 {
			line.Branches.Closest = &b.Closest
		}
		for _, e := range b.Errors {
			if i.hide != nil {
				e = i.hide(e)
			}
			line.Branches.Errors = append(line.Branches.Errors, e.Error())
		}
	}
	return line
}
