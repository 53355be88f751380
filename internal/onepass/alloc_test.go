package onepass_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/onepass"
)

// Most of what a plan makes is the output; what it takes to make it is kept
// from one call to the next.
func TestAllocations(t *testing.T) {
	n := compileGroup(t, &group{Spec: `{type: object, required: [l], properties: {
		a: {type: integer, default: 1},
		l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {
			k: {type: string, pattern: "^[a-z0-9-]+$"}, v: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}}}}}}`})
	plan := onepass.Compile(n, testConfig)
	var b strings.Builder
	b.WriteString(head + `"spec":{"l":[`)
	for i := range 40 {
		b.WriteString(`{"v":5,"k":"key-` + strings.Repeat("x", i) + `"},`)
	}
	b.WriteString(`{"k":"last"}]}}`)
	raw := b.String()
	metadata := map[string]any{"name": "a"}
	request := onepass.Request{Report: true, Metadata: func(map[string]any) (map[string]any, bool) { return metadata, true }}
	if _, ok := plan.Bytes(raw, request); !ok {
		t.Fatal("not taken")
	}
	allocs := testing.AllocsPerRun(100, func() { plan.Bytes(raw, request) })
	if allocs > mostAllocations {
		t.Errorf("%v allocations", allocs)
	}
	t.Logf("%v allocations", allocs)
}
