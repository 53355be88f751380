package compat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// An outcome is what one definition does with a request.
type outcome struct {
	object map[string]any // the stored object as the definition serves it, nil if the request is refused
	stored *unstructured.Unstructured
	result *crdkit.Result
}

func (o *outcome) answer() string {
	if err := o.result.Err(); err != nil {
		return err.Error()
	}
	return "admitted"
}

// request sends a creation, an update or an update of the status at a version.
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
	// An admitted object is stored and read again. With a conversion webhook, the version of the
	// request counts as the storage version.
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

// write creates an object or replaces old. If the status is a subresource, it then writes the
// status.
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
	// The first request drops the status, but the second one sets it.
	outside := slices.DeleteFunc(before.result.Changes, func(c crdkit.Change) bool { return len(c.Path) > 0 && c.Path[0] == schema.Field("status") })
	o.result.Changes = append(outside, o.result.Changes...)
	o.result.Ratcheted = append(before.result.Ratcheted, o.result.Ratcheted...)
	return o, nil
}

func unstructuredCopy(obj map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: jsonval.Clone(obj).(map[string]any)}
}

// A difference is one way in which the two compiled definitions treat a witness differently.
type difference struct {
	role      Role
	code      Code // Refused, Pruned, Changed or Defaulted
	path      schema.Path
	witness   Witness
	old, new  string
	was, is   string // the changed value before and after, in a few words
	ratcheted bool
	errors    validation.ErrorList // of the new definition, if it refuses the witness
}

// differences sends obj to both definitions, as an update of old if old is not nil. first is the
// outcome of the definition that is asked first: the new one for readers, else the old one. If that
// one refuses old or obj, or drops a field of obj, there are no differences.
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
		d := difference{role: RoleWriters, code: CodeRefused, witness: Witness{Object: obj}, old: first.answer(), new: after.answer(), errors: after.result.Errors}
		if admitted = after.object != nil; admitted {
			found = contentDifferences(d, first.object, after.object)
		} else {
			found = []difference{d}
		}
	}
	more, err := c.storedDifferences(obj, first, admitted)
	return first, append(found, more...), err
}

func (c *comparison) sameName() bool { return c.before.version.Name() == c.after.version.Name() }

func drops(r *crdkit.Result) bool {
	return slices.ContainsFunc(r.Changes, func(c crdkit.Change) bool { return c.Op == crdkit.Pruned || c.Op == crdkit.NullDropped })
}

// contentDifferences returns a copy of d for each difference between two objects.
func contentDifferences(d difference, before, after map[string]any) []difference {
	var out []difference
	for _, diff := range jsondiff.Of(before, after) {
		if diff.Path[0] == schema.Field("apiVersion") {
			continue // it always differs
		}
		d.path = diff.Path
		d.old, d.new = valueText(diff.Before), valueText(diff.After)
		d.was, d.is = short(diff.Before), short(diff.After)
		switch diff.Kind {
		case jsondiff.Removed:
			d.code, d.new, d.is = CodePruned, absent, absent
		case jsondiff.Added:
			d.code, d.old, d.was = CodeDefaulted, absent, absent
		default:
			d.code = CodeChanged
		}
		out = append(out, d)
	}
	return out
}

const absent = "absent"

const maxShown = 5

// short describes a value in a few words. It names the first fields of an object.
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

func shortList(values []any) string {
	var texts []string
	for _, v := range values[:min(len(values), maxShown+1)] {
		texts = append(texts, short(v))
	}
	return shown(append(texts, make([]string, len(values)-len(texts))...))
}

// shown joins the first texts of a list and counts the rest.
func shown(texts []string) string {
	if len(texts) <= maxShown+1 {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:maxShown], ", "), len(texts)-maxShown)
}

