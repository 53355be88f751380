package oracle

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/internal/oracle/server"
)

// serverDifferences are entries of docs/DIFFERENCES.md that the handler of the server shows.
// Each function fails if the server does what crdkit does. Other tests, which the page
// names too, hold what crdkit does.
var serverDifferences = map[string]func(*testing.T, *server.Server){
	"request/no_store": func(t *testing.T, s *server.Server) {
		row := posted(t, s, `"name":"a"`)
		version := fmt.Sprintf(`,"resourceVersion":%q`, row.GetResourceVersion())
		wantAnswer(t, s.Do(putting("v1", `"name":"a"`)), http.StatusUnprocessableEntity, "metadata.resourceVersion: Invalid value: 0: must be specified for an update")
		wantAnswer(t, s.Do(putting("v1", `"name":"a","uid":"other"`+version)), http.StatusConflict, "Precondition failed: UID in precondition: other")
	},
	"request/no_namespace": func(t *testing.T, s *server.Server) {
		if row := posted(t, s, `"name":"a"`); row.GetNamespace() != "ns" {
			t.Errorf("the namespace is %q, want that of the request", row.GetNamespace())
		}
	},
	"request/old_version": func(t *testing.T, s *server.Server) {
		row := posted(t, s, `"name":"a"`)
		wantAnswer(t, s.Do(putting("v2", fmt.Sprintf(`"name":"a","resourceVersion":%q`, row.GetResourceVersion()))), http.StatusOK, `"apiVersion":"rows.example.com/v2"`)
	},
	"request/server_fields": func(t *testing.T, s *server.Server) {
		row := posted(t, s, `"name":"a"`)
		if row.GetUID() == "" || row.GetCreationTimestamp().Time.IsZero() || row.GetResourceVersion() == "" || len(row.GetManagedFields()) != 1 {
			t.Errorf("the metadata is %v", row.Object["metadata"])
		}
	},
	"request/generated_name": func(t *testing.T, s *server.Server) {
		first, second := posted(t, s, `"generateName":"a-"`).GetName(), posted(t, s, `"generateName":"a-"`).GetName()
		if len(first) != len("a-00000") || !strings.HasPrefix(first, "a-") || first == second {
			t.Errorf("the names are %q and %q", first, second)
		}
	},
	"apply/clock": func(t *testing.T, s *server.Server) {
		if at := posted(t, s, `"name":"a"`).GetManagedFields()[0].Time; at == nil || time.Since(at.Time).Abs() > time.Hour {
			t.Errorf("the time of the manager is %v", at)
		}
	},
	"apply/user_agent": func(t *testing.T, s *server.Server) {
		if manager := posted(t, s, `"name":"a"`).GetManagedFields()[0].Manager; manager != "tool" {
			t.Errorf("the manager is %q, want the beginning of the User-Agent", manager)
		}
	},
	"apply/no_uid": func(t *testing.T, s *server.Server) {
		putWithoutUID(t, s)
		r := server.Request{Method: http.MethodPatch, Version: "v1", Namespace: "ns", Name: "a", Type: types.ApplyYAMLPatchType, Manager: "m", Body: rowAt("v1", `"name":"a"`)}
		wantAnswer(t, s.Do(r), http.StatusUnprocessableEntity, "metadata.resourceVersion: Invalid value: 0: must be specified for an update")
		r.Type, r.Body = types.MergePatchType, []byte(`{"spec":{"replicas":2}}`)
		wantAnswer(t, s.Do(r), http.StatusNotFound, `rows.rows.example.com \"a\" not found`)
		r.Subresource = "scale"
		wantAnswer(t, s.Do(r), http.StatusNotFound, `rows.rows.example.com \"a\" not found`)
	},
	"apply/scale_kinds": func(t *testing.T, s *server.Server) {
		posted(t, s, `"name":"a"`)
		r := server.Request{Method: http.MethodPatch, Version: "v1", Namespace: "ns", Name: "a", Subresource: "scale", Type: types.MergePatchType}
		r.Body = []byte(`{"apiVersion":"apps/v1beta1","status":{"selector":null}}`)
		wantAnswer(t, s.Do(r), http.StatusUnprocessableEntity, "converting (v1beta1.Scale) to (v1.Scale): unknown conversion")
	},
}

// putWithoutUID stores an object that no server has created.
func putWithoutUID(t *testing.T, s *server.Server) {
	t.Helper()
	row := map[string]any{"apiVersion": "rows.example.com/v1", "kind": "Row", "metadata": map[string]any{"name": "a", "namespace": "ns"}, "spec": map[string]any{"replicas": int64(1)}}
	if err := s.Put(row); err != nil {
		t.Fatal(err)
	}
}

// TestDifferencesOfServer tests what the server does where crdkit differs.
func TestDifferencesOfServer(t *testing.T) {
	s := serveRows(t).server
	for name, test := range serverDifferences {
		t.Run(name, func(t *testing.T) {
			s.Delete("ns", "a")
			test(t, s)
		})
	}
}

// posted creates an object with the given metadata and returns it as it is stored.
func posted(t *testing.T, s *server.Server, metadata string) *unstructured.Unstructured {
	t.Helper()
	answer := s.Do(server.Request{Method: http.MethodPost, Version: "v1", Namespace: "ns", Agent: "tool/1.0 (linux)", Body: rowAt("v1", metadata)})
	row, err := answer.Object()
	if err != nil || answer.Code != http.StatusCreated {
		t.Fatalf("POST: %v, %v", answer, err)
	}
	return row
}

func putting(version, metadata string) server.Request {
	return server.Request{Method: http.MethodPut, Version: version, Namespace: "ns", Name: "a", Body: rowAt(version, metadata)}
}

func rowAt(version, metadata string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"rows.example.com/%s","kind":"Row","metadata":{%s},"spec":{"replicas":1}}`, version, metadata)
}

func wantAnswer(t *testing.T, got server.Answer, code int, text string) {
	t.Helper()
	if got.Code != code || !strings.Contains(string(got.Body), text) {
		t.Errorf("the server answers %v, want %d with %q", got, code, text)
	}
}
