package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWithoutVersions leaves the versions out of large definitions in block style. Other
// texts stay as they are.
func TestWithoutVersions(t *testing.T) {
	long := strings.Repeat("      description: d\n", minLarge/21+1)
	const (
		before = "kind: CustomResourceDefinition\nspec:\n  group: g\n"
		start  = "  versions:\n"
		after  = "  names: {kind: A}\n"
	)
	for _, tt := range []struct{ name, text, want string }{
		{"in the middle", before + start + "  - name: v1\n" + long + after, before + after},
		{"indented", before + start + "    - name: v1\n" + long + after, before + after},
		{"with a blank line and a less indented comment", before + start + "  - name: v1\n\n   # c\n" + long + after, before + after},
		{"at the end, without a line feed", before + after + start + "  - name: v1\n" + strings.TrimSuffix(long, "\n"), before + after},
		{"before another key of the object", before + start + "  - name: v1\n" + long + "status: {}\n", before + "status: {}\n"},
		{"small", before + start + "  - name: v1\n" + after, ""},
		{"of another kind", "kind: Other\nspec:\n" + start + "  - name: v1\n" + long, ""},
		{"below another key", "kind: CustomResourceDefinition\nmetadata:\n" + start + "  - name: v1\n" + long, ""},
		{"without versions", before + after + long, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.text
			}
			text := []byte(tt.text)
			if diff := cmp.Diff(want, string(withoutVersions(text))); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if string(text) != tt.text {
				t.Error("the text was changed")
			}
		})
	}
}

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
