package conversion

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ruleTests are an object of version v2 that was sent to a webhook, the object
// that the webhook returned, and the result at v1: an object or an error.
var ruleTests = []struct {
	name, sent, returned, want string
}{
	{"metadata is restored",
		`{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"x","uid":"u","generation":3,"finalizers":["f"],"labels":{"a":"b"},"annotations":{"c":"d"}},"n":1}`,
		`{"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"x","uid":"u","generation":9,"added":1,"labels":{"a":"z"}},"m":2}`,
		`{"apiVersion":"a.b/v1","kind":"K","m":2,"metadata":{"finalizers":["f"],"generation":3,"labels":{"a":"z"},"name":"x","uid":"u"}}`},
	{"null labels are no labels",
		`{"apiVersion":"a.b/v2","kind":"K","metadata":{"labels":{"a":"b"}}}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"labels":null}}`,
		`{"apiVersion":"a.b/v1","kind":"K","metadata":{}}`},
	{"unchanged invalid labels stay",
		`{"apiVersion":"a.b/v2","kind":"K","metadata":{"labels":{"a b":"c d"}}}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"labels":{"a b":"c d"}}}`,
		`{"apiVersion":"a.b/v1","kind":"K","metadata":{"labels":{"a b":"c d"}}}`},
	{"no metadata was sent",
		`{"apiVersion":"a.b/v2","kind":"K","n":1}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"annotations":{"a":"b"},"generation":1}}`,
		`{"apiVersion":"a.b/v1","kind":"K","metadata":{"annotations":{"a":"b"}}}`},
	{"no metadata came back", `{"apiVersion":"a.b/v2","kind":"K","n":1}`, `{"apiVersion":"a.b/v1","kind":"K"}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid metadata: missing metadata in converted object"},
	{"metadata is text", `{"apiVersion":"a.b/v2","kind":"K","n":1}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":"x"}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid metadata: invalid metadata of type string in converted object"},
	{"metadata was text", `{"apiVersion":"a.b/v2","kind":"K","metadata":"x"}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{}}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid metadata: invalid metadata of type string in input object"},
	{"name", `{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"x"}}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"y"}}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid object: must have the same name: x != y"},
	{"namespace", `{"apiVersion":"a.b/v2","kind":"K","metadata":{"namespace":"x"}}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{}}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid object: must have the same namespace: x != "},
	{"uid", `{"apiVersion":"a.b/v2","kind":"K","metadata":{"uid":"x"}}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"uid":"y"}}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid object: must have the same UID: x != y"},
	{"kind", `{"apiVersion":"a.b/v2","kind":"K"}`, `{"apiVersion":"a.b/v1","kind":"L"}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid object at index 0: invalid kind (expected K, received L)"},
	{"version", `{"apiVersion":"a.b/v2","kind":"K"}`, `{"apiVersion":"a.b/v2","kind":"K"}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid object at index 0: invalid groupVersion (expected a.b/v1, received a.b/v2)"},
	{"labels are a number", `{"apiVersion":"a.b/v2","kind":"K"}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"labels":5}}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid metadata: invalid metadata.labels of type float64 in converted object"},
	{"labels were a number", `{"apiVersion":"a.b/v2","kind":"K","metadata":{"labels":5}}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"labels":{}}}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid metadata: invalid metadata.labels of type float64 in original object"},
	{"a label is a number", `{"apiVersion":"a.b/v2","kind":"K"}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"labels":{"b":1,"a":true,"c":"x"}}}`,
		"conversion webhook for a.b/v2, Kind=K returned invalid metadata: metadata.labels[a] must be a string, but is bool in converted object"},
	{"an annotation is invalid", `{"apiVersion":"a.b/v2","kind":"K"}`, `{"apiVersion":"a.b/v1","kind":"K","metadata":{"annotations":{"-":"x"}}}`,
		`conversion webhook for a.b/v2, Kind=K returned invalid metadata: metadata.annotation: Invalid value: "-": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`},
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &obj.Object); err != nil {
		t.Fatal(err)
	}
	return obj
}

