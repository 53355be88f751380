package conversion_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// A handlerTest is a request to a handler that converts with picky. %s is
// replaced by the version of the review.
type handlerTest struct {
	name, request string
	status        int
	want          string // the answer as JSON, or the text
}

var handlerTests = []handlerTest{
	{"no object", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[],"result":{"metadata":{},"status":"Success"}}}`},
	{"two versions", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"x"}},{"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"y"}}]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[{"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"x"},"to":"v1"},{"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"y"}}],"result":{"metadata":{},"status":"Success"}}}`},
	{"no metadata and nothing to do", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v1","kind":"K"}]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[{"apiVersion":"a.b/v1","kind":"K","metadata":{}}],"result":{"metadata":{},"status":"Success"}}}`},
	{"numbers", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{},"n":[9223372036854775807,1.0,0.1,1e21]}]},"response":{"uid":""}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[{"apiVersion":"a.b/v1","kind":"K","metadata":{},"n":[9223372036854775807,1,0.1,1e+21],"to":"v1"}],"result":{"metadata":{},"status":"Success"}}}`},
	{"texts", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"<u>","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{},"<&>":"<&>` + "\u2028" + `\u2029\"\\\u0001\ud800"}]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"<u>","convertedObjects":[{"<&>":"<&>` + "\u2028\u2029" + `\"\\\u0001` + "\ufffd" + `","apiVersion":"a.b/v1","kind":"K","metadata":{},"to":"v1"}],"result":{"metadata":{},"status":"Success"}}}`},
	{"no metadata", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K"}]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[{"apiVersion":"a.b/v1","kind":"K","metadata":{},"to":"v1"}],"result":{"metadata":{},"status":"Success"}}}`},
	{"failures of several kinds", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"bad","namespace":"ns"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"good"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"panic"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"nothing"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"wrong"}},{"apiVersion":"c.d/v2","kind":"K"},{"kind":"K"},5]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[],"result":{"metadata":{},"status":"Failure","message":"objects[0] K ns/bad: it is \"bad\"; objects[2] K panic: the conversion panicked: on purpose; objects[3] K nothing: the conversion returned no object; objects[4] K wrong: the conversion returned apiVersion \"a.b/v7\" for \"a.b/v1\"; objects[5] K : its group is \"c.d\", and that of the version asked for is \"a.b\"; objects[6] K : it has no kind or no apiVersion; objects[7]  : it is not an object"}}}`},
	{"failures that would end the request", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"nil error"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"exit"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"bad"}}]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[],"result":{"metadata":{},"status":"Failure","message":"objects[0] K nil error: the conversion panicked: runtime error: invalid memory address or nil pointer dereference; objects[1] K exit: the conversion ended its goroutine; objects[2] K bad: it is \"bad\""}}}`},
	{"objects that the server refuses", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"renamed"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"moved","namespace":"ns"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"another","uid":"a"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"another kind"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"metadata"}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"labels","labels":{"c":"d"}}},{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"encoding"}},{"apiVersion":"a.b/v2","kind":"K","metadata":"x"}]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[],"result":{"metadata":{},"status":"Failure","message":"objects[0] K renamed: the server refuses what the conversion returned: must have the same name: renamed != other; objects[1] K ns/moved: the server refuses what the conversion returned: must have the same namespace: ns != other; objects[2] K another: the server refuses what the conversion returned: must have the same UID: a != other; objects[3] K another kind: the server refuses what the conversion returned: invalid kind (expected K, received L); objects[4] K metadata: the server refuses what the conversion returned: must have the same name: metadata != ; objects[5] K labels: the server refuses what the conversion returned: metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'); objects[6] K encoding: the conversion panicked: on purpose; objects[7] K : the server refuses what the conversion returned: invalid metadata of type string in converted object"}}}`},
	{"metadata that the server accepts", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"go types","labels":{"a b":"c"}}}]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[{"apiVersion":"a.b/v1","kind":"K","metadata":{"labels":{"a b":"c"},"name":"go types"},"to":"v1"}],"result":{"metadata":{},"status":"Success"}}}`},
	{"no desired version", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview","request":{"uid":"u","objects":[]}}`,
		200, `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/%s","response":{"uid":"u","convertedObjects":[],"result":{"metadata":{},"status":"Failure","message":"desiredAPIVersion \"\" is not one"}}}`},
	{"no request", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"ConversionReview"}`, 400, "the review has no request\n"},
	{"another kind", `{"apiVersion":"apiextensions.k8s.io/%s","kind":"Pod"}`, 400, "the request is a \"Pod\" of \"apiextensions.k8s.io/%s\", want a ConversionReview of apiextensions.k8s.io/v1 or /v1beta1\n"},
	{"another version", `{"apiVersion":"apiextensions.k8s.io/%s3","kind":"ConversionReview"}`, 400, "the request is a \"ConversionReview\" of \"apiextensions.k8s.io/%s3\", want a ConversionReview of apiextensions.k8s.io/v1 or /v1beta1\n"},
	{"no JSON", `apiVersion: %s`, 400, "decoding the request: invalid character 'a' looking for beginning of value\n"},
}

// A nilError is an error whose text a nil pointer does not have.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// panickingText cannot be encoded.
type panickingText struct{}

func (panickingText) MarshalJSON() ([]byte, error) { panic("on purpose") }

// picky fails, or changes the object, as the name of the object says.
func picky(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
	switch obj.GetName() {
	case "bad":
		return nil, errors.New(`it is "bad"`)
	case "panic":
		panic("on purpose")
	case "nothing":
		return nil, nil
	case "nil error":
		return nil, (*nilError)(nil)
	case "exit":
		runtime.Goexit()
	case "renamed":
		obj.SetName("other")
	case "moved":
		obj.SetNamespace("other")
	case "another":
		obj.SetUID("other")
	case "another kind":
		obj.SetKind("L")
	case "metadata":
		obj.Object["metadata"] = "text"
	case "labels":
		obj.SetLabels(map[string]string{"a b": "c"})
	case "go types":
		obj.Object["metadata"].(map[string]any)["labels"] = map[string]string{"a b": "c"}
	case "encoding":
		obj.Object["spec"] = panickingText{}
	case "wrong":
		obj.SetAPIVersion("a.b/v7")
	}
	obj.Object["to"] = to
	return obj, nil
}

func post(h http.Handler, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "/convert", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec
}

func TestHandler(t *testing.T) {
	h := conversion.Handler(picky)
	for _, tt := range handlerTests {
		for _, version := range []string{"v1", "v1beta1"} {
			t.Run(tt.name+" "+version, func(t *testing.T) {
				rec := post(h, strings.ReplaceAll(tt.request, "%s", version))
				if rec.Code != tt.status {
					t.Errorf("status %d, want %d", rec.Code, tt.status)
				}
				want := strings.ReplaceAll(tt.want, "%s", version)
				if tt.status == 200 {
					want += "\n"
					header := rec.Header()
					if got, length := header.Get("Content-Type"), header.Get("Content-Length"); got != "application/json" || length != strconv.Itoa(len(want)) {
						t.Errorf("Content-Type and Content-Length are %s and %s", got, length)
					}
				}
				if diff := cmp.Diff(want, rec.Body.String()); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestHandlerHTTP(t *testing.T) {
	h := conversion.Handler(picky, conversion.MaxRequestBytes(100))
	get := httptest.NewRecorder()
	h.ServeHTTP(get, httptest.NewRequest(http.MethodGet, "/", nil))
	if get.Code != http.StatusMethodNotAllowed || get.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d, %v", get.Code, get.Header())
	}
	text := httptest.NewRecorder()
	h.ServeHTTP(text, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}")))
	if text.Code != http.StatusUnsupportedMediaType {
		t.Errorf("POST without a content type: %d", text.Code)
	}
	for size, status := range map[int]int{100: http.StatusBadRequest, 101: http.StatusRequestEntityTooLarge} {
		if rec := post(h, strings.Repeat(" ", size)); rec.Code != status {
			t.Errorf("a request of %d bytes: %d, want %d", size, rec.Code, status)
		}
	}
	for _, n := range []int64{0, -1} {
		h := conversion.Handler(picky, conversion.MaxRequestBytes(n))
		if rec := post(h, strings.Repeat(" ", 101)); rec.Code != http.StatusBadRequest {
			t.Errorf("MaxRequestBytes(%d): %d, want the default limit", n, rec.Code)
		}
	}
}

// TestHandlerManyFailures has failures with more text than an answer may have.
func TestHandlerManyFailures(t *testing.T) {
	h := conversion.Handler(func(context.Context, *unstructured.Unstructured, string) (*unstructured.Unstructured, error) {
		return nil, errors.New(strings.Repeat("long ", 1000))
	})
	object := `{"apiVersion":"a.b/v2","kind":"K"},`
	rec := post(h, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"a.b/v1","objects":[`+
		strings.TrimSuffix(strings.Repeat(object, 5000), ",")+`]}}`)
	var review struct {
		Response struct{ Result struct{ Message string } }
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &review); err != nil {
		t.Fatal(err)
	}
	if m := review.Response.Result.Message; len(m) > 20_000 || !strings.HasSuffix(m, "...; and 4990 more") || strings.Count(m, "objects[") != 10 {
		t.Errorf("a message of %d bytes, which ends in %q", len(m), m[max(0, len(m)-40):])
	}
}

