package cel_test

import (
	"fmt"
	"testing"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/validation/cel"
)

// TestReadsOfNewObjects: there is a read set for rules that have an effect without an old
// object, and for no others.
func TestReadsOfNewObjects(t *testing.T) {
	for rules, want := range map[string]bool{
		``:                              false,
		`{"rule":"self.a > 0"}`:         true,
		`{"rule":"true"}`:               true,
		`{"rule":"self == oldSelf"}`:    false,
		`{"rule":"self.a > oldSelf.a"}`: false,
		`{"rule":"self.a > oldSelf.a"},{"rule":"self.a > 0"}`:             true,
		`{"rule":"!oldSelf.hasValue()","optionalOldSelf":true}`:           true,
		`{"rule":"self.unknown > 0"}`:                                     true, // each value has an error
		`{"rule":"self.a > 0","messageExpression":"oldSelf.a > 0"}`:       true,
		`{"rule":"self == oldSelf","messageExpression":"string(self.a)"}`: false,
	} {
		n := compileSchema(t, fmt.Sprintf(`{"type":"object","properties":{"a":{"type":"integer"},
			"b":{"type":"string","x-kubernetes-validations":[{"rule":"true"}]}},"x-kubernetes-validations":[%s]}`, rules))
		var program fieldaccess.Program
		if _, refused := cel.Compile(n, celcost.Given{Stored: true}, &program); len(refused) > 0 {
			t.Fatal(refused)
		}
		if got := program.Reads(n); (got != nil) != want {
			t.Errorf("%s: a read set: %t, want %t", rules, got != nil, want)
		}
		var lazy fieldaccess.Program
		if _, _ = cel.Compile(n, celcost.Given{AtFirstUse: true}, &lazy); (lazy.Reads(n) != nil) != (rules != "") {
			t.Errorf("%s: with AtFirstUse: a read set: %t", rules, lazy.Reads(n) != nil)
		}
	}
}
