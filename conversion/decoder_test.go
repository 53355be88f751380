package conversion

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
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

// decodeBoth compares the fast decoder with the reference.
func decodeBoth(t *testing.T, d *decoder, data []byte, version string) {
	t.Helper()
	fast := decodeFast(data, version)
	reference, err := d.decodeReference(data, version)
	if err != nil || fast == nil {
		if fast != nil {
			t.Fatalf("decodeFast of %q succeeds, the reference says %v", data, err)
		}
		return
	}
	if fast.gvk != reference.gvk || fast.found != reference.found || fast.uid != reference.uid || fast.result.Status != reference.result.Status ||
		fast.result.Message != reference.result.Message || len(fast.objects) != len(reference.objects) {
		t.Fatalf("decodeFast of %q = %+v, the reference = %+v", data, fast, reference)
	}
	for i := range fast.objects {
		a, errA := fast.objects[i].object()
		b, errB := reference.objects[i].object()
		if errA != nil || errB != nil {
			t.Fatalf("object %d of %q: fast %v, reference %v", i, data, errA, errB)
		}
		x, errA := json.Marshal(a.Object)
		y, errB := json.Marshal(b.Object)
		if errA != nil || errB != nil || !bytes.Equal(x, y) {
			t.Errorf("object %d of %q: fast %s, reference %s, %v, %v", i, data, x, y, errA, errB)
		}
	}
}

func TestDecodeBoth(t *testing.T) {
	d := newDecoder()
	for _, text := range reviewTests {
		decodeBoth(t, d, []byte(text), "v1")
		decodeBoth(t, d, []byte(text), "v1beta1")
	}
}

// TestFastPath checks which answers the fast decoder accepts.
func TestFastPath(t *testing.T) {
	for i, want := range []bool{true, false, true, false, true, false} {
		if got := decodeFast([]byte(reviewTests[i]), "v1") != nil; got != want {
			t.Errorf("decodeFast accepts %s: %v, want %v", reviewTests[i], got, want)
		}
	}
	if decodeFast([]byte(reviewTests[1]), "v1beta1") == nil {
		t.Errorf("decodeFast declines %s", reviewTests[1])
	}
}

// FuzzReview compares the fast decoder with the reference, and checks that
// accepted answers satisfy the rules for webhooks.
func FuzzReview(f *testing.F) {
	for _, text := range reviewTests {
		f.Add([]byte(text))
	}
	versions := versions{group: "a.b", byName: map[string]bool{"v1": true, "v2": true}, byAPIVersion: map[string]bool{"a.b/v1": true, "a.b/v2": true}}
	d := newDecoder()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, version := range reviewVersions {
			if !foldedType(data) {
				decodeBoth(t, d, data, version)
			}
			r, err := d.decode(data, version)
			if err != nil {
				continue
			}
			original := map[string]any{"apiVersion": "a.b/v2", "kind": "K", "metadata": map[string]any{"name": "x", "generation": int64(3)}}
			b, err := versions.batch([]*unstructured.Unstructured{{Object: original}}, "v1")
			if err != nil {
				t.Fatal(err)
			}
			objs, err := b.objects(r, b.unconverted()[:min(1, len(r.objects))])
			if err != nil || len(objs) != 1 {
				continue
			}
			out, err := b.merge(b.unconverted(), objs)
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

// foldedType reports whether a document may have a member that differs from
// kind or apiVersion only in case. The server would read such a member.
func foldedType(data []byte) bool {
	lower := bytes.ToLower(data)
	return bytes.Count(lower, []byte("kind")) != bytes.Count(data, []byte("kind")) ||
		bytes.Count(lower, []byte("apiversion")) != bytes.Count(data, []byte("apiVersion")) || bytes.ContainsAny(data, "\u017f\u212a\\")
}
