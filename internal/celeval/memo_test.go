package celeval

import (
	"errors"
	"fmt"
	"net/url"
	"testing"
)

// A frame parses a string once while it remembers it, and remembers the last strings.
func TestRememberedStrings(t *testing.T) {
	count := 0
	parse := remembering(func(m *memos) *memo[*url.URL] { return &m.urls }, func(s string) (*url.URL, error) {
		if count++; s == "wrong" {
			return nil, errors.New(s)
		}
		return &url.URL{Path: s}, nil
	})
	f := &Frame{}
	for i, step := range []struct {
		text  string
		calls int
	}{
		{"a", 1}, {"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"a", 4}, {"b", 4}, {"e", 5}, {"b", 5}, {"a", 6}, {"b", 7}, {"e", 7},
		{"wrong", 8}, {"wrong", 9}, {"", 10}, {"", 11},
	} {
		v, err := parse(f, step.text)
		if wrong := step.text == "wrong"; wrong != (err != nil) || !wrong && (*v).Path != step.text || count != step.calls {
			t.Errorf("step %d: %q is %v, %v after %d calls, want %d", i, step.text, v, err, count, step.calls)
		}
	}
	f.Release()
	if _, err := parse(f, "e"); err != nil || count != 12 {
		t.Errorf("a released frame remembers a string: %d calls, %v", count, err)
	}
}

// A test of a URL and its value do not mistake each other's results.
func TestRememberedURLs(t *testing.T) {
	for _, s := range []string{"https://example.org/a", "https://example.org/a#b", "/a", "/a#b", "//host/a", "a", "a b", "", "%", "https://[::1", "mailto:a@b", "*"} {
		for _, order := range [][]parser[*url.URL]{{requestURIOf, urlOf}, {urlOf, requestURIOf}} {
			f := &Frame{}
			for range 2 {
				for _, parse := range order {
					_, _ = parse(f, s)
				}
			}
			_, tested := requestURIOf(f, s)
			_, want := url.ParseRequestURI(s)
			got, parsed := urlOf(f, s)
			value, err := parseURL(s)
			if (tested == nil) != (want == nil) || fmt.Sprint(parsed) != fmt.Sprint(err) || err == nil && (*got).String() != value.String() {
				t.Errorf("%q: a URL %v, want %v; parsed to %v, %v, want %v, %v", s, tested, want, got, parsed, value, err)
			}
		}
	}
}
