package conversion

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/testkit/fuzz"
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

// decodeBoth decodes in pieces and as the server does, and compares.
func decodeBoth(t *testing.T, d *decoder, data []byte, version string) {
	t.Helper()
	split, splitErr := d.decode(context.Background(), data, version, 1000, 0)
	reference, err := d.decodeReference(data, version)
	if fmt.Sprint(splitErr) != fmt.Sprint(err) {
		t.Fatalf("decode of %q says %v, decodeReference says %v", data, splitErr, err)
	}
	if err != nil {
		return
	}
	if split.gvk != reference.gvk || split.found != reference.found || split.uid != reference.uid || split.result.Status != reference.result.Status ||
		split.result.Message != reference.result.Message || split.count != reference.count || len(split.objects) != len(reference.objects) {
		t.Fatalf("decode of %q = %+v, decodeReference = %+v", data, split, reference)
	}
	for i := range split.objects {
		a, errA := split.objects[i].object()
		b, errB := reference.objects[i].object()
		if fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Fatalf("object %d of %q: in pieces %v, reference %v", i, data, errA, errB)
		}
		if errA != nil {
			continue
		}
		x, errA := json.Marshal(a.Object)
		y, errB := json.Marshal(b.Object)
		if errA != nil || errB != nil || !bytes.Equal(x, y) {
			t.Errorf("object %d of %q: in pieces %s, reference %s, %v, %v", i, data, x, y, errA, errB)
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

// TestFastPath pins which answers are taken apart, and the rest of which is decoded
// fast.
func TestFastPath(t *testing.T) {
	for i, want := range []string{"fast", "reference", "fast", "fast", "whole", "fast"} {
		if got := pathOf(reviewTests[i], "v1"); got != want {
			t.Errorf("%s: %s, want %s", reviewTests[i], got, want)
		}
	}
	if pathOf(reviewTests[1], "v1beta1") != "fast" {
		t.Errorf("decodeFast does not take %s", reviewTests[1])
	}
}

func pathOf(text, version string) string {
	env, err := newScan(context.Background(), []byte(text), 0).envelope("response", 1000)
	switch {
	case err != nil:
		return "whole"
	case decodeFast(env.rest, version) == nil:
		return "reference"
	}
	return "fast"
}

// FuzzReview compares the decoder with the reference, and checks that accepted
// answers satisfy the rules for webhooks.
func FuzzReview(f *testing.F) {
	for _, text := range reviewTests {
		f.Add([]byte(text))
	}
	versions := versions{group: "a.b", byName: map[string]bool{"v1": true, "v2": true}, byAPIVersion: map[string]bool{"a.b/v1": true, "a.b/v2": true}}
	d := newDecoder()
	fuzz.Run(f, func(t *testing.T, data []byte) {
		for _, version := range reviewVersions {
			if !foldedType(data) {
				decodeBoth(t, d, data, version)
			}
			r, err := d.decode(context.Background(), data, version, 1, 0)
			if err != nil {
				continue
			}
			original := map[string]any{"apiVersion": "a.b/v2", "kind": "K", "metadata": map[string]any{"name": "x", "generation": int64(3)}}
			b, err := versions.batch(context.Background(), []*unstructured.Unstructured{{Object: original}}, "v1")
			if err != nil {
				t.Fatal(err)
			}
			objs, err := b.objects(context.Background(), r, b.unconverted()[:min(1, len(r.objects))])
			if err != nil || len(objs) != 1 {
				continue
			}
			out, err := b.merge(context.Background(), b.unconverted(), objs)
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

// TestPieces compares long strings with those of the server's decoder.
func TestPieces(t *testing.T) {
	for _, unit := range []string{"\xff", "\x80", "\xf0\x9f\x98", `\ud800`, `\udc00`, `\ud83d\ud83d\ude00\ud800`, `\n\ud83d\ude00`, `\uD83D\uDE00\uD800é`} {
		for shift := range 14 {
			text := `"` + strings.Repeat("x", shift) + strings.Repeat(unit, 3*pieceBytes/len(unit)) + `\ud800"`
			var want any
			if err := utiljson.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			if got, err := decodePieces(newScan(t.Context(), []byte(text), 1<<30), span{0, len(text)}); err != nil || got != want {
				t.Errorf("%s after %d characters: another string, %v", unit, shift, err)
			}
		}
	}
}
