package pruning

import (
	_ "embed"
	"encoding/json"
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
