package document

import (
	"fmt"
	"testing"
)

// versionFields are the fields of a version, and values of each: common ones, which are read, and
// others.
var versionFields = []struct {
	name       string
	read, rare []string
}{
	{"served", []string{`true`, `false`}, []string{`null`, `"true"`}},
	{"storage", []string{`true`, `false`}, []string{`1`}},
	{"deprecated", []string{`true`}, []string{`null`}},
	{"deprecationWarning", []string{`"w"`, `""`}, []string{`null`, `1`}},
	{"schema", []string{`{}`, `{"openAPIV3Schema":null}`, `{"openAPIV3Schema":{}}`, `{"openAPIV3Schema":{"type":"object"}}`},
		[]string{`null`, `[]`, `{"openAPIV3Schema":[]}`, `{"other":null}`, `{"other":{}}`}},
	{"subresources", []string{`{}`, `{"status":{}}`, `{"scale":{}}`,
		`{"scale":{"specReplicasPath":".spec.a","statusReplicasPath":".status.a","labelSelectorPath":".status.b"},"status":{}}`},
		[]string{`null`, `{"status":null}`, `{"status":{"a":1}}`, `{"scale":null}`, `{"scale":{"specReplicasPath":1}}`,
			`{"scale":{"statusReplicasPath":1}}`, `{"scale":{"labelSelectorPath":null}}`, `{"scale":{"other":"a"}}`, `{"other":{}}`}},
	{"additionalPrinterColumns", []string{`[]`, `[{}]`,
		`[{"name":"a","type":"string","format":"date","description":"d","jsonPath":".a","priority":1},{"name":"b","priority":-1}]`},
		[]string{`null`, `{}`, `[null]`, `[{"name":1}]`, `[{"type":1}]`, `[{"format":1}]`, `[{"description":1}]`, `[{"jsonPath":1}]`,
			`[{"priority":"1"}]`, `[{"priority":3000000000}]`, `[{"priority":null}]`, `[{"other":1}]`}},
	{"selectableFields", []string{`[]`, `[{}]`, `[{"jsonPath":".a"},{"jsonPath":".b"}]`}, []string{`null`, `[{"jsonPath":1}]`, `[{"other":"a"}]`}},
	{"other", nil, []string{`1`}},
}

// versionWith returns a definition with two versions. One of them has the field.
func versionWith(name, value string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a","creationTimestamp":null},`+
		`"spec":{"group":"g","versions":[{"name":"v1"},{"name":"v2",%q:%s}],"scope":"Cluster"},"status":{"storedVersions":["v1"]}}`, name, value)
}

// TestReadDefinitionReadsVersionFields: ReadDefinition reads the fields of versions as the
// libraries do, or declines them.
func TestReadDefinitionReadsVersionFields(t *testing.T) {
	for _, f := range versionFields {
		for _, value := range f.read {
			if text := versionWith(f.name, value); !checkRead(t, text) {
				t.Errorf("%s is declined", text)
			}
		}
		for _, value := range f.rare {
			checkRead(t, versionWith(f.name, value))
		}
	}
}
