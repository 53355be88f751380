package fastpath_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testkit"
)

// TestWatchEndsParts: what the fast path does beside its walk polls in proportion to the
// text, and declines when the watch ends.
func TestWatchEndsParts(t *testing.T) {
	const n = 1000
	// times is how often each member is read or written, if more than once.
	times := map[string]int{"metadata of an object": 2, "whole object": 2}
	spec := compileGroup(t, &group{Spec: `{type: object, properties: {m: &m {type: object, additionalProperties: {type: integer, maximum: 9}},
		k: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], x-kubernetes-validations: [{rule: "true"}], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: integer, maximum: 9}}}},
		a: {type: object, additionalProperties: {type: integer}, anyOf: [{minProperties: 1}]}}}`})
	plan := fastpath.Compile(spec, testConfig)
	var members, elements strings.Builder
	for i := range n {
		fmt.Fprintf(&members, `,"k%d":1`, i)
		fmt.Fprintf(&elements, `,{"k":"k%d"}`, i)
	}
	many := `"k":1` + members.String()
	forgiven := func(now, old string) func(*interrupt.Watch) bool {
		return func(watch *interrupt.Watch) bool {
			out, ok := plan.JSON(head+now, &fastpath.Request{NoteWrong: true, Watch: watch})
			return ok && countForgiven(out, &fastpath.Ratchet{Schema: correlate.New(spec), Old: head + old}) > 0
		}
	}
	root := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}, anyOf: [{required: [spec]}]}`}), testConfig)
	for name, do := range map[string]func(*interrupt.Watch) bool{
		"metadata of an old object": func(watch *interrupt.Watch) bool {
			d, _ := plan.Document(strings.Replace(head, `"name":`, `"labels":{`+many+`},"name":`, 1) + `"spec":{}}`)
			_, ok := d.DecodeMetadata(watch)
			return ok
		},
		"metadata of an object": func(watch *interrupt.Watch) bool {
			out, ok := plan.JSON(strings.Replace(head, `"name":`, `"labels":{`+many+`},"name":`, 1)+`"spec":{}}`, &fastpath.Request{Watch: watch})
			return ok && out.SetMetadata(out.Metadata())
		},
		"whole object": func(watch *interrupt.Watch) bool {
			out, ok := root.JSON(head+`"spec":{`+many+`}}`, &fastpath.Request{Watch: watch})
			return ok && out.Admits(out.Metadata())
		},
		"equal values": func(watch *interrupt.Watch) bool { return plan.SameValue(`{`+many+`}`, `{`+many+` }`, watch) },
		"status":       func(watch *interrupt.Watch) bool { return plan.KeepsStatus(`{`+many+`}`, watch) },
		"input of rules": func(watch *interrupt.Watch) bool {
			_, ok := plan.Values(watch).RuleInput(head+`"spec":{"k":[{"k":"x"}`+elements.String()+`]}}`, true)
			return ok
		},
		"members of the old object":  forgiven(`"spec":{"m":{"x":99}}}`, `"spec":{"m":{"x":99,`+many+`}}}`),
		"elements of the old object": forgiven(`"spec":{"k":[{"k":"x","v":99}]}}`, `"spec":{"k":[{"k":"x","v":99}`+elements.String()+`]}}`),
	} {
		ctx := testkit.EndingContext(1 << 30)
		if ok := do(interrupt.New(ctx)); !ok || ctx.Polls() < max(1, times[name])*n/interrupt.Interval {
			t.Errorf("%s: %v with %d polls", name, ok, ctx.Polls())
		}
		for _, after := range []int{0, ctx.Polls() / 2} {
			if do(interrupt.New(testkit.EndingContext(after))) {
				t.Errorf("%s: not declined after %d of %d polls", name, after, ctx.Polls())
			}
		}
	}
}
