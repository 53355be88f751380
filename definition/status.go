package definition

import (
	"reflect"
	"slices"

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
	status := *crd.Status.DeepCopy()
	reconcileNames(crd, &status, others)
	if c := nonStructuralCondition(crd); c != nil {
		setCondition(&status, *c)
	} else {
		status.Conditions = slices.DeleteFunc(status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return c.Type == apiextensionsv1.NonStructuralSchema
		})
	}
	if c := approvalCondition(crd); c != nil {
		setCondition(&status, *c)
	}
	return status
}

// reconcileNames sets the accepted names and the conditions NamesAccepted and Established.
// It repeats until nothing changes, since a definition also claims its own names.
func reconcileNames(crd *apiextensionsv1.CustomResourceDefinition, status *apiextensionsv1.CustomResourceDefinitionStatus, others []*apiextensionsv1.CustomResourceDefinition) {
	for judgeNames(crd, status, others) {
	}
	if isTrue(findCondition(status, apiextensionsv1.NamesAccepted)) {
		setCondition(status, establishedCondition(crd, findCondition(status, apiextensionsv1.Established), true))
	}
}

// judgeNames reports whether it changed anything. It does nothing if the definition has all
// names that it asks for. Every change sets a name that is asked for, so the repetition
// ends.
func judgeNames(crd *apiextensionsv1.CustomResourceDefinition, status *apiextensionsv1.CustomResourceDefinitionStatus, others []*apiextensionsv1.CustomResourceDefinition) bool {
	if sameNames(&crd.Spec.Names, &status.AcceptedNames) {
		return false
	}
	now := *crd
	now.Status = *status
	names, accepted := acceptNames(&now, claimed(&now, others))
	before := findCondition(status, apiextensionsv1.NamesAccepted)
	if before != nil && before.Status == accepted.Status && before.Reason == accepted.Reason && before.Message == accepted.Message &&
		reflect.DeepEqual(names, status.AcceptedNames) {
		return false
	}
	status.AcceptedNames = names
	setCondition(status, accepted)
	setCondition(status, establishedCondition(crd, findCondition(status, apiextensionsv1.Established), isTrue(&accepted)))
	return true
}

func isTrue(c *apiextensionsv1.CustomResourceDefinitionCondition) bool {
	return c != nil && c.Status == apiextensionsv1.ConditionTrue
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

func findCondition(s *apiextensionsv1.CustomResourceDefinitionStatus, typ apiextensionsv1.CustomResourceDefinitionConditionType) *apiextensionsv1.CustomResourceDefinitionCondition {
	for i := range s.Conditions {
		if s.Conditions[i].Type == typ {
			return &s.Conditions[i]
		}
	}
	return nil
}

// setCondition replaces the condition of the same type. It keeps lastTransitionTime if the
// status does not change.
func setCondition(s *apiextensionsv1.CustomResourceDefinitionStatus, c apiextensionsv1.CustomResourceDefinitionCondition) {
	before := findCondition(s, c.Type)
	if before == nil {
		s.Conditions = append(s.Conditions, c)
		return
	}
	if before.Status == c.Status {
		c.LastTransitionTime = before.LastTransitionTime
	}
	c.ObservedGeneration = before.ObservedGeneration
	*before = c
}
