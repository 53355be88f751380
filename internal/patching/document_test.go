package patching

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
)

// TestDocument tests patches that have no verdict, and patches that are refused before the
// document is read.
func TestDocument(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	body, document := []byte(`{"a":1}`), []byte(`{"b":2}`)
	if _, _, r, err := Document(ended, document, types.MergePatchType, body, crdkit.Warn); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("a context that has ended: %v, %v", r, err)
	}
	if got, _, r, err := Document(context.Background(), document, types.ApplyYAMLPatchType, body, crdkit.Warn); err != nil || r == nil || r.Code != 415 || got != nil {
		t.Errorf("an apply: %s, %v, %v", got, r, err)
	}
	got, complaints, r, err := Document(context.Background(), document, types.MergePatchType+"; charset=utf-8", []byte(`{"a":1,"a":2}`), crdkit.Ignore)
	if err != nil || r != nil || string(got) != `{"a":2,"b":2}` || complaints != nil || string(document) != `{"b":2}` {
		t.Errorf("a charset: %s, %v, %v, %v", got, complaints, r, err)
	}
}
