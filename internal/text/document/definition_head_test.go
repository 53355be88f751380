package document

import (
	"fmt"
	"strings"
	"testing"
)

// headFields are the fields of a definition outside of its versions, by the object that has
// them, and values of each: common ones, which are read, and others.
var headFields = []struct {
	object, name string
	read, rare   []string
}{
	{"", "metadata", []string{`null`, `{}`}, []string{`1`, `[]`, `{"other":1}`}},
	{"", "status", []string{`null`, `{}`, `{"conditions":null,"storedVersions":["v1"],"acceptedNames":{"plural":"a","kind":"b"}}`}, []string{`{"other":1}`, `1`}},
	{"", "other", nil, []string{`1`}},
	{"metadata", "name", []string{`""`, `"a.b"`}, []string{`1`}},
	{"metadata", "annotations", []string{`{}`, `null`, `{"a":"b","c":""}`}, []string{`[]`, `{"a":1}`, `{"a":"b","a":"c"}`, `"a"`}},
	{"metadata", "labels", []string{`{}`, `null`, `{"a":"b","c":"b"}`}, []string{`{"a":true}`, `{"a":"b","a":"b"}`}},
	{"metadata", "creationTimestamp", []string{`null`, `"2024-01-02T03:04:05Z"`}, []string{`"a"`, `{}`}},
	{"metadata", "uid", []string{`"a"`}, []string{`1`}},
	{"metadata", "finalizers", []string{`["a"]`, `[]`}, []string{`{}`}},
	{"metadata", "other", nil, []string{`1`}},
	{"spec", "group", []string{`"a"`, `""`}, []string{`1`, `null`}},
	{"spec", "scope", []string{`"Cluster"`, `"other"`}, []string{`1`}},
	{"spec", "conversion", []string{`null`, `{}`, `{"strategy":"None"}`,
		`{"strategy":"Webhook","webhook":{"clientConfig":{"service":{"namespace":"a","name":"b","port":1},"caBundle":"YQ=="},"conversionReviewVersions":["v1"]}}`},
		[]string{`[]`, `{"other":1}`, `{"strategy":1}`, `{"strategy":"a","strategy":"b"}`}},
	{"spec", "preserveUnknownFields", []string{`true`, `false`}, []string{`"true"`, `null`}},
	{"spec", "versions", []string{`[]`, `[{"name":"a"}]`}, []string{`null`, `{}`, `[null]`}},
	{"spec", "other", nil, []string{`1`}},
	{"spec", "names", []string{`{}`, `{"plural":"a","singular":"b","shortNames":["c","d"],"kind":"e","listKind":"f","categories":["g"]}`, `{"shortNames":[],"categories":[]}`},
		[]string{`null`, `[]`, `{"plural":1}`, `{"singular":1}`, `{"shortNames":null}`, `{"shortNames":[1]}`, `{"kind":1}`, `{"listKind":1}`, `{"categories":"a"}`, `{"other":1}`, `{"kind":"a","kind":"a"}`}},
}

// headWith returns a definition in which the object has the field.
func headWith(object, name, value string) string {
	fields := map[string][]string{
		"":         {"apiVersion", `"apiextensions.k8s.io/v1"`, "kind", `"CustomResourceDefinition"`},
		"metadata": {"generation", "2"},
		"spec":     {"scope", `"Cluster"`, "versions", "[]"},
	}
	with := func(of string) string {
		out := "{"
		for i := 0; i < len(fields[of]); i += 2 {
			if of != object || fields[of][i] != name {
				out += fmt.Sprintf("%q:%s,", fields[of][i], fields[of][i+1])
			}
		}
		if of == object {
			out += fmt.Sprintf("%q:%s,", name, value)
		}
		return strings.TrimSuffix(out, ",") + "}"
	}
	fields[""] = append(fields[""], "metadata", with("metadata"), "spec", with("spec"))
	return with("")
}

// TestReadDefinitionReadsHead: ReadDefinition reads what surrounds the versions as the
// libraries do, or declines it.
func TestReadDefinitionReadsHead(t *testing.T) {
	for _, f := range headFields {
		for _, value := range f.read {
			if text := headWith(f.object, f.name, value); !checkRead(t, text) {
				t.Errorf("%s is declined", text)
			}
		}
		for _, value := range f.rare {
			checkRead(t, headWith(f.object, f.name, value))
		}
	}
}
