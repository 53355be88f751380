package testkit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCorpus(t *testing.T) {
	c := FindCorpus(t)
	samples := 0
	for _, d := range c.Definitions {
		samples += len(d.Samples)
		if d.CRD.Name == "" || len(d.CRD.Spec.Versions) == 0 {
			t.Errorf("%s: name %q, %d versions", d.Path, d.CRD.Name, len(d.CRD.Spec.Versions))
		}
	}
	if len(c.Definitions) == 0 || samples == 0 {
		t.Errorf("LoadCorpus found %d definitions and %d samples", len(c.Definitions), samples)
	}
	t.Logf("%d definitions, %d samples", len(c.Definitions), samples)
}

func TestEncodeKeepsNumbersApart(t *testing.T) {
	const text = `{"a":[1,1.0,1e3,9223372036854775807,9223372036854775808,0.5,-0.0,1e300,1e-300,null,true,"ä\n"],"b":{}}`
	want, err := DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeJSON(Encode(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("DecodeJSON(Encode(x)) (-want +got):\n%s", diff)
	}
}

func TestCloneShares(t *testing.T) {
	obj := map[string]any{"a": []any{map[string]any{"b": int64(1)}}}
	copied := Clone(obj)
	copied["a"].([]any)[0].(map[string]any)["b"] = int64(2)
	want := map[string]any{"a": []any{map[string]any{"b": int64(1)}}}
	if diff := cmp.Diff(want, obj); diff != "" {
		t.Errorf("changing the clone changed the object (-want +got):\n%s", diff)
	}
}
