package upstream

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	storeerr "k8s.io/apiserver/pkg/storage/errors"
	"k8s.io/apiserver/pkg/warning"
)

// A Body is the body of a request and its options.
type Body struct {
	Data []byte
	YAML bool
	// Fields is the directive of field validation: Strict, Warn or Ignore.
	Fields string
}

// Create runs a POST up to the point where the server writes the object.
func (v *Version) Create(body Body) Outcome {
	return v.request(body, func(ctx context.Context, u *unstructured.Unstructured, out *Outcome) error {
		rest.WipeObjectMetaSystemFields(u)
		if err := v.enterNamespace(u, u.GetNamespace()); err != nil {
			return err
		}
		dedupOwners(ctx, u)
		manage(u, &unstructured.Unstructured{}, false)
		generated := generateName(u)
		v.strategy.PrepareForCreate(ctx, u)
		out.Errors = rest.ValidateCreate(ctx, u, v.strategy)
		if generated {
			u.SetName("")
		}
		if len(out.Errors) == 0 {
			warn(ctx, v.strategy.WarningsOnCreate(ctx, u))
		}
		return nil
	})
}

// manage sets the managed fields of an object to those to which the field manager adds that
// of the request, which there is none of.
func manage(u, old *unstructured.Unstructured, status bool) {
	sent := u.GetManagedFields()
	if len(sent) == 1 && apiequality.Semantic.DeepEqual(sent[0], metav1.ManagedFieldsEntry{}) && !status {
		u.SetManagedFields(nil)
		return
	}
	if len(sent) > 0 && managedfields.ValidateManagedFields(sent) == nil && !status {
		return
	}
	kept := old.GetManagedFields()
	if managedfields.ValidateManagedFields(kept) != nil {
		kept = nil
	}
	if len(sent) > 0 || len(kept) > 0 {
		u.SetManagedFields(kept)
	}
}

// generateName gives an object with generateName a fixed name in place of the server's
// random name, and reports whether it did.
func generateName(u *unstructured.Unstructured) bool {
	const suffix = "00000"
	base := u.GetGenerateName()
	if base == "" || u.GetName() != "" {
		return false
	}
	u.SetName(base[:min(len(base), 63-len(suffix))] + suffix)
	return true
}

// Update runs a PUT over old, which is an object that Read returned.
func (v *Version) Update(body Body, old map[string]any) Outcome {
	return v.update(body, old, v.strategy, false)
}

// UpdateStatus runs a PUT of the status subresource.
func (v *Version) UpdateStatus(body Body, old map[string]any) Outcome {
	return v.update(body, old, v.onStatus, true)
}

func (v *Version) update(body Body, old map[string]any, strategy rest.RESTUpdateStrategy, status bool) Outcome {
	return v.request(body, func(ctx context.Context, u *unstructured.Unstructured, out *Outcome) error {
		stored := (&unstructured.Unstructured{Object: old}).DeepCopy()
		if err := v.enterNamespace(u, stored.GetNamespace()); err != nil {
			return err
		}
		if err := checkName(u, stored.GetName()); err != nil {
			return err
		}
		dedupOwners(ctx, u)
		if err := v.checkState(u, stored); err != nil {
			return err
		}
		manage(u, stored, status)
		u.SetGeneration(stored.GetGeneration())
		strategy.PrepareForUpdate(ctx, u, stored)
		keepSystemFields(u, stored)
		out.Errors = rest.ValidateUpdate(ctx, u, stored, strategy)
		if len(out.Errors) == 0 {
			warn(ctx, strategy.WarningsOnUpdate(ctx, u, stored))
		}
		return nil
	})
}

// keepSystemFields does the part of rest.BeforeUpdate between preparation and
// validation.
func keepSystemFields(u, old *unstructured.Unstructured) {
	unstructured.RemoveNestedField(u.Object, "metadata", "selfLink") // by the store
	if u.GetUID() == "" {
		u.SetUID(old.GetUID())
	}
	if created := old.GetCreationTimestamp(); !created.IsZero() {
		u.SetCreationTimestamp(created)
	}
	if deleted := old.GetDeletionTimestamp(); !deleted.IsZero() {
		u.SetDeletionTimestamp(deleted)
	}
	if grace := old.GetDeletionGracePeriodSeconds(); grace != nil && u.GetDeletionGracePeriodSeconds() == nil {
		u.SetDeletionGracePeriodSeconds(grace)
	}
}

// Read decodes a stored object of any version and converts it to v, as for a client.
func (v *Version) Read(stored []byte) Outcome {
	return Catch(func() Outcome {
		into, _ := creator{}.New(v.Kind)
		obj, _, err := v.storageDecoder().Decode(stored, nil, into)
		if err != nil {
			return Outcome{Refusal: err.Error()}
		}
		return Outcome{Object: obj.(*unstructured.Unstructured).Object}
	})
}

