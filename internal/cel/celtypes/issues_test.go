package celtypes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTextOf compares the text of errors with that of cel-go.
func TestTextOf(t *testing.T) {
	language, err := LanguageOf(NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	many := strings.Repeat("1 + 'a' && ", 150) + "true"
	for _, text := range []string{
		"", "(", "none", "1 +\n\tnone + 'é' + other", "'éé' + none", "\t\t#", "é", "a.b c", "1 +\n2 +", "# # #", many, strings.Repeat("# ", 99), strings.Repeat("# ", 100), strings.Repeat("# ", 150),
		strings.Repeat(" ", 16370) + "none", strings.Repeat(" ", 16380) + "none", strings.Repeat(" ", 16381) + "none", strings.Repeat(" ", 17000) + "none", strings.Repeat("(", 300), strings.Repeat(" ", 100_001),
	} {
		_, issues := language.Env.Compile(text)
		if issues.Err() == nil {
			t.Errorf("%.40q has no error", text)
			continue
		}
		want := issues.String()
		if diff := cmp.Diff(want, textOf(issues, text)); diff != "" {
			t.Errorf("%.40q (-cel-go +textOf):\n%s", text, diff)
		}
	}
}
