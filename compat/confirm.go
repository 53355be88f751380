package compat

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// An outcome is what one definition does with a request.
type outcome struct {
	object map[string]any // what the definition serves of what it stores, nil if it refuses the request
	stored *unstructured.Unstructured
	result *crdkit.Result
}

// answer returns the outcome in the words of the server.
func (o *outcome) answer() string {
	if err := o.result.Err(); err != nil {
		return err.Error()
	}
	return "admitted"
}

// request sends a creation, an update if there is an old object, or an update of the status,
// at a version.
func (p *pair) request(ctx context.Context, v *crdkit.Version, k search.Case) (*outcome, error) {
	u, send := unstructuredCopy(k.Object), v.Update
	u.SetAPIVersion(v.GroupVersionKind().GroupVersion().String())
	var result *crdkit.Result
	var err error
	if k.Status {
		send = v.UpdateStatus
	}
	if k.Old == nil {
		result, err = v.Create(ctx, u, crdkit.ReportChanges())
	} else {
		result, err = send(ctx, u, unstructuredCopy(k.Old), crdkit.ReportChanges())
	}
	if err != nil || !result.Admitted() {
		return &outcome{result: result}, err
	}
	// An admitted object goes through the store. If a webhook converts objects, it is taken to
	// be stored at its own version, because nothing may call the webhook.
	o := &outcome{stored: u, result: result}
	if !convertsByWebhook(p.old) && !convertsByWebhook(p.crd) {
		if o.stored, err = v.Store(ctx, u); err != nil {
			return nil, err
		}
	}
	read, _, err := v.Read(ctx, o.stored)
	if err != nil {
		return nil, err
	}
	o.object = read.Object
	return o, nil
}

// write creates an object, or replaces old if it is not nil. If the version has the
// status subresource, it then writes the status, as a controller does.
func (p *pair) write(ctx context.Context, v *crdkit.Version, obj, old map[string]any) (*outcome, error) {
	before, err := p.request(ctx, v, search.Case{Object: obj, Old: old})
	status, ok := obj["status"]
	if err != nil || before.object == nil || !ok || !v.HasStatus() {
		return before, err
	}
	changed := maps.Clone(before.object)
	changed["status"] = status
	o, err := p.request(ctx, v, search.Case{Object: changed, Old: before.object, Status: true})
	if err != nil {
		return nil, err
	}
	// The first request ignores the status.
	outside := slices.DeleteFunc(before.result.Changes, func(c crdkit.Change) bool { return len(c.Path) > 0 && c.Path[0] == schema.Field("status") })
	o.result.Changes = append(outside, o.result.Changes...)
	o.result.Ratcheted = append(before.result.Ratcheted, o.result.Ratcheted...)
	return o, nil
}

func unstructuredCopy(obj map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: jsonval.Clone(obj).(map[string]any)}
}

// A difference is one respect in which the definitions treat a witness
// differently. Both compiled definitions have shown it.
type difference struct {
	role      Role
	code      Code // Refused, Pruned, Changed or Defaulted
	path      schema.Path
	witness   Witness
	old, new  string
	was, is   string // the values in a few words, of content
	ratcheted bool
	errors    validation.ErrorList // of the new definition, if it refuses the witness
}

// differences gives obj to both definitions as a client would, in an update if old is not
// nil. first is the answer of the definition that must admit obj: for readers the new one. It
// is nil if old cannot be read. There are no differences if it refuses obj or drops a field of it.
func (c *comparison) differences(readers bool, obj, old map[string]any) (first *outcome, found []difference, err error) {
	v := c.side(readers).version
	var stored *outcome
	if old != nil {
		if stored, err = c.write(c.ctx, v, old, nil); err != nil || stored.object == nil {
			return stored, nil, err
		}
		old = stored.object
	}
	if first, err = c.write(c.ctx, v, obj, old); err != nil || first.object == nil || drops(first.result) {
		return first, nil, err
	}
	if readers {
		found, err = c.readerDifferences(obj, first)
		return first, found, err
	}
	if old != nil {
		return c.updateDifferences(obj, first, stored)
	}
	admitted := false
	if c.sameName() {
		after, err := c.write(c.ctx, c.after.version, obj, nil)
		if err != nil {
			return nil, nil, err
		}
		d := difference{role: Writers, code: Refused, witness: Witness{Object: obj}, old: first.answer(), new: after.answer(), errors: after.result.Errors}
		if admitted = after.object != nil; admitted {
			found = contentDifferences(d, first.object, after.object)
		} else {
			found = []difference{d}
		}
	}
	more, err := c.storedDifferences(obj, first, admitted)
	return first, append(found, more...), err
}

