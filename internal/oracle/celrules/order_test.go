package celrules

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	upstreamcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// Upstream with a fixed order.
//
// Upstream visits the fields of an object in the order of a Go map. The order
// decides where the budget ends. For an object with ten fields that have rules,
// upstream practically never visits them in our order. So the tests repeat
// upstream's walk here, in increasing order of names. They call upstream's own
// validator of each node, without the validators below it. The result is the
// one that upstream has when its maps are in this order. TestOrder compares
// this walk with upstream's own.

// An orderedWalk is the state of one walk.
type orderedWalk struct {
	ctx       context.Context
	remaining int64
	errs      field.ErrorList
}

// inOrder returns the answer of upstream if its maps are in order.
func (s *subject) inOrder(in *input) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{errors: []string{fmt.Sprint("panic: ", p)}}
		}
	}()
	w := &warnings{}
	walk := &orderedWalk{ctx: warning.WithWarningRecorder(in.context(), w), remaining: in.budget}
	var old any
	var here *common.CorrelatedObject
	if in.old != nil {
		old = in.old
		here = common.NewCorrelatedObject(in.obj, in.old, &model.Structural{Structural: s.structural})
	}
	walk.visit(s.validator, nil, in.obj, old, correlation{here: here})
	return answerOfServer(walk.errs, w, in.budget-max(walk.remaining, 0))
}

// visit runs the rules of a node and of the nodes below it. It reports whether
// any budget is left.
func (w *orderedWalk) visit(v *upstreamcel.Validator, path *field.Path, obj, old any, c correlation) bool {
	if v == nil || obj == nil {
		return true
	}
	alone := *v
	alone.Items, alone.Properties, alone.AdditionalProperties = nil, nil, nil
	errs, left := alone.Validate(w.ctx, path, nil, obj, old, w.remaining, c.option())
	w.errs = append(w.errs, errs...)
	w.remaining = left
	if left < 0 {
		return false
	}
	switch obj := obj.(type) {
	case []any:
		before, _ := old.([]any)
		return w.list(v, path, obj, before, c)
	case map[string]any:
		before, _ := old.(map[string]any)
		return w.object(v, path, obj, before, c)
	}
	return true
}

func (w *orderedWalk) list(v *upstreamcel.Validator, path *field.Path, obj, old []any, c correlation) bool {
	if v.Items == nil {
		return true
	}
	before := common.MakeMapList(&model.Structural{Structural: v.Schema}, old)
	for i, e := range obj {
		if !w.visit(v.Items, path.Index(i), e, before.Get(e), c.index(i)) {
			return false
		}
	}
	return true
}

func (w *orderedWalk) object(v *upstreamcel.Validator, path *field.Path, obj, old map[string]any, c correlation) bool {
	if !upstreamcel.MapIsCorrelatable(v.Schema.XMapType) {
		old = nil
	}
	names := sortedNames(obj)
	if v.AdditionalProperties != nil {
		for _, name := range names {
			if !w.visit(v.AdditionalProperties, path.Key(name), obj[name], old[name], c.key(name)) {
				return false
			}
		}
	}
	for _, name := range names {
		if child, ok := v.Properties[name]; ok && !w.visit(&child, path.Child(name), obj[name], old[name], c.key(name)) {
			return false
		}
	}
	return true
}

// A correlation holds upstream's state about the old object at a node.
type correlation struct{ here, above *common.CorrelatedObject }

func (c correlation) key(name string) correlation {
	switch {
	case c.here == nil:
		return c
	case c.above == nil && (name == "apiVersion" || name == "kind"):
		return correlation{}
	}
	return correlation{here: c.here.Key(name), above: c.here}
}

func (c correlation) index(i int) correlation {
	if c.here == nil {
		return c
	}
	return correlation{here: c.here.Index(i), above: c.here}
}

// option returns an upstream option that sets the whole correlation. The
// exported option sets only the first field. The argument of an option has an
// unexported type, a struct with the two pointers.
func (c correlation) option() upstreamcel.Option {
	set := reflect.MakeFunc(reflect.TypeFor[upstreamcel.Option](), func(args []reflect.Value) []reflect.Value {
		if size := args[0].Type().Elem().Size(); size != unsafe.Sizeof(c) {
			panic(fmt.Sprintf("the options of upstream have %d bytes, want %d", size, unsafe.Sizeof(c)))
		}
		*(*correlation)(args[0].UnsafePointer()) = c
		return nil
	})
	return set.Interface().(upstreamcel.Option)
}

// TestOrder compares the walk above with upstream's own walk. Their answers
// must agree if the budget is large enough.
func TestOrder(t *testing.T) {
	list := versions(t)
	c := newTally(t, "order", "upstream and upstream in order")
	parallel(len(list), func(i int) {
		v := list[i]
		if i%8 != 0 && !*full {
			return
		}
		c.rules.Add(int64(rules(v.node)))
		v.each(8, func(in *input, what string) {
			count := int64(evaluations(v.node, in.obj, oldOf(in)))
			c.evaluations.Add(count)
			c.third.Add(count)
			c.inputs.Add(1)
			want := v.inOrder(in)
			for range reruns {
				if v.upstream(in).equal(want) {
					return
				}
			}
			c.differ(v.subject, in, what, want.diff(v.upstream(in)))
		})
	})
	c.report()
}
