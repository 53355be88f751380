package cel_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/validation/cel"
)

// TestNeedsOld: a program needs old objects for rules that refer to oldSelf, and for no
// others. The result for a valid object is the same without the old object then.
func TestNeedsOld(t *testing.T) {
	for rule, want := range map[string]bool{
		`{"rule":"self.size() > 0"}`:                                                                    false,
		`{"rule":"self == oldSelf"}`:                                                                    true,
		`{"rule":"oldSelf.hasValue() || true","optionalOldSelf":true}`:                                  true,
		`{"rule":"true","optionalOldSelf":true}`:                                                        false,
		`{"rule":"true","messageExpression":"oldSelf"}`:                                                 false,
		`{"rule":"self != 'oldSelf'"}`:                                                                  false,
		`{"rule":"true"},{"rule":"self == oldSelf"}`:                                                    true,
		`{"rule":"[1].all(x, x > 0) && self.startsWith('a')","message":"m","fieldPath":"","reason":""}`: false,
	} {
		for _, around := range []string{
			`{"type":"object","properties":{"a":%s,"b":{"type":"string","x-kubernetes-validations":[{"rule":"true"}]}}}`,
			`{"type":"object","properties":{"a":{"type":"object","additionalProperties":%s}}}`,
			`{"type":"object","properties":{"a":{"type":"array","maxItems":2,"items":%s}}}`,
		} {
			text := fmt.Sprintf(around, `{"type":"string","maxLength":9,"x-kubernetes-validations":[`+rule+`]}`)
			program := compile(t, text)
			var reads fieldaccess.Program
			_, _ = cel.Compile(compileSchema(t, text), &reads)
			if got := reads.NeedsOld; got != want {
				t.Errorf("%s: NeedsOld = %t, want %t", text, got, want)
			}
			for _, a := range []any{"abc", map[string]any{"x": "abc"}, []any{"abc"}} {
				if want {
					break
				}
				obj := map[string]any{"a": a}
				with, without := program.Eval(context.Background(), obj, cel.Old(obj)), program.Eval(context.Background(), obj)
				if diff := cmp.Diff(with.Cost, without.Cost); diff != "" || len(with.Errors)+len(with.Ratcheted) != len(without.Errors) {
					t.Errorf("%s: with an old object %v, without %v", text, with, without)
				}
			}
		}
	}
}
