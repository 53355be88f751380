package crdkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// The order of the steps is the server's; each step is an engine's. What a
// request does to an object:
//
//	decode      strict complaints are kept           (bytes only)
//	coerce      metadata, pruning, nulls, embedded metadata
//	default     what is absent is set
//	mutate      the caller's step, then default again
//	prepare     what clients cannot set: status, generation, system metadata
//	validate    type, metadata, values, scale, embedded resources, lists
//	rules       unless an error above makes values unfit for them

// budget is what all rules of one object may spend together, in CEL cost
// units.
const budget = 10_000_000

// A request holds the state of one call.
type request struct {
	version   *Version
	fields    FieldValidation
	wrong     error // what is wrong with an option
	report    bool
	yaml      bool
	namespace string
	mutate    func(context.Context, *unstructured.Unstructured) error

	obj, old *unstructured.Unstructured
	decoded  bool    // obj and old come from text
	strict   []error // complaints of decoding that are not fatal
	// complaints are those about unknown fields that were found on the quick
	// ways.
	complaints []string
	typed      bool   // kind and apiVersion are the version's
	unnamed    bool   // the name is a stand-in, see generateName
	fused      bool   // the object went through fuse
	splice     bool   // keep the spelling of the input
	verdict    bool   // nobody wants the output
	buffer     []byte // what the output is appended to
	appends    bool   // buffer was given
	body       body   // on the quick ways
	result     *Result
	own        Result // in the place of one that nobody gets
	// fresh is ordinaryMetadata of what is in body. It lives as long as the
	// memory of the request.
	fresh func(map[string]any) (map[string]any, bool)
}

func (v *Version) newRequest(opts []RequestOption) *request {
	r := v.blankRequest()
	r.result = &Result{groupKind: v.def.GroupKind()}
	for _, opt := range opts {
		if opt != nil {
			opt.applyRequest(r)
		}
	}
	if v.warning != "" {
		r.warn(v.warning)
	}
	return r
}

// blankRequest returns a request without options and without a result. Most
// use memory again that an earlier one has left; see [request.release].
func (v *Version) blankRequest() *request {
	r, used := v.requests.Get().(*request)
	if !used {
		r = &request{}
		r.fresh = r.freshMetadata
	}
	r.version, r.fields = v, Warn
	return r
}

// release leaves the memory of r to another request. Nothing may refer to r any
// more. The result is not a part of it.
func (r *request) release() {
	v := r.version
	*r = request{fresh: r.fresh}
	v.requests.Put(r)
}

// Create does to obj what the server does to an object that a client creates,
// and returns the verdict. The object is changed in place. If it is admitted it
// is what the server stores, at version v (see [Version.Store]), apart from
// what only a server can give: metadata.uid, creationTimestamp,
// resourceVersion, managedFields and a name made from generateName. If it is
// refused it is left as it was judged, pruned and defaulted.
//
// The error says why there is no verdict: the context ended, the caller's
// [Mutate] step failed, an option has a value that there is not, obj is nil, or
// the server's answer would be about a value of a Go type that no decoded JSON
// has, such as int or []string. obj must not be used elsewhere meanwhile. A nil
// ctx never ends.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
func (v *Version) Create(ctx context.Context, obj *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	r := v.newRequest(opts)
	return r.run(ctx, obj, nil, r.create)
}

// Update is like [Version.Create] for an object that replaces old, which must
// be as [Version.Read] returns it at version v. old is not changed and shares no
// memory with the result.
//
// The server refuses an update without metadata.resourceVersion. There is no
// store here: if neither object has one, the demand is dropped, and if only old
// has, the new object is taken to be made from it.
func (v *Version) Update(ctx context.Context, obj, old *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	r := v.newRequest(opts)
	return r.run(ctx, obj, old, r.update)
}

