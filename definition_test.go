package crdkit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestDeprecationWarnings: the warning of a deprecated version names the version with the
// highest priority among those that are served and not deprecated, if that has a higher
// priority than the deprecated one.
func TestDeprecationWarnings(t *testing.T) {
	for _, tt := range []struct {
		name     string
		versions string // name, then + for served, - for not served, ! for deprecated
		want     map[string]string
	}{
		{"an older version", "v1+ v1beta1+!", map[string]string{"v1": "", "v1beta1": "example.com/v1beta1 A is deprecated; use example.com/v1 A"}},
		{"the newest version", "v2+! v1+", map[string]string{"v2": "example.com/v2 A is deprecated", "v1": ""}},
		{"all versions", "v2+! v1+!", map[string]string{"v2": "example.com/v2 A is deprecated", "v1": "example.com/v1 A is deprecated"}},
		{"the other is not served", "v2- v1+!", map[string]string{"v2": "", "v1": "example.com/v1 A is deprecated"}},
		{"the best of several", "v2+ v3+ v4- v5+! v1+!", map[string]string{"v1": "example.com/v1 A is deprecated; use example.com/v3 A", "v5": "example.com/v5 A is deprecated"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var versions []string
			for i, v := range strings.Fields(tt.versions) {
				versions = append(versions, fmt.Sprintf(`{"name":%q,"served":%t,"deprecated":%t,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object"}}}`,
					strings.TrimRight(v, "+-!"), strings.Contains(v, "+"), strings.HasSuffix(v, "!"), i == 0))
			}
			def := compileText(t, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.example.com"},
				"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"as","kind":"A"},"versions":[`+strings.Join(versions, ",")+`]}}`)
			for name, want := range tt.want {
				if got := testkit.Must(def.Version(name)).Warning(); got != want {
					t.Errorf("warning of %s: %q, want %q", name, got, want)
				}
			}
		})
	}
	text := strings.Replace(cronTab, "deprecated: true", "deprecated: true\n    deprecationWarning: go away", 1)
	if got := testkit.Must(compileText(t, text).Version("v1beta1")).Warning(); got != "go away" {
		t.Errorf("warning %q, want that of the definition", got)
	}
}

// TestErrorsOfEqualVersions: versions with the same schema have the same errors, each at its
// own path.
func TestErrorsOfEqualVersions(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"text"},"b":{}}}`
	crd, err := definition.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.example.com"},
		"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"as","kind":"A"},"versions":[
		{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + schema + `}},
		{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":` + schema + `}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = crdkit.Compile(crd)
	for i := range 2 {
		if want := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema.properties[b].type: Required value", i); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile: %v, want an error with %q", err, want)
		}
	}
}

// A converterFunc is a converter that can be closed.
type converterFunc struct {
	convert func([]*unstructured.Unstructured) []*unstructured.Unstructured
	closed  *bool
}

func (c converterFunc) Convert(_ context.Context, objs []*unstructured.Unstructured, _ string) ([]*unstructured.Unstructured, error) {
	return c.convert(objs), nil
}

func (c converterFunc) Close() error {
	*c.closed = true
	return nil
}

// TestConverterReturnsOneObject: a converter must return one object for one, with content.
func TestConverterReturnsOneObject(t *testing.T) {
	right := cronTabObject("v1", nil)
	for _, tt := range []struct {
		name string
		out  []*unstructured.Unstructured
		want string // the error
	}{
		{"one", []*unstructured.Unstructured{right}, ""},
		{"none", nil, "crdkit: the converter returned 0 objects for one"},
		{"two", []*unstructured.Unstructured{right, right}, "crdkit: the converter returned 2 objects for one"},
		{"nil", []*unstructured.Unstructured{nil}, "crdkit: the converter returned 1 objects for one"},
		{"empty", []*unstructured.Unstructured{{}}, "crdkit: the converter returned 1 objects for one"},
	} {
		var closed bool
		crd := parsedDefinition(t)
		def, err := crdkit.Compile(crd, crdkit.WithConverter(converterFunc{func([]*unstructured.Unstructured) []*unstructured.Unstructured { return tt.out }, &closed}))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, _, err := testkit.Must(def.Version("v1")).Read(context.Background(), cronTabObject("v1beta1", nil)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: Read fails with %q, want %q", tt.name, got, tt.want)
		}
		if err := def.Close(); err != nil || closed {
			t.Errorf("Close = %v, and closes a converter of the caller: %t", err, closed)
		}
	}
}

// TestCloseDefinition: a closed definition calls its webhook no more. Objects at their
// version need no call.
func TestCloseDefinition(t *testing.T) {
	def := compileText(t, strings.Replace(cronTab, "scope:", `conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://example.invalid"}}
  scope:`, 1))
	if err := def.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, stored := context.Background(), cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	if _, _, err := testkit.Must(def.Version("v1beta1")).Read(ctx, stored); !errors.Is(err, conversion.ErrClosed) {
		t.Errorf("Read of a closed definition: %v, want ErrClosed", err)
	}
	if _, _, err := testkit.Must(def.Version("v1")).Read(ctx, stored); err != nil {
		t.Errorf("Read without a conversion: %v", err)
	}
	if err := def.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	if err := compileText(t, cronTab).Close(); err != nil {
		t.Errorf("Close without a webhook: %v", err)
	}
}

// TestNextGeneration: an update that changes anything but metadata counts the generation, on
// both paths. Members that come or go are changes, too.
func TestNextGeneration(t *testing.T) {
	def := compileText(t, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.example.com"},
		"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"as","kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`)
	v := testkit.Must(def.Version("v1"))
	for _, tt := range []struct {
		old, obj string // members
		want     int64
	}{
		{``, ``, 3},
		{`,"a":1`, `,"a":1`, 3},
		{`,"a":{"b":[1,"x"]}`, `,"a":{"b":[1,"x"]}`, 3},
		{`,"a":1`, `,"a":2`, 4},
		{`,"a":{"b":[1,"x"]}`, `,"a":{"b":[1,"y"]}`, 4},
		{`,"a":1`, ``, 4},
		{``, `,"a":1`, 4},
		{`,"a":1`, `,"b":1`, 4},
		{`,"a":1,"b":2`, `,"a":1,"c":2`, 4},
	} {
		const text = `{"apiVersion":"example.com/v1","kind":"A","metadata":{"name":"a","generation":3,"labels":{"l":%q}}%s}`
		raw, oldRaw := fmt.Sprintf(text, "new", tt.obj), fmt.Sprintf(text, "old", tt.old)
		decode := func(text string) *unstructured.Unstructured {
			out := &unstructured.Unstructured{}
			if err := out.UnmarshalJSON([]byte(text)); err != nil {
				t.Fatal(err)
			}
			return out
		}
		obj := decode(raw)
		if res, err := v.Update(context.Background(), obj, decode(oldRaw)); err != nil || !res.Admitted() || obj.GetGeneration() != tt.want {
			t.Errorf("Update of {%s} to {%s}: generation %d, %v, %v, want %d", tt.old, tt.obj, obj.GetGeneration(), res, err, tt.want)
		}
		out, res, err := v.UpdateJSON(context.Background(), []byte(raw), []byte(oldRaw))
		if err != nil || !res.Admitted() {
			t.Fatalf("UpdateJSON: %v, %v", res, err)
		}
		if diff := cmp.Diff(tt.want, decode(string(out)).GetGeneration()); diff != "" {
			t.Errorf("UpdateJSON of {%s} to {%s}: generation (-want +got):\n%s", tt.old, tt.obj, diff)
		}
	}
}
