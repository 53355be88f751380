package oracle

import (
	"encoding/json"
	"strings"
)

// Differences are the intended differences that TestOracle meets.
var Differences = []Known{{
	Name:     "read/other_kind",
	Upstream: "a stored object of another kind passes through the storage codec as it is: neither pruned nor defaulted",
	Ours:     "Version.Read refuses it with an error",
	Why:      "a store keeps objects of one kind under one key, so that this cannot happen to a server; to a program that reads files it means that it took the wrong definition",
	Match: func(d Difference) bool {
		return d.Op == "read" && d.What == "refusal" && strings.Contains(d.Detail, "+ours     refused") && !d.ofKind()
	},
}}

// ofKind reports whether the kind of the input is that of the definition.
func (d Difference) ofKind() bool {
	var head struct{ Kind any }
	return json.Unmarshal(d.Object, &head) == nil && head.Kind == d.Kind
}
