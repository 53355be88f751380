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
	// Unchanged is true if the request is admitted and the object is the live one: the
	// server does not write it and keeps its resourceVersion.
	Unchanged bool
	// Conflicts are fields of other managers, if they are why an apply is refused, in the
	// server's order.
	Conflicts []Conflict
}

// Apply applies a configuration for a manager. Check the verdict with [crdkit.Result.Err].
// live is nil if the object does not exist; Apply then creates it, with the name of the
// configuration. force takes the fields that other managers own. The server reads the
// configuration as YAML, and refuses what YAML does not allow: control characters, and keys
// of 1,024 characters or more.
//
// live must be at the version of the Applier. Neither object is changed, and the result
// shares no memory with them. A [crdkit.Mutate] step runs on the merged object.
//
// The error says why there is no verdict: ctx ended, an option has a value that does not
// exist, config is nil, or an object has a value of a Go type that JSON is not decoded
// to. A nil ctx never ends. Apply looks at ctx before and after structured-merge-diff
// merges, which takes time that grows with the square of the length of a list.
func (a *Applier) Apply(ctx context.Context, live, config *unstructured.Unstructured, manager string, force bool, opts ...crdkit.RequestOption) (*Result, error) {
	return a.applyObject(ctx, mainResource, live, config, manager, force, opts)
}

// ApplyStatus is [Applier.Apply] for the status subresource. It is an error if the
// version has none or if live is nil.
func (a *Applier) ApplyStatus(ctx context.Context, live, config *unstructured.Unstructured, manager string, force bool, opts ...crdkit.RequestOption) (*Result, error) {
	if live == nil {
		return nil, errors.New("apply: the live object is nil")
	}
	return a.applyObject(ctx, statusResource, live, config, manager, force, opts)
}

// applyObject makes the request of a client in Go: JSON, which the server reads as YAML.
func (a *Applier) applyObject(ctx context.Context, s subresource, live, config *unstructured.Unstructured, manager string, force bool, opts []crdkit.RequestOption) (*Result, error) {
	if config == nil || config.Object == nil {
		return nil, errors.New("apply: the configuration is nil")
	}
	if err := checkGoTypes(config); err != nil {
		return nil, err
	}
	body, err := encode(config.Object, 1<<10)
	if err != nil {
		return nil, err
	}
	return a.apply(ctx, s, live, body, crdkit.Ignore, manager, force, opts)
}

// ApplyYAML is [Applier.Apply] for the body of a request, YAML or JSON. Repeated keys are
// refused with [crdkit.Strict] and warned of with [crdkit.Warn], the default.
func (a *Applier) ApplyYAML(ctx context.Context, live *unstructured.Unstructured, body []byte, manager string, force bool, opts ...crdkit.RequestOption) (*Result, error) {
	fields, err := crdkit.FieldValidationOf(jsonOptions(opts)...)
	if err != nil {
		return nil, err
	}
	return a.apply(ctx, mainResource, live, body, fields, manager, force, opts)
}

