package definition

import (
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// ReconciledStatus returns the status that the controllers of kube-apiserver give a
// definition among the other definitions of a server, once they have nothing more to do:
// the accepted names, the conditions NamesAccepted, Established, NonStructuralSchema and
// KubernetesAPIApprovalPolicyConformant, and the stored versions. It does not handle
// definitions that are being deleted.
//
// crd is taken to be accepted and stored, see [Check] and [StoredDefinition]. Its status is
// the previous status. Other definitions have the names in their status. If their status
// has neither names nor conditions, as in files, they have all names that they ask for. A
// definition with the name of crd and a nil one are skipped. None is changed, and the
// result shares no memory with them.
//
// The server does not judge accepted names again that equal the names asked for. If the
// status has such names but no condition NamesAccepted, the definition gets neither that
// condition nor Established.
//
// Existing conditions keep their order, and new ones follow in the order above. There is no
// clock: lastTransitionTime stays if the status of the condition does not change, and is
// zero otherwise.
//
// The status of a nil crd is empty. ReconciledStatus may be called from several goroutines.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#create-a-customresourcedefinition.
func ReconciledStatus(crd *apiextensionsv1.CustomResourceDefinition, others ...*apiextensionsv1.CustomResourceDefinition) apiextensionsv1.CustomResourceDefinitionStatus {
	if crd == nil {
		return apiextensionsv1.CustomResourceDefinitionStatus{}
	}
	crd = withDefaults(crd)
	crd.Status = *crd.Status.DeepCopy()
	for acceptMoreNames(crd, others) {
	}
	if apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.NamesAccepted) {
		setCondition(crd, establishedCondition(crd, true))
	}
	if c := nonStructuralCondition(crd); c != nil {
		setCondition(crd, *c)
	} else {
		crd.Status.Conditions = slices.DeleteFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return c.Type == apiextensionsv1.NonStructuralSchema
		})
	}
	if c := approvalCondition(crd); c != nil {
		setCondition(crd, *c)
	}
	return crd.Status
}

// acceptMoreNames sets the accepted names and the conditions NamesAccepted and Established. It
// reports whether it changed anything. It does nothing if the definition has all names that
// it asks for. Since a definition also claims its own names, it is called until nothing
// changes. Every change sets a name that is asked for, so that ends.
func acceptMoreNames(crd *apiextensionsv1.CustomResourceDefinition, others []*apiextensionsv1.CustomResourceDefinition) bool {
	if sameNames(&crd.Spec.Names, &crd.Status.AcceptedNames) {
		return false
	}
	names, accepted := acceptNames(crd, claimed(crd, others))
	before := apihelpers.FindCRDCondition(crd, apiextensionsv1.NamesAccepted)
	if apihelpers.IsCRDConditionEquivalent(&accepted, before) && reflect.DeepEqual(names, crd.Status.AcceptedNames) {
		return false
	}
	crd.Status.AcceptedNames = names
	setCondition(crd, accepted)
	setCondition(crd, establishedCondition(crd, accepted.Status == apiextensionsv1.ConditionTrue))
	return true
}

// claimed returns the names that the definitions of the group use.
func claimed(crd *apiextensionsv1.CustomResourceDefinition, others []*apiextensionsv1.CustomResourceDefinition) claims {
	var out claims
	out.add(&crd.Status.AcceptedNames)
	for _, other := range others {
		if other == nil || other.Name == crd.Name || other.Spec.Group != crd.Spec.Group {
			continue
		}
		out.add(claimedNames(other))
	}
	return out
}

// claimedNames returns the names that a definition uses.
func claimedNames(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionNames {
	had := &crd.Status.AcceptedNames
	if len(crd.Status.Conditions) > 0 || !sameNames(had, &apiextensionsv1.CustomResourceDefinitionNames{}) {
		return had
	}
	return &withDefaults(crd).Spec.Names
}

// setCondition replaces the condition of the same type. It keeps lastTransitionTime if the
// status does not change.
func setCondition(crd *apiextensionsv1.CustomResourceDefinition, c apiextensionsv1.CustomResourceDefinitionCondition) {
	before := apihelpers.FindCRDCondition(crd, c.Type)
	if before == nil {
		crd.Status.Conditions = append(crd.Status.Conditions, c)
		return
	}
	if before.Status == c.Status {
		c.LastTransitionTime = before.LastTransitionTime
	}
	c.ObservedGeneration = before.ObservedGeneration
	*before = c
}
