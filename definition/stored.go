package definition

import (
	"errors"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// StoredDefinition returns a definition as kube-apiserver stores it when it
// accepts it, and as kubectl get shows it before any controller has looked at
// it: with defaults ([SetDefaults]), and in the spelling that is left when
// the server has decoded and encoded it. What a client says of the status is
// gone. Its generation is 1, or one more than that of the definition old which
// it replaces if the spec changed. The storage version is one of the stored
// versions, beside those that old has.
//
// The definition old, nil for a new one, is taken as it was stored. What only a
// server can give is not there unless old has it: metadata.uid,
// creationTimestamp, resourceVersion and managedFields. Neither argument is
// changed, and the result shares no memory with them. Whether the server accepts
// the definition is said by [Check] and [CheckUpdate], and what controllers add
// to the status by [ReconciledStatus].
//
// The error, which no definition from [Parse] has, says that a literal in a
// schema is not JSON. A nil crd is stored as nil.
func StoredDefinition(crd, old *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	if crd == nil {
		return nil, nil
	}
	if old == nil {
		out := prepareCreate(crd)
		dropDuplicateOwners(out)
		stored, _, err := normalize(out, nil)
		return stored, err
	}
	old = withDefaults(old)
	out := prepareUpdate(crd, old)
	dropDuplicateOwners(out)
	out.ResourceVersion = old.ResourceVersion
	stored, changed, err := normalize(out, old)
	if err != nil {
		return nil, err
	}
	if changed {
		stored.Generation++
	}
	return stored, nil
}

// StoredStatus returns a definition as kube-apiserver stores it after a write to
// its status subresource: old with the status and the metadata of crd, as far as
// clients can change them. Whether the server accepts it is said by
// [CheckStatus].
//
// Neither argument is changed, and the result shares no memory with them. It is
// an error if one of them is nil.
func StoredStatus(crd, old *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	if crd == nil || old == nil {
		return nil, errors.New("crdkit: the definition is nil")
	}
	old = withDefaults(old)
	out := prepareStatus(crd, old)
	dropDuplicateOwners(out)
	out.ResourceVersion = old.ResourceVersion
	stored, _, err := normalize(out, nil)
	return stored, err
}
