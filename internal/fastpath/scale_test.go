package fastpath_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/fastpath"
)

// TestAdmitsScale checks the fields of the scale subresource that the walk does not
// check.
func TestAdmitsScale(t *testing.T) {
	n := compileGroup(t, &group{Spec: `{type: object, x-kubernetes-preserve-unknown-fields: true}`})
	for _, tt := range []struct {
		name, spec           string
		noStatus, wantRefuse bool
	}{
		{name: "all right", spec: `{"n":3,"observed":0,"selector":"a=b"}`},
		{name: "all absent", spec: `{}`},
		{name: "the largest", spec: `{"n":2147483647}`},
		{name: "too large", spec: `{"n":2147483648}`, wantRefuse: true},
		{name: "negative", spec: `{"n":-1}`, wantRefuse: true},
		{name: "a float", spec: `{"n":1.5}`, wantRefuse: true},
		{name: "text instead of a number", spec: `{"n":"1"}`, wantRefuse: true},
		{name: "a number that begins as one", spec: `{"n":true}`, wantRefuse: true},
		{name: "observed, negative", spec: `{"observed":-1}`, wantRefuse: true},
		{name: "observed, text", spec: `{"observed":"1"}`, wantRefuse: true},
		{name: "a selector that is a number", spec: `{"selector":1}`, wantRefuse: true},
		{name: "a selector that is null", spec: `{"selector":null}`, wantRefuse: true},
	} {
		cfg := testConfig
		cfg.Scale = fastpath.Scale{Replicas: []string{"spec", "n"}, StatusReplicas: []string{"spec", "observed"}, Selector: []string{"spec", "selector"}}
		for _, splice := range []bool{false, true} {
			out, ok := fastpath.Compile(n, cfg).JSON(head+`"spec":`+tt.spec+`}`, &fastpath.Request{Splice: splice})
			if !ok {
				t.Fatalf("%s is declined", tt.name)
			}
			if got := out.AdmitsScale(true); got == tt.wantRefuse {
				t.Errorf("%s: AdmitsScale = %t (splice %t)", tt.name, got, splice)
			}
			out.Release()
		}
	}
}

// TestAdmitsScaleOfParts checks fields of the status and of metadata.
func TestAdmitsScaleOfParts(t *testing.T) {
	n := compileGroup(t, &group{Root: `{type: object, properties: {status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`})
	for _, tt := range []struct {
		name            string
		field           []string
		hasStatus, want bool
	}{
		{"no field", nil, true, true},
		{"a status that is wrong", []string{"status", "n"}, true, false},
		{"a status that goes", []string{"status", "n"}, false, true},
		{"metadata, which may change", []string{"metadata", "n"}, true, false},
	} {
		cfg := testConfig
		cfg.DropStatus, cfg.StatusReplicas = false, tt.field
		out, ok := fastpath.Compile(n, cfg).JSON(head+`"status":{"n":-1}}`, &fastpath.Request{Splice: true})
		if !ok {
			t.Fatalf("%s is declined", tt.name)
		}
		if got := out.AdmitsScale(tt.hasStatus); got != tt.want {
			t.Errorf("%s: AdmitsScale = %t", tt.name, got)
		}
		out.Release()
	}
}
