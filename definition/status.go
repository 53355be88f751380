package definition

import (
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// ReconciledStatus returns the status that the controllers of kube-apiserver finally give crd.
// others are the other definitions of the server. The status has the accepted names, the stored
// versions, and the conditions NamesAccepted, Established, NonStructuralSchema and
// KubernetesAPIApprovalPolicyConformant. It does not handle definitions that are being deleted.
//
// crd must be accepted and stored, see [Check] and [StoredDefinition]. Its status is the previous
// status. The other definitions have the accepted names in their status. If a status has neither
// names nor conditions, as in a file, its definition has all names that it asks for. A nil
// definition and a definition with the name of crd are skipped. No argument is changed, and the
// result shares no memory with the arguments.
//
// Existing conditions keep their order, and new ones follow in the order above. There is no clock:
// lastTransitionTime stays if the status of the condition does not change, and is zero otherwise.
//
// The status of a nil crd is empty.
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

// acceptMoreNames sets accepted names and the conditions NamesAccepted and Established, and reports
// whether anything changed. An accepted name may conflict with other names of crd. So the caller
// repeats the call until nothing changes.
func acceptMoreNames(crd *apiextensionsv1.CustomResourceDefinition, others []*apiextensionsv1.CustomResourceDefinition) bool {
	if equality.Semantic.DeepEqual(crd.Spec.Names, crd.Status.AcceptedNames) {
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

func claimedNames(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionNames {
	had := &crd.Status.AcceptedNames
	if len(crd.Status.Conditions) > 0 || !equality.Semantic.DeepEqual(*had, apiextensionsv1.CustomResourceDefinitionNames{}) {
		return had
	}
	return &withDefaults(crd).Spec.Names
}

// setCondition adds c, or replaces the condition of its type. The lastTransitionTime stays if the
// condition's status does.
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

// The conditions that controllers of the server write, without times.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema

// nonStructuralCondition returns the condition NonStructuralSchema, or nil if all schemas are
// structural.
func nonStructuralCondition(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionCondition {
	c := &apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.NonStructuralSchema}
	var errs field.ErrorList
	if crd.Spec.PreserveUnknownFields {
		errs = append(errs, field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true, "must be false"))
	}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		_, found := schema.Compile(v.Schema.OpenAPIV3Schema, schema.AtPath(path), schemaopt.WithoutAnnotations{})
		if len(found) == 1 && isInconvertible(found[0], path) {
			c.Status, c.Reason = apiextensionsv1.ConditionUnknown, "StructuralError"
			c.Message = fmt.Sprintf("failed to check validation schema for version %s: %s", v.Name, found[0].Detail)
			return c
		}
		errs = append(errs, found...)
	}
	if len(errs) == 0 {
		return nil
	}
	c.Status, c.Reason, c.Message = apiextensionsv1.ConditionTrue, "Violations", errorlist.Of(errs).Error()
	return c
}

// approvalCondition returns KubernetesAPIApprovalPolicyConformant, or nil if the group needs no
// approval.
func approvalCondition(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionCondition {
	if !apihelpers.IsProtectedCommunityGroup(crd.Spec.Group) {
		return nil
	}
	c := &apiextensionsv1.CustomResourceDefinitionCondition{
		Type: apiextensionsv1.KubernetesAPIApprovalPolicyConformant, Status: apiextensionsv1.ConditionFalse,
	}
	var state apihelpers.APIApprovalState
	switch state, c.Message = apihelpers.GetAPIApprovalState(crd.Annotations); state {
	case apihelpers.APIApprovalMissing:
		c.Reason = "MissingAnnotation"
	case apihelpers.APIApprovalBypassed:
		c.Reason = "UnapprovedAnnotation"
	case apihelpers.APIApproved:
		c.Status, c.Reason = apiextensionsv1.ConditionTrue, "ApprovedAnnotation"
	default:
		c.Reason = "InvalidAnnotation"
	}
	return c
}

type claims struct {
	resources, kinds map[string]bool
}

func (c *claims) add(n *apiextensionsv1.CustomResourceDefinitionNames) {
	if c.resources == nil {
		c.resources, c.kinds = map[string]bool{}, map[string]bool{}
	}
	claim := crdversion.ClaimOf(n)
	for _, name := range claim.Resources {
		c.resources[name] = true
	}
	for _, name := range claim.Kinds {
		c.kinds[name] = true
	}
}

func conflict(asked, had string, claimed map[string]bool) error {
	if asked == had || !claimed[asked] {
		return nil
	}
	return fmt.Errorf("%q is already in use", asked)
}

// acceptNames returns the names that a definition gets, and the condition NamesAccepted, which
// reports the last conflict. If another definition claims a name that crd asks for, crd keeps the
// name that it had.
//
// A definition also claims its own names: it cannot use one of them for another purpose.
func acceptNames(crd *apiextensionsv1.CustomResourceDefinition, claimed claims) (apiextensionsv1.CustomResourceDefinitionNames, apiextensionsv1.CustomResourceDefinitionCondition) {
	asked, had := &crd.Spec.Names, &crd.Status.AcceptedNames
	got := *had.DeepCopy()
	c := apiextensionsv1.CustomResourceDefinitionCondition{
		Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue,
		Reason: "NoConflicts", Message: "no conflicts found",
	}
	refused := func(err error, reason string) bool {
		if err != nil {
			c.Status, c.Reason, c.Message = apiextensionsv1.ConditionFalse, reason, err.Error()
		}
		return err != nil
	}
	if !refused(conflict(asked.Plural, had.Plural, claimed.resources), "PluralConflict") {
		got.Plural = asked.Plural
	}
	if !refused(conflict(asked.Singular, had.Singular, claimed.resources), "SingularConflict") {
		got.Singular = asked.Singular
	}
	if !refused(conflictOfShortNames(asked.ShortNames, had.ShortNames, claimed.resources), "ShortNamesConflict") {
		got.ShortNames = slices.Clone(asked.ShortNames)
	}
	if !refused(conflict(asked.Kind, had.Kind, claimed.kinds), "KindConflict") {
		got.Kind = asked.Kind
	}
	if !refused(conflict(asked.ListKind, had.ListKind, claimed.kinds), "ListKindConflict") {
		got.ListKind = asked.ListKind
	}
	got.Categories = slices.Clone(asked.Categories)
	return got, c
}

// conflictOfShortNames returns an error if the definition cannot have all short names.
func conflictOfShortNames(asked, had []string, claimed map[string]bool) error {
	var errs []error
	done := map[string]bool{} // names that the definition has or that were judged
	for _, name := range had {
		done[name] = true
	}
	for _, name := range asked {
		if err := conflict(name, "", claimed); err != nil && !done[name] {
			errs = append(errs, err)
		}
		done[name] = true
	}
	return utilerrors.NewAggregate(errs)
}

// establishedCondition returns the condition Established. Once true, it stays true.
func establishedCondition(crd *apiextensionsv1.CustomResourceDefinition, namesAccepted bool) apiextensionsv1.CustomResourceDefinitionCondition {
	before := apihelpers.FindCRDCondition(crd, apiextensionsv1.Established)
	c := apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionFalse}
	switch {
	case before != nil && (before.Status == apiextensionsv1.ConditionTrue || !namesAccepted):
		return *before
	case !namesAccepted:
		c.Reason, c.Message = "NotAccepted", "not all names are accepted"
	case !hasValidBundle(crd):
		c.Reason, c.Message = "InvalidCABundle", "The conversion webhook CABundle is invalid"
	default:
		c.Status = apiextensionsv1.ConditionTrue
		c.Reason, c.Message = "InitialNamesAccepted", "the initial names have been accepted"
	}
	return c
}

func hasValidBundle(crd *apiextensionsv1.CustomResourceDefinition) bool {
	c := crd.Spec.Conversion
	if c == nil || c.Webhook == nil || c.Webhook.ClientConfig == nil || len(c.Webhook.ClientConfig.CABundle) == 0 {
		return true
	}
	return checkBundle(c.Webhook.ClientConfig.CABundle) == nil
}
