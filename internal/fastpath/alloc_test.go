package fastpath_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/testkit"
)

// poolAllocations is what a run may allocate because a pool forgot its memory.
func poolAllocations() float64 {
	if testkit.RaceDetector {
		return 25
	}
	return 0
}

// metadataAllocations are the text of the metadata, a map in two parts and a string.
const metadataAllocations = 4

// A walk reuses the memory of earlier walks.
func TestAllocations(t *testing.T) {
	n := compileGroup(t, &group{Spec: `{type: object, required: [l], properties: {
		a: {type: integer, default: 1},
		l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {
			k: {type: string, pattern: "^[a-z0-9-]+$"}, v: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true}}}}}}`})
	plan := fastpath.Compile(n, testConfig)
	var b strings.Builder
	b.WriteString(head + `"spec":{"l":[`)
	for i := range 40 {
		b.WriteString(`{"v":5,"k":"key-` + strings.Repeat("x", i) + `"},`)
	}
	b.WriteString(`{"k":"last"}]}}`)
	raw := b.String()
	metadata := map[string]any{"name": "a"}
	request := fastpath.Request{Report: true}
	var buf []byte
	for name, test := range map[string]struct {
		splice, create bool
		most           float64
	}{
		"canonical":                {false, false, metadataAllocations},
		"spliced":                  {true, false, metadataAllocations},
		"canonical, fast metadata": {false, true, 0},
		"spliced, fast metadata":   {true, true, 0},
	} {
		request.Splice, request.Create, request.Namespaced = test.splice, test.create, test.create
		run := func() {
			m, ok := plan.JSON(raw, &request)
			if !ok {
				t.Fatal("declined")
			}
			if text := m.Metadata() == nil; text != test.create {
				t.Fatal("the output has the metadata of the text:", text)
			}
			if !test.create && !m.SetMetadata(metadata) {
				t.Fatal("the metadata cannot be written")
			}
			buf = m.Append(buf[:0])
			m.Release()
		}
		if allocs := testing.AllocsPerRun(100, run); allocs > test.most+poolAllocations() {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
