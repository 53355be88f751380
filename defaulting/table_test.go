package defaulting

import (
	_ "embed"
	"encoding/json"

	"github.com/crdkit/crdkit/internal/testopt"
)

// The table feeds the tests and the fuzz target.
//
//go:embed testdata/cases.json
var casesJSON []byte

// A tableCase says which nulls are dropped from an object, which values are set
// after that, and the object after both.
type tableCase struct {
	Name    string
	Schema  json.RawMessage
	Object  json.RawMessage
	Dropped []string
	Want    json.RawMessage
	Set     []string
}

// implementations has the options that select each implementation, the
// reference last. "lazy" fills every default when it is used, as the fast one
// does with defaults that are too large.
var implementations = []struct {
	name string
	opts []Option
}{
	{"fast", nil},
	{"lazy", []Option{lazily()}},
	{"reference", []Option{testopt.Reference{}}},
}

func lazily() Option { return optionFunc(func(o *options) { o.maxFilled = 0 }) }
