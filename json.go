package crdkit

import "context"

// CreateJSON is [Version.Create] for the body of a request: JSON, or YAML with
// [YAML]. It returns the object to store as JSON, as the server encodes it: with
// sorted keys and without a line break at the end. It returns no bytes for an object
// that the server refuses; [Result.Err] says why. raw is not changed and not kept.
// [Splice] and [AppendTo] change how and where the object is written.
//
// A body that the server cannot read is a [Refusal], not an error.
func (v *Version) CreateJSON(ctx context.Context, raw []byte, opts ...JSONOption) ([]byte, *Result, error) {
	return v.doJSON(ctx, creating, raw, nil, opts)
}

// UpdateJSON is [Version.Update] for the body of a request. It returns no bytes for
// an object that the server refuses; see [Version.CreateJSON]. old is JSON in any
// case.
func (v *Version) UpdateJSON(ctx context.Context, raw, old []byte, opts ...JSONOption) ([]byte, *Result, error) {
	return v.doJSON(ctx, updating, raw, old, opts)
}

// UpdateStatusJSON is [Version.UpdateStatus] for the body of a request. It returns no
// bytes for an object that the server refuses; see [Version.CreateJSON]. old is JSON
// in any case.
func (v *Version) UpdateStatusJSON(ctx context.Context, raw, old []byte, opts ...JSONOption) ([]byte, *Result, error) {
	if err := v.checkStatus(); err != nil {
		return nil, nil, err
	}
	return v.doJSON(ctx, updatingStatus, raw, old, opts)
}

func (v *Version) doJSON(ctx context.Context, verb verb, raw, old []byte, opts []JSONOption) ([]byte, *Result, error) {
	r := newRequest(v, verb, opts)
	defer r.release()
	r.encoded, r.raw, r.oldRaw = true, raw, old
	return r.do(orBackground(ctx))
}

// ValidJSON reports whether the server would admit raw, the JSON of an object, if a
// client created it: whether [Version.CreateJSON] without options would. It makes no
// output and does not say what is wrong.
func (v *Version) ValidJSON(raw []byte) bool {
	r := newRequest[JSONOption](v, creating, nil)
	defer r.release()
	r.encoded, r.raw, r.result, r.verdictOnly = true, raw, &r.own, true
	r.fields, r.splice = Ignore, true
	_, res, err := r.do(context.Background())
	return err == nil && res.Admitted()
}
