package crdkit

import (
	"context"
	"errors"
)

// OnJSON is the JSON form of a request that uses the JSON carrier only. taken
// is false if the carrier declines.
type OnJSON func(v *Version, raw, old []byte, opts ...JSONOption) (out []byte, res *Result, taken bool, err error)

// The JSON forms of requests that use the JSON carrier only.
var (
	CreateOnJSON       = onJSON(creating)
	UpdateOnJSON       = onJSON(updating)
	UpdateStatusOnJSON = onJSON(updatingStatus)
)

func onJSON(verb verb) OnJSON {
	return func(v *Version, raw, old []byte, opts ...JSONOption) ([]byte, *Result, bool, error) {
		r := newRequest(v, verb, opts)
		defer r.release()
		r.encoded, r.raw, r.oldRaw, r.result = true, raw, old, &Result{}
		if r.check(v) != nil || !r.takesFastPath(asText) {
			return nil, nil, false, nil
		}
		out, err := r.pass(context.Background(), &r.text)
		if errors.Is(err, errDeclined) {
			return nil, nil, false, nil
		}
		return out, r.result, true, err
	}
}
