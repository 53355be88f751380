package crdkit

import (
	"context"

	"github.com/crdkit/crdkit/internal/fastpath"
)

// Reference makes requests take the pipeline, decode with the decoders of Kubernetes, and
// evaluate rules with cel-go.
func Reference() Option { return compileOption(func(cfg *config) { cfg.reference = true }) }

// OnFastPath is the JSON form of a request that only tries the fast path. It reports
// false if the fast path declines.
type OnFastPath func(v *Version, raw, old []byte, opts ...JSONOption) (out []byte, res *Result, handled bool)

// The JSON forms of requests on the fast path.
var (
	CreateFast = onFastPath(func(r *request, p *fastpath.Plan, raw, _ []byte) (fastpath.Result, bool) {
		return p.Create(raw, &r.fast)
	})
	UpdateFast = onFastPath(func(r *request, p *fastpath.Plan, raw, old []byte) (fastpath.Result, bool) {
		return p.Update(raw, old, &r.fast)
	})
	UpdateStatusFast = onFastPath(func(r *request, p *fastpath.Plan, raw, old []byte) (fastpath.Result, bool) {
		return p.UpdateStatus(raw, old, &r.fast)
	})
)

func onFastPath(do func(r *request, p *fastpath.Plan, raw, old []byte) (fastpath.Result, bool)) OnFastPath {
	return func(v *Version, raw, old []byte, opts ...JSONOption) ([]byte, *Result, bool) {
		r, err := newJSONRequest(context.Background(), v, raw, opts)
		if err != nil {
			return nil, nil, false
		}
		p := r.fastPath()
		if p == nil {
			return nil, nil, false
		}
		out, ok := do(r, p, raw, old)
		if !ok {
			return nil, nil, false
		}
		object, res, err := r.answerFast(out)
		return object, res, err == nil
	}
}
