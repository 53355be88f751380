package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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

// service returns the service of the conversion webhook, nil if there is none.
func service(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.ServiceReference {
	c := crd.Spec.Conversion
	if c == nil || c.Webhook == nil || c.Webhook.ClientConfig == nil {
		return nil
	}
	return c.Webhook.ClientConfig.Service
}

// withDefaults returns a copy of crd with defaults set, which shares unchanged parts.
func withDefaults(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	return copyWithDefaults(crd, crd.Status)
}

// copyWithDefaults is withDefaults for crd with that status.
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

// prepareCreate returns crd as the server validates it when it is created.
func prepareCreate(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	stored := apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: StoredVersions(crd, nil)}
	out := copyWithDefaults(crd, stored)
	out.Generation = 1
	//lint:ignore SA1019 The server still takes it from what clients send.
	out.UID, out.SelfLink = "", ""
	out.CreationTimestamp, out.DeletionTimestamp, out.DeletionGracePeriodSeconds = metav1.Time{}, nil, nil
	return out
}

// prepareUpdate returns crd as the server validates it in place of old, which has defaults.
func prepareUpdate(crd, old *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := withDefaults(crd)
	out.Status = old.Status
	out.Status.StoredVersions = StoredVersions(crd, old)
	out.Generation = old.Generation
	if out.UID == "" {
		out.UID = old.UID
	}
	if out.ResourceVersion == "" {
		// A client sends the version that it has read. Any will do if old was never stored.
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

// prepareStatus returns crd as the server validates it as the status of old, which has
// defaults.
func prepareStatus(crd, old *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := prepareUpdate(crd, old)
	out.Spec, out.Status = old.Spec, withDefaults(crd).Status
	return out
}