func valueText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// storedDifferences reads a stored object with the new definition and sends it back unchanged.
// admitted says whether the new definition admits obj.
func (c *comparison) storedDifferences(obj map[string]any, before *outcome, admitted bool) ([]difference, error) {
	is, _, err := c.after.version.Read(c.ctx, before.stored)
	d := difference{role: RoleStored, witness: Witness{Object: obj}}
	if err != nil {
		if c.ctx.Err() != nil {
			return nil, err
		}
		d.code, d.old, d.new = CodeRefused, "read", err.Error()
		return []difference{d}, nil
	}
	out := contentDifferences(d, before.object, is.Object)
	again, err := c.write(c.ctx, c.after.version, is.Object, is.Object)
	if err != nil {
		return nil, err
	}
	ratcheted := again.result.Ratcheted
	if again.object == nil || c.storesAnotherVersion() && len(ratcheted) > 0 {
		// The change is not the reason if the old definition, too, refuses this update by a
		// transition rule, or forgives the same errors.
		was, err := c.write(c.ctx, c.before.version, before.object, before.object)
		if err != nil || was.object == nil {
			return out, err
		}
		ratcheted = slices.DeleteFunc(slices.Clone(ratcheted), func(e *validation.Error) bool {
			return slices.ContainsFunc(was.result.Ratcheted, func(known *validation.Error) bool {
				// known has the same cause as e.
				return known.Pointer == e.Pointer || admitted && (isUnder(known.Pointer, e.Pointer) || isUnder(e.Pointer, known.Pointer))
			})
		})
	}
	d.old, d.new = "admitted", again.answer()
	switch {
	case again.object == nil:
		d.code, d.errors = CodeRefused, again.result.Errors
		d.witness = Witness{Object: is.Object, Old: is.Object}
		out = append(out, d)
	case len(ratcheted) > 0:
		d.code, d.ratcheted, d.errors = CodeRefused, true, ratcheted
		d.new = ratcheted.Field().ToAggregate().Error()
		out = append(out, d)
	}
	return out, nil
}

func isUnder(pointer, other string) bool { return strings.HasPrefix(pointer+"/", other+"/") }

var contentCodes = []Code{CodeDefault, CodeProperty, CodeUnknownFields}

// shows reports whether a difference comes from the change at g.
func (w *walk) shows(g *goal, d *difference) bool {
	switch {
	case g.code == CodeTransition:
		return g.causes(d.errors)
	case g.stored:
		return d.code != CodeRefused && isAt(d.path, g.path())
	case d.code == CodeRefused && len(d.errors) == 0:
		return true
	case d.code == CodeRefused:
		// A keyword without a goal may refuse a value that the new definition changed.
		return g.causes(d.errors) || slices.ContainsFunc(d.errors, func(e *validation.Error) bool {
			return onWay(e.Pointer, g.path()) && !slices.ContainsFunc(w.goals, func(other goal) bool { return other.causes(validation.ErrorList{e}) })
		})
	case g.code == CodeRule:
		return false
	}
	return isAt(d.path, g.steps)
}

// onWay reports whether a JSON Pointer follows the steps. It may end before the last step, or lead
// further.
func onWay(pointer string, steps []step) bool {
	for i, token := range strings.Split(pointer, "/")[1:] {
		if i < len(steps) && !steps[i].item && steps[i].others == nil && token != schema.EscapePointer(steps[i].name) {
			return false
		}
	}
	return true
}

// causes reports whether an error is about the keyword of the goal, or about a schema below this
// keyword. A goal about lost or changed values causes no errors.
func (g *goal) causes(errs validation.ErrorList) bool {
	if slices.Contains(contentCodes, g.code) {
		return false
	}
	for _, e := range errs {
		at := e.SchemaPointer
		if e.Rule >= 0 {
			at += "/x-kubernetes-validations/" + strconv.Itoa(e.Rule)
		}
		keyword, ok := strings.CutPrefix(g.pointer, at+"/")
		switch {
		case at == g.pointer, strings.HasPrefix(at, g.pointer+"/"):
			return true
		case e.Rule < 0 && ok && !strings.Contains(keyword, "/"):
			return true
		}
	}
	return false
}

// isAt reports whether a path leads to the value at the steps, or below it.
func isAt(path schema.Path, steps []step) bool {
	return len(path) >= len(steps) && onWay(path.Pointer(), steps)
}

// maxOthers limits the goals that [walk.alone] avoids.
const maxOthers = 32

