package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/requestopt"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/patch"
)

// A Result is the verdict on one request. It belongs to the caller.
type Result struct {
	*crdkit.Result
	// Object is the object to store, nil if the server refuses the request.
	Object *unstructured.Unstructured
	// Created is true if an apply creates the object.
	Created bool
	// Unchanged is true if the request is admitted and changes nothing. The server then does not
	// write the object and keeps its resourceVersion.
	Unchanged bool
	// Conflicts are the fields that make the server refuse an apply, in the server's order. Other
	// managers own them.
	Conflicts []Conflict
}

// A Request is a request of a field manager. A method ignores the fields that it does not use.
type Request struct {
	// Live is the stored object at the version of the Applier, as [crdkit.Version.Read]
	// returns it. It is nil if an apply creates the object.
	Live *unstructured.Unstructured
	// Config is the configuration to apply. For the subresource "scale" it is a Scale of
	// autoscaling/v1.
	Config *unstructured.Unstructured
	// Body is a patch. For an apply it is the configuration as YAML or JSON, instead of Config. An
	// apply refuses repeated keys with [crdkit.Strict], and warns of them with [crdkit.Warn], the
	// default.
	Body []byte
	// PatchType is the type of a patch.
	PatchType types.PatchType
	// Manager is the name of the field manager.
	Manager string
	// Force makes an apply take the fields that other managers own.
	Force bool
	// Subresource is "", "status" or "scale".
	Subresource string
}

var errSubresource = errors.New("apply: a subresource is not possible here")

// check returns an error if the subresource is unknown, or if Live is nil for status or scale.
func (r *Request) check() (subresource, error) {
	switch s := subresource(r.Subresource); {
	case s != mainResource && s != statusResource && s != scaleResource:
		return "", fmt.Errorf("apply: the subresource is %q, want \"\", %q or %q", s, statusResource, scaleResource)
	case s != mainResource && r.Live == nil:
		return "", errors.New("apply: the live object is nil")
	default:
		return s, nil
	}
}

// Apply applies the Config or the Body of a request. The server admits it if [crdkit.Result.Err]
// returns nil. If Live is nil, Apply creates the object, with the name in the configuration. The
// server reads a configuration as YAML, and refuses what YAML does not allow: control characters,
// and keys of 1,024 characters or more.
//
// Live and Config are not changed, and the result shares no memory with them. A [crdkit.Mutate]
// step runs on the merged object.
//
// With the subresource "scale" the object of the result is the custom resource. The server merges a
// Scale, but cannot convert the merged Scale to a version of the custom resource. So it answers 409
// if there is a conflict, and 500 otherwise. Apply the replicas field of the custom resource
// instead.
//
// Apply returns an error if there is no verdict, because
//
//   - ctx ended (a nil ctx never ends),
//   - an option has an invalid value,
//   - there is no configuration,
//   - the version does not have the subresource, or
//   - an object has a value of a Go type that JSON is not decoded to.
//
// Apply checks ctx before and after the merge, but not during it. The time to merge a list grows
// with the square of its length.
func (a *Applier) Apply(ctx context.Context, r Request, opts ...crdkit.RequestOption) (*Result, error) {
	s, err := r.check()
	switch {
	case err != nil:
		return nil, err
	case r.Config != nil && r.Body != nil:
		return nil, errors.New("apply: the request has a Config and a Body")
	case r.Body != nil && s != scaleResource:
		fields, err := requestopt.FieldValidation[crdkit.FieldValidation](opts)
		if err != nil {
			return nil, err
		}
		return a.apply(ctx, s, &r, fields, opts)
	case r.Config == nil || r.Config.Object == nil:
		return nil, errors.New("apply: the configuration is nil")
	}
	if err := checkGoTypes(r.Config); err != nil {
		return nil, err
	}
	if s == scaleResource {
		return a.applyScale(ctx, &r, opts)
	}
	if r.Body, err = jsonscan.Encode(make([]byte, 0, 1<<10), r.Config.Object); err != nil { // as a Go client encodes it
		return nil, err
	}
	return a.apply(ctx, s, &r, crdkit.Ignore, opts)
}

func (a *Applier) refused(err error) *Result {
	return a.refusedBy(crdkit.RefusalOf(err))
}

