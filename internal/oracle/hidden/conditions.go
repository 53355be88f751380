package hidden

import (
	"context"
	_ "unsafe" // for go:linkname

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	_ "k8s.io/apiextensions-apiserver/pkg/controller/apiapproval"         // is reached
	_ "k8s.io/apiextensions-apiserver/pkg/controller/nonstructuralschema" // is reached
	"k8s.io/apiextensions-apiserver/pkg/controller/status"
	"k8s.io/klog/v2"
)

type (
	definition = apiextensionsv1.CustomResourceDefinition
	condition  = apiextensionsv1.CustomResourceDefinitionCondition
	nameSet    = apiextensionsv1.CustomResourceDefinitionNames
)

//go:linkname nonStructural k8s.io/apiextensions-apiserver/pkg/controller/nonstructuralschema.calculateCondition
func nonStructural(crd *definition) *condition

//go:linkname approval k8s.io/apiextensions-apiserver/pkg/controller/apiapproval.calculateCondition
func approval(crd *definition) *condition

//go:linkname acceptNames k8s.io/apiextensions-apiserver/pkg/controller/status.(*NamingConditionController).calculateNamesAndConditions
func acceptNames(c *status.NamingConditionController, crd *definition) (nameSet, condition, condition)

// NonStructural returns the condition NonStructuralSchema, nil for none.
func NonStructural(crd *definition) *condition { return nonStructural(crd) }

// Approval returns the condition KubernetesAPIApprovalPolicyConformant, nil for none.
func Approval(crd *definition) *condition { return approval(crd) }

// AcceptNames returns what the naming controller computes for a definition, given all
// definitions of the server: the accepted names and the conditions NamesAccepted and
// Established.
func AcceptNames(crd *definition, all []*definition) (nameSet, condition, condition, error) {
	client := fake.NewSimpleClientset()
	informer := externalversions.NewSharedInformerFactory(client, 0).Apiextensions().V1().CustomResourceDefinitions()
	for _, other := range all {
		if err := informer.Informer().GetIndexer().Add(other); err != nil {
			return nameSet{}, condition{}, condition{}, err
		}
	}
	c := status.NewNamingConditionController(klog.FromContext(context.Background()), informer, client.ApiextensionsV1())
	accepted, named, established := acceptNames(c, crd)
	return accepted, named, established, nil
}
