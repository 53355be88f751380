package patching

import (
	"context"
	"fmt"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

const libraryDocument = `{"a":{"b":[1,{"c":null},"x\u003cy"],"n":null,"s":"é\n"},"l":[],"t":true,"u":1.0}`

// libraryPatches are JSON patches, some of which the library refuses.
var libraryPatches = []string{
	`[]`, `null`, `[null]`, `[{}]`, `[{"op":"add"}]`, `[{"op":"none","path":"/a"}]`,
	`[{"op":"add","path":"/a/b/0","value":{"z":1,"y":[ 1.50, "<" ]}}]`,
	`[{"op":"add","path":"/a/b/-","value":2},{"op":"add","path":"/a/b/-1","value":3}]`,
	`[{"op":"add","path":"/a/b/9","value":2}]`, `[{"op":"add","path":"/a/b/-9","value":2}]`, `[{"op":"add","path":"/a/b/x","value":2}]`,
	`[{"op":"add","path":"/a/s/x","value":2}]`, `[{"op":"add","path":"","value":{}}]`, `[{"op":"add","path":"x/y","value":1}]`,
	`[{"op":"add","path":"/x~1y~0z~01","value":1}]`, `[{"op":"add","path":"/x"}]`, `[{"op":"add","path":"/x","value":null},{"op":"test","path":"/x"}]`,
	`[{"op":"add","path":"/x","value":null},{"op":"test","path":"/x","value":null}]`,
	`[{"op":"add","path":"/x","value":null},{"op":"add","path":"/x/y","value":1}]`,
	`[{"op":"add","path":5,"value":1}]`, `[{"op":5,"path":"/x","value":1}]`, `{}`, `[1]`, `"a"`,
	`[{"op":"remove","path":"/a/n"}]`, `[{"op":"remove","path":"/none"}]`, `[{"op":"remove","path":"/a/b/-1"}]`, `[{"op":"remove","path":"/a/b/3"}]`,
	`[{"op":"replace","path":"/none","value":1}]`, `[{"op":"replace","path":"/a/b/+1","value":1}]`, `[{"op":"replace","path":"/a/b/01","value":1}]`,
	`[{"op":"replace","path":"","value":{"k":1}}]`, `[{"op":"replace","path":"","value":[1]}]`, `[{"op":"replace","path":"","value":1}]`, `[{"op":"replace","path":"/l/0","value":1}]`,
	`[{"op":"test","path":"/a","value":{"s":"é\n","n":null,"b":[1,{"c":null},"x<y"]}}]`,
	`[{"op":"test","path":"/a/s","value":"\u00e9\n"}]`, `[{"op":"test","path":"/u","value":1}]`, `[{"op":"test","path":"/u","value":1.0}]`,
	`[{"op":"test","path":"/a/n"}]`, `[{"op":"test","path":"/a/n","value":null}]`, `[{"op":"test","path":"/a/n","value":0}]`, `[{"op":"test","path":"/none/x","value":0}]`,
	`[{"op":"test","path":"/l","value":{}}]`, `[{"op":"test","path":"/l","value":[]}]`, `[{"op":"test","path":"","value":{}}]`,
	`[{"op":"move","from":"/a","path":"/a/b"}]`, `[{"op":"move","from":"/a/b","path":"/c"}]`, `[{"op":"move","from":"/none","path":"/c"}]`, `[{"op":"move","path":"/c"}]`,
	`[{"op":"move","from":"/a/b/0","path":"/a/b/-"}]`, `[{"op":"move","from":"/a/b/7","path":"/c"}]`,
	`[{"op":"copy","from":"/a","path":"/a/a"},{"op":"copy","from":"/a","path":"/a/a"}]`, `[{"op":"copy","from":"/none","path":"/c"}]`,
	`[{"op":"copy","from":"/a/n","path":"/c"},{"op":"test","path":"/c","value":null}]`,
	`[{"op":"add","path":"/x","value":null},{"op":"copy","from":"/x","path":"/y"},{"op":"test","path":"/y/z"}]`,
	`[{"op":"add","path":"/x","value":null},{"op":"copy","from":"/x","path":"/y"},{"op":"test","path":"/y","value":{}}]`,
	`[{"op":"copy","from":"/a","path":"/none/x"}]`, `[{"op":"add","path":"/d","value":{"k":1,"k":2}},{"op":"add","path":"/d/e","value":1}]`,
	`[{"op":"add","path":"/d","value":{"k":1,"k":2}}]`, `[{"op":"add","path":"/d","value":"\u2028\u003c"}]`,
}

// libraryMerges are JSON merge patches.
var libraryMerges = []string{
	`{}`, `null`, `[]`, `[null,{"a":null,"b":[{"c":null}]}]`, `1`, `"a"`, ` { "a" : null } `,
	`{"a":{"b":{"x":null,"y":[{"z":null}]},"n":1},"new":{"x":null,"y":{"z":null},"l":[null,{"q":null}]}}`,
	`{"a":5}`, `{"a":[{"x":null}]}`, `{"l":{"x":null}}`, `{"l":null,"t":{"x":{}}}`, `{"u":1.50,"u":"<"}`, `{"a":{"s":"\u00e9","b":null}}`,
}

func TestJSONPatchLikeLibrary(t *testing.T) {
	for _, p := range libraryPatches {
		compare(t, p, byLibrary, ours(jsonPatch))
	}
}

func TestMergePatchLikeLibrary(t *testing.T) {
	for _, p := range libraryMerges {
		compare(t, p, jsonpatch.MergePatch, ours(mergePatch))
	}
}

func FuzzJSONPatch(f *testing.F) {
	for _, p := range libraryPatches {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if CheckBody("application/json-patch+json", []byte(p)) == nil {
			compare(t, p, byLibrary, ours(jsonPatch))
		}
	})
}