func TestOnFailure(t *testing.T) {
	var mu sync.Mutex
	var told []string
	h := conversion.Handler(picky, conversion.OnFailure(func(_ context.Context, obj *unstructured.Unstructured, err error) {
		var p *conversion.PanicError
		where := ""
		if errors.As(err, &p) && strings.Contains(string(p.Stack), "conversion_test.picky") {
			where = " in picky"
		}
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprint(obj.GetAPIVersion(), " ", obj.GetName(), ": ", err, where))
	}))
	failing := handlerTests[slices.IndexFunc(handlerTests, func(tt handlerTest) bool { return tt.name == "failures of several kinds" })]
	post(h, strings.ReplaceAll(failing.request, "%s", "v1"))
	want := []string{
		`a.b/v2 bad: it is "bad"`, "a.b/v2 panic: the conversion panicked: on purpose in picky",
		"a.b/v2 nothing: the conversion returned no object", `a.b/v2 wrong: the conversion returned apiVersion "a.b/v7" for "a.b/v1"`,
		` : its group is "c.d", and that of the version asked for is "a.b"`, " : it has no kind or no apiVersion",
	}
	want[4] = "c.d/v2" + want[4]
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("OnFailure (-want +got):\n%s", diff)
	}
}

// TestServerSideApply converts a part of an object without metadata, as
// server-side apply does.
func TestServerSideApply(t *testing.T) {
	a := newAuthority(t)
	s := a.start(t, conversion.Handler(renaming))
	part := object(beta)
	delete(part.Object, "metadata")
	out, err := convert(client(t, calling(s.URL, a.bundle())), "v1", part)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"apiVersion": stable, "kind": "CronTab", "metadata": map[string]any{}, "spec": map[string]any{"items": []any{int64(1)}}}
	if diff := cmp.Diff(want, out[0].Object); diff != "" {
		t.Errorf("Convert (-want +got):\n%s", diff)
	}
}

