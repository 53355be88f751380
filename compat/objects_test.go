package compat_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/compat"
)

const storedCrontab = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, maximum: 10}
              mode: {type: string}
`

// TestListsBesideFormats has objects about which a comparison says nothing, see the doc of
// the package. A check of the object finds the difference.
func TestListsBesideFormats(t *testing.T) {
	const before = "{type: string, format: ipv4}"
	for _, c := range []struct{ name, after, want string }{
		{"format removed", "{type: string}", `spec.mode in body must be of type string: "array"`},
		{"rule added", "{type: string, format: ipv4, x-kubernetes-validations: [{rule: self.size() > 0}]}", "invalid data, expected string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, crd := strings.ReplaceAll(storedCrontab, "{type: string}", before), strings.ReplaceAll(storedCrontab, "{type: string}", c.after)
			for _, f := range compat.Split(compared(t, old, crd).Findings) {
				if (f.Role == compat.RoleWriters || f.Role == compat.RoleStored) && f.Code != compat.CodeProved {
					t.Errorf("finding = %+v", f)
				}
			}
			objects, err := compat.NewObjects(t.Context(), parsed(old), parsed(crd))
			if err != nil {
				t.Fatal(err)
			}
			found, err := objects.Check(context.Background(), crontabObject(t, "v1", "{mode: [a]}"))
			if err != nil || len(found) != 1 || !strings.Contains(found[0].New, c.want) {
				t.Errorf("%v, %+v; want %q", err, found, c.want)
			}
		})
	}
}

func TestObjects(t *testing.T) {
	for _, c := range []struct {
		name, from, to, object string
		want                   []string
	}{
		{"survives", "maximum: 10", "maximum: 5", "{replicas: 5}", nil},
		{"removed field", "mode: {type: string}", "", "{mode: a}", []string{`error pruned spec.mode /spec/mode "a" -> absent`}},
		{"default", "mode: {type: string}", "mode: {type: string, default: b}", "{}", []string{`warning defaulted spec.mode /spec/mode absent -> "b"`}},
		{"narrower bound", "maximum: 10", "maximum: 5", "{replicas: 7}",
			[]string{`warning refused spec.replicas /spec/replicas admitted -> spec.replicas: Invalid value: 7: spec.replicas in body should be less than or equal to 5`}},
		{"invalid before", "maximum: 10", "maximum: 10, minimum: 0", "{replicas: 12}", nil},
		{"required field", "properties:\n              replicas", "required: [mode]\n            properties:\n              replicas", "{replicas: 1}",
			[]string{`warning refused spec.mode /spec/mode admitted -> spec.mode: Required value`}},
		{"type", "mode: {type: string}", "mode: {type: integer}", "{mode: a}",
			[]string{`warning refused spec.mode /spec/mode admitted -> spec.mode: Invalid value: "string": spec.mode in body must be of type integer: "string"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.ReplaceAll(storedCrontab, c.from, c.to)
			objects, err := compat.NewObjects(t.Context(), parsed(storedCrontab), parsed(text))
			if err != nil {
				t.Fatal(err)
			}
			found, err := objects.Check(context.Background(), crontabObject(t, "v1", c.object))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				if f.Role != compat.RoleStored || f.Version != "v1" || f.Witness != nil || f.Ratcheted != (f.Code == compat.CodeRefused && f.Severity == compat.SeverityWarning) {
					t.Errorf("finding = %+v", f)
				}
				got = append(got, fmt.Sprintf("%s %s %s %s %s -> %s", f.Severity, f.Code, f.Field, f.Pointer, f.Old, f.New))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func crontabObject(t *testing.T, version, spec string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte("{apiVersion: example.com/"+version+", kind: CronTab, metadata: {name: a, namespace: n}, spec: "+spec+"}"), &obj.Object); err != nil {
		t.Fatal(err)
	}
	for name, v := range obj.Object["spec"].(map[string]any) {
		if f, ok := v.(float64); ok {
			obj.Object["spec"].(map[string]any)[name] = int64(f)
		}
	}
	return obj
}

func TestObjectsOfARemovedVersion(t *testing.T) {
	from := strings.Index(storedCrontab, "  - name: v1beta1")
	to := strings.Index(storedCrontab, "  - name: v1\n")
	objects, err := compat.NewObjects(context.Background(), parsed(storedCrontab), parsed(storedCrontab[:from]+storedCrontab[to:]))
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context // a nil context is allowed
	found, err := objects.Check(none, crontabObject(t, "v1beta1", "{}"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Code != compat.CodeStoredVersionRemoved || found[0].Severity != compat.SeverityError {
		t.Errorf("findings = %+v", found)
	}
}

func TestObjectsWithoutAnAnswer(t *testing.T) {
	objects, err := compat.NewObjects(context.Background(), parsed(storedCrontab), parsed(storedCrontab))
	if err != nil {
		t.Fatal(err)
	}
	other := crontabObject(t, "v1", "{}")
	other.SetKind("Other")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		obj  *unstructured.Unstructured
		want string
	}{
		{"nil", nil, nil, "compat: the object is nil"},
		{"other kind", nil, other, "compat: the object is a Other.example.com, want a CronTab.example.com"},
		{"other version", nil, crontabObject(t, "v2", "{}"), "compat: the old definition has no version v2"},
		{"ended", ended, crontabObject(t, "v1", "{}"), "context canceled"},
	} {
		found, err := objects.Check(c.ctx, c.obj)
		if err == nil || !strings.Contains(err.Error(), c.want) || found != nil {
			t.Errorf("%s: %v, %v; want %s", c.name, found, err, c.want)
		}
		if c.ctx == ended && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v does not wrap the error of the context", c.name, err)
		}
	}
	if _, err := compat.NewObjects(context.Background(), nil, nil); err == nil {
		t.Error("no error for nil definitions")
	}
}

// TestCodesHaveDescriptions checks that Codes has every constant of the type Code.
func TestCodesHaveDescriptions(t *testing.T) {
	seen := map[compat.Code]bool{}
	for _, code := range compat.Codes() {
		if seen[code] || code.Description() == "" {
			t.Errorf("code %q is listed twice or has no description", code)
		}
		seen[code] = true
	}
	text, err := os.ReadFile("code.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\bCode += "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
		if !seen[compat.Code(m[1])] {
			t.Errorf("Codes has no %s", m[1])
		}
	}
	if compat.Code("other").Description() != "" {
		t.Error("an unknown code has a description")
	}
}