func jsonOptions(opts []crdkit.RequestOption) []crdkit.JSONOption {
	var out []crdkit.JSONOption
	for _, opt := range opts {
		if opt != nil {
			out = append(out, opt)
		}
	}
	return out
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

// apply makes an apply request. fields says what repeated keys of the body do.
func (a *Applier) apply(ctx context.Context, s subresource, live *unstructured.Unstructured, body []byte, fields crdkit.FieldValidation, manager string, force bool, opts []crdkit.RequestOption) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if res, err := a.check(live, manager, true); res != nil || err != nil {
		return res, err
	}
	config, unique, refused := decodeConfig(body)
	if refused != nil {
		return a.refused(refused), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	obj, err := a.merge(ctx, s, live, config, manager, force)
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
	if !unique && fields != crdkit.Ignore {
		repeated = yaml.UnmarshalStrict(body, &map[string]any{})
	}
	if repeated != nil && fields == crdkit.Strict {
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

// check returns an error for a live object that was never stored, or the server's answer to
// a malformed manager.
func (a *Applier) check(live *unstructured.Unstructured, manager string, applies bool) (*Result, error) {
	if err := a.checkLive(live); err != nil {
		return nil, err
	}
	if err := checkManager(manager, applies); err != nil {
		return a.refused(err), nil
	}
	return nil, nil
}

// checkLive returns an error for wrong Go types, another version, or managers that
// [crdkit.Version.Read] drops.
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

// merge returns the merged object with its managers. The error is the server's answer.
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
		_, err = f.Apply(live.DeepCopy(), config, manager, force) // fails with the times of live in its text
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

// write judges the merged object and returns it as the server would.
func (a *Applier) write(ctx context.Context, s subresource, obj, live *unstructured.Unstructured, opts []crdkit.RequestOption) (*Result, error) {
	opts = append(opts[:len(opts):len(opts)], crdkit.Merged())
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
		out.Object = obj // reading it again changes nothing
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

// Update is [crdkit.Version.Update] for a manager: it records that the manager owns the
// fields that it changes. [crdkit.Mutate] has no effect.
func (a *Applier) Update(ctx context.Context, obj, live *unstructured.Unstructured, manager string, opts ...crdkit.RequestOption) (*Result, error) {
	return a.track(obj, live, mainResource, manager, opts, func(opts []crdkit.RequestOption) (*crdkit.Result, error) {
		return a.version.Update(ctx, obj, live, opts...)
	})
}

// UpdateStatus is [crdkit.Version.UpdateStatus] for a manager. [crdkit.Mutate] has no
// effect.
func (a *Applier) UpdateStatus(ctx context.Context, obj, live *unstructured.Unstructured, manager string, opts ...crdkit.RequestOption) (*Result, error) {
	return a.track(obj, live, statusResource, manager, opts, func(opts []crdkit.RequestOption) (*crdkit.Result, error) {
		return a.version.UpdateStatus(ctx, obj, live, opts...)
	})
}

// track makes a request that changes obj in place, and records its manager.
func (a *Applier) track(obj, live *unstructured.Unstructured, s subresource, manager string, opts []crdkit.RequestOption, do func([]crdkit.RequestOption) (*crdkit.Result, error)) (*Result, error) {
	if err := checkGoTypes(obj); err != nil {
		return nil, err
	}
	if res, err := a.check(live, manager, false); res != nil || err != nil {
		return res, err
	}
	res, err := do(append(opts[:len(opts):len(opts)], a.tracking(live, s, manager)))
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

// Patch is the Patch of [patch.Patcher] for a manager. [crdkit.Mutate] has no effect.
func (a *Applier) Patch(ctx context.Context, live *unstructured.Unstructured, patchType types.PatchType, body []byte, manager string, opts ...crdkit.RequestOption) (*Result, error) {
	return a.patch(ctx, patch.New(a.version).Patch, mainResource, live, patchType, body, manager, opts)
}

// PatchStatus is [Applier.Patch] for the status subresource.
func (a *Applier) PatchStatus(ctx context.Context, live *unstructured.Unstructured, patchType types.PatchType, body []byte, manager string, opts ...crdkit.RequestOption) (*Result, error) {
	return a.patch(ctx, patch.New(a.version).PatchStatus, statusResource, live, patchType, body, manager, opts)
}

type patcher func(context.Context, *unstructured.Unstructured, types.PatchType, []byte, ...crdkit.RequestOption) (*patch.Result, error)

func (a *Applier) patch(ctx context.Context, do patcher, s subresource, live *unstructured.Unstructured, patchType types.PatchType, body []byte, manager string, opts []crdkit.RequestOption) (*Result, error) {
	if res, err := a.check(live, manager, false); res != nil || err != nil {
		return res, err
	}
	res, err := do(ctx, live, patchType, body, append(opts[:len(opts):len(opts)], a.tracking(live, s, manager))...)
	if err != nil {
		return nil, err
	}
	out := &Result{Result: res.Result, Object: res.Object}
	out.Unchanged = res.Object != nil && keepTimes(res.Object, live)
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

// storedUID is the uid of a live object that has none.
const storedUID = "stored"

// stored returns a copy of a live object with a uid, which objects in a store have.
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

// repeatedWarnings returns the warnings of the server for a complaint, one for each key.
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

// decodeCanonical reads JSON as the server's YAML decoder would. It declines what the two
// may read differently, and what encoding/json does not write.
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
	maxYAMLKey = 150 // a key in YAML has less than 1024 characters, and may be spelled with escapes
	// maxYAMLFraction is the length of a fraction that no decoder rounds.
	maxYAMLFraction = 16
)

// sameInYAML reports whether a value is certainly the same in YAML: printable ASCII and
// line breaks, integers and short fractions.
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
