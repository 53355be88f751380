package crdkit

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/validation"
)

// A mapCarrier holds the object as a map, which it changes in place. One walk of
// the fast path prunes, defaults and validates most objects. The engines do it
// for the others, one after the other.
type mapCarrier struct {
	*request
	given, givenOld *unstructured.Unstructured // the input, unless it is encoded
	walked          bool                       // the fast path has taken the object
}

func (c *mapCarrier) read() (*Refusal, error) {
	c.walked = false
	c.obj, c.old = c.given, c.givenOld
	if !c.encoded {
		return nil, nil
	}
	refusal := c.decode()
	if refusal != nil || c.oldRaw == nil {
		return refusal, nil
	}
	if c.old, _ = c.decodeFast(c.oldRaw, false); c.old != nil || c.watch.Err() != nil {
		return nil, nil
	}
	c.old = &unstructured.Unstructured{}
	if err := c.old.UnmarshalJSON(c.oldRaw); err != nil {
		return nil, fmt.Errorf("crdkit: reading the old object: %w", err)
	}
	return nil, nil
}

func (c *mapCarrier) name() string { return "" } // the run has an obj

// conform takes a version that the definition does not have for one that declares
// nothing.
func (c *mapCarrier) conform(d *Version, how coercion) error {
	obj := c.obj.Object
	if c.walk(d, obj) {
		return nil
	}
	e := newEngines(nil, config{})
	if d != nil {
		e = d.engines
	}
	track := how.report || c.report
	if !c.version.def.preserve {
		c.prune(e, obj, how)
		if c.report {
			c.change(NullDropped, e.setDefaults().DropNullsAndReport(obj, c.watch)...)
		} else {
			e.setDefaults().DropNulls(obj, c.watch)
		}
	}
	paths, err := e.resources().Coerce(obj, objectmeta.Options{DropInvalid: how.stored, ReportUnknown: track, Watch: c.watch})
	if err != nil {
		return err
	}
	c.unknown(how, paths)
	return nil
}

func (c *mapCarrier) prune(e *engines, obj map[string]any, how coercion) {
	if !how.report && !c.report {
		e.prune().Prune(obj, c.watch)
		return
	}
	c.unknown(how, e.prune().PruneAndReport(obj, c.watch))
}

// walk does all that the schema asks for in one walk. It reports false if it
// declines; the object is then as it was.
func (c *mapCarrier) walk(d *Version, obj map[string]any) bool {
	if d != c.version || c.fields == Strict && len(c.complaints) > 0 || !c.takesFastPath(asMap) {
		return false
	}
	complaints, ok := d.objectPlan().Map(obj, fastpath.MapRequest{
		Report: c.fields != Ignore, Prefix: unknownField, Suffix: `"`,
		Strict: c.fields == Strict, Watch: c.watch,
	})
	c.walked = ok
	c.complaints = joined(c.complaints, complaints)
	return ok
}

func (c *mapCarrier) setDefaults() {
	if c.walked || !c.sameKind() {
		return
	}
	d := c.version.def.byName[c.obj.GroupVersionKind().Version]
	if d == nil {
		return
	}
	if !c.report {
		d.engines.setDefaults().Default(c.obj.Object, c.watch)
		return
	}
	c.change(Defaulted, d.engines.setDefaults().DefaultAndReport(c.obj.Object, c.watch)...)
}

func (c *mapCarrier) setStatus() error {
	if !c.version.status {
		return nil
	}
	var status any
	found := false
	if c.old != nil {
		status, found = c.old.Object["status"]
	}
	c.restore("status", status, found)
	return nil
}

func (c *mapCarrier) restoreRest() error {
	old := c.old.Object
	for _, name := range sortedKeys(c.obj.Object, old) {
		if name != "status" && name != "metadata" {
			before, found := old[name]
			c.restore(name, before, found)
		}
	}
	return nil
}

// restore makes a member what it was before.
func (c *mapCarrier) restore(name string, before any, found bool) {
	obj := c.obj.Object
	switch now, ok := obj[name]; {
	case !found && !ok:
	case !found:
		delete(obj, name)
		c.reset(name)
	default:
		if !jsonval.Equal(now, before) {
			c.reset(name)
		}
		obj[name] = jsonval.Clone(before)
	}
}

func (c *mapCarrier) specChanged() (bool, error) {
	a, b := c.obj.Object, c.old.Object
	count := func(m map[string]any) int {
		n := len(m)
		if _, ok := m["metadata"]; ok {
			n--
		}
		return n
	}
	if count(a) != count(b) {
		return true, nil
	}
	for k := range a {
		if k == "metadata" {
			continue
		}
		w, ok := b[k]
		if !ok {
			return true, nil
		}
		if same, err := jsonval.EqualWithin(a[k], w, c.watch); !same || err != nil {
			return true, err
		}
	}
	return false, nil
}

func (c *mapCarrier) checkScale() error {
	obj, scale := c.obj.Object, c.version.scale
	if c.verb != updatingStatus {
		c.add(scale.checkSpec(obj))
	}
	c.add(scale.checkStatus(obj))
	return nil
}

func (c *mapCarrier) checkSchema() error {
	obj := c.obj.Object
	if c.walked && !c.otherType && c.version.objectPlan().Admits(obj) {
		return nil
	}
	switch v := c.version.engines.validate(); c.verb {
	case creating:
		c.addValidation(v.ValidateCreate(obj, validation.MaxErrors(c.mostErrors()), c.watch))
	case updating:
		c.addValidation(v.ValidateUpdate(obj, c.old.Object, validation.MaxErrors(c.mostErrors()), c.watch))
	default:
		c.addValidation(v.ValidateStatus(obj, c.old.Object, validation.MaxErrors(c.mostErrors()), c.watch))
	}
	return nil
}

func (c *mapCarrier) ruleInput(bool) (ruleInput, error) {
	in := ruleInput{obj: c.obj.Object}
	if c.old != nil {
		in.old = c.old.Object
	}
	return in, nil
}

func (c *mapCarrier) output() ([]byte, error) {
	if out, ok := jsonscan.AppendUntil(slices.Grow(c.buffer, len(c.raw)), c.obj.Object, c.watch); ok || c.watch.Err() != nil {
		return out, nil
	}
	out, err := json.Marshal(c.obj.Object)
	if err != nil {
		return nil, fmt.Errorf("crdkit: encoding the object: %w", err)
	}
	if c.appends {
		out = append(c.buffer, out...)
	}
	return out, nil
}

func (c *mapCarrier) release() {}
