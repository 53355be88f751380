package crdkit

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/onepass"
)

// Most bodies are JSON, most objects are ordinary, and nearly all are right.
// For those there is a way from bytes to bytes that makes no maps in between.
// Whenever it is not sure it says so, nothing has happened yet, and the request
// takes the plain way from the start.

// createBytes is the quick way of [Version.CreateJSON]. It reports false if
// the request has to take the plain way.
func (r *request) createBytes(ctx context.Context, raw []byte) ([]byte, *Result, bool, error) {
	v := r.version
	if r.yaml || r.report || r.mutate != nil || len(raw) > MaxRequestBytes || v.def.plain || v.def.preserve || ctx.Err() != nil {
		return nil, nil, false, nil
	}
	plan := v.onepass()
	if plan == nil {
		return nil, nil, false, nil
	}
	// The object as far as anybody looks at it.
	obj := map[string]any{"apiVersion": v.apiVersion(), "kind": v.def.kind}
	made, ok := plan.Bytes(string(raw), onepass.Request{
		Report: r.fields != Ignore,
		Metadata: func(metadata map[string]any) (map[string]any, bool) {
			obj["metadata"] = metadata
			return r.ordinaryMetadata(obj)
		},
	})
	if !ok || len(made.Unknown) > 0 && r.fields == Strict {
		return nil, nil, false, nil
	}
	if v.scale != nil || v.rules != nil {
		text := string(made.JSON)
		seen, ok := r.ruleInput(plan, text)
		if !ok || !v.scale.admits(text, v.status) {
			return nil, nil, false, nil
		}
		maps.Copy(seen, obj)
		obj = seen
	}
	return r.judgeBytes(ctx, &unstructured.Unstructured{Object: obj}, made)
}

// ruleInput returns what the rules can look at of the object of that text.
func (r *request) ruleInput(plan *onepass.Plan, text string) (map[string]any, bool) {
	if r.version.rules == nil {
		return map[string]any{}, true
	}
	return plan.RuleInput(text)
}

// judgeBytes evaluates the rules, the only ones that can still refuse the
// object. Of the object, obj has what the rules can look at, and its metadata.
func (r *request) judgeBytes(ctx context.Context, obj *unstructured.Unstructured, made onepass.Object) ([]byte, *Result, bool, error) {
	// There is nothing to refuse, as there is only a warning for each field.
	_ = r.judgeFields(nil, made.Unknown)
	r.obj = obj
	if err := r.evaluate(ctx, nil); err != nil {
		return nil, nil, true, err
	}
	r.warn(r.finalizerWarnings(nil)...)
	out := made.JSON
	if r.unnamed {
		unstructured.RemoveNestedField(obj.Object, "metadata", "name")
		text, _ := jsonscan.Append(nil, obj.Object["metadata"]) // which could be written before
		out = slices.Replace(out, made.Metadata[0], made.Metadata[1], text...)
	}
	res := r.finish(nil)
	if !res.Admitted() {
		return nil, res, true, nil
	}
	return out, res, true, nil
}

// ordinaryMetadata does to the metadata of obj all that is done to that of a
// new object. It reports false if there is anything to say about it.
func (r *request) ordinaryMetadata(obj map[string]any) (map[string]any, bool) {
	meta, unknown, err := objectmeta.Decode(obj, objectmeta.Options{ReportUnknown: r.fields != Ignore})
	if err != nil || len(unknown) > 0 || meta.Restore(obj) != nil || len(objectmeta.PrepareCreate(obj)) > 0 {
		return nil, false
	}
	namespaced, want := r.version.def.namespaced, ""
	metadata, _ := obj["metadata"].(map[string]any)
	if namespaced {
		own, _ := metadata["namespace"].(string)
		want = cmp.Or(r.namespace, own, "default")
	}
	if objectmeta.MatchNamespace(obj, want) != nil {
		return nil, false
	}
	metadata, _ = obj["metadata"].(map[string]any)
	r.unnamed = metadata["name"] == nil
	r.obj = &unstructured.Unstructured{Object: obj}
	_ = r.generateName() // which judgeBytes takes away again
	if !objectmeta.ValidCreate(obj, namespaced) || len(objectmeta.ValidateCommonCreate(obj, namespaced)) > 0 {
		return nil, false
	}
	return metadata, true
}

// admits reports whether the scale of an object, in the form of the server's
// JSON, is plainly right. Dropped tells that the object has no status.
func (s *scale) admits(text string, dropped bool) bool {
	if s == nil {
		return true
	}
	if !s.spec.admits(text, dropped) || !s.status.admits(text, dropped) {
		return false
	}
	if s.selector == nil || s.selector.gone(dropped) {
		return true
	}
	selector, ok := jsonscan.Lookup(text, s.selector.steps...)
	return ok && (selector == "" || selector[0] == '"')
}

// gone reports whether the path leads into a status that the object does not
// have.
func (p scalePath) gone(dropped bool) bool { return dropped && p.steps[0] == "status" }

func (p scalePath) admits(text string, dropped bool) bool {
	if p.gone(dropped) {
		return true
	}
	replicas, ok := jsonscan.Lookup(text, p.steps...)
	if !ok || replicas == "" {
		return ok
	}
	end, n := jsonscan.Number(replicas, 0)
	return end == len(replicas) && !n.IsFloat && n.Int >= 0 && n.Int <= math.MaxInt32
}
