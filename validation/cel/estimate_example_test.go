package cel_test

import (
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// hosts returns a schema with a rule that is too expensive, because hosts has
// no maxItems.
func hosts() *schema.Node {
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(`{"type": "object", "properties": {"hosts": {
		"type": "array", "items": {"type": "string", "maxLength": 253},
		"x-kubernetes-validations": [{"rule": "self.all(a, self.exists_one(b, a == b))", "message": "hosts are unique"}]}}}`), &props); err != nil {
		panic(err)
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	return n
}

func ExampleEstimate() {
	report := cel.Estimate(hosts())
	fmt.Println("over:", report.Over())
	for _, b := range report.Expressions[0].Bounds {
		fmt.Println(b)
	}
	// Output:
	// over: true
	// hosts: maxItems is not declared (taken for 1048575): 307 fits
	// hosts[*]: maxLength is 253: no value alone makes it fit
}

func ExampleCostReport_String() {
	fmt.Print(cel.Estimate(hosts()))
	// Output:
	// EXPRESSION    COST             TIMES  TOTAL            OF LIMIT
	// hosts rule 0  116548016537702  1      116548016537702  >10000%   OVER
	//
	// hosts rule 0 costs more than 100 times its limit:
	//   self.all(a, self.exists_one(b, a == b))
	//   hosts: maxItems is not declared (taken for 1048575): 307 fits
	//   hosts[*]: maxLength is 253: no value alone makes it fit
	//
	// total 116548016537702 of 100000000 (>10000%): over the limit of the schema
}

func ExampleCheck() {
	for _, err := range cel.Check(hosts(), cel.AtPath(field.NewPath("schema"))) {
		fmt.Println(err.Field, err.Type)
	}
	// Output:
	// schema.properties[hosts].x-kubernetes-validations[0].rule Forbidden
	// schema.properties[hosts].x-kubernetes-validations[0].rule Forbidden
	// schema Forbidden
}

func ExampleKubernetesVersion() {
	var props apiextensionsv1.JSONSchemaProps
	props.Type = "object"
	props.XValidations = apiextensionsv1.ValidationRules{{Rule: "isIP(self.metadata.name)"}}
	n, _ := schema.Compile(&props)
	for _, version := range []string{"1.29", "1.30", "1.31"} {
		fmt.Println(version, len(cel.Check(n, cel.KubernetesVersion(version))) == 0)
	}
	// Output:
	// 1.29 false
	// 1.30 false
	// 1.31 true
}
