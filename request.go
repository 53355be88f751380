package crdkit

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/interrupt"
)

// A request takes an object through the steps of the server. A [carrier] holds
// the object: it reads the object before the first step and encodes it after the
// last one. The steps of the requests that write are in [steps]; read.go has
// those of the requests that convert. The files create.go, update.go and status.go
// hold what differs by verb.

// A verb is what a request does.
type verb uint8

const (
	creating verb = 1 << iota
	updating
	updatingStatus
	converting

	replacing = updating | updatingStatus
	writing   = creating | replacing
)

// A step is one step of the requests that write an object.
type step struct {
	verbs verb // that have the step
	on    part // of the object that the step works on
	do    action
}

// An action returns a refusal, or an error if no verdict is possible.
type action func(*request, context.Context) (*Refusal, error)

// A part is a part of the object.
type part uint8

const (
	head    part = iota // apiVersion, kind and metadata
	content             // the other members, or all of them
	walked              // the same, where the walk of a jsonCarrier leaves nothing to do
)

// steps are the steps of the requests that write, in the order of the server.
var steps = [...]step{
	{replacing, head, failing((*request).checkOld)},

	// Receive the object, as every body that the server decodes.
	{writing, head, refusing((*request).coerceInput)},
	{writing, content, refusing((*request).judgeFields)},
	{writing, walked, changing((*request).setDefaults)},
	{writing, head, refusing((*request).checkVersion)},

	// Enter the namespace, mutate, and set what clients cannot set.
	{creating, head, changing((*request).prepareCreate)},
	{creating, head, refusing((*request).enterNamespace)},
	{replacing, head, refusing((*request).enterNamespaces)},
	{replacing, head, refusing((*request).checkName)},
	{writing, head, changing((*request).dropDuplicateOwners)},
	{replacing, head, refusing((*request).checkState)},
	{replacing, head, changing((*request).keepManaged)},
	{writing, walked, (*request).runMutate},
	{updating, head, changing((*request).prepareUpdate)},
	{updatingStatus, head, changing((*request).prepareStatus)},
	{creating, walked, failing((*request).setStatus)},
	{updating, content, failing((*request).setStatus)},
	{updatingStatus, walked, failing((*request).restoreRest)},
	{creating, head, changing((*request).setFirstGeneration)},
	{updating, head, failing((*request).setNextGeneration)},

	// Validate.
	{creating, head, changing((*request).standInName)},
	{replacing, head, changing((*request).standInVersions)},
	{writing, head, changing((*request).checkType)},
	{creating, head, changing((*request).validateCreate)},
	{replacing, head, changing((*request).validateUpdate)},
	{writing, content, failing((*request).checkScale)},
	{creating, walked, failing((*request).checkSchema)},
	{replacing, content, failing((*request).checkSchema)},
	{writing, content, (*request).evaluateRules},
	{creating, head, changing((*request).validateCommonCreate)},
	{replacing, head, changing((*request).validateCommonUpdate)},
	{creating | updating, content, changing((*request).warnOfFinalizers)},
}

// plans are the actions of the steps, in their order: by verb, those of requests
// whose carrier has done the steps on the head come second.
var plans = planned()

func planned() (plans [writing + 1][2][]action) {
	for _, s := range steps {
		for v := creating; v <= writing; v <<= 1 {
			if s.verbs&v == 0 {
				continue
			}
			plans[v][0] = append(plans[v][0], s.do)
			if s.on == content {
				plans[v][1] = append(plans[v][1], s.do)
			}
		}
	}
	return plans
}

// actions returns the actions of the steps that the request takes after its carrier
// has read the object.
func (r *request) actions() []action {
	if r.headDone {
		return plans[r.verb][1]
	}
	return plans[r.verb][0]
}

// changing returns the action of a step that cannot fail.
func changing(f func(*request)) action {
	return func(r *request, _ context.Context) (*Refusal, error) {
		f(r)
		return nil, nil
	}
}

