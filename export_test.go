package crdkit

import "context"

// CreateBytes is the quick way of [Version.CreateJSON] alone. It reports false
// if that is not taken.
func (v *Version) CreateBytes(ctx context.Context, raw []byte, opts ...RequestOption) ([]byte, *Result, bool, error) {
	return v.newRequest(opts).createBytes(ctx, raw)
}
