package celcond

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/crdkit/crdkit/internal/value/format"
)

// TestReadableTexts compares the patterns of the formats with what CEL reads, for texts that
// have the format.
func TestReadableTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	read := map[string]func(text string) bool{
		"byte":      func(text string) bool { return new(strfmt.Base64).UnmarshalText([]byte(text)) == nil },
		"date":      func(text string) bool { return new(strfmt.Date).UnmarshalText([]byte(text)) == nil },
		"date-time": func(text string) bool { _, err := strfmt.ParseDateTime(text); return err == nil },
		"duration":  func(text string) bool { _, err := strfmt.ParseDuration(text); return err == nil },
	}
	starts := []string{"YWJj", "YQ==", "A+/-", "2024-02-29", "2024-01-01T00:00:00Z", "2024-01-01t12:30:59.123456789012+24:60", "2024-01-01T00:00:00,5-23:59", "1h2m", "3 days"}
	const letters = "0123456789TtZz:.,+-/=_ AahmsdK\n"
	rng := rand.New(rand.NewPCG(1, 2))
	for name, reads := range read {
		check, _ := format.Lookup(name, format.DefaultMinor)
		expr := regexp.MustCompile(readableTexts[name])
		texts, unreadable := 0, 0
		for range 200_000 {
			text := []byte(starts[rng.IntN(len(starts))])
			for range rng.IntN(4) {
				switch i := rng.IntN(len(text) + 1); rng.IntN(4) {
				case 0:
					text = append(text[:i:i], append([]byte{letters[rng.IntN(len(letters))]}, text[i:]...)...)
				case 1:
					text = append(text[:i:i], text[min(i+1, len(text)):]...)
				default:
					if i < len(text) {
						text[i] = letters[rng.IntN(len(letters))]
					}
				}
			}
			if !check(string(text)) {
				continue
			}
			is := reads(string(text))
			if is != expr.Match(text) {
				t.Fatalf("%s: CEL reads %q: %v, the pattern matches: %v", name, text, is, !is)
			}
			if texts++; !is {
				unreadable++
			}
		}
		if texts < 1000 || (unreadable == 0) != (readableTexts[name] == "") {
			t.Errorf("%s: %d texts, %d that CEL does not read", name, texts, unreadable)
		}
	}
}
