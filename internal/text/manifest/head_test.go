package manifest

import (
	"strings"
	"testing"
)

// TestMentioning passes over documents without a word.
func TestMentioning(t *testing.T) {
	const text = "{apiVersion: v1, kind: Word}\n---\n{apiVersion: v1, kind: Other}\n---\n{apiVersion: v1, kind: \"W\\u006frd\"}\n"
	for word, want := range map[string]string{"Word": "Word Word", "": "Word Other Word", "none": "Word"} {
		var kinds []string
		for o := range NewReader(strings.NewReader(text), false).Mentioning(word).Objects(t.Context(), "-") {
			kinds = append(kinds, o.Kind)
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("with the word %q: %s, want %s", word, got, want)
		}
	}
}