// UpdateStatus is like [Version.Update] for the status subresource: everything
// but status and metadata.managedFields comes from old. It is an error if the
// version has no status subresource.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource.
func (v *Version) UpdateStatus(ctx context.Context, obj, old *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	if !v.status {
		return nil, fmt.Errorf("crdkit: %s %s has no status subresource", v.apiVersion(), v.def.kind)
	}
	r := v.newRequest(opts)
	return r.run(ctx, obj, old, r.updateStatus)
}

// A step does its part of a request. It returns a refusal to end the request
// with, or an error if there can be no verdict.
type step func(ctx context.Context) (*Refusal, error)

func (r *request) run(ctx context.Context, obj, old *unstructured.Unstructured, verb step) (*Result, error) {
	if r.wrong != nil {
		return nil, r.wrong
	}
	if obj == nil || obj.Object == nil {
		return nil, errors.New("crdkit: the object is nil")
	}
	ctx = orBackground(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.obj, r.old = obj, old
	refusal, err := verb(ctx)
	if err != nil {
		return nil, err
	}
	if refusal != nil || len(r.result.Errors) > 0 {
		if err := r.checkGoTypes(); err != nil {
			return nil, err
		}
	}
	return r.finish(refusal), nil
}

// finish returns the result of the request.
func (r *request) finish(refusal *Refusal) *Result {
	r.result.Refusal = refusal
	r.result.name = r.obj.GetName()
	r.result.Errors.Sort()
	r.result.Ratcheted.Sort()
	return r.result
}

func (r *request) create(ctx context.Context) (*Refusal, error) {
	if refusal := r.receive(r.strict, true); refusal != nil {
		return refusal, nil
	}
	r.watchMetadata(func() {
		r.warn(objectmeta.PrepareCreate(r.obj.Object)...)
	})
	if refusal := r.enterNamespace(); refusal != nil {
		return refusal, nil
	}
	if err := r.runMutate(ctx); err != nil {
		return nil, err
	}
	r.prepareCreate()
	defer r.generateName()()
	return nil, r.validateCreate(ctx)
}

// generateName gives an object that asks for a generated name one, for the
// time of validation, and returns what takes it away again: the name that the
// server makes up cannot be known. Names of a server end in five characters
// after at most 58 of generateName.
//
// See https://kubernetes.io/docs/reference/using-api/api-concepts/#generated-values.
func (r *request) generateName() (undo func()) {
	const longest, standIn = 58, "00000"
	metadata, _ := r.obj.Object["metadata"].(map[string]any)
	prefix, _ := metadata["generateName"].(string)
	if name, _ := metadata["name"].(string); name != "" || prefix == "" {
		return func() {}
	}
	metadata["name"] = prefix[:min(len(prefix), longest)] + standIn
	return func() { delete(metadata, "name") }
}

// receive does what the server does to every body that it decodes. With fuse
// all that the schema says may be done at once.
func (r *request) receive(strict []error, fuse bool) *Refusal {
	v := r.version
	unknown, refusal := r.coerce(r.obj.Object, coercion{report: r.fields != Ignore, fuse: fuse})
	if refusal != nil {
		return refusal
	}
	if refusal := r.judgeFields(strict, unknown); refusal != nil {
		return refusal
	}
	if !r.fused && r.sameKind() {
		r.setDefaults()
	}
	if got := r.obj.GetAPIVersion(); got != v.apiVersion() {
		return badRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", got, v.apiVersion()))
	}
	return nil
}

// sameKind reports whether the object is of the definition's kind. The server
// lets an object of another kind pass to where its kind is checked.
func (r *request) sameKind() bool {
	gvk := r.obj.GroupVersionKind()
	return gvk.GroupKind() == r.version.def.GroupKind()
}

// unknownField begins the server's complaint about one.
const unknownField = `unknown field "`

// judgeFields turns complaints about unknown and duplicate fields into
// warnings or a refusal.
func (r *request) judgeFields(strict []error, unknown []schema.Path) *Refusal {
	if r.fields == Ignore {
		return nil
	}
	var complaints []string
	for _, err := range strict {
		complaints = append(complaints, err.Error())
	}
	for _, path := range unknown {
		complaints = append(complaints, unknownField+path.String()+`"`)
	}
	if len(complaints) == 0 {
		complaints = r.complaints
	} else {
		complaints = append(complaints, r.complaints...)
	}
	if len(complaints) == 0 {
		return nil
	}
	if r.fields != Strict {
		r.warn(complaints...)
		return nil
	}
	gvk := r.obj.GroupVersionKind()
	return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: strict decoding error: %s",
		gvk.Kind, gvk.Version, gvk.Kind, joinUnique(complaints)), complaints...)
}

