package oracle_test

import "testing"

// TestCheckEmptyReason compares the errors of a reason that is present but empty. An
// absent reason has no error.
func TestCheckEmptyReason(t *testing.T) {
	for text, wrong := range map[string]int{
		`{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}`:                                      0,
		`{"type":"object","x-kubernetes-validations":[{"rule":"true","reason":""}]}`:                          1,
		`{"type":"object","x-kubernetes-validations":[{"rule":"true","reason":""},{"rule":"1","reason":""}]}`: 2,
		`{"type":"object","properties":{"a":{"type":"string","x-kubernetes-validations":[{"rule":"true","reason":""}]},
			"b":{"type":"string","x-kubernetes-validations":[{"rule":"true"}]}},"x-kubernetes-validations":[{"rule":"1"}]}`: 1,
	} {
		count, ok := compareCheck(t, decodeProps(t, []byte(text)))
		if !ok || count != wrong {
			t.Errorf("%s: compared %v, %d errors, want %d", text, ok, count, wrong)
		}
	}
}
