package compat_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/compat"
)

// found returns the findings of a verdict, as codes with texts.
func found(r *compat.Report, verdict compat.Verdict) string {
	var out []string
	for _, f := range compat.Split(r.Findings) {
		if f.Verdict == verdict {
			out = append(out, fmt.Sprintf("%s %s: %s", f.Code, f.Version, sentence(f)))
		}
	}
	return strings.Join(out, "\n")
}

// TestNoCommonVersion compares definitions whose versions have other names.
func TestNoCommonVersion(t *testing.T) {
	other := parsed(crontab)
	other.Spec.Versions[0].Name = "v2"
	r, err := compat.Compare(context.Background(), parsed(crontab), other)
	if err != nil {
		t.Fatal(err)
	}
	if got := found(r, compat.VerdictIncompatible); r.Verdict != compat.VerdictIncompatible || !strings.Contains(got, "versionRemoved v1: ") || !strings.Contains(got, "storedVersionRemoved v1: ") {
		t.Errorf("%s: %s", r.Verdict, got)
	}
	for _, f := range compat.Split(r.Findings) {
		if f.Code == compat.CodeProved {
			t.Errorf("%s is proved", f.Role)
		}
	}
}

// nested returns a schema with so many levels, below which is a string of the length.
func nested(levels int, length int64) apiextensionsv1.JSONSchemaProps {
	p := apiextensionsv1.JSONSchemaProps{Type: "string", MaxLength: &length}
	for range levels {
		p = apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": p}}
	}
	return p
}

// wide returns a schema with so many strings of the length.
func wide(properties int, length int64) apiextensionsv1.JSONSchemaProps {
	p := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	for i := range properties {
		p.Properties[fmt.Sprint("a", i)] = nested(0, length)
	}
	return p
}

// TestHostileSchemas compares schemas that are made to take much time. Each has an
// answer or an error with its place.
func TestHostileSchemas(t *testing.T) {
	ref := "#/x"
	for name, tt := range map[string]struct {
		old, crd apiextensionsv1.JSONSchemaProps
		want     string // in the error, or in what is found
	}{
		"cyclic":          {nested(0, 1), apiextensionsv1.JSONSchemaProps{Type: "object", Ref: &ref}, "the new definition: crdkit: definition crontabs.example.com: spec.versions[0].schema.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema '$ref' is not supported"},
		"deep":            {nested(60, 9), nested(60, 8), "maxLength v1: maxLength was 9 and is 8: the new definition refuses"},
		"too deep":        {nested(5000, 9), nested(5000, 8), "the old definition: "},
		"wide":            {wide(300, 9), wide(300, 9), ""},
		"many properties": {wide(450, 9), wide(1, 9), "undecided v1: not decided: there are more than 400 differences"},
	} {
		start := time.Now()
		r, err := compat.Compare(context.Background(), definitionOf(tt.old, false), definitionOf(tt.crd, false), compat.TimeLimit(100*time.Millisecond))
		got := fmt.Sprint(err)
		if err == nil {
			got = found(r, compat.VerdictIncompatible) + "\n" + found(r, compat.VerdictUnknown)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %.600s\nwant %s", name, got, tt.want)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: takes %v", name, took)
		}
	}
}

// TestTimeLimitEnds ends a comparison that would take longer. The findings that need no
// search are there.
func TestTimeLimitEnds(t *testing.T) {
	old, crd := definitionOf(wide(390, 9), false), definitionOf(wide(390, 8), false)
	crd.Spec.Names.ShortNames, old.Spec.Names.ShortNames = nil, []string{"ct"}
	start := time.Now()
	r, err := compat.Compare(context.Background(), old, crd, compat.TimeLimit(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("takes %v", took)
	}
	if got := found(r, compat.VerdictIncompatible); !strings.Contains(got, "names : ") {
		t.Errorf("incompatible: %s", got)
	}
	if got := found(r, compat.VerdictUnknown); !strings.Contains(got, "undecided v1: ") {
		t.Errorf("unknown: %s", got)
	}
}
