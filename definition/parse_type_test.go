package definition_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/definition"
)

// TestParseNamesTheType: a document that is not an object is refused by its type,
// and so are none and several documents.
func TestParseNamesTheType(t *testing.T) {
	for text, want := range map[string]string{
		"[]": "the document is a list", `"a"`: "the document is a string", "a": "the document is a string", "null": "the document is null",
		"true": "the document is a boolean", "false": "the document is a boolean", "1": "the document is a number", "-1": "the document is a number",
		"": "no document where one is expected", "---\n# none\n": "no document where one is expected",
		"a: 1\n---\nb: 2\n": "several documents where one is expected", "a: [": "yaml", "a: 1\n---\n\tb: [": "documents",
		"{}": `kind is "", want "CustomResourceDefinition"`,
	} {
		if _, err := definition.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, want an error with %q", text, err, want)
		}
	}
}