// alone returns an object that meets a goal and no other goal near it, or nil if none is found.
func (w *walk) alone(object *search.Cond, g *goal) map[string]any {
	var others []*goal
	for i := range w.goals {
		if other := &w.goals[i]; other != g {
			others = append(others, other)
		}
	}
	slices.SortStableFunc(others, func(a, b *goal) int { return cmp.Compare(distance(a, g), distance(b, g)) })
	// If no object avoids all other goals, try to avoid the nearest half of them.
	for n := min(len(others), maxOthers); n > 0; n /= 2 {
		parts := []*search.Cond{object, within(g.steps, g.target)}
		for _, other := range others[:n] {
			parts = append(parts, search.Not(within(other.steps, other.target)))
		}
		if obj, ok := w.solveWithin(min(w.from.solver.Work(), sampleWork)/4, parts...).Value.(map[string]any); ok {
			return obj
		}
	}
	return nil
}

// distance returns how many steps other has after the steps that it shares with g.
func distance(other, g *goal) int {
	common := 0
	for common < min(len(other.steps), len(g.steps)) && sameStep(other.steps[common], g.steps[common]) {
		common++
	}
	return len(other.steps) - common
}

func sameStep(a, b step) bool {
	return a.name == b.name && a.item == b.item && (a.others == nil) == (b.others == nil)
}

// guard gives the smallest object and generated objects to both definitions. If a difference
// contradicts a proof, a finding about the contradiction replaces the proof. If the scopes differ,
// no object fits both definitions, and guard changes nothing.
func (c *comparison) guard(found []Finding) []Finding {
	if c.old.Spec.Scope != c.crd.Spec.Scope {
		return found
	}
	for _, readers := range []bool{false, true} {
		var last map[string]any
		for obj := range c.side(readers).samples(c.ctx, min(c.work, sampleWork), search.True) {
			proved := slices.ContainsFunc(found, func(f Finding) bool { return f.Code == CodeProved && (f.Role == RoleReaders) == readers })
			if !proved || c.ctx.Err() != nil {
				break
			}
			_, differences, err := c.differences(readers, obj, nil)
			if err == nil && last != nil && !readers {
				changed := maps.Clone(obj)
				changed["metadata"] = last["metadata"]
				var more []difference
				_, more, err = c.differences(false, changed, last)
				differences = append(differences, more...)
			}
			if err != nil {
				break
			}
			for i := range differences {
				c.contradict(found, &differences[i])
			}
			last = obj
		}
	}
	return found
}

func (c *comparison) contradict(found []Finding, d *difference) {
	i := slices.IndexFunc(found, func(f Finding) bool { return f.Code == CodeProved && f.Role == d.role })
	if i < 0 || !c.contradicts(d) || d.role == RoleStored && d.code == CodeRefused && slices.ContainsFunc(found, aboutTransition) {
		return
	}
	f := c.finding(CodeContradiction, VerdictIncompatible, SeverityError, d.role)
	f.Field, f.Witness, f.Old, f.New, f.Ratcheted = d.path.String(), &d.witness, d.old, d.new, d.ratcheted
	f.Text = fmt.Sprintf("%s, but crdkit had proved that nothing differs: this is a bug in crdkit, please report both definitions and the object", consequence(d))
	found[i] = f
}

// aboutTransition reports whether a finding is about a transition rule, which may refuse an update
// without a change.
func aboutTransition(f Finding) bool { return f.Code == CodeTransition }

// contradicts reports whether a difference contradicts a proof. A default contradicts it only
// if the old schema has the field and the witness lacks it. Proofs for readers cover [readerCodes].
func (c *comparison) contradicts(d *difference) bool {
	switch {
	case d.role == RoleReaders && d.code == CodeRefused:
		return slices.ContainsFunc(d.errors, func(e *validation.Error) bool {
			return slices.Contains([]field.ErrorType{field.ErrorTypeRequired, field.ErrorTypeNotSupported, field.ErrorTypeTypeInvalid}, e.Type) &&
				!strings.Contains(e.SchemaPointer, "Of/") && !strings.Contains(e.Pointer, "/metadata") && !rootMember(e.Pointer[strings.LastIndex(e.Pointer, "/")+1:])
		})
	case d.role != RoleReaders && d.code != CodeDefaulted:
		return true
	}
	_, known := d.path.Lookup(d.witness.Object)
	return !known && nodeAt(c.before.node, d.path) != nil
}