// request decodes a body and runs do on the object.
func (v *Version) request(body Body, do func(context.Context, *unstructured.Unstructured, *Outcome) error) Outcome {
	recorder := &recorder{}
	ctx := recorder.attach(context.Background())
	if v.warning != "" {
		warning.AddWarning(ctx, "", v.warning)
	}
	out := Catch(func() Outcome {
		u, err := v.decode(ctx, body)
		if err != nil {
			return Outcome{Refusal: err.Error()}
		}
		out := Outcome{}
		if err := do(ctx, u, &out); err != nil {
			return Outcome{Refusal: err.Error()}
		}
		out.Object = u.Object
		return out
	})
	out.Warnings = recorder.texts
	return out
}

func (v *Version) decode(ctx context.Context, body Body) (*unstructured.Unstructured, error) {
	want := v.Kind
	original, _ := creator{}.New(v.Kind)
	strict := body.Fields != metav1.FieldValidationIgnore
	obj, gvk, err := v.requestDecoder(strict, body.YAML).Decode(body.Data, &want, original)
	if err != nil {
		complaints, ok := runtime.AsStrictDecodingError(err)
		if !ok || obj == nil || body.Fields == metav1.FieldValidationStrict {
			return nil, v.undecodable(err, original, gvk, body.Data)
		}
		for _, e := range complaints.Errors() {
			warning.AddWarning(ctx, "", e.Error())
		}
	}
	if gv := gvk.GroupVersion(); gv != v.Kind.GroupVersion() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%v)", gv, v.Kind.GroupVersion()))
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, errors.New("not unstructured")
	}
	return u, nil
}

// undecodable returns the answer to a body that cannot be decoded.
func (v *Version) undecodable(cause error, into runtime.Object, gvk *schema.GroupVersionKind, body []byte) error {
	kinds, _, err := v.typer.ObjectKinds(into)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if gvk != nil && gvk.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, kinds[0].Kind, cause))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kinds[0].Kind, cause, summary(body)))
}

func summary(body []byte) string {
	const most = 30
	switch {
	case len(body) == 0:
		return "<empty>"
	case body[0] == '{' && len(body) > most:
		return string(body[:most]) + " ..."
	case body[0] == '{':
		return string(body)
	case len(body) > most:
		return hex.EncodeToString(body[:most]) + " ..."
	}
	return hex.EncodeToString(body)
}

// checkName refuses an object whose name differs from the name in the URL.
func checkName(u *unstructured.Unstructured, name string) error {
	switch got := u.GetName(); got {
	case name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: %v", name, "name must be provided"))
	default:
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", got, name))
	}
}

// checkState refuses an update of another object, or one that was made from another state
// of the object. It checks nothing if the objects have no state, because there is no store.
func (v *Version) checkState(u, old *unstructured.Unstructured) error {
	resource := schema.GroupResource{Group: v.Kind.Group, Resource: v.Definition.CRD.Spec.Names.Plural}
	if u.GetUID() != "" && old.GetUID() != "" {
		key := path.Join("/registry", resource.Group, resource.Resource, u.GetNamespace(), u.GetName())
		if err := storage.NewUIDPreconditions(string(u.GetUID())).Check(key, old); err != nil {
			return storeerr.InterpretUpdateError(err, resource, u.GetName())
		}
	}
	switch got, want := u.GetResourceVersion(), old.GetResourceVersion(); {
	case got == "":
		u.SetResourceVersion(want)
	case want != "" && got != want:
		versioner := storage.APIObjectVersioner{}
		if had, err := versioner.ObjectResourceVersion(old); err == nil && had != 0 {
			has, err := versioner.ObjectResourceVersion(u)
			if err != nil || has == had {
				return err
			}
			if has == 0 {
				kind := schema.GroupKind{Group: resource.Group, Kind: resource.Resource}
				return apierrors.NewInvalid(kind, u.GetName(), field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), has, "must be specified for an update")})
			}
		}
		return apierrors.NewConflict(resource, u.GetName(), errors.New(registry.OptimisticLockErrorMsg))
	}
	return nil
}

func (v *Version) enterNamespace(u *unstructured.Unstructured, namespace string) error {
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	accessor, err := meta.Accessor(u)
	if err != nil {
		return nil // the server looks at namespaces only where there is metadata
	}
	return rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForScope(namespace, v.namespaced), accessor)
}

// dedupOwners drops duplicate owner references, as the handlers do.
func dedupOwners(ctx context.Context, u *unstructured.Unstructured) {
	warn(ctx, UniqueOwners(u))
}

// UniqueOwners drops duplicate owner references, as the handlers do, and returns the
// warnings.
func UniqueOwners(obj metav1.Object) []string {
	var kept []metav1.OwnerReference
	var twice []string
	for _, ref := range obj.GetOwnerReferences() {
		known := false
		for _, other := range kept {
			known = known || other.UID == ref.UID && apiequality.Semantic.DeepEqual(other, ref)
		}
		if known {
			twice = append(twice, string(ref.UID))
			continue
		}
		kept = append(kept, ref)
	}
	if len(twice) == 0 {
		return nil
	}
	obj.SetOwnerReferences(kept)
	return []string{fmt.Sprintf(handlers.DuplicateOwnerReferencesWarningFormat, strings.Join(twice, ", "))}
}

func warn(ctx context.Context, texts []string) {
	for _, text := range texts {
		warning.AddWarning(ctx, "", text)
	}
}
