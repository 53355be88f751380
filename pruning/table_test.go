package pruning

import (
	_ "embed"
	"encoding/json"

	"github.com/crdkit/crdkit/internal/testopt"
)

// The table feeds the tests and the fuzz target.
//
//go:embed testdata/cases.json
var casesJSON []byte

type tableCase struct {
	Name     string
	Schema   json.RawMessage
	Fragment bool
	Object   json.RawMessage
	Want     json.RawMessage
	Removed  []string
}

// implementations has the options that select each implementation.
var implementations = []struct {
	name string
	opts []Option
}{
	{"fast", nil},
	{"reference", []Option{testopt.Reference{}}},
}
