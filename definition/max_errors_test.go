package definition

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// faultyProperties returns a definition with n properties that each have the schema.
func faultyProperties(t *testing.T, n int, schema string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"p%04d":%s`, i, schema))
	}
	text := fmt.Sprintf(checkCRD, "", `{"type":"object","properties":{`+strings.Join(list, ",")+`}}`)
	crd, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// TestErrorsOverLimitAreCounted checks errors of every part of a check: the report has
// the first ones of the whole order, and counts the others.
func TestErrorsOverLimitAreCounted(t *testing.T) {
	const n, most = 300, 7
	for name, schema := range map[string]string{
		"structural":       `{}`,
		"keywords":         `{"type":"string","uniqueItems":true}`,
		"nested keywords":  `{"type":"string","anyOf":[{"type":"string","uniqueItems":true}]}`,
		"defaults":         `{"type":"string","default":5}`,
		"syntax of rules":  `{"type":"string","x-kubernetes-validations":[{"rule":" "}]}`,
		"rules":            `{"type":"string","x-kubernetes-validations":[{"rule":"self > 5"}]}`,
		"rules on default": `{"type":"string","default":"a","x-kubernetes-validations":[{"rule":"self == 'b'"}]}`,
	} {
		crd := faultyProperties(t, n, schema)
		all, some := Check(crd), Check(crd, MaxErrors(most))
		if len(all.Errors) < n || all.Omitted != 0 {
			t.Fatalf("%s: %d errors, %d omitted", name, len(all.Errors), all.Omitted)
		}
		if diff := cmp.Diff(describeErrors(all)[:most], describeErrors(some)); diff != "" {
			t.Errorf("%s: errors (-all +some):\n%s", name, diff)
		}
		if some.Omitted != len(all.Errors)-most {
			t.Errorf("%s: %d errors are omitted, want %d", name, some.Omitted, len(all.Errors)-most)
		}
		if want := fmt.Sprintf(", and %d more errors]", some.Omitted); !strings.HasSuffix(some.Err().Error(), want) {
			t.Errorf("%s: the text does not end in %q", name, want)
		}
		if some.Accepted() {
			t.Errorf("%s: accepted", name)
		}
	}
}

func describeErrors(r *Report) []string {
	var out []string
	for _, e := range r.Errors {
		out = append(out, e.Pointer+": "+e.Error())
	}
	return out
}

// TestErrorsOfUpdateOverLimitAreCounted checks an update, which also compiles the old
// definition.
func TestErrorsOfUpdateOverLimitAreCounted(t *testing.T) {
	crd, old := faultyProperties(t, 100, `{}`), faultyProperties(t, 100, `{"type":"string"}`)
	report := CheckUpdate(crd, old, MaxErrors(5))
	if len(report.Errors) != 5 || report.Omitted != 95 {
		t.Errorf("%d errors, %d omitted, want 5 and 95", len(report.Errors), report.Omitted)
	}
}

// TestDifferenceErrorNumber tests errors/number of docs/DIFFERENCES.md: the server lists
// any number of errors.
func TestDifferenceErrorNumber(t *testing.T) {
	crd := faultyProperties(t, 1, `{"type":"array","items":{"type":"string"},"default":[`+strings.Repeat("5,", DefaultMaxErrors+4)+`5]}`)
	report := Check(crd)
	if len(report.Errors) != DefaultMaxErrors || report.Omitted != 5 {
		t.Errorf("%d errors, %d omitted", len(report.Errors), report.Omitted)
	}
	if lifted := Check(crd, MaxErrors(math.MaxInt)); len(lifted.Errors) != DefaultMaxErrors+5 || lifted.Omitted != 0 {
		t.Errorf("without a limit: %d errors, %d omitted", len(lifted.Errors), lifted.Omitted)
	}
}

func TestNegativeMaxErrors(t *testing.T) {
	report := Check(faultyProperties(t, 1, `{"type":"string"}`), MaxErrors(-1))
	if len(report.Errors) != 1 || !strings.Contains(report.Err().Error(), "must be a number of errors") {
		t.Errorf("a negative limit: %v", report.Err())
	}
}
