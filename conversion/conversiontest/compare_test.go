package conversiontest_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/conversion/conversiontest"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A measure is what a program decodes objects of measuresCRD to.
type measure struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	Number     *float64       `json:"number,omitempty"`
	Integer    *int64         `json:"integer,omitempty"`
	List       []string       `json:"list,omitempty"`
	Text       string         `json:"text,omitempty"`
}

const measuresCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: measures.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: measures, kind: Measure}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: &schema
        type: object
        properties:
          number: {type: number}
          integer: {type: integer}
          list: {type: array, items: {type: string}}
          text: {type: string}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema: *schema
`

// throughStructs decodes an object to a Go struct and encodes it again.
func throughStructs(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, err
	}
	var m measure
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(m); err != nil {
		return nil, err
	}
	out := map[string]any{}
	if err := utiljson.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: out}, nil
}

func measures(t *testing.T, opts ...conversiontest.Option) *conversiontest.Tester {
	t.Helper()
	crd, err := definition.Parse([]byte(measuresCRD))
	if err != nil {
		t.Fatal(err)
	}
	tester, err := conversiontest.New(crd, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return tester
}

// TestStructsKeepObjects converts through Go structs without any change. They write 1.0 as
// 1 and drop what is empty.
func TestStructsKeepObjects(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts []conversiontest.Option
		want []string // paths that are lost
	}{
		{"exactly", nil, []string{"list", "text"}},
		{"empty is absent", []conversiontest.Option{conversiontest.EmptyIsAbsent()}, nil},
		{"fields are ignored", []conversiontest.Option{conversiontest.Ignore("/list", "/text")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tester := measures(t, append(tt.opts, conversiontest.Func(throughStructs))...)
			report, err := tester.RoundTrip(context.Background(), "v1", "v2")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range report.Failures {
				got = append(got, f.Path.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lost paths (-want +got):\n%s\n%v", diff, report.Err())
			}
		})
	}
}

// TestComparisons changes one object on its way back.
func TestComparisons(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		opts                []conversiontest.Option
		want                string // first line of the failure, without the versions
	}{
		{"an integral float", `{"number":1.0}`, `{"number":1}`, nil, ``},
		{"a large integer", `{"integer":9007199254740993}`, `{"integer":9.5e15}`, nil,
			`integer is 9500000000000000; it was 9007199254740993`},
		{"a fraction for an integer", `{"integer":1}`, `{"integer":1.5}`, nil, `integer is 1.5 (number); it was 1 (integer)`},
		{"another number", `{"number":1.5}`, `{"number":2.5}`, nil, `number is 2.5; it was 1.5`},
		{"another type", `{"text":"1"}`, `{"text":1}`, nil, `text is 1 (integer); it was "1" (string)`},
		{"null for an object", `{"x":{}}`, `{"x":null}`, nil, `x is null (null); it was {} (object)`},
		{"an empty list", `{"list":[]}`, `{}`, []conversiontest.Option{conversiontest.EmptyIsAbsent()}, ``},
		{"an object with empty fields", `{"x":{"a":"","b":{}}}`, `{}`, []conversiontest.Option{conversiontest.EmptyIsAbsent()}, ``},
		{"zero", `{"integer":0}`, `{}`, []conversiontest.Option{conversiontest.EmptyIsAbsent()}, `integer is lost; it was 0`},
		{"an empty element", `{"list":["",1]}`, `{"list":[1]}`, []conversiontest.Option{conversiontest.EmptyIsAbsent()}, `list[0] is 1 (integer); it was "" (string)`},
		{"an ignored field of each element", `{"list":[{"a":1,"b":2},{"a":3}]}`, `{"list":[{"b":2},{"a":4}]}`,
			[]conversiontest.Option{conversiontest.Ignore("/list/*/a")}, ``},
		{"an ignored element", `{"list":[1,2]}`, `{"list":[1,3]}`, []conversiontest.Option{conversiontest.Ignore("/list/1")}, ``},
		{"an element that is not ignored", `{"list":[1,2]}`, `{"list":[0,3]}`, []conversiontest.Option{conversiontest.Ignore("/list/1")}, `list[0] is 0; it was 1`},
		{"an escaped pointer", `{"a/b":1}`, `{"a/b":2}`, []conversiontest.Option{conversiontest.Ignore("/a~1b")}, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			crd, err := definition.Parse([]byte(measuresCRD))
			if err != nil {
				t.Fatal(err)
			}
			crd.Spec.PreserveUnknownFields = true
			back := func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
				if to == "v2" {
					return obj, nil
				}
				return measureObject(t, tt.after, "v1"), nil
			}
			tester, err := conversiontest.New(crd, append(tt.opts, conversiontest.Func(back))...)
			if err != nil {
				t.Fatal(err)
			}
			f, err := tester.Object(context.Background(), measureObject(t, tt.before, "v1"), "v2")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if f != nil {
				got, _, _ = strings.Cut(strings.TrimPrefix(f.Error(), "v1 to v2 and back: "), "\n")
			}
			if got != tt.want {
				t.Errorf("failure %q, want %q", got, tt.want)
			}
		})
	}
}

func measureObject(t *testing.T, content, version string) *unstructured.Unstructured {
	t.Helper()
	obj, err := testkit.Decode([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	obj["apiVersion"], obj["kind"], obj["metadata"] = "example.com/"+version, "Measure", map[string]any{"name": "a"}
	return &unstructured.Unstructured{Object: obj}
}

// TestReportsEveryCause has four faults in one conversion.
func TestReportsEveryCause(t *testing.T) {
	faulty := func(ctx context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		if to == "v2" {
			return obj, nil
		}
		o := obj.Object
		if list, ok := o["list"].([]any); ok && len(list) > 0 {
			o["list"] = list[:len(list)-1]
		}
		if text, ok := o["text"].(string); ok {
			o["text"] = text + "!"
		}
		delete(o, "number")
		return obj, nil
	}
	tester := measures(t, conversiontest.Func(faulty))
	report, err := tester.RoundTrip(context.Background(), "v1", "v2")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range report.Failures {
		if f.Count < 1 || f.Count > report.Objects {
			t.Errorf("%d of %d objects", f.Count, report.Objects)
		}
		got = append(got, string(f.Kind)+" "+f.Path.String()+" of "+strings.Join(fields(f.Object), ","))
	}
	want := []string{"Lost list[0] of list", "Lost number of number", "Changed text of text"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s\n%v", diff, report.Err())
	}
}

// TestGroupsErrors has an error for every object, with its name.
func TestGroupsErrors(t *testing.T) {
	failing := func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		return nil, &json.UnsupportedValueError{Str: `"` + obj.GetName() + `" of ` + string(testkit.Encode(int64(len(obj.Object))))}
	}
	report, err := measures(t, conversiontest.Func(failing), conversiontest.Count(30)).RoundTrip(context.Background(), "v1", "v2")
	if err != nil || len(report.Failures) != 1 || report.Failures[0].Count != 30 {
		t.Errorf("%+v, %v", report, err)
	}
}
