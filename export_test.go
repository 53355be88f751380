package crdkit

import "context"

// CreateBytes is the quick way of [Version.CreateJSON] alone. It reports false
// if that is not taken.
func (v *Version) CreateBytes(ctx context.Context, raw []byte, opts ...RequestOption) ([]byte, *Result, bool, error) {
	return v.newRequest(opts).createBytes(ctx, raw)
}

// UpdateBytes is CreateBytes for [Version.UpdateJSON].
func (v *Version) UpdateBytes(ctx context.Context, raw, old []byte, opts ...RequestOption) ([]byte, *Result, bool, error) {
	return v.newRequest(opts).updateBytes(ctx, raw, old)
}

// UpdateStatusBytes is CreateBytes for [Version.UpdateStatusJSON].
func (v *Version) UpdateStatusBytes(ctx context.Context, raw, old []byte, opts ...RequestOption) ([]byte, *Result, bool, error) {
	return v.newRequest(opts).statusBytes(ctx, raw, old)
}