// refusing returns the action of a step that can refuse the object.
func refusing(f func(*request) *Refusal) action {
	return func(r *request, _ context.Context) (*Refusal, error) { return f(r), nil }
}

// failing returns the action of a step that can end without a verdict.
func failing(f func(*request) error) action {
	return func(r *request, _ context.Context) (*Refusal, error) { return nil, f(r) }
}

// A request is one call of a verb.
type request struct {
	version *Version
	verb    verb
	requestOptions
	// encoded: the request is a JSON form. raw and oldRaw are its input then.
	encoded     bool
	raw, oldRaw []byte
	verdictOnly bool // the caller wants no output

	watch   *interrupt.Watch // of the context, nil if it cannot end
	polls   interrupt.Watch  // the memory of watch
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
	// kind and metadata. If headDone is set, they are nil unless rules read them or have
	// refused the object.
	obj, old *unstructured.Unstructured
	// headDone: the carrier has done all steps on the head while it read the object.
	headDone bool
	// copied: old belongs to the request, as far as its metadata.
	copied     bool
	complaints []string // about unknown and duplicate fields
	otherType  bool     // kind and apiVersion are not those of the version
	// sentKind is the kind of the object, which errors name; empty if headDone is set.
	sentKind runtimeschema.GroupKind
	// rulesBlocked: an error that is not in the result keeps rules from being evaluated.
	rulesBlocked  bool
	metadataLimit errorlimit.Limit // of the errors of the last check of the metadata
	// standIn is the member of metadata that the object has for the time of
	// validation only, "" for none.
	standIn string
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
	*r = request{}
	r.maps.request, r.text.request = r, r
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
	r.watch = r.polls.Start(ctx)
	if r.takesFastPath(asText) {
		out, err := r.pass(ctx, &r.text)
		if err == nil {
			return out, r.result, nil
		}
		if !errors.Is(err, errDeclined) {
			return nil, nil, err
		}
		r.run, *r.result = run{}, Result{}
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
	if err := r.checkOrigin(); err != nil {
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
// the carrier declines; the caller then begins anew on another one, with an empty run
// and result.
func (r *request) pass(ctx context.Context, c carrier) ([]byte, error) {
	r.carrier = c
	if r.version.warning != "" {
		r.warn(r.version.warning)
	}
	defer c.release()
	refusal, err := c.read()
	if ended := r.watch.Err(); ended != nil {
		return nil, ended
	}
	if err == nil {
		err = r.readyForObject()
	}
	if err == nil && refusal == nil {
		refusal, err = r.takeSteps(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := r.finish(refusal); err != nil {
		return nil, err
	}
	if !r.result.Admitted() {
		return nil, r.checkGoTypes()
	}
	if !r.encoded || r.verdictOnly {
		return nil, nil
	}
	out, err := c.output()
	if ended := r.watch.Err(); ended != nil {
		return nil, ended
	}
	return out, err
}

// takeSteps takes the object through the steps between reading and encoding it.
func (r *request) takeSteps(ctx context.Context) (*Refusal, error) {
	defer r.dropStandIn()
	for _, do := range r.actions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		refusal, err := do(r, ctx)
		if ended := r.watch.Err(); ended != nil {
			return nil, ended // what the step has found is of no use
		}
		if refusal != nil || err != nil {
			return refusal, err
		}
	}
	return nil, nil
}

// finish completes the result. It returns the error of the context if it ends.
func (r *request) finish(refusal *Refusal) error {
	if r.result.Refusal = refusal; !r.result.Admitted() {
		r.result.about = r.subject()
	}
	r.result.Errors.Sort(r.watch)
	r.result.Ratcheted.Sort(r.watch)
	return r.watch.Err()
}

// subject returns the object that the answer to a refused request names.
func (r *request) subject() *subject {
	s := &subject{kind: r.version.def.GroupKind()}
	if r.result.Refusal == nil && !r.sentKind.Empty() {
		s.kind = r.sentKind
	}
	if s.name = r.carrier.name(); r.obj != nil {
		s.name = r.obj.GetName()
	}
	return s
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
