package conversion

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// reviewTests are answers of webhooks.
var reviewTests = []string{
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"x"},"n":[1,1.5]}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1","response":{"result":{"status":"Success"},"convertedObjects":[{"apiVersion":"a.b/v1","kind":"K"}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"objects":[1]},"response":{"uid":"UID","result":{"status":"Failure","message":"m"}}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"convertedObjects":[null,5,"x",[],{},{"kind":""},{"kind":5},{"kind":"K","apiVersion":"a/b/c"},{"kind":"K","items":[]}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"a","convertedObjects":[{"a":{"b":1}},2],"convertedObjects":[{"kind":"K"}]},"response":{"uid":"b"}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"convertedObjects":[{"kind":"K","apiVersion":"a/b/c"}]}}`,
	`{"response":{"uid":5}}`, `{"kind":"Status","apiVersion":"v1","status":"Failure"}`, `{}`, `[]`, `null`, ``, `{`,
	"kind: ConversionReview\napiVersion: apiextensions.k8s.io/v1\nresponse: {uid: UID, convertedObjects: [{kind: K}]}\n",
	"a: &a [*a]", "a: &a {<<: *a}",
}

// A UID is a random UUID of version 4.
func TestNewUID(t *testing.T) {
	form := regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
	seen := map[types.UID]bool{}
	for range 100 {
		uid := newUID()
		if !form.MatchString(string(uid)) || seen[uid] {
			t.Fatalf("newUID = %s", uid)
		}
		seen[uid] = true
	}
}

// decodeBoth takes a response apart, and decodes it as the server does, and compares.
func decodeBoth(t *testing.T, text, version string) {
	t.Helper()
	split, splitErr := decodeResponse(text, version, 1000, 0)
	gvk, want, err := decodeReview([]byte(text), version)
	if fmt.Sprint(splitErr) != fmt.Sprint(err) {
		t.Fatalf("decodeResponse of %q says %v, decodeReview says %v", text, splitErr, err)
	}
	if err != nil {
		return
	}
	got := split.body
	if split.gvk != gvk || (got == nil) != (want == nil) {
		t.Fatalf("decodeResponse of %q = %v, %+v, decodeReview = %v, %+v", text, split.gvk, got, gvk, want)
	}
	if want == nil {
		return
	}
	if got.UID != want.UID || got.Result.Status != want.Result.Status || got.Result.Message != want.Result.Message ||
		split.count != len(want.ConvertedObjects) || len(split.objects) != split.count {
		t.Fatalf("decodeResponse of %q = %+v, decodeReview = %+v", text, split, want)
	}
	for i := range split.objects {
		var b unstructured.Unstructured
		a, errA := object(split.objects[i])
		errB := b.UnmarshalJSON(want.ConvertedObjects[i].Raw)
		if fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Fatalf("object %d of %q: %v, want %v", i, text, errA, errB)
		}
		if errA == nil && !reflect.DeepEqual(a.Object, b.Object) {
			t.Errorf("object %d of %q: %v, want %v", i, text, a, b)
		}
	}
}

func TestDecodeBoth(t *testing.T) {
	for _, text := range reviewTests {
		decodeBoth(t, text, "v1")
		decodeBoth(t, text, "v1beta1")
	}
}

// TestTakenApart checks which responses are taken apart. Others have a limit.
func TestTakenApart(t *testing.T) {
	for i, want := range []bool{true, true, true, true, false, true, true, true, true, false, false, false, false, false, false} {
		if _, err := readReview(reviewTests[i], "response", 1000); (err == nil) != want {
			t.Errorf("%s: %v, want it taken apart: %t", reviewTests[i], err, want)
		}
	}
}

// FuzzReview compares the decoder with the reference, and checks that accepted
// answers satisfy the rules for webhooks.
func FuzzReview(f *testing.F) {
	for _, text := range reviewTests {
		f.Add([]byte(text))
	}
	fuzz.Run(f, func(t *testing.T, data []byte) {
		for _, version := range reviewVersions {
			decodeBoth(t, string(data), version)
			r, err := decodeResponse(string(data), version, 1, 0)
			if err != nil || r.count != 1 {
				continue
			}
			original := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "a.b/v2", "kind": "K", "metadata": map[string]any{"name": "x", "generation": int64(3)}}}
			b := &batch{original.GroupVersionKind(), []*unstructured.Unstructured{original}, false, schema.GroupVersion{Group: "a.b", Version: "v1"}}
			out, err := b.merge(t.Context(), b.unconverted(), func(i int) (*unstructured.Unstructured, error) { return object(r.objects[i]) })
			if err != nil {
				continue
			}
			meta, _ := out[0].Object["metadata"].(map[string]any)
			if out[0].GetAPIVersion() != "a.b/v1" || out[0].GetKind() != "K" || out[0].GetName() != "x" || meta["generation"] != int64(3) {
				t.Errorf("%q was accepted as %v", data, out[0])
			}
		}
	})
}

// TestDecodeObject compares values, and what is wrong, with the server's decoder.
func TestDecodeObject(t *testing.T) {
	texts := []string{
		`{"a":1,"a":{"b":2}}`, `{"a":{"b":1},"a":{"c":2}}`, `{"\ud800":"\ud800","\ud800":1}`, "{\"\xff\" : \"\xff\"}", `{"\u0061":1,"a":2}`, `1e400`, `{"a":-1e400}`,
		`[1e400,2]`, ` [ 1 , 2.5 , [ ] , { } , { "a" : null , "b" : true } ] `, `9223372036854775808`, `"\ud83d\ude00\ude00"`, `"` + "\x80" + `\"\\"`, `-0`, `-0.0`,
	}
	for _, unit := range []string{"\xff", "\x80", "\xf0\x9f\x98", `\ud800`, `\udc00`, `\ud83d\ud83d\ude00\ud800`, `\n\ud83d\ude00`, `\uD83D\uDE00\uD800é`, "x"} {
		texts = append(texts, `"`+strings.Repeat(unit, 100_000)+`\ud800"`, `{"`+strings.Repeat(unit, 100)+`":[0]}`)
	}
	for _, text := range texts {
		var want any
		wantErr := utiljson.Unmarshal([]byte(text), &want)
		got, err := decodeObject(strings.TrimSpace(text))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%.100q: %.100v, %v; want %.100v, %v", text, got, err, want, wantErr)
		}
	}
}

// TestNotJSON: a review that is not JSON is not taken apart, wherever the mistake is.
func TestNotJSON(t *testing.T) {
	for _, part := range []string{
		``, `nul`, `nulll`, `tru`, `falsy`, `-`, `01`, `1.`, `.5`, `+1`, `1e`, `1e+`, `0x1`, `NaN`, `1-2`, `1 2`, `"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\xff\n\"",
		`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `[1}`, `{`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{a:1}`, `{1:1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1]`, "\x00",
		"{\"\xff\" 1}", "{\"\xff\":}", "{\"\xff", `{"\ud800"1}`, strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	} {
		for _, text := range []string{part, `{"a":` + part + `}`, `{"response":` + part + `}`, `{"response":{"a":` + part + `}}`, `{"response":{"convertedObjects":` + part + `}}`,
			`{"response":{"convertedObjects":[` + part + `,1]}}`, `{"response":{"convertedObjects":[{"a":` + part + `}]}}`, `{"request":{"objects":[0,` + part + `]}}`} {
			if _, err := readReview(text, "response", 10); err != errIrregular {
				t.Errorf("%.100q: %v", text, err)
			}
		}
	}
}
