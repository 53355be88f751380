package fastpath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// The walks prepare the metadata of both objects of an update, and leave to the caller what
// they cannot prepare.
func TestReplacedMetadata(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {spec: {type: integer}}}`}), testConfig)
	const (
		managed = `"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"k:{\"a\":1}":{}}},"operation":"Update"}]`
		old     = `{"finalizers":["a"],"generation":3,` + managed + `,"name":"a","resourceVersion":"7","uid":"u"}`
	)
	for _, tt := range []struct {
		name, metadata, old     string
		request                 fastpath.Request
		changed                 bool
		want, spliced, replaced string // "" for metadata that is left to the caller
		warnings                []string
	}{
		{name: "the same", metadata: old, old: old, want: old, spliced: old},
		{name: "a counted generation", metadata: old, old: old, changed: true, want: strings.Replace(old, "3", "4", 1), spliced: strings.Replace(old, "3", "4", 1)},
		{name: "another spelling", metadata: strings.ReplaceAll(old, ",", " , "), old: old, want: old, spliced: strings.ReplaceAll(old, ",", " , ")},
		{name: "what the server keeps", metadata: `{"finalizers":["a","b"],"name":"a"}`, old: old, want: `{"finalizers":["a","b"],"generation":3,` + managed + `,"name":"a","resourceVersion":"7","uid":"u"}`,
			spliced:  `{"finalizers":["a","b"],"generation":3,` + managed + `,"name":"a","resourceVersion":"7","uid":"u"}`,
			warnings: []string{`metadata.finalizers: "b": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`}},
		{name: "no generation", metadata: `{ "name":"a" }`, old: `{"name":"a"}`, want: `{"name":"a"}`, spliced: `{ "name":"a" }`},
		{name: "a namespace", metadata: `{"name":"a","namespace":"n"}`, old: `{"name":"a"}`, request: fastpath.Request{Namespaced: true}, want: `{"name":"a","namespace":"n"}`,
			spliced: `{"name":"a","namespace":"n"}`, replaced: `{"name":"a","namespace":"n"}`},
		{name: "another name", metadata: `{"name":"b"}`, old: old},
		{name: "another namespace", metadata: `{"name":"a","namespace":"n"}`, old: `{"name":"a","namespace":"n"}`, request: fastpath.Request{Namespaced: true, Namespace: "m"}},
		{name: "a wrong old one", metadata: `{"name":"a"}`, old: `{"name":"a","labels":[]}`},
		{name: "more than the old one", metadata: `{"name":"a"}`, old: `{"name":"a"} {}`},
		{name: "no version", metadata: `{"name":"a"}`, old: old, request: fastpath.Request{SameVersion: true}},
		{name: "the version", metadata: old, old: old, request: fastpath.Request{SameVersion: true, SameMetadata: true}, want: old, spliced: old},
		{name: "managed fields of its own", metadata: `{"managedFields":[{"apiVersion":"v2","fieldsType":"FieldsV1","operation":"Apply"}],"name":"a"}`, old: `{` + managed + `,"name":"a"}`,
			want: `{"managedFields":[{"apiVersion":"v2","fieldsType":"FieldsV1","operation":"Apply"}],"name":"a"}`, spliced: `{"managedFields":[{"apiVersion":"v2","fieldsType":"FieldsV1","operation":"Apply"}],"name":"a"}`},
		{name: "no managed fields", metadata: `{"name":"a"}`, old: `{` + managed + `,"name":"a"}`, request: fastpath.Request{SameMetadata: true}},
		{name: "a change", metadata: `{"name":"a","resourceVersion":"7"}`, old: old, request: fastpath.Request{SameMetadata: true}},
	} {
		for _, splice := range []bool{false, true, true} { // the last one with the memory of another walk
			text := `{"apiVersion":"example.com/v1","kind":"Thing","metadata":` + tt.metadata + `,"spec":1}`
			request := tt.request
			request.Splice, request.Replaced = splice, tt.old
			out, ok := plan.JSON(text, &request)
			if !ok || (out.Metadata() == nil) != (tt.want != "") {
				t.Fatalf("%s: accepted %t, prepared %t", tt.name, ok, out.Metadata() == nil)
			}
			if tt.want == "" {
				out.Release()
				continue
			}
			out.CountGeneration(tt.changed)
			want := tt.want
			if splice {
				want = tt.spliced
			}
			if got := string(out.Append(nil)); got != strings.Replace(text, tt.metadata, want, 1) || out.Unmodified() != (splice && want == tt.metadata) {
				t.Errorf("%s: Append = %s, unmodified %t (splice %t)", tt.name, got, out.Unmodified(), splice)
			}
			if diff := cmp.Diff(tt.warnings, out.FinalizerWarnings()); diff != "" {
				t.Errorf("%s: warnings (-want +got):\n%s", tt.name, diff)
			}
			replaced := tt.old
			if tt.replaced != "" {
				replaced = tt.replaced
			}
			next, before, ok := out.HeadsOfUpdate()
			if diff := cmp.Diff([]any{decode(t, tt.want), decode(t, replaced)}, []any{next, before}); diff != "" || !ok || out.Name() != "a" {
				t.Errorf("%s: name %s, heads %t (-want +got):\n%s", tt.name, out.Name(), ok, diff)
			}
			out.Release()
		}
	}
}

// A schema that restricts metadata is for the caller.
func TestRestrictedMetadataIsLeft(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 2}}}}}`}), testConfig)
	out, ok := plan.JSON(head+`"spec":1}`, &fastpath.Request{Replaced: `{"name":"a"}`})
	if !ok || out.Metadata() == nil {
		t.Errorf("accepted %t, and the metadata is not left", ok)
	}
	out.Release()
}

