package schema_test

import (
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// TestNilDeclaresNothing calls every method of a nil Node and of a nil Branch and
// compares the results with those of a schema that declares nothing.
func TestNilDeclaresNothing(t *testing.T) {
	props := &apiextensionsv1.JSONSchemaProps{
		AllOf: []apiextensionsv1.JSONSchemaProps{{}},
		Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{}},
	}
	root, errs := schema.Compile(props, schemaopt.Unstructured{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	compareMethods(t, (*schema.Node)(nil), root.Items())
	compareMethods(t, (*schema.Branch)(nil), root.AllOf()[0])
}

func compareMethods(t *testing.T, absent, empty any) {
	t.Helper()
	v, w := reflect.ValueOf(absent), reflect.ValueOf(empty)
	for i := range v.NumMethod() {
		name := v.Type().Method(i).Name
		var args []reflect.Value
		switch name {
		case "Properties":
			for range v.Method(i).Call(nil)[0].Seq2() {
				t.Errorf("%T: Properties of nil yields a property", absent)
			}
			continue
		case "RewriteDefaults":
			args = []reflect.Value{reflect.ValueOf(func(schema.Path, any) any { panic("there is no default") })}
			if got := v.Method(i).Call(args)[0]; !got.IsNil() {
				t.Errorf("%T: RewriteDefaults of nil = %v, want nil", absent, got)
			}
			continue
		case "Property":
			args = []reflect.Value{reflect.ValueOf("a")}
		}
		got, want := v.Method(i).Call(args), w.Method(i).Call(args)
		for j := range got {
			if !reflect.DeepEqual(got[j].Interface(), want[j].Interface()) {
				t.Errorf("%T: %s of nil = %v, want %v", absent, name, got[j], want[j])
			}
		}
	}
}
