package definition_test

import (
	"encoding/json"
	"runtime"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// wide returns a definition with n fields that all have the same schema, in two
// versions. The second version has one more field.
func wide(n int) *apiextensionsv1.CustomResourceDefinition {
	props := func(extra string) *apiextensionsv1.JSONSchemaProps {
		fields := map[string]apiextensionsv1.JSONSchemaProps{extra: {Type: "string"}}
		for i := range n {
			limit := int64(40)
			fields["field"+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))] = apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"name": {Type: "string", Pattern: "^[a-z]+$", MaxLength: &limit},
					"list": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int32"}}},
				},
			}
		}
		return &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object", Properties: fields}}}
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets.example.com"
	crd.Spec.Group, crd.Spec.Scope = "example.com", apiextensionsv1.ClusterScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"}
	for i, name := range []string{"v1", "v1beta1"} {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: i == 0,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props("extra" + name)},
		})
	}
	return crd
}

// TestAllocationsOfCheck checks that equal schemas share memory, so that
// allocations hardly grow with the number of fields. The definition has one version:
// comparing the schemas of two versions by reflection allocates for each field.
func TestAllocationsOfCheck(t *testing.T) {
	for _, test := range []struct{ fields, check, compile float64 }{
		{1, 240, 240},
		{100, 240, 280},
		{2000, 260, 360},
	} {
		crd := wide(int(test.fields))
		crd.Spec.Versions = crd.Spec.Versions[:1]
		if r := definition.Check(crd); !r.Accepted() {
			t.Fatal(r.Errors)
		}
		if got := testing.AllocsPerRun(5, func() { definition.Check(crd) }); got > test.check {
			t.Errorf("Check of %v fields allocated %v times, want at most %v", test.fields, got, test.check)
		}
		compile := func() {
			if _, err := crdkit.Compile(crd); err != nil {
				t.Error(err)
			}
		}
		if got := testing.AllocsPerRun(5, compile); got > test.compile {
			t.Errorf("Compile of %v fields allocated %v times, want at most %v", test.fields, got, test.compile)
		}
	}
}

// TestMemoryOfCheck checks that the memory that Check allocates for the largest
// definition is a small multiple of its size.
func TestMemoryOfCheck(t *testing.T) {
	var largest *testkit.Definition
	size := 0
	for _, d := range testkit.FindCorpus(t).Definitions {
		if n := d.CRD.Size(); n > size {
			largest, size = d, n
		}
	}
	data, err := json.Marshal(largest.CRD)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	definition.Check(largest.CRD) // makes values that all calls share
	runtime.GC()
	runtime.ReadMemStats(&before)
	definition.Check(largest.CRD)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%s: %d KB of JSON, Check allocates %d KB, %.1f times as much", largest.CRD.Name, len(data)>>10, allocated>>10, float64(allocated)/float64(len(data)))
	if allocated > 6*uint64(len(data)) {
		t.Errorf("Check of %s allocated %d bytes, want at most 6 times the %d of its JSON", largest.CRD.Name, allocated, len(data))
	}
}

// TestCheckMetadata: Check judges metadata and names, whether they are usual or not.
func TestCheckMetadata(t *testing.T) {
	changes := map[string]func(*apiextensionsv1.CustomResourceDefinition){
		"nothing": func(*apiextensionsv1.CustomResourceDefinition) {},
		"name":    func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Name = "others.example.com" },
		"no name": func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Name = "" },
		"upper case": func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Name, crd.Spec.Group = "widgets.X.com", "X.com"
		},
		"namespace":        func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Namespace = "default" },
		"generated":        func(crd *apiextensionsv1.CustomResourceDefinition) { crd.GenerateName = "a b" },
		"label":            func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Labels = map[string]string{"a": "b c"} },
		"label key":        func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Labels = map[string]string{"a b": "c"} },
		"annotation key":   func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Annotations = map[string]string{"a b": "c"} },
		"right annotation": func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Annotations = map[string]string{"a/B": "c d"} },
		"finalizer":        func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Finalizers = []string{"a b"} },
		"short name":       func(crd *apiextensionsv1.CustomResourceDefinition) { crd.Spec.Names.ShortNames = []string{"W", "w-"} },
		"column": func(crd *apiextensionsv1.CustomResourceDefinition) {
			crd.Spec.Versions[0].AdditionalPrinterColumns = []apiextensionsv1.CustomResourceColumnDefinition{{Type: "odd"}, {Name: "a", Type: "date", JSONPath: ".a"}}
		},
	}
	refused := 0
	for name, change := range changes {
		crd := wide(1)
		change(crd)
		if definition.Check(crd).Err() != nil {
			refused++
		} else if name != "nothing" && name != "right annotation" {
			t.Errorf("%s: accepted", name)
		}
	}
	if refused != len(changes)-2 {
		t.Errorf("%d of %d definitions are refused, want all but two", refused, len(changes))
	}
}
