package defaulting

import (
	_ "embed"
	"encoding/json"
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
