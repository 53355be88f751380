package compat_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/compat"
)

func replaced(from, to string) *apiextensionsv1.CustomResourceDefinition {
	if !strings.Contains(crontab, from) {
		panic(from)
	}
	return parsed(strings.ReplaceAll(crontab, from, to))
}

func TestEqualSchemasAreProved(t *testing.T) {
	var none context.Context // a nil context is allowed
	r, err := compat.Compare(none, parsed(crontab), replaced("integer,", "integer, description: new,"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != compat.VerdictCompatible || len(compat.Split(r.Findings)) != 4 {
		t.Errorf("report = %+v", r)
	}
	for _, f := range compat.Split(r.Findings) {
		if f.Code != compat.CodeDescription && (f.Code != compat.CodeProved || f.Verdict != compat.VerdictCompatible || f.Version != "v1") {
			t.Errorf("finding = %+v", f)
		}
	}
}

func TestDefinitionsThatCannotBeCompared(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx      context.Context
		old, crd *apiextensionsv1.CustomResourceDefinition
		want     string
	}{
		"nil old":     {nil, nil, parsed(crontab), "compat: a definition is nil"},
		"nil new":     {nil, parsed(crontab), nil, "compat: a definition is nil"},
		"other name":  {nil, parsed(crontab), named(replaced("CronTab", "Other"), "others.example.com"), "compat: the definitions are of different kinds, CronTab.example.com and Other.example.com"},
		"other group": {nil, parsed(crontab), replaced("example.com", "example.org"), "compat: the definitions are of different kinds, CronTab.example.com and CronTab.example.org"},
		"old schema":  {nil, replaced("type: integer, ", ""), parsed(crontab), "compat: the old definition: crdkit: definition crontabs.example.com: spec.versions[0].schema.openAPIV3Schema.properties[replicas].type: Required value: must not be empty for specified object fields"},
		"new schema":  {nil, parsed(crontab), replaced("type: integer, ", ""), "compat: the new definition: crdkit: definition crontabs.example.com: spec.versions[0].schema.openAPIV3Schema.properties[replicas].type: Required value: must not be empty for specified object fields"},
		"ended":       {ended, parsed(crontab), parsed(crontab), "compat: the old definition: crdkit: definition crontabs.example.com: compiling ended early: context canceled"},
	} {
		r, err := compat.Compare(c.ctx, c.old, c.crd)
		if r != nil || err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, %v; want %s", name, r, err, c.want)
		}
		if c.ctx != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v does not wrap the error of the context", name, err)
		}
	}
}

func TestTimeLimitReportsWhatWasDecided(t *testing.T) {
	r, err := compat.Compare(context.Background(), parsed(crontab), replaced("maximum: 10", "maximum: 20"), compat.TimeLimit(time.Nanosecond))
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != compat.VerdictUnknown {
		t.Errorf("verdict = %s", r.Verdict)
	}
}

// TestKindChanges checks a definition whose kind changes, and nothing else.
func TestKindChanges(t *testing.T) {
	r, err := compat.Compare(t.Context(), parsed(crontab), replaced("CronTab", "Other"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != compat.VerdictIncompatible || len(r.Findings) != 1 || r.Findings[0].Code != compat.CodeKind || r.Findings[0].New != "Other" {
		t.Errorf("report = %+v", r)
	}
}

func named(crd *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.CustomResourceDefinition {
	crd.Name = name
	return crd
}

// TestColumnsOfOneName compares definitions with columns of one name.
func TestColumnsOfOneName(t *testing.T) {
	columns := func(paths ...string) *apiextensionsv1.CustomResourceDefinition {
		crd := parsed(crontab)
		for _, path := range paths {
			crd.Spec.Versions[0].AdditionalPrinterColumns = append(crd.Spec.Versions[0].AdditionalPrinterColumns,
				apiextensionsv1.CustomResourceColumnDefinition{Name: "A", Type: "string", JSONPath: path})
		}
		return crd
	}
	for _, c := range []struct {
		name     string
		old, new []string
		want     []string
	}{
		{"equal", []string{".a", ".b"}, []string{".a", ".b"}, nil},
		{"the second changes", []string{".a", ".b"}, []string{".a", ".c"}, []string{"string .b -> string .c"}},
		{"the second is removed", []string{".a", ".b"}, []string{".a"}, []string{"string .b -> "}},
		{"the second is new", []string{".a"}, []string{".a", ".b"}, []string{" -> string .b"}},
	} {
		r, err := compat.Compare(context.Background(), columns(c.old...), columns(c.new...))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range compat.Split(r.Findings) {
			if f.Code == compat.CodePrinterColumn {
				got = append(got, f.Old+" -> "+f.New)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
	}
}