func TestLocal(t *testing.T) {
	crd := definition("")
	rename := func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		obj.SetName("other")
		return obj, nil
	}
	for name, tt := range map[string]struct {
		convert conversion.ConvertFunc
		want    string
	}{
		"right":    {renaming, ""},
		"renaming": {rename, "conversion webhook for stable.example.com/v1beta1, Kind=CronTab returned invalid object: must have the same name: a != other"},
		"panicking": {func(context.Context, *unstructured.Unstructured, string) (*unstructured.Unstructured, error) {
			panic(struct{}{})
		}, "conversion webhook for stable.example.com/v1beta1, Kind=CronTab failed: the conversion panicked: {}"},
	} {
		in := object(beta)
		_, err := convert(conversion.Local(crd, tt.convert), "v1", in)
		if got := fmt.Sprint(err); tt.want != "" && got != tt.want || tt.want == "" && err != nil {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		if diff := cmp.Diff(object(beta), in); diff != "" {
			t.Errorf("%s changed its input (-want +got):\n%s", name, diff)
		}
	}
}

// TestLocalGoTypes checks that values of Go types that no JSON decoder returns
// have the same result in a local function as in a webhook.
func TestLocalGoTypes(t *testing.T) {
	goTypes := func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		obj.Object["spec"] = map[string]any{"int": 3, "strings": []string{"a"}, "whole": 4.0, "map": map[string]int32{"a": 1}}
		return obj, nil
	}
	asIs := func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		obj.SetAPIVersion("")
		if _, _, err := unstructured.NestedMap(obj.Object, "spec"); err != nil { // panics at an int
			return nil, err
		}
		return obj, nil
	}
	spec := map[string]any{"int": int64(3), "strings": []any{"a"}, "whole": int64(4), "map": map[string]any{"a": int64(1)}}
	hub := conversion.Hub("v0", map[string]conversion.Spoke{"v1beta1": {ToHub: goTypes}, "v1": {FromHub: asIs}})
	for name, convertFunc := range map[string]conversion.ConvertFunc{"local": goTypes, "hub": hub} {
		out, err := convert(conversion.Local(definition(""), convertFunc), "v1", object(beta))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(spec, out[0].Object["spec"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	unsendable := func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		obj.Object["spec"] = make(chan int)
		return obj, nil
	}
	const want = "encoding what the conversion returned: json: unsupported type: chan int"
	if _, err := convert(conversion.Local(definition(""), unsendable), "v1", object(beta)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a channel: %v, want %q", err, want)
	}
}