func (a *Applier) refusedBy(refusal *crdkit.Refusal) *Result {
	res := &crdkit.Result{Refusal: refusal}
	if text := a.version.Warning(); text != "" {
		res.Warnings = []string{text}
	}
	return &Result{Result: res}
}

func checkManager(manager string, applies bool) error {
	var errs field.ErrorList
	kind := "UpdateOptions"
	if applies {
		kind = "PatchOptions"
		errs = validation.ValidatePatchOptions(&metav1.PatchOptions{FieldManager: manager}, types.ApplyYAMLPatchType)
	} else {
		errs = validation.ValidateFieldManager(manager, field.NewPath("fieldManager"))
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

// apply applies the body of a request. validation says how repeated keys of the body are treated.
func (a *Applier) apply(ctx context.Context, s subresource, r *Request, validation crdkit.FieldValidation, opts []crdkit.RequestOption) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	live := r.Live
	if res, err := a.check(live, r.Manager, true); res != nil || err != nil {
		return res, err
	}
	config, unique, refused := decodeConfig(r.Body)
	if refused != nil {
		return a.refused(refused), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	obj, err := a.merge(ctx, s, live, config, r.Manager, r.Force)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		sortCauses(err)
		res := a.refused(err)
		res.Conflicts = a.conflictsOf(ctx, err, live, config)
		return res, nil
	}
	var repeated error
	if !unique && validation != crdkit.Ignore {
		repeated = yaml.UnmarshalStrict(r.Body, &map[string]any{})
	}
	if repeated != nil && validation == crdkit.Strict {
		return a.refused(apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", repeated))), nil
	}
	var res *Result
	if live == nil && obj.GetUID() != "" {
		d := a.version.Definition()
		resource := schema.GroupResource{Group: d.GroupKind().Group, Resource: resourceName(d)}
		res = a.refused(apierrors.NewConflict(resource, obj.GetName(), fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", obj.GetUID())))
	} else if res, err = a.write(ctx, s, obj, live, opts); err != nil {
		return nil, err
	}
	res.Warnings = append(res.Warnings, repeatedWarnings(repeated)...)
	return res, nil
}

func (a *Applier) check(live *unstructured.Unstructured, manager string, applies bool) (*Result, error) {
	if err := a.checkLive(live); err != nil {
		return nil, err
	}
	if err := checkManager(manager, applies); err != nil {
		return a.refused(err), nil
	}
	return nil, nil
}

// checkLive returns an error if live has a value of a wrong Go type, another version than the
// Applier's, or malformed managedFields.
func (a *Applier) checkLive(live *unstructured.Unstructured) error {
	if live == nil {
		return nil
	}
	if err := checkGoTypes(live); err != nil {
		return err
	}
	if got, want := live.GroupVersionKind(), a.version.GroupVersionKind(); got != want {
		return fmt.Errorf("apply: the live object is a %s, want a %s, as Version.Read returns it", got, want)
	}
	return checkEntries(live)
}

// merge returns the merged object, with managedFields. An error is the server's answer.
func (a *Applier) merge(ctx context.Context, s subresource, live, config *unstructured.Unstructured, manager string, force bool) (*unstructured.Unstructured, error) {
	f, err := a.manager(ctx, s, true)
	if err != nil {
		return nil, err
	}
	before := a.newObject()
	if live != nil {
		before = live.DeepCopy()
	}
	t := newTimes(a.clock(), before)
	t.hide(before)
	merged, err := f.Apply(before, config, manager, force)
	if err != nil && live != nil && strings.HasPrefix(err.Error(), "failed to decode managed fields:") {
		_, err = f.Apply(live.DeepCopy(), config, manager, force) // again, because the error quotes live with its times
	}
	if err != nil {
		return nil, err
	}
	obj := merged.(*unstructured.Unstructured)
	t.restore(obj)
	return obj, nil
}

func resourceName(d *crdkit.Definition) string {
	name, group := d.Name(), d.GroupKind().Group
	return name[:max(0, len(name)-len(group)-1)]
}

// write validates the merged object as a create, or as an update of live, and returns the server's
// answer.
func (a *Applier) write(ctx context.Context, s subresource, obj, live *unstructured.Unstructured, opts []crdkit.RequestOption) (*Result, error) {
	opts = append(opts[:len(opts):len(opts)], requestopt.Merged{})
	var res *crdkit.Result
	var err error
	switch {
	case live == nil:
		res, err = a.version.Create(ctx, obj, opts...)
	case s == statusResource:
		res, err = a.version.UpdateStatus(ctx, obj, live, opts...)
	default:
		res, err = a.version.Update(ctx, obj, live, opts...)
	}
	if err != nil {
		return nil, err
	}
	out := &Result{Result: res}
	if res.Err() != nil {
		return out, nil
	}
	out.Created = live == nil
	out.Unchanged = live != nil && keepTimes(obj, live)
	if out.Unchanged && a.version.IsStorage() {
		out.Object = obj // Read would change nothing
		return out, nil
	}
	kept := obj
	if !a.version.IsStorage() {
		if kept, err = a.version.Store(ctx, obj); err != nil {
			return nil, err
		}
		if live != nil {
			before, err := a.version.Store(ctx, live)
			if err != nil {
				return nil, err
			}
			out.Unchanged = jsonval.Equal(kept.Object, before.Object)
		}
	}
	if out.Object, _, err = a.version.Read(ctx, kept); err != nil {
		return nil, err
	}
	return out, nil
}

// Create is [crdkit.Version.Create] for a manager: it records that the manager owns all
// fields of the object. [crdkit.Mutate] has no effect.
func (a *Applier) Create(ctx context.Context, obj *unstructured.Unstructured, manager string, opts ...crdkit.RequestOption) (*Result, error) {
	return a.track(obj, nil, mainResource, manager, opts, func(opts []crdkit.RequestOption) (*crdkit.Result, error) {
		return a.version.Create(ctx, obj, opts...)
	})
}

// Update is [crdkit.Version.Update] for a manager, or [crdkit.Version.UpdateStatus] if the
// subresource is "status". It records that the manager owns the fields that the request changes.
// obj replaces the live object of the request. [crdkit.Mutate] has no effect.
func (a *Applier) Update(ctx context.Context, obj *unstructured.Unstructured, r Request, opts ...crdkit.RequestOption) (*Result, error) {
	s, err := r.check()
	if err != nil {
		return nil, err
	}
	update := a.version.Update
	switch s {
	case statusResource:
		update = a.version.UpdateStatus
	case scaleResource:
		return nil, errors.New("apply: use UpdateScale for the subresource scale")
	}
	return a.track(obj, r.Live, s, r.Manager, opts, func(opts []crdkit.RequestOption) (*crdkit.Result, error) {
		return update(ctx, obj, r.Live, opts...)
	})
}

// track makes a request that changes obj in place, with an option that records the manager.
func (a *Applier) track(obj, live *unstructured.Unstructured, s subresource, manager string, opts []crdkit.RequestOption, request func([]crdkit.RequestOption) (*crdkit.Result, error)) (*Result, error) {
	if err := checkGoTypes(obj); err != nil {
		return nil, err
	}
	if res, err := a.check(live, manager, false); res != nil || err != nil {
		return res, err
	}
	res, err := request(append(opts[:len(opts):len(opts)], a.tracking(live, s, manager)))
	if err != nil {
		return nil, err
	}
	out := &Result{Result: res, Created: live == nil && res.Admitted()}
	if res.Err() != nil {
		return out, nil
	}
	out.Object, out.Unchanged = obj, live != nil && keepTimes(obj, live)
	return out, nil
}

// Patch is [patch.Patcher.Patch] for a manager, or [patch.Patcher.PatchStatus] if the subresource
// is "status". For the subresource "scale" it patches the Scale of the object, and the object of
// the result is the custom resource. [crdkit.Mutate] has no effect.
func (a *Applier) Patch(ctx context.Context, r Request, opts ...crdkit.RequestOption) (*Result, error) {
	s, err := r.check()
	if err != nil {
		return nil, err
	}
	do := patch.New(a.version).Patch
	switch s {
	case statusResource:
		do = patch.New(a.version).PatchStatus
	case scaleResource:
		return a.patchScale(ctx, &r, opts)
	}
	if res, err := a.check(r.Live, r.Manager, false); res != nil || err != nil {
		return res, err
	}
	res, err := do(ctx, r.Live, r.PatchType, r.Body, append(opts[:len(opts):len(opts)], a.tracking(r.Live, s, r.Manager))...)
	if err != nil {
		return nil, err
	}
	out := &Result{Result: res.Result, Object: res.Object}
	out.Unchanged = res.Object != nil && keepTimes(res.Object, r.Live)
	return out, nil
}

// tracking returns the option that records the manager. live is nil for a create.
func (a *Applier) tracking(live *unstructured.Unstructured, s subresource, manager string) crdkit.RequestOption {
	return crdkit.Mutate(func(ctx context.Context, obj *unstructured.Unstructured) error {
		f, err := a.manager(ctx, s, false)
		if err != nil {
			return err
		}
		before := a.newObject()
		if live != nil {
			before = stored(live)
		}
		t := newTimes(a.clock(), before, obj)
		t.hide(before)
		t.hide(obj)
		if _, err := f.Update(before, obj, manager); err != nil {
			obj.SetManagedFields(before.GetManagedFields()) // as the server does
		}
		t.restore(obj)
		return nil
	})
}

// storedUID is the uid that [stored] gives a live object without one.
const storedUID = "stored"

// stored returns a copy of a live object. A copy without a uid gets one, because every stored
// object has a uid.
func stored(live *unstructured.Unstructured) *unstructured.Unstructured {
	out := live.DeepCopy()
	if out.GetUID() == "" {
		out.SetUID(storedUID)
	}
	return out
}

// decodeConfig reads the body of an apply request. unique is true if no key is repeated.
func decodeConfig(body []byte) (config *unstructured.Unstructured, unique bool, refused error) {
	if len(body) > crdkit.MaxRequestBytes {
		return nil, false, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", crdkit.MaxRequestBytes))
	}
	if object, ok := decodeCanonical(string(body)); ok {
		return &unstructured.Unstructured{Object: object}, true, nil
	}
	if _, err := yaml.ToJSON(body); err != nil {
		return nil, false, apierrors.NewBadRequest(fmt.Sprintf("error encoding patch: %v", err))
	}
	config = &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(body, &config.Object); err != nil {
		return nil, false, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	return config, false, nil
}

// repeatedWarnings splits the complaint about repeated keys into the warnings of the server, one
// for each key.
func repeatedWarnings(complaint error) []string {
	if complaint == nil {
		return nil
	}
	_, list, found := strings.Cut(complaint.Error(), "yaml: unmarshal errors:\n")
	if !found {
		return []string{complaint.Error()}
	}
	lines := strings.Split(list, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// decodeCanonical reads JSON as the server's YAML decoder would. It declines text that YAML may
// read differently, and text that encoding/json would write differently.
func decodeCanonical(s string) (map[string]any, bool) {
	s = strings.TrimSuffix(s, "\n")
	v, _ := jsonscan.Decode(s)
	object, ok := v.(map[string]any)
	if !ok || !sameInYAML(object) {
		return nil, false
	}
	text, ok := jsonscan.Append(make([]byte, 0, len(s)), object)
	return object, ok && string(text) == s
}

const (
	maxYAMLKey = 150 // YAML allows 1,023 characters, and each may be an escape of 6 bytes
	// All decoders read a fraction of at most maxYAMLFraction bytes alike.
	maxYAMLFraction = 16
)

// sameInYAML reports whether YAML certainly reads a value like JSON. It accepts strings of
// printable ASCII and line breaks, integers and short fractions.
func sameInYAML(v any) bool {
	switch v := v.(type) {
	case string:
		return isPlain(v)
	case float64:
		text := string(jsonscan.AppendFloat(nil, v))
		return len(text) <= maxYAMLFraction && strings.Contains(text, ".") && !strings.Contains(text, "e")
	case []any:
		for _, item := range v {
			if !sameInYAML(item) {
				return false
			}
		}
	case map[string]any:
		for key, member := range v {
			if len(key) > maxYAMLKey || key == "<<" || !isPlain(key) || !sameInYAML(member) {
				return false
			}
		}
	}
	return true
}

func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}
