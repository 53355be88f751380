package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/crdkit/crdkit/internal/text/manifest"
)

// TestDocumentsAreAccounted checks that commands judge, report or count every document, in
// UTF-8 as in UTF-16.
func TestDocumentsAreAccounted(t *testing.T) {
	var text strings.Builder
	text.WriteString(strings.ReplaceAll(widgets, "ENUM", "a"))
	const n = 100
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w%d}\n%s", i,
			[]string{"", "list: [b]\n", "list: [\n", "x: 'ä'\n", "  y: {}\n"}[i%5])
	}
	units := utf16.Encode([]rune("\ufeff" + text.String()))
	for name, encoded := range map[string][]byte{"UTF-8": []byte(text.String()), "UTF-16": nil} {
		for _, unit := range units {
			if name == "UTF-16" {
				encoded = binary.BigEndian.AppendUint16(encoded, unit)
			}
		}
		dir := t.TempDir()
		writeFile(t, dir, "a.yaml", string(encoded))
		cmd := command(t, dir, "admit", "a.yaml")
		out, _ := cmd.CombinedOutput() // the output has the counts
		if want := "20 admitted, 40 refused, 40 undecided\n"; !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s: want %sgot\n%s", name, want, out)
		}
		if want := "a.yaml:17:8: error: list[0]: "; !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s: want %s; got\n%s", name, want, out)
		}
	}
	var judged int
	r := manifest.NewReader(strings.NewReader(text.String()), false)
	if err := inOrder(t.Context(), r.Objects(t.Context(), "-"), func(*manifest.Object) int { return 1 }, func(one int) error {
		judged += one
		return nil
	}); err != nil || judged != n+1 {
		t.Errorf("%d results, want %d: %v", judged, n+1, err)
	}
}
