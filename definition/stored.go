package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

var errNil = errors.New("crdkit: the definition is nil")

// StoredDefinition returns a definition as kube-apiserver stores it after accepting it, and as
// kubectl get shows it before a controller has run:
//
//   - Defaults are set ([SetDefaults]). Metadata in defaults of schemas has the form of ObjectMeta.
//   - Values are spelled as the server's decoding and encoding leave them.
//   - The status that the client sent is dropped. The storage version is added to old's stored
//     versions.
//   - The generation is 1, or old's plus one if the spec changed.
//
// old is the stored definition that crd replaces, or nil for a new one. Only a server can give
// metadata.uid, creationTimestamp, resourceVersion and managedFields: they are missing unless old
// has them. Neither argument is changed, and the result shares no memory with them. The result has
// no meaning for a definition that [Check] or [CheckUpdate] refuses. [ReconciledStatus] returns
// what controllers add to the status.
//
// StoredDefinition returns an error if crd is nil, or if a literal in a schema is not JSON.
// Definitions from [Parse] only have JSON literals.
func StoredDefinition(crd, old *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	if crd == nil {
		return nil, errNil
	}
	var out *apiextensionsv1.CustomResourceDefinition
	if old == nil {
		out = prepareCreate(crd)
	} else {
		old = withDefaults(old)
		out = prepareUpdate(crd, old)
		out.ResourceVersion = old.ResourceVersion
	}
	dropDuplicateOwners(out)
	stored, changed, err := normalize(out, old)
	if err != nil {
		return nil, err
	}
	if old != nil && changed {
		stored.Generation++
	}
	coerceDefaults(stored)
	return stored, nil
}

// StoredStatus returns a definition as kube-apiserver stores it after a write to its status
// subresource: old with the status of crd, and with the metadata of crd that clients can change.
// [CheckStatus] says whether the server accepts the write.
//
// Neither argument is changed, and the result shares no memory with them. If one of them is nil,
// StoredStatus returns an error.
func StoredStatus(crd, old *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	if crd == nil || old == nil {
		return nil, errNil
	}
	old = withDefaults(old)
	out := prepareStatus(crd, old)
	dropDuplicateOwners(out)
	out.ResourceVersion = old.ResourceVersion
	stored, _, err := normalize(out, nil)
	return stored, err
}

// coerceDefaults brings the metadata of resources in defaults into the form of ObjectMeta, as the
// server does when it validates the definition. It removes unknown and null fields, empty
// finalizers and a null creationTimestamp. A schema that does not compile is left alone.
func coerceDefaults(crd *apiextensionsv1.CustomResourceDefinition) {
	facts, errs := factsOf(crd, &visitor{})
	if len(errs) > 0 {
		return
	}
	nodes := make([]*schema.Node, len(crd.Spec.Versions)) // nil if nothing changes
	for i := range crd.Spec.Versions {
		root := crdversion.Schema(&crd.Spec.Versions[i])
		if !facts[i].defaults {
			continue
		}
		n, errs := schema.Compile(root, schemaopt.WithoutAnnotations{})
		if len(errs) > 0 {
			return
		}
		if root.Default != nil || n.Facts().Has(schema.HasEmbedded) {
			nodes[i] = n
		}
	}
	for i, n := range nodes {
		if n != nil {
			w := defaultWalk{each: coerceDefault}
			w.walk(n, crdversion.Schema(&crd.Spec.Versions[i]), nil)
		}
	}
}

func coerceDefault(d *defaultValue) bool {
	value := jsonval.Clone(d.value)
	if _, err := d.embedded(nil).Coerce(value, objectmeta.Options{}); d.meta || err != nil || jsonval.Equal(value, d.value) {
		return true
	}
	if raw, err := json.Marshal(value); err == nil {
		d.props.Default.Raw = raw
	}
	return true
}

// normalize returns a copy of crd, converted to the server's internal type and back. changed says
// whether the spec differs from old; it is true if old is nil. Both definitions must have their
// defaults.
func normalize(crd, old *apiextensionsv1.CustomResourceDefinition) (out *apiextensionsv1.CustomResourceDefinition, changed bool, err error) {
	internal, err := internalOf(crd)
	if err != nil {
		return nil, false, err
	}
	changed = true
	if old != nil {
		before, err := internalOf(old)
		if err != nil {
			return nil, false, err
		}
		changed = !equality.Semantic.DeepEqual(before.Spec, internal.Spec)
	}
	shared := &apiextensionsv1.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(internal, shared, nil); err != nil {
		return nil, false, fmt.Errorf("crdkit: %s: %w", titleOf(crd.Name), err)
	}
	shared.TypeMeta = metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}
	return shared.DeepCopy(), changed, nil
}