func (r *request) setDefaults() {
	d := r.version.def.byName[r.obj.GroupVersionKind().Version]
	if d == nil {
		return
	}
	if !r.report {
		d.engines.setDefaults().Default(r.obj.Object)
		return
	}
	r.change(Defaulted, d.engines.setDefaults().DefaultAndReport(r.obj.Object)...)
}

// change records what was done to places of the object, if anybody asked.
func (r *request) change(op Op, paths ...schema.Path) {
	if !r.report {
		return
	}
	for _, p := range paths {
		r.result.Changes = append(r.result.Changes, Change{Op: op, Path: p})
	}
}

// reset records that the server overwrote a field.
func (r *request) reset(names ...string) {
	if !r.report {
		return
	}
	var path schema.Path
	for _, name := range names {
		path = append(path, schema.Field(name))
	}
	r.change(Reset, path)
}

// enterNamespace makes the namespaces of the object and of the request agree.
func (r *request) enterNamespace() *Refusal {
	want := ""
	if r.version.def.namespaced {
		want = cmp.Or(r.namespace, r.obj.GetNamespace(), "default")
	}
	var err error
	r.watchMetadata(func() { err = objectmeta.MatchNamespace(r.obj.Object, want) })
	if err != nil {
		return badRequest(err.Error())
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

// watchMetadata runs f and records what it changed in metadata.
func (r *request) watchMetadata(f func()) {
	if !r.report {
		f()
		return
	}
	before, _ := jsonval.Clone(r.obj.Object["metadata"]).(map[string]any)
	f()
	after, _ := r.obj.Object["metadata"].(map[string]any)
	for _, name := range sortedKeys(before, after) {
		if !jsonval.Equal(before[name], after[name]) {
			r.reset("metadata", name)
		}
	}
}

func (r *request) runMutate(ctx context.Context) error {
	if r.mutate == nil {
		return nil
	}
	if err := r.mutate(ctx, r.obj); err != nil {
		return fmt.Errorf("crdkit: mutating: %w", err)
	}
	if r.obj.Object == nil {
		return errors.New("crdkit: mutating: the object is gone")
	}
	if r.sameKind() {
		r.setDefaults()
	}
	return nil
}

func (r *request) prepareCreate() {
	if r.version.status {
		r.remove("status")
	}
	objectmeta.SetGeneration(r.obj.Object, 1)
}

func (r *request) remove(name string) {
	if _, ok := r.obj.Object[name]; ok {
		delete(r.obj.Object, name)
		r.reset(name)
	}
}

func (r *request) validateCreate(ctx context.Context) error {
	v, obj := r.version, r.obj.Object
	if r.checkType() {
		r.addProblems(objectmeta.ValidateCreate(obj, v.def.namespaced))
		r.add(v.scale.checkSpec(obj))
		r.add(v.scale.checkStatus(obj))
	}
	if !r.settled() {
		r.addValidation(v.engines.validate().Validate(obj))
	}
	if err := r.evaluate(ctx, nil); err != nil {
		return err
	}
	if len(r.result.Errors) == 0 {
		r.addProblems(objectmeta.ValidateCommonCreate(obj, v.def.namespaced))
	}
	r.warn(r.finalizerWarnings(nil)...)
	return nil
}

// addValidation adds errors of the schema. An object of another kind is not
// held against the schema's values, but against the rest.
func (r *request) addValidation(errs validation.ErrorList) {
	if r.typed {
		r.add(errs)
		return
	}
	for _, e := range errs {
		if e.Step != validation.StepSchema {
			r.result.Errors = append(r.result.Errors, e)
		}
	}
}

// finalizerWarnings are given for objects that the server accepts.
func (r *request) finalizerWarnings(old map[string]any) []string {
	if len(r.result.Errors) > 0 {
		return nil
	}
	return objectmeta.FinalizerWarnings(r.obj.Object, old)
}

func (r *request) add(errs validation.ErrorList) {
	r.result.Errors = append(r.result.Errors, errs...)
}

func (r *request) addProblems(problems []objectmeta.Problem) {
	for _, p := range problems {
		r.result.Errors = append(r.result.Errors, validation.NewError(p.Err, validation.StepObjectMeta, p.Pointer, p.SchemaPointer))
	}
}

// evaluate runs the rules, unless the object has an error that makes its
// values unfit for them.
func (r *request) evaluate(ctx context.Context, old map[string]any) error {
	rules := r.version.rules
	if rules == nil {
		return nil
	}
	if r.result.Errors.BlocksRules() {
		r.result.Errors = append(r.result.Errors, validation.NewError(field.Invalid(nil, nil,
			"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"),
			validation.StepRules, "", ""))
		return nil
	}
	opts := []cel.EvalOption{cel.Budget(budget)}
	if old != nil {
		opts = append(opts, cel.Old(old))
	}
	res := rules.Eval(ctx, r.obj.Object, opts...)
	if err := ctx.Err(); err != nil {
		return err
	}
	r.add(res.Errors)
	for _, e := range res.Ratcheted {
		r.result.Warnings = append(r.result.Warnings, e.Error())
	}
	r.result.Ratcheted = append(r.result.Ratcheted, res.Ratcheted...)
	r.result.Cost = res.Cost
	return nil
}

// checkType checks kind and apiVersion, and reports whether they are right.
func (r *request) checkType() bool {
	v := r.version
	if got := r.obj.GetKind(); got != v.def.kind {
		r.add(validation.ErrorList{validation.NewError(field.Invalid(field.NewPath("kind"), got, "must be "+v.def.kind), validation.StepTypeMeta, "/kind", "")})
	}
	if got := r.obj.GetAPIVersion(); got != v.apiVersion() {
		r.add(validation.ErrorList{validation.NewError(field.Invalid(field.NewPath("apiVersion"), got, "must be "+v.apiVersion()), validation.StepTypeMeta, "/apiVersion", "")})
	}
	r.typed = len(r.result.Errors) == 0
	return r.typed
}

func joinUnique(texts []string) string {
	var out string
	for i, s := range texts {
		if slices.Contains(texts[:i], s) {
			continue
		}
		if out != "" {
			out += ", "
		}
		out += s
	}
	return out
}

// specChanged reports whether anything but metadata differs.
func specChanged(a, b map[string]any) bool {
	count := func(m map[string]any) int {
		n := len(m)
		if _, ok := m["metadata"]; ok {
			n--
		}
		return n
	}
	if count(a) != count(b) {
		return true
	}
	for k := range a {
		if k == "metadata" {
			continue
		}
		w, ok := b[k]
		if !ok || !jsonval.Equal(a[k], w) {
			return true
		}
	}
	return false
}

// groupVersionOf parses the apiVersion of an object; the server refuses one
// that does not parse.
func groupVersionOf(obj map[string]any) (runtimeschema.GroupVersion, error) {
	apiVersion, _, err := unstructured.NestedString(obj, "apiVersion")
	if err != nil {
		return runtimeschema.GroupVersion{}, err
	}
	return runtimeschema.ParseGroupVersion(apiVersion)
}