// sameName reports whether clients of both definitions use the same version.
func (c *comparison) sameName() bool { return c.before.version.Name() == c.after.version.Name() }

// drops reports whether a request removed a field or a null that the schema does not
// admit.
func drops(r *crdkit.Result) bool {
	return slices.ContainsFunc(r.Changes, func(c crdkit.Change) bool { return c.Op == crdkit.Pruned || c.Op == crdkit.NullDropped })
}

// contentDifferences returns a copy of d for each difference of two objects.
func contentDifferences(d difference, before, after map[string]any) []difference {
	var out []difference
	for _, diff := range jsondiff.Of(before, after) {
		if diff.Path[0] == schema.Field("apiVersion") {
			continue // clients see another value in any case
		}
		d.path = diff.Path
		d.old, d.new = valueText(diff.Before), valueText(diff.After)
		d.was, d.is = short(diff.Before), short(diff.After)
		switch diff.Kind {
		case jsondiff.Removed:
			d.code, d.new, d.is = Pruned, absent, absent
		case jsondiff.Added:
			d.code, d.old, d.was = Defaulted, absent, absent
		default:
			d.code = Changed
		}
		out = append(out, d)
	}
	return out
}

const absent = "absent"

// mostShown is how many values of a list, or names of an object, a text shows.
const mostShown = 5

// short returns a value in a few words: scalars as JSON, the elements of a list, and the
// names of the fields of an object.
func short(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return "an empty object"
		}
		return "an object with " + shown(slices.Sorted(maps.Keys(v)))
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list of " + shortList(v)
	case string:
		if len(v) > 60 {
			return fmt.Sprintf("a text of %d bytes", len(v))
		}
	}
	return valueText(v)
}

// shortList returns the first values of a list.
func shortList(values []any) string {
	var texts []string
	for _, v := range values[:min(len(values), mostShown+1)] {
		texts = append(texts, short(v))
	}
	return shown(append(texts, make([]string, len(values)-len(texts))...))
}

// shown joins the first texts of a list and counts the others.
func shown(texts []string) string {
	if len(texts) <= mostShown+1 {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:mostShown], ", "), len(texts)-mostShown)
}

func valueText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// storedDifferences reads what the old definition stored of obj with the new one,
// and sends it back without a change. admitted reports whether the new one admits obj.
func (c *comparison) storedDifferences(obj map[string]any, before *outcome, admitted bool) ([]difference, error) {
	is, _, err := c.after.version.Read(c.ctx, before.stored)
	d := difference{role: Stored, witness: Witness{Object: obj}}
	if err != nil {
		if c.ctx.Err() != nil {
			return nil, err
		}
		d.code, d.old, d.new = Refused, "read", err.Error()
		return []difference{d}, nil
	}
	out := contentDifferences(d, before.object, is.Object)
	again, err := c.write(c.ctx, c.after.version, is.Object, is.Object)
	if err != nil {
		return nil, err
	}
	ratcheted := again.result.Ratcheted
	if again.object == nil || c.storesAnotherVersion() && len(ratcheted) > 0 {
		// The old definition may refuse the update, too: a transition rule may fail for a value
		// that does not change. Its storage version may drop what the schema requires, or set
		// what it refuses, so that the old definition only tolerates the value.
		was, err := c.write(c.ctx, c.before.version, before.object, before.object)
		if err != nil || was.object == nil {
			return out, err
		}
		ratcheted = slices.DeleteFunc(slices.Clone(ratcheted), func(e *validation.Error) bool {
			return slices.ContainsFunc(was.result.Ratcheted, func(known *validation.Error) bool {
				// What the old storage version does to an admitted object causes both errors.
				return known.Pointer == e.Pointer || admitted && (isUnder(known.Pointer, e.Pointer) || isUnder(e.Pointer, known.Pointer))
			})
		})
	}
	d.old, d.new = "admitted", again.answer()
	switch {
	case again.object == nil:
		d.code, d.errors = Refused, again.result.Errors
		d.witness = Witness{Object: is.Object, Old: is.Object}
		out = append(out, d)
	case len(ratcheted) > 0:
		d.code, d.ratcheted, d.errors = Refused, true, ratcheted
		d.new = ratcheted.Field().ToAggregate().Error()
		out = append(out, d)
	}
	return out, nil
}

// isUnder reports whether a JSON Pointer leads to the value of another one, or below it.
func isUnder(pointer, other string) bool { return strings.HasPrefix(pointer+"/", other+"/") }
