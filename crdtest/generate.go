package crdtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/validation"
)

// A Generator makes objects of one version. It is safe for concurrent use.
type Generator struct {
	version *crdkit.Version
	space   *search.Space
}

// NewGenerator returns a Generator. It returns an error if v is nil.
func NewGenerator(v *crdkit.Version) (*Generator, error) {
	if v == nil {
		return nil, errors.New("crdtest: the version is nil")
	}
	gvk := v.GroupVersionKind()
	head := search.Head{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, HasStatus: v.HasStatus()}
	judge := func(ctx context.Context, c search.Case) (validation.ErrorList, bool, error) {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		result, err := send(ctx, v, c)
		if err != nil {
			return nil, false, err
		}
		return result.Errors, result.Refusal != nil, nil
	}
	return &Generator{version: v, space: search.New(v.Schema(), head, judge)}, nil
}

// String returns a text that names the version.
func (g *Generator) String() string { return "generator of " + kindOf(g.version) }

// Objects yields an endless sequence of objects that a version admits on creation. They have the
// required fields and, mostly, some optional fields. The same seed gives the same objects on every
// machine. Objects belong to the caller.
//
// If v is nil, if ctx ends or if no object is found, Objects yields an error and ends. If no object
// is found, the error is an [*UnreachableError], which names the limit that the search reached. The
// work for one object is limited, and so is the object's size (about 1 MiB).
func Objects(ctx context.Context, v *crdkit.Version, seed uint64) iter.Seq2[*unstructured.Unstructured, error] {
	g, err := NewGenerator(v)
	if err != nil {
		return func(yield func(*unstructured.Unstructured, error) bool) { yield(nil, err) }
	}
	return g.Objects(ctx, seed)
}

// Objects calls the function [Objects] for the version of the generator.
func (g *Generator) Objects(ctx context.Context, seed uint64) iter.Seq2[*unstructured.Unstructured, error] {
	return func(yield func(*unstructured.Unstructured, error) bool) {
		for i := uint64(0); ; i++ {
			obj, err := g.space.Admitted(ctx, rand.New(rand.NewPCG(seed, i)))
			if err != nil {
				yield(nil, reported(err))
				return
			}
			if !yield(&unstructured.Unstructured{Object: obj}, nil) {
				return
			}
		}
	}
}

// A Target is a rule or a keyword of a version that an object can break. See [Targets].
type Target struct {
	// SchemaPointer is the location of the schema, as in [validation.Error].
	SchemaPointer string
	// Rule is the index in x-kubernetes-validations. It is -1 for a keyword.
	Rule int
	// Expression is the rule's expression, or "" for a keyword.
	Expression string
	// Keyword is the keyword, such as maxLength, or "" for a rule.
	Keyword string
	// For the keyword required, Name is the required field. For other targets it is "".
	Name string
}

// String returns the location and the rule or keyword, such as
// "/properties/spec: required image" or "/properties/spec: rule 0: self.a > 0".
func (t Target) String() string {
	if t.Keyword != "" {
		return strings.TrimSpace(t.SchemaPointer + ": " + t.Keyword + " " + t.Name)
	}
	return fmt.Sprintf("%s: rule %d: %s", t.SchemaPointer, t.Rule, strings.Join(strings.Fields(t.Expression), " "))
}

// Targets returns the rules and keywords of a version, in the order of its schema. It returns nil
// if v is nil. The keywords include anyOf, oneOf, allOf and not, and keywords in their branches, at
// a SchemaPointer such as "/properties/spec/anyOf/0".
func Targets(v *crdkit.Version) []Target {
	if v == nil {
		return nil
	}
	var out []Target
	for _, t := range search.Targets(v.Schema()) {
		out = append(out, Target(t))
	}
	return out
}

// A Violation is a request that breaks one rule or keyword, and nothing else. If the keyword is in
// a branch of an allOf, anyOf or oneOf, the server also reports the allOf, anyOf or oneOf. For
// anyOf and oneOf it may report other branches too.
type Violation struct {
	Target Target
	// Object is the object of the request: a creation, or an update if Old is not nil.
	Object, Old *unstructured.Unstructured
	// Status is true if the request is an update of the status.
	Status bool
}

// String returns the target and the request with its objects as JSON.
func (v *Violation) String() string {
	request := creating
	switch {
	case v.Status:
		request = updatingStatus
	case v.Old != nil:
		request = updating
	}
	text := fmt.Sprintf("%s: %s %s", v.Target, request, jsonOf(v.Object))
	if v.Old != nil {
		text += " from " + jsonOf(v.Old)
	}
	return text
}

func jsonOf(obj *unstructured.Unstructured) string {
	if obj == nil {
		return "nil"
	}
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// An UnreachableError says why no object was found.
type UnreachableError struct{ Cause string }

// Error returns the cause.
func (e *UnreachableError) Error() string { return "crdtest: " + e.Cause }

// Broken returns a violation of a target. Its object is as small as possible: if any part is
// removed, the object is admitted or has another error. The target's rule is false or, if no object
// makes it false, ends with an error such as "no such key". A transition rule is broken by an
// update, and a rule about the status by an update of the status. The same seed gives the same
// violation.
//
// If no object was found, Broken returns an [*UnreachableError]. Possible causes: the rule is true
// for all objects, objects that break it also break another rule, or the server reports another
// branch than the target's. The work of the search is limited as for [Objects]. If ctx ends, Broken
// returns the error of ctx. For many targets of one version, [Generator.Broken] does less work.
func Broken(ctx context.Context, v *crdkit.Version, t Target, seed uint64) (*Violation, error) {
	g, err := NewGenerator(v)
	if err != nil {
		return nil, err
	}
	return g.Broken(ctx, t, seed)
}

// Broken calls the function [Broken] for the version of the generator.
func (g *Generator) Broken(ctx context.Context, t Target, seed uint64) (*Violation, error) {
	c, err := g.space.Break(ctx, rand.New(rand.NewPCG(seed, 0)), search.Target(t))
	if err != nil {
		return nil, reported(err)
	}
	out := &Violation{Target: t, Object: &unstructured.Unstructured{Object: c.Object}, Status: c.Status}
	if c.Old != nil {
		out.Old = &unstructured.Unstructured{Object: c.Old}
	}
	return out, nil
}

func reported(err error) error {
	if e, ok := errors.AsType[*search.Unreachable](err); ok {
		return &UnreachableError{Cause: e.Cause}
	}
	return err
}

func send(ctx context.Context, v *crdkit.Version, c search.Case) (*crdkit.Result, error) {
	obj, old := &unstructured.Unstructured{Object: c.Object}, &unstructured.Unstructured{Object: c.Old}
	switch {
	case c.Old == nil:
		return v.Create(ctx, obj)
	case c.Status:
		return v.UpdateStatus(ctx, obj, old)
	}
	return v.Update(ctx, obj, old)
}