func TestRules(t *testing.T) {
	for _, tt := range ruleTests {
		t.Run(tt.name, func(t *testing.T) {
			sent := parse(t, tt.sent)
			b := &batch{sent.GroupVersionKind(), []*unstructured.Unstructured{sent}, false, schema.GroupVersion{Group: "a.b", Version: "v1"}}
			out, err := b.merge(t.Context(), b.unconverted(), func(int) (*unstructured.Unstructured, error) { return parse(t, tt.returned), nil })
			got := fmt.Sprint(err)
			if err == nil {
				data, err := json.Marshal(out[0].Object)
				if err != nil {
					t.Fatal(err)
				}
				got = string(data)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("merge (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(parse(t, tt.sent), sent); diff != "" {
				t.Errorf("merge changed the object that was sent (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDifferenceConversionDefinition is about conversion/definition_answer.
func TestDifferenceConversionDefinition(t *testing.T) {
	const answer = `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","spec":5}`
	const want = "converting (v1beta1.CustomResourceDefinition) to (v1.ConversionReview): unknown conversion"
	if _, err := decodeResponse(answer, "v1", 1, 0); fmt.Sprint(err) != want {
		t.Errorf("decode returned %v, want %s", err, want)
	}
}

// TestAnswers checks the errors of answers apart from their objects. In
// v1beta1, type and uid have no effect.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct{ review, answer, want string }{
		{"v1", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u","result":{"status":"Success"}}}`, ""},
		{"v1beta1", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1","response":{"uid":"x","result":{"status":"Success"}}}`, ""},
		{"v1beta1", `{"response":{"result":{"status":"Success"}}}`, ""},
		{"v1", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"x","result":{"status":"Success"}}}`, `expected response.uid="u", got "x"`},
		{"v1", `{"response":{"uid":"u","result":{"status":"Success"}}}`, "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind="},
		{"v1", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`, "no response provided"},
		{"v1beta1", `{}`, "no response provided"},
		{"v1", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u","result":{"status":"Failure","message":"because"}}}`, "because"},
		{"v1beta1", `{"response":{"result":{"status":"Failed"}}}`, "response.result.status was 'Failed', not 'Success'"},
		{"v1", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1"}`, "converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion"},
		{"v1beta1", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`, "converting (v1.ConversionReview) to (v1beta1.ConversionReview): unknown conversion"},
		{"v1beta1", `{"kind":"CustomResourceDefinitionList"}`, "converting (v1beta1.CustomResourceDefinitionList) to (v1beta1.ConversionReview): unknown conversion"},
		{"v1beta1", `{"kind":"DeleteOptions"}`, "converting (v1.DeleteOptions) to (v1beta1.ConversionReview): unknown conversion"},
		{"v1beta1", `{"response":5}`, "json: cannot unmarshal number into Go struct field ConversionReview.response of type v1beta1.ConversionResponse"},
	} {
		r, err := decodeResponse(tt.answer, tt.review, 1, 0)
		if err == nil {
			err = (&webhook{review: tt.review}).check(r, "u")
		}
		if got := fmt.Sprint(err); got != tt.want && (err != nil || tt.want != "") {
			t.Errorf("%s: %s: %s, want %q", tt.review, tt.answer, got, tt.want)
		}
	}
}

// TestDifferenceConversionErrorText is about conversion/error_text. A long text in an
// answer must neither be copied nor matched against patterns.
func TestDifferenceConversionErrorText(t *testing.T) {
	long := strings.Repeat("x\x01", 1<<20)
	for _, tt := range []struct{ name, answer, want string }{
		{"name", `"metadata":{"name":"%s"}`, "must have the same name: a != xx..."},
		{"UID", `"metadata":{"name":"a","uid":"%s"}`, "must have the same UID:  != xx..."},
		{"kind", `"kind":"%s"`, "invalid kind (expected K, received xx...)"},
		{"version", `"apiVersion":"a.b/%s"`, "invalid groupVersion (expected a.b/v1, received a.b/xx...)"},
		{"label", `"metadata":{"name":"a","labels":{"a":"%s"}}`, `metadata.labels: Invalid value: "xx...": must be no more than 63 bytes`},
		{"name of a label", `"metadata":{"name":"a","labels":{"%s":"a"}}`, `metadata.labels: Invalid value: "xx...": name part must be no more than 63 bytes`},
		{"name of a number", `"metadata":{"name":"a","labels":{"%s":1}}`, "metadata.labels[xx...] must be a string, but is float64 in converted object"},
		{"name of an annotation", `"metadata":{"name":"a","annotations":{"%s":"a"}}`, `metadata.annotation: Invalid value: "xx...": name part must be no more than 63 bytes`},
	} {
		sent := parse(t, `{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"a"}}`)
		got := parse(t, `{"apiVersion":"a.b/v1","kind":"K",`+strings.Replace(tt.answer, "%s", strings.ReplaceAll(long, "\x01", `\u0001`), 1)+`}`)
		b := &batch{to: schema.GroupVersion{Group: "a.b", Version: "v1"}}
		var text string
		_, bytes := work(func() {
			_, err := b.accept(sent, got)
			text = err.Error()
		})
		for _, part := range strings.Split(tt.want, "xx") {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %.700s, want %s", tt.name, text, tt.want)
			}
		}
		if len(text) > 4*maxErrorLength || bytes > uint64(len(long))*3/2 {
			t.Errorf("%s: a text of %d bytes, %d bytes allocated", tt.name, len(text), bytes)
		}
	}
}
