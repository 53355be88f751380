package fastpath_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/fastpath"
)

// The schema judges the metadata that the caller has prepared, by itself and as a
// part of the whole object.
func TestAdmits(t *testing.T) {
	const text = head + `"spec":1,"list":[3]}`
	const whole = `{type: object, x-kubernetes-preserve-unknown-fields: true, enum: [{apiVersion: example.com/v1, kind: Thing, metadata: {name: b}, spec: 1, list: [3]}]}`
	for _, tt := range []struct {
		name, root string
		metadata   map[string]any
		want       bool
	}{
		{"nothing is asked", `{type: object, x-kubernetes-preserve-unknown-fields: true}`, map[string]any{"name": "b"}, true},
		{"a name that fits", `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 1}}}}}`, map[string]any{"name": "b"}, true},
		{"a name that does not fit", `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 1}}}}}`, map[string]any{"name": "bb"}, false},
		{"a whole that fits", whole, map[string]any{"name": "b"}, true},
		{"a whole that does not fit", whole, map[string]any{"uid": "b"}, false},
	} {
		plan := fastpath.Compile(compileGroup(t, &group{Root: tt.root}), testConfig)
		for _, splice := range []bool{false, true} {
			out, ok := plan.JSON(text, &fastpath.Request{Splice: splice})
			if !ok {
				t.Fatalf("%s: the walk declines", tt.name)
			}
			if got := out.Admits(tt.metadata); got != tt.want {
				t.Errorf("%s: Admits = %t (splice %t)", tt.name, got, splice)
			}
			out.Release()
		}
	}
}

// The output has the metadata that was set, in its place.
func TestSetMetadata(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, x-kubernetes-preserve-unknown-fields: true}`}), testConfig)
	const text = `{"z":1, "metadata": {"name":"a"}, "kind":"Thing", "apiVersion":"example.com/v1"}`
	for _, tt := range []struct {
		splice     bool
		name, want string
		unmodified bool
	}{
		{false, "a", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"z":1}`, false},
		{false, "long name", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"long name"},"z":1}`, false},
		{true, "a", text, true},
		{true, "b", `{"z":1, "metadata": {"name":"b"}, "kind":"Thing", "apiVersion":"example.com/v1"}`, false},
	} {
		out, ok := plan.JSON(text, &fastpath.Request{Splice: tt.splice})
		if !ok || out.Metadata()["name"] != "a" || !out.SetMetadata(map[string]any{"name": tt.name}) {
			t.Fatalf("the walk declines or has no metadata: %t", ok)
		}
		if got := string(out.Append([]byte("<"))); got != "<"+tt.want || out.Unmodified() != tt.unmodified {
			t.Errorf("Append = %s, unmodified %t; want <%s, %t", got, out.Unmodified(), tt.want, tt.unmodified)
		}
		out.Release()
	}
}

// Metadata that the walk prepares and that has the value of the input stays as it is.
func TestPreparedMetadataStays(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, x-kubernetes-preserve-unknown-fields: true}`}), testConfig)
	const stored = `{"generation":1,"name":"a","namespace":"n"}`
	for _, tt := range []struct{ metadata, want string }{
		{`{ "namespace": "n", "name": "a", "generation": 1 }`, `{ "namespace": "n", "name": "a", "generation": 1 }`},
		{`{ "namespace": "n", "name": "a", "generation": 2 }`, stored},
		{`{ "namespace": "n", "name": "a" }`, stored},
		{`{ "namespace": "n", "name": "a", "generation": 1, "uid": "u" }`, stored},
		{`{ "namespace": "n", "name": "a", "generation": 1, "labels": null }`, stored},
	} {
		for range 2 { // with the memory of another walk
			text := `{"kind":"Thing", "apiVersion":"example.com/v1", "metadata": ` + tt.metadata + `}`
			out, ok := plan.JSON(text, &fastpath.Request{Create: true, Splice: true, Namespaced: true})
			if !ok || out.Metadata() != nil {
				t.Fatalf("the walk does not prepare %s", tt.metadata)
			}
			want := `{"kind":"Thing", "apiVersion":"example.com/v1", "metadata": ` + tt.want + `}`
			if got := string(out.Append(nil)); got != want || out.Unmodified() != (text == want) {
				t.Errorf("%s becomes %s, unmodified %t", text, got, out.Unmodified())
			}
			out.Release()
		}
	}
}
