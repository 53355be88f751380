package crdkit

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A request takes an object through the steps of the server, in its order:
//
//	read        decode the body and the old object             (JSON forms only)
//	receive     coerce metadata, prune, drop nulls, set defaults
//	prepare     enter the namespace, run the caller's mutation, set what clients
//	            cannot set: status, generation, metadata of the server
//	validate    type, metadata, scale, schema
//	rules       unless an error above makes values unfit for them
//	output      encode the object                              (JSON forms only)
//
// The files create.go, update.go, status.go and read.go hold what differs by
// verb. A [carrier] holds the object.

// A verb is what a request does.
type verb uint8

const (
	creating verb = iota
	updating
	updatingStatus
	converting
)

// A request is one call of a verb.
type request struct {
	version *Version
	verb    verb
	requestOptions
	// encoded: the request is a JSON form. raw and oldRaw are its input then.
	encoded     bool
	raw, oldRaw []byte
	verdictOnly bool // the caller wants no output

	carrier carrier
	maps    mapCarrier
	text    jsonCarrier
	run

	result *Result
	own    Result // the result of a request that returns none
}

// A run is the state of one pass through the steps, on one carrier.
type run struct {
	// obj and old are the objects as far as steps look at them: their apiVersion,
	// kind and metadata. obj is nil if metadataDone is set, unless
	// rules have refused the object.
	obj, old *unstructured.Unstructured
	// metadataDone: the carrier has prepared and validated the metadata.
	metadataDone bool
	// copied: old belongs to the request, as far as its metadata.
	copied     bool
	complaints []string // about unknown and duplicate fields
	typed      bool     // kind and apiVersion are those of the version
}

// newRequest returns a request without a result. Most requests use the memory of
// an earlier one; see [request.release].
func newRequest[O JSONOption](v *Version, verb verb, opts []O) *request {
	r, used := v.requests.Get().(*request)
	if !used {
		r = &request{}
		r.maps.request, r.text.request = r, r
	}
	r.version, r.verb, r.fields = v, verb, Warn
	for _, opt := range opts {
		if any(opt) != nil {
			opt.applyJSON(&r.requestOptions)
		}
	}
	return r
}

// release leaves the memory of r to another request. The result is not part of
// it.
func (r *request) release() {
	v := r.version
	*r = request{maps: mapCarrier{request: r}, text: jsonCarrier{request: r}}
	v.requests.Put(r)
}

// errNil is the error of a request without an object.
var errNil = errors.New("crdkit: the object is nil")

// do performs the request, and returns the output of a JSON form if the object is
// admitted.
func (r *request) do(ctx context.Context) ([]byte, *Result, error) {
	if r.result == nil {
		r.result = &Result{}
	}
	if err := r.checkInput(ctx); err != nil {
		return nil, nil, err
	}
	if r.text.takes() {
		out, err := r.pass(ctx, &r.text)
		if err == nil {
			return out, r.result, nil
		}
		if !errors.Is(err, errDeclined) {
			return nil, nil, err
		}
	}
	out, err := r.pass(ctx, &r.maps)
	if err != nil {
		return nil, nil, err
	}
	return out, r.result, nil
}

// checkInput returns an error for options and input that no carrier takes.
func (r *request) checkInput(ctx context.Context) error {
	if err := r.check(r.version); err != nil {
		return err
	}
	if err := r.version.ready(); err != nil {
		return err
	}
	if !r.encoded && (r.maps.given == nil || r.maps.given.Object == nil) {
		return errNil
	}
	return ctx.Err()
}

// pass takes the object through all steps on a carrier. It returns errDeclined if
// the carrier declines; the caller then begins anew on another one.
func (r *request) pass(ctx context.Context, c carrier) ([]byte, error) {
	r.carrier, r.run = c, run{}
	*r.result = Result{groupKind: r.version.def.GroupKind()}
	if r.version.warning != "" {
		r.warn(r.version.warning)
	}
	defer c.release()
	refusal, err := c.read()
	if err == nil {
		err = r.readyForObject()
	}
	if err == nil && refusal == nil {
		refusal, err = r.steps(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.finish(refusal)
	if !r.result.Admitted() {
		return nil, r.checkGoTypes()
	}
	if !r.encoded || r.verdictOnly {
		return nil, nil
	}
	return c.output()
}

// steps are the steps between reading the object and encoding it.
func (r *request) steps(ctx context.Context) (*Refusal, error) {
	switch r.verb {
	case creating:
		return r.create(ctx)
	case updating:
		return r.update(ctx)
	default:
		return r.updateStatus(ctx)
	}
}

// finish completes the result.
func (r *request) finish(refusal *Refusal) {
	r.result.Refusal = refusal
	if r.obj != nil && !r.result.Admitted() {
		r.result.name = r.obj.GetName() // which only a refusal tells
	}
	r.result.Errors.Sort()
	r.result.Ratcheted.Sort()
}

// receive does what the server does with every body that it decodes.
func (r *request) receive() *Refusal {
	if refusal := r.coerce(coercion{report: r.fields != Ignore}); refusal != nil {
		return refusal
	}
	if refusal := r.judgeFields(); refusal != nil || r.metadataDone {
		return refusal
	}
	r.carrier.setDefaults()
	if got, want := r.obj.GetAPIVersion(), r.version.apiVersion(); got != want {
		return badRequest("the API version in the data (" + got + ") does not match the expected API version (" + want + ")")
	}
	return nil
}

// warn adds warnings, which the result may keep as they are.
func (r *request) warn(texts ...string) {
	switch {
	case len(texts) == 0:
		return
	case len(r.result.Warnings) == 0:
		r.result.Warnings = slices.Clip(texts)
		return
	}
	r.result.Warnings = append(r.result.Warnings, texts...)
}
