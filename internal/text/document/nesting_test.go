package document_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/text/document"
)

func TestNestedDeeperCountsOpenObjectsAndLists(t *testing.T) {
	for text, depth := range map[string]int{
		``:                            0,
		`1`:                           0,
		`{}`:                          1,
		`[{"a":[]},[],{}]`:            3,
		`{"a":"[[[","b":[1]}`:         2,
		`{"a\"[[":"\\","b":{"c":[]}}`: 3,
		`[[[`:                         3,
		`]]][`:                        0,
	} {
		if document.NestedDeeper([]byte(text), depth) {
			t.Errorf("%s: nested deeper than %d", text, depth)
		}
		if depth > 0 && !document.NestedDeeper([]byte(text), depth-1) {
			t.Errorf("%s: not nested deeper than %d", text, depth-1)
		}
	}
}