func FuzzMergePatch(f *testing.F) {
	for _, p := range libraryMerges {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if CheckBody("application/merge-patch+json", []byte(p)) == nil {
			compare(t, p, jsonpatch.MergePatch, ours(mergePatch))
		}
	})
}

// A patcher applies a patch to a document.
type patcher func(document, patch []byte) ([]byte, error)

func byLibrary(document, patch []byte) ([]byte, error) {
	p, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return p.Apply(document)
}

func ours(f func(context.Context, string, []byte, bool) ([]byte, []string, *refusal, error)) patcher {
	return func(document, patch []byte) ([]byte, error) {
		out, _, r, err := f(context.Background(), string(document), patch, false)
		if r != nil {
			err = fmt.Errorf("%s %v", r.Message, r.Details)
		}
		return out, err
	}
}

// compare compares the results of a patch. It does not compare patches that make the
// library panic; for those TestPanicsOfLibrary has the answers.
func compare(t *testing.T, patch string, library, ours patcher) {
	t.Helper()
	want, wantErr, panicked := caught(library, patch)
	got, err := ours([]byte(libraryDocument), []byte(patch))
	if panicked {
		return
	}
	if (err == nil) != (wantErr == nil) || string(got) != string(want) {
		t.Errorf("%s:\nlibrary %s, %v\nours    %s, %v", patch, want, wantErr, got, err)
	}
}

func caught(f patcher, patch string) (out []byte, err error, panicked bool) {
	defer func() { panicked = recover() != nil }()
	out, err = f([]byte(libraryDocument), []byte(patch))
	return out, err, false
}

// TestPanicsOfLibrary tests patch/panics of docs/DIFFERENCES.md.
func TestPanicsOfLibrary(t *testing.T) {
	for patch, want := range map[string]bool{
		`[{"op":"replace","path":""}]`: false,
		`[{"op":"test","path":""}]`:    false,
		`[{"op":"add","path":"/x","value":[null]},{"op":"test","path":"/x","value":[null]}]`:                                 true,
		`[{"op":"add","path":"/x","value":[null]},{"op":"test","path":"/x","value":[1]}]`:                                    false,
		`[{"op":"add","path":"/x","value":null},{"op":"copy","from":"/x","path":"/y"},{"op":"add","path":"/y/z","value":1}]`: false,
	} {
		if _, _, panicked := caught(byLibrary, patch); !panicked {
			t.Errorf("%s: the library does not panic: the difference is no more", patch)
		}
		if _, err := ours(jsonPatch)([]byte(libraryDocument), []byte(patch)); (err == nil) != want {
			t.Errorf("%s: ours returns %v", patch, err)
		}
	}
}
