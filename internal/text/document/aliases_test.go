package document

import (
	"fmt"
	"strings"
	"testing"
)

func TestCheckAliases(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, tt := range []struct {
		name, text string
		wantErr    string
	}{
		{name: "none", text: "a: 1\n"},
		{name: "empty"},
		{name: "few", text: "a: &x [1, 2]\nb: *x\nc: {<<: *x}\n"},
		{name: "signs in texts", text: "a: 'R&D'\nb: '**'\nc: a && b\n"},
		{name: "of a long string", text: "a: &x " + long + "\nb: [" + strings.Repeat("*x, ", 1000) + "]\n", wantErr: "larger than 8388608 bytes"},
		{name: "of a long string, in JSON", text: `{"a":&x "` + long + `","b":[` + strings.Repeat("*x, ", 1000) + "1]}", wantErr: "larger than 8388608 bytes"},
		{name: "of a long string, few", text: "a: &x " + long + "\nb: [*x, *x]\n"},
		{name: "of aliases", text: nestedAliases(12, 10), wantErr: "excessive aliasing"},
		{name: "of aliases, few", text: nestedAliases(4, 10)},
		{name: "merged", text: "a: &x {k: " + long + "}\nb: &y {c: *x, d: *x, e: *x}\nc:\n" + strings.Repeat("- <<: *y\n", 10), wantErr: "larger than 8388608 bytes"},
		{name: "of itself", text: "a: &x [*x]\nb: &y 1\n", wantErr: "contains itself"},
		{name: "in a second document", text: "a: 1\n---\n" + nestedAliases(12, 10), wantErr: "excessive aliasing"},
		{name: "after another line break", text: "a: &x " + long + "\u2028b:\u2028" + strings.Repeat("- *x\u2028", 1000), wantErr: "larger than 8388608 bytes"},
		{name: "without an anchor", text: "a: *x\nb: &y 1\nc: &z 2\n", wantErr: "unknown anchor"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckAliases([]byte(tt.text))
			if got := fmt.Sprint(err); tt.wantErr == "" && err != nil || !strings.Contains(got, tt.wantErr) {
				t.Errorf("CheckAliases: error %v, want %q", err, tt.wantErr)
			}
		})
	}
}

// nestedAliases returns a text in which each of the anchors is a list with the
// one before it several times.
func nestedAliases(anchors, times int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := 1; i < anchors; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), times), ", "))
	}
	return b.String()
}

func BenchmarkCheckAliases(b *testing.B) {
	text := []byte(nestedAliases(12, 10))
	for b.Loop() {
		if CheckAliases(text) == nil {
			b.Fatal("no error")
		}
	}
}
