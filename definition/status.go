package definition

import (
	"reflect"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// ReconciledStatus returns the status that the controllers of kube-apiserver give
// a definition among others that the server has, once there is nothing more for
// them to do: the names that it gets, the conditions NamesAccepted, Established,
// NonStructuralSchema and KubernetesAPIApprovalPolicyConformant, and the stored
// versions. A definition under deletion is not told from others.
//
// The definition is taken to be accepted and stored, see [Check] and
// [StoredDefinition]; the status that it has counts as what it was. Others have
// the names that their status says, and, if that has neither names nor
// conditions, all that they ask for, since files have no status. One of the
// definition's own name is left out. None of them is changed, and the result
// shares no memory with them.
//
// The server does not judge names again that were accepted as they are asked
// for: with these in the status but no condition NamesAccepted, a definition
// gets neither that condition nor Established.
//
// Conditions that there were stay in their place, and new ones follow in the
// order above. There is no clock: the lastTransitionTime of a condition whose
// status did not change stays, and that of others is zero.
//
// A nil crd has an empty status. ReconciledStatus may be called from several
// goroutines.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#create-a-customresourcedefinition.
func ReconciledStatus(crd *apiextensionsv1.CustomResourceDefinition, others ...*apiextensionsv1.CustomResourceDefinition) apiextensionsv1.CustomResourceDefinitionStatus {
	if crd == nil {
		return apiextensionsv1.CustomResourceDefinitionStatus{}
	}
	crd = withDefaults(crd)
	status := *crd.Status.DeepCopy()
	settleNames(crd, &status, others)
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

// settleNames sets the accepted names and the conditions NamesAccepted and
// Established. What the first look changes can change what a second one says,
// since a definition claims the names that it has, too.
func settleNames(crd *apiextensionsv1.CustomResourceDefinition, status *apiextensionsv1.CustomResourceDefinitionStatus, others []*apiextensionsv1.CustomResourceDefinition) {
	for judgeNames(crd, status, others) {
	}
	if isTrue(findCondition(status, apiextensionsv1.NamesAccepted)) {
		setCondition(status, establishedCondition(crd, findCondition(status, apiextensionsv1.Established), true))
	}
}

// judgeNames reports whether it changed anything. A definition that has all
// names that it asks for is left alone. Each time a name changes it is the one
// that is asked for, so that there is an end to it.
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

// claimed are the names that definitions of the group have.
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

// claimedNames returns the names that a definition has.
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

// setCondition puts a condition in the place of the one of its type. Its time is
// that of the last one if the status did not change.
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