// In an update of the status, the walk over the old object prepares its metadata.
func TestSentMetadata(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {spec: {type: integer}}}`}), testConfig)
	const text = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"generation":3,"labels":{"a":"b"},"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Apply"}],"name":"a"},"spec":1}`
	const kept = `{"generation":3,"labels":{"a":"b"},"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Apply"}],"name":"a"}`
	for sent, want := range map[string]string{
		`{"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Update"}],"name":"a"}`: kept,
		`{"name":"a","labels":{"c":"d"}}`: kept,
		`{"name":"b"}`:                    "",
		`[]`:                              "",
	} {
		out, ok := plan.JSON(text, &fastpath.Request{Sent: sent})
		if !ok || (out.Metadata() == nil) != (want != "") {
			t.Fatalf("%s: accepted %t, prepared %t", sent, ok, out.Metadata() == nil)
		}
		if want != "" {
			out.CountGeneration(false)
			if got := string(out.Append(nil)); got != `{"apiVersion":"example.com/v1","kind":"Thing","metadata":`+want+`,"spec":1}` {
				t.Errorf("%s: Append = %s", sent, got)
			}
			if _, before, ok := out.HeadsOfUpdate(); !ok || cmp.Diff(decode(t, text)["metadata"], any(before)) != "" {
				t.Errorf("%s: the head of the old object is %v", sent, before)
			}
		}
		out.Release()
	}
}

// Metadata that the walk leaves is a part of the text, of any type.
func TestMetadataIsLeft(t *testing.T) {
	plan := fastpath.Compile(compileGroup(t, &group{Root: `{type: object, properties: {spec: {type: integer}}}`}), testConfig)
	for metadata, want := range map[string]bool{`{ "name":"a","name":1 }`: true, `[1]`: true, `{`: false} {
		out, ok := plan.JSON(`{"apiVersion":"example.com/v1","kind":"Thing","metadata": `+metadata+` ,"spec":1}`, &fastpath.Request{LeaveMetadata: true})
		if ok != want || ok && (out.MetadataText() != metadata || out.Metadata() != nil) {
			t.Errorf("%s: accepted %t", metadata, ok)
		}
		if ok {
			out.Release()
		}
	}
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	v, _, ok := jsonscan.DecodeRepeated(text, nil)
	m, isObject := v.(map[string]any)
	if !ok || !isObject {
		t.Fatalf("%s is not an object", text)
	}
	return m
}
