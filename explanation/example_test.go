package explanation_test

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
)

// scaler returns a definition with a rule.
func scaler(rule string) *apiextensionsv1.CustomResourceDefinition {
	crd, err := definition.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: scalers.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Scaler, plural: scalers}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: ` + rule + `
            properties:
              minReplicas: {type: integer}
              maxReplicas: {type: integer}
              target:
                type: object
                properties: {name: {type: string}, port: {type: integer}, selector: {type: string}}
                oneOf:
                - required: [name, port]
                - required: [selector]
`))
	if err != nil {
		panic(err)
	}
	return crd
}

func scalerVersion() *crdkit.Version {
	d, err := crdkit.Compile(scaler("self.minReplicas <= self.maxReplicas"))
	if err != nil {
		panic(err)
	}
	return d.Storage()
}

func scalerObject(spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Scaler",
		"metadata": map[string]any{"name": "a", "namespace": "default"},
		"spec":     spec,
	}}
}

// Error names the part of a rule that decided, and the values there.
func ExampleExplainer_Error() {
	ctx, v := context.Background(), scalerVersion()
	obj := scalerObject(map[string]any{"minReplicas": int64(5), "maxReplicas": int64(3)})
	result, err := v.Create(ctx, obj)
	if err != nil {
		panic(err)
	}
	x := explanation.New(v)
	for _, e := range result.Errors {
		fmt.Println(e)
		why, err := x.Error(ctx, e, obj, nil)
		if err != nil {
			panic(err)
		}
		if why != nil {
			fmt.Println(why.Text)
		}
	}
	// Output:
	// spec: Invalid value: failed rule: self.minReplicas <= self.maxReplicas
	// self.minReplicas (5) <= self.maxReplicas (3) is false
}

// One Explainer serves all objects of a version.
func ExampleNew() {
	x := explanation.New(scalerVersion())
	fmt.Println(x.UnknownField(`unknown field "spec.target.prot"`).Suggestion)
	fmt.Println(x.UnknownField(`unknown field "metadata.lables"`).Suggestion)
	// Output:
	// port
	// labels
}

// Error says what is missing in the closest branch.
func ExampleExplainer_Error_oneOf() {
	ctx, v := context.Background(), scalerVersion()
	obj := scalerObject(map[string]any{
		"minReplicas": int64(1), "maxReplicas": int64(3),
		"target": map[string]any{"name": "web"},
	})
	result, err := v.Create(ctx, obj)
	if err != nil {
		panic(err)
	}
	x := explanation.New(v)
	for _, e := range result.Errors {
		if why, err := x.Error(ctx, e, obj, nil); err == nil && why != nil {
			fmt.Println(why.Branches.Keyword, why.Branches.Closest, why.Text)
		}
	}
	// Output:
	// oneOf 0 the closest of 2 branches is /properties/spec/properties/target/oneOf/0: spec.target.port is missing
}

// WithoutValues keeps the values of an object out of a log.
func ExampleWithoutValues() {
	ctx, v := context.Background(), scalerVersion()
	obj := scalerObject(map[string]any{"minReplicas": int64(5), "maxReplicas": int64(3)})
	result, err := v.Create(ctx, obj)
	if err != nil {
		panic(err)
	}
	x := explanation.New(v, explanation.WithoutValues())
	why, err := x.Error(ctx, result.Errors[0], obj, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(why.Text)
	// Output:
	// self.minReplicas <= self.maxReplicas is false
}

// ValueLength shows less of long values.
func ExampleValueLength() {
	ctx, v := context.Background(), scalerVersion()
	obj := scalerObject(map[string]any{"minReplicas": int64(500_000), "maxReplicas": int64(3)})
	result, err := v.Create(ctx, obj)
	if err != nil {
		panic(err)
	}
	why, err := explanation.New(v, explanation.ValueLength(4)).Error(ctx, result.Errors[0], obj, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(why.Text)
	// Output:
	// self.minReplicas (500…) <= self.maxReplicas (3) is false
}

// UnknownField takes a complaint of strict field validation.
func ExampleExplainer_UnknownField() {
	ctx, v := context.Background(), scalerVersion()
	text := []byte(`{"apiVersion":"example.com/v1","kind":"Scaler","metadata":{"name":"a","namespace":"default"},"spec":{"minReplica":1}}`)
	_, result, err := v.CreateJSON(ctx, text, crdkit.Strict)
	if err != nil {
		panic(err)
	}
	x := explanation.New(v)
	for _, complaint := range result.Refusal.Details {
		if why := x.UnknownField(complaint); why != nil {
			fmt.Println(why.Text)
		}
	}
	// Output:
	// spec has no field "minReplica"; did you mean "minReplicas"?
}

// Pruned takes a change of a result.
func ExampleExplainer_Pruned() {
	ctx, v := context.Background(), scalerVersion()
	obj := scalerObject(map[string]any{"minReplicas": int64(1), "maxReplicas": int64(3), "MaxReplica": int64(4)})
	result, err := v.Create(ctx, obj, crdkit.ReportChanges())
	if err != nil {
		panic(err)
	}
	x := explanation.New(v)
	for _, c := range result.Changes {
		if c.Op == crdkit.Pruned {
			fmt.Println(x.Pruned(c.Path).Text)
		}
	}
	// Output:
	// spec has no field "MaxReplica"; did you mean "maxReplicas"?
}

// Definition says how to write a rule that does not compile.
func ExampleDefinition() {
	crd := scaler("self.minReplica <= self.maxReplicas")
	for _, e := range definition.Check(crd).Errors {
		if why := explanation.Definition(crd, e.FieldError()); why != nil {
			fmt.Println(why.Text)
		}
	}
	// Output:
	// no field minReplica is declared there: write self.minReplicas
}
