package kubectl

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// handmade returns a document with the kind K, whose schema has these members.
func handmade(t *testing.T, members string) map[string]any {
	t.Helper()
	var document map[string]any
	text := `{"components":{"schemas":{"k":{"x-kubernetes-group-version-kind":[{"group":"g","version":"v1","kind":"K"}]` + members + `},"other":{"description":"of the reference"}}}}`
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// TestExplainLineWidths: a line breaks where it would be longer than its limit, which depends
// on its indentation.
func TestExplainLineWidths(t *testing.T) {
	for _, tt := range []struct {
		name, members string // with a description
		limit, indent int
	}{
		{"description of the kind", `,"description":%q`, 76, 4},
		{"external documentation of the kind", `,"externalDocs":{"description":%q}`, 76, 4},
		{"description of a field", `,"properties":{"a":{"description":%q}}`, 76, 4},
		{"external documentation of a field", `,"properties":{"a":{"externalDocs":{"description":%q}}}`, 74, 6},
	} {
		for more, want := range map[int]string{0: " b\n", 1: "\n" + strings.Repeat(" ", tt.indent) + "b\n"} {
			word := strings.Repeat("x", tt.limit-len(" b")+more)
			got, err := Explain(ExplainRequest{Document: handmade(t, fmt.Sprintf(tt.members, word+" b")), Group: "g", Version: "v1", Kind: "K"})
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Repeat(" ", tt.indent) + word + want; !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", tt.name, want, got)
			}
		}
	}
}

// TestExplainSmallSchemas: a schema of one member is not empty, and an empty one counts as
// absent.
func TestExplainSmallSchemas(t *testing.T) {
	document := handmade(t, `,"properties":{
		"s":{"type":"string"},"l":{"items":{"type":"string"}},"m":{"additionalProperties":{"type":"integer"}},
		"ll":{"items":{"items":{"properties":{"x":{"type":"boolean"}}}}},"mm":{"additionalProperties":{"properties":{"x":{"type":"boolean"}}}},
		"all":{"allOf":[{"type":"string"}]},"two":{"allOf":[{},{"properties":{"x":{"type":"boolean"}}}]},
		"r":{"$ref":"#/components/schemas/other"},"loop":{"allOf":[{"$ref":"#/components/schemas/none"}]},"e":{}}`)
	for path, want := range map[string]string{
		"s":     "FIELD: s <string>",
		"l":     "FIELD: l <[]string>",
		"m":     "FIELD: m <map[string]integer>",
		"ll":    "FIELD: ll <[][]Object>",
		"ll.x":  "FIELD: x <boolean>",
		"mm.x":  "FIELD: x <boolean>",
		"all":   "FIELD: all <string>",
		"two":   "FIELD: two <Object>",
		"two.x": "FIELD: x <boolean>",
		"r":     "    of the reference\n",
		"e":     `error: field "e" does not exist`,
		"s.x":   `error: field "x" does not exist`,
		"z":     `error: field "z" does not exist`,
	} {
		got, err := Explain(ExplainRequest{Document: document, Group: "g", Version: "v1", Kind: "K", Fields: strings.Split(path, ".")})
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", path, want, got)
		}
	}
}
