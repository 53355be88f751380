package oracle

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/patch"
)

const limitBytes = crdkit.MaxRequestBytes

// largeBodies are bodies near the limit of the server. An answer with code 0 is a success.
var largeBodies = []struct {
	name string
	kind types.PatchType // "" for a create
	body string
	code int
}{
	{"create over the limit", "", rowHead + `,"values":` + strings.Repeat("[", limitBytes/2) + strings.Repeat("]", limitBytes/2) + "}", http.StatusRequestEntityTooLarge},
	{"create, nested", "", rowHead + `,"values":` + strings.Repeat("[", limitBytes/2-500) + strings.Repeat("]", limitBytes/2-500) + "}", http.StatusBadRequest},
	{"create, cut off", "", rowHead + `,"values":` + strings.Repeat("[", limitBytes-1000) + "}", http.StatusBadRequest},
	{"create, long string", "", rowHead + `,"spec":{"mode":"` + strings.Repeat("x", limitBytes-1000) + `"}}`, 0},
	{"JSON patch over the limit", types.JSONPatchType, `[{"op":"add","path":"/spec/mode","value":"` + strings.Repeat("x", limitBytes) + `"}]`, http.StatusRequestEntityTooLarge},
	{"JSON patch, nested", types.JSONPatchType, `[{"op":"add","path":"/foo","value":` + strings.Repeat("[", limitBytes/2-100) + strings.Repeat("]", limitBytes/2-100) + `}]`, http.StatusBadRequest},
	{"JSON patch, many operations", types.JSONPatchType, "[" + strings.Repeat(`{"op":"test","path":"/kind","value":"Row"},`, 10000) + `{"op":"test","path":"/kind","value":"Row"}]`, http.StatusRequestEntityTooLarge},
	{"JSON patch, as many operations as allowed", types.JSONPatchType, "[" + strings.Repeat(`{"op":"test","path":"/kind","value":"Row"},`, 9999) + `{"op":"test","path":"/kind","value":"Row"}]`, 0},
	{"JSON patch, copies", types.JSONPatchType, `[{"op":"add","path":"/spec/mode","value":"` + strings.Repeat("x", 100_000) + `"}` + strings.Repeat(`,{"op":"copy","from":"/spec/mode","path":"/spec/x"}`, 40) + "]", http.StatusUnprocessableEntity},
	{"merge patch over the limit", types.MergePatchType, `{"spec":{"mode":"` + strings.Repeat("x", limitBytes) + `"}}`, http.StatusRequestEntityTooLarge},
	{"merge patch, nested", types.MergePatchType, `{"value":` + strings.Repeat("[", limitBytes/2-100) + strings.Repeat("]", limitBytes/2-100) + `}`, http.StatusBadRequest},
	{"merge patch, nested deeply", types.MergePatchType, `{"value":` + strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001) + `}`, http.StatusBadRequest},
	{"apply over the limit", types.ApplyYAMLPatchType, rowHead + `,"spec":{"mode":"` + strings.Repeat("x", limitBytes) + `"}}`, http.StatusRequestEntityTooLarge},
	{"apply, nested", types.ApplyYAMLPatchType, rowHead + `,"value":` + strings.Repeat("[", limitBytes/2-100) + strings.Repeat("]", limitBytes/2-100) + `}`, http.StatusBadRequest},
	{"apply, YAML nested", types.ApplyYAMLPatchType, "apiVersion: rows.example.com/v1\nkind: Row\nmetadata: {name: a}\nvalue: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), http.StatusBadRequest},
	{"apply, long string", types.ApplyYAMLPatchType, rowHead + `,"spec":{"mode":"` + strings.Repeat("x", limitBytes-1000) + `"}}`, 0},
}

const rowHead = `{"apiVersion":"rows.example.com/v1","kind":"Row","metadata":{"name":"a","namespace":"ns"}`

// TestRequestLimits compares requests with large bodies.
func TestRequestLimits(t *testing.T) {
	s := serveRows(t)
	appliers, err := apply.NewAll(s.ours, s.crd)
	if err != nil {
		t.Fatal(err)
	}
	v, a := s.version("v1"), appliers["v1"]
	for _, tt := range largeBodies {
		t.Run(tt.name, func(t *testing.T) {
			s.server.Delete("ns", "a")
			r := server.Request{Method: "POST", Version: "v1", Namespace: "ns", Manager: "m", Body: []byte(tt.body)}
			var live *unstructured.Unstructured
			if tt.kind == types.ApplyYAMLPatchType {
				r.Force = true
			}
			if tt.kind != "" {
				stored := s.putRow(t)
				if live, _, err = v.Read(context.Background(), stored); err != nil {
					t.Fatal(err)
				}
				r.Method, r.Name, r.Type = "PATCH", "a", tt.kind
			}
			res, err := ourLarge(v, a, live, r)
			if err != nil {
				t.Fatal(err)
			}
			answer := s.server.Do(r)
			code, text := 0, ""
			if res.Err() != nil {
				code, text = resultCode(&apply.Result{Result: res}), res.Err().Error()
			}
			if theirs := answer.Code; code != tt.code || theirs >= 300 && theirs != code || theirs < 300 && code != 0 {
				t.Errorf("ours %d %.200s, upstream %.300v, want %d", code, text, answer, tt.code)
			}
			if want, _ := theirs(answer); code != 0 && want != oursText(v, nil, res) {
				t.Errorf("ours %.400s\nupstream %.400s", oursText(v, nil, res), want)
			}
		})
	}
}

// ourLarge makes a request on our side.
func ourLarge(v *crdkit.Version, a *apply.Applier, live *unstructured.Unstructured, r server.Request) (*crdkit.Result, error) {
	ctx := context.Background()
	switch r.Type {
	case "":
		_, res, err := v.CreateJSON(ctx, r.Body, crdkit.InNamespace("ns"))
		return res, err
	case types.ApplyYAMLPatchType:
		res, err := a.Apply(ctx, apply.Request{Live: live, Body: r.Body, Manager: r.Manager, Force: r.Force}, crdkit.InNamespace("ns"))
		if err != nil {
			return nil, err
		}
		return res.Result, nil
	}
	res, err := patch.New(v).Patch(ctx, live, r.Type, r.Body, crdkit.InNamespace("ns"))
	if err != nil {
		return nil, err
	}
	return res.Result, nil
}
