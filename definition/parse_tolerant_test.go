package definition_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/definition"
)

const strangeBeta = `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: jars.example.com}
spec: {group: example.com, version: v1, names: {plural: jars, kind: Jar}, odd: 1}
`

// TestTolerant checks that a server without strict field validation reads what strict
// decoding refuses, and what it says about it.
func TestTolerant(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // errors of strict decoding
	}{
		{"nothing", crateCRD, nil},
		{"unknown fields", strings.Replace(crateCRD, "scope:", "scape: 1\n  scope:", 1), []string{`unknown field "spec.scape"`}},
		{"a duplicate key of YAML", strings.Replace(crateCRD, "  scope:", "  scope: Cluster\n  scope:", 1), []string{"yaml: unmarshal errors:\n  line 8: key \"scope\" already set in map"}},
		{"a duplicate field of JSON", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a","name":"b"},"odd":1}`,
			[]string{`duplicate field "metadata.name"`, `unknown field "odd"`}},
		{"v1beta1", strangeBeta, []string{`unknown field "spec.odd"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := definition.Parse([]byte(tt.text))
			if refused := errors.Is(err, definition.ErrRefused); (err != nil) != (tt.want != nil) || refused != (tt.want != nil) {
				t.Errorf("Parse = %v, refused %t", err, refused)
			}
			var found []string
			crd, err := definition.Parse([]byte(tt.text), definition.Tolerant(func(err error) { found = append(found, err.Error()) }))
			if crd == nil || err != nil {
				t.Fatalf("Parse = %v, %v", crd, err)
			}
			if diff := cmp.Diff(tt.want, found); diff != "" {
				t.Errorf("errors of strict decoding (-want +got):\n%s", diff)
			}
			again, err := definition.Parse([]byte(tt.text), definition.Tolerant(nil))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(crd, again); diff != "" {
				t.Errorf("without a function (-with +without):\n%s", diff)
			}
		})
	}
}

// TestErrRefused checks which errors stand for a refusal of the server, with and without
// strict field validation.
func TestErrRefused(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"a contradiction of v1beta1", strings.Replace(strangeBeta, "odd: 1", "versions: [{name: v2}]", 1), true},
		{"a wrong type", strings.Replace(crateCRD, "served: true", "served: maybe", 1), true},
		{"a wrong type in v1beta1", strings.Replace(strangeBeta, "odd: 1", "scope: {}", 1), true},
		{"no YAML", "a: [1", false},
		{"no JSON", "{", false},
		{"another kind", "apiVersion: v1\nkind: Pod\nkind: Pod\n", false},
		{"another version", strings.Replace(crateCRD, "k8s.io/v1", "k8s.io/v2", 1), false},
		{"several documents", crateCRD + "---\n" + crateCRD, false},
		{"too large", crateCRD + strings.Repeat(" ", definition.DefaultMaxSize), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, opts := range [][]definition.ParseOption{nil, {definition.Tolerant(nil)}} {
				if _, err := definition.Parse([]byte(tt.text), opts...); err == nil || errors.Is(err, definition.ErrRefused) != tt.want {
					t.Errorf("Parse = %v; refused %t, want %t", err, !tt.want, tt.want)
				}
			}
		})
	}
}
