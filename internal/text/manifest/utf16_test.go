package manifest

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestUTF16 reads the same objects, at the same positions, from a text in each encoding
// that kubectl reads.
func TestUTF16(t *testing.T) {
	const text = "apiVersion: v1\nkind: A\nmetadata: {name: ä😀}\n---\n# none\n---\r\n{\"apiVersion\":\"v1\",\"kind\":\"ž\"} {\"apiVersion\":\"v1\",\"kind\":\"C\"}\n---\n- bad\n---\n" +
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: D}, {apiVersion: v1, kind: E}]\n---\na: b\n--- x\nkind: F\n"
	read := func(text string) string {
		var got strings.Builder
		for o := range NewReader(strings.NewReader(text), false).Objects(t.Context(), "-") {
			got.WriteString(describe(o) + "\n")
		}
		return got.String()
	}
	want := read(text)
	if n := strings.Count(want, "\n"); n != 7 {
		t.Fatalf("%d objects, want 7:\n%s", n, want)
	}
	encoded := func(order binary.AppendByteOrder, text string) string {
		b := order.AppendUint16(nil, 0xfeff)
		for _, unit := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, unit)
		}
		return string(b)
	}
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		if got := read(encoded(order, text)); got != want {
			t.Errorf("%s endian: got\n%swant\n%s", name, got, want)
		}
		if got := read(encoded(order, "apiVersion: v1\nkind: A\nx: \U0001f600") + "x"); got != read("apiVersion: v1\nkind: A\nx: \U0001f600\ufffd") {
			t.Errorf("%s endian, half a unit: got %s", name, got)
		}
		without := read(encoded(order, "apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n")[2:])
		if !strings.Contains(without, "error: ") || strings.Contains(without, "Kind=A") {
			t.Errorf("%s endian without a byte order mark: %s", name, without)
		}
	}
	if got := read("\ufeff" + text); got != want {
		t.Errorf("UTF-8 with a byte order mark: got\n%swant\n%s", got, want)
	}
	if got := read("\xff\xfe\x00\x00k\x00\x00\x00:\x00\x00\x00"); !strings.Contains(got, "error: ") {
		t.Errorf("UTF-32: got %s", got)
	}
}