func internalOf(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	out := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, out, nil); err != nil {
		return nil, fmt.Errorf("crdkit: %s: %w", titleOf(crd.Name), err)
	}
	return out, nil
}

// StoredVersions returns status.storedVersions of crd after the server has accepted it in place of
// old. old is nil for a new definition. A nil crd adds no version. The status of crd is ignored, as
// by the server. The result belongs to the caller.
//
// The server never removes a version. A client that has rewritten all objects removes it with an
// update of the status subresource.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#previous-storage-versions.
func StoredVersions(crd, old *apiextensionsv1.CustomResourceDefinition) []string {
	var stored []string
	if old != nil {
		stored = slices.Clone(old.Status.StoredVersions)
	}
	if v := crdversion.Storage(crd); v != nil && !slices.Contains(stored, v.Name) {
		stored = append(stored, v.Name)
	}
	return stored
}

// SetDefaults sets the defaults of kube-apiserver in crd: the singular name, the kind of
// lists, the conversion strategy None, the port of a webhook's service, and the storage
// version as the only stored version of the status. It changes crd in place and keeps all
// values that are set. It does nothing if crd is nil.
//
// See https://kubernetes.io/docs/reference/kubernetes-api/extend-resources/custom-resource-definition-v1/.
func SetDefaults(crd *apiextensionsv1.CustomResourceDefinition) {
	if crd == nil {
		return
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd)
}

func service(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.ServiceReference {
	c := crd.Spec.Conversion
	if c == nil || c.Webhook == nil || c.Webhook.ClientConfig == nil {
		return nil
	}
	return c.Webhook.ClientConfig.Service
}

// withDefaults returns a copy of crd with defaults. It shares unchanged parts with crd.
func withDefaults(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	return copyWithDefaults(crd, crd.Status)
}

func copyWithDefaults(crd *apiextensionsv1.CustomResourceDefinition, status apiextensionsv1.CustomResourceDefinitionStatus) *apiextensionsv1.CustomResourceDefinition {
	out := *crd
	out.Status = status
	out.Status.StoredVersions = slices.Clip(status.StoredVersions) // SetDefaults appends
	if s := service(crd); s != nil && s.Port == nil {
		out.Spec.Conversion = crd.Spec.Conversion.DeepCopy()
	}
	SetDefaults(&out)
	return &out
}

func prepareCreate(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	stored := apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: StoredVersions(crd, nil)}
	out := copyWithDefaults(crd, stored)
	out.Generation = 1
	//lint:ignore SA1019 The server still removes the selfLink of a client.
	out.UID, out.SelfLink = "", ""
	out.CreationTimestamp, out.DeletionTimestamp, out.DeletionGracePeriodSeconds = metav1.Time{}, nil, nil
	return out
}

// prepareUpdate returns crd as the server validates it in place of old. old must have its defaults.
func prepareUpdate(crd, old *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := withDefaults(crd)
	out.Status = old.Status
	out.Status.StoredVersions = StoredVersions(crd, old)
	out.Generation = old.Generation
	if out.UID == "" {
		out.UID = old.UID
	}
	if out.ResourceVersion == "" {
		// A client sends the version that it has read. If old has none, any version is accepted.
		if out.ResourceVersion = old.ResourceVersion; out.ResourceVersion == "" {
			out.ResourceVersion = "1"
		}
	}
	if !old.CreationTimestamp.IsZero() {
		out.CreationTimestamp = old.CreationTimestamp
	}
	if !old.DeletionTimestamp.IsZero() {
		out.DeletionTimestamp = old.DeletionTimestamp
	}
	if out.DeletionGracePeriodSeconds == nil {
		out.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	}
	return out
}

// prepareStatus returns crd as the server validates a write of its status to old. old must have its
// defaults.
func prepareStatus(crd, old *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := prepareUpdate(crd, old)
	out.Spec, out.Status = old.Spec, withDefaults(crd).Status
	return out
}
