package compat_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
)

// versions has two versions: v1 has all fields, v2 lacks some and has others.
const versions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  conversion: {strategy: None}
  versions:
  - name: v1
    served: true
    storage: STORAGE1
    schema: {openAPIV3Schema: {type: object, properties: {
      a: {type: string}, both: {type: object, properties: {p: {type: integer}, q: {type: integer}}},
      list: {type: array, items: {type: object, properties: {p: {type: integer}, q: {type: integer}}}},
      map: {type: object, additionalProperties: {type: object, properties: {p: {type: integer}, q: {type: integer}}}},
      open: {type: object, properties: {p: {type: integer}}}}}}
  - name: v2
    served: true
    storage: STORAGE2
    schema: {openAPIV3Schema: {type: object, properties: {
      both: {type: object, properties: {p: {type: integer}}},
      list: {type: array, items: {type: object, properties: {p: {type: integer}}}},
      map: {type: object, additionalProperties: {type: object, properties: {p: {type: integer}}}},
      open: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`

// TestStorageVersionRemovesFields changes the storage version to one that lacks fields
// of another version.
func TestStorageVersionRemovesFields(t *testing.T) {
	first := strings.NewReplacer("STORAGE1", "true", "STORAGE2", "false").Replace(versions)
	second := strings.NewReplacer("STORAGE1", "false", "STORAGE2", "true").Replace(versions)
	webhook := func(text string) string {
		return strings.Replace(text, "conversion: {strategy: None}", "conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com'}}}", 1)
	}
	lost := map[string]string{
		"a":         `the field is not declared at the storage version v2: a was "" and is absent {"a":""}`,
		"both.q":    `the field is not declared at the storage version v2: both.q was 0 and is absent {"both":{"q":0}}`,
		"list[*].q": `the field is not declared at the storage version v2: list[0].q was 0 and is absent {"list":[{"q":0}]}`,
		"map[*].q":  `the field is not declared at the storage version v2: map.key.q was 0 and is absent {"map":{"key":{"q":0}}}`,
	}
	for name, tt := range map[string]struct {
		old, crd string
		want     map[string]string
	}{
		"other storage version":             {first, second, lost},
		"other field of the version, too":   {first, strings.Replace(second, "a: {type: string}", "a: {type: string, description: new}, b: {type: string}", 1), lost},
		"field that the version lacks, too": {first, strings.Replace(second, "      a: {type: string}, both", "      both", 1), nil},
		"the first storage version":         {second, first, map[string]string{}},
		"the same storage version":          {second, second, map[string]string{}},
		"a webhook":                         {webhook(first), webhook(second), map[string]string{}},
	} {
		got := map[string]string{}
		proved := false
		for _, f := range compat.Split(compared(t, tt.old, tt.crd).Findings) {
			if f.Version != "v1" || f.Role != compat.RoleWriters {
				continue
			}
			proved = proved || f.Code == compat.CodeProved
			if f.Verdict != compat.VerdictCompatible {
				got[f.Field] = sentence(f) + " " + content(f.Witness.Object)
			}
		}
		if proved != (len(got) == 0) {
			t.Errorf("%s: proved %v", name, proved)
		}
		if tt.want == nil { // reported for the version already
			if delete(got, "both.q"); len(got) != 3 {
				t.Errorf("%s: %v", name, got)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func compared(t *testing.T, old, crd string) *compat.Report {
	t.Helper()
	a, err := definition.Parse([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	b, err := definition.Parse([]byte(crd))
	if err != nil {
		t.Fatal(err)
	}
	r, err := compat.Compare(context.Background(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
