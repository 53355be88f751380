package pathstack_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

type step = pathstack.Step

// A location has a path for messages, a pointer in the object, one in the schema,
// and a field path.
func TestStack(t *testing.T) {
	deep := pathstack.Start{Field: "spec.x", Pointer: "/spec/x", SchemaPointer: "/properties/spec/properties/x"}
	for _, tt := range []struct {
		name                                      string
		start                                     pathstack.Start
		steps                                     []step
		text, field, pointer, schemaPointer, path string
	}{
		{name: "the root", field: "<nil>", path: "<nil>"},
		{
			name: "a start below the root", start: deep,
			field: "spec.x", pointer: "/spec/x", schemaPointer: "/properties/spec/properties/x", path: "<nil>",
		},
		{
			name:  "properties, entries and items",
			steps: []step{{Name: "spec"}, {Name: "m", Kind: pathstack.Entry}, {Index: 12, Kind: pathstack.Item}, {Name: "a"}},
			text:  "spec.m[12].a", field: "spec.m[12].a", pointer: "/spec/m/12/a",
			schemaPointer: "/properties/spec/additionalProperties/items/properties/a", path: "spec[m][12].a",
		},
		{
			name: "the same below a start", start: deep,
			steps: []step{{Name: "b"}, {Index: 0, Kind: pathstack.Item}},
			text:  "b[0]", field: "spec.x.b[0]", pointer: "/spec/x/b/0",
			schemaPointer: "/properties/spec/properties/x/properties/b/items", path: "b[0]",
		},
		{
			name: "an entry at the start has a dot in messages only", steps: []step{{Name: "m", Kind: pathstack.Entry}},
			text: ".m", field: "m", pointer: "/m", schemaPointer: "/additionalProperties", path: "[m]",
		},
		{
			name: "an item at the start", steps: []step{{Index: 3, Kind: pathstack.Item}},
			text: "[3]", field: "[3]", pointer: "/3", schemaPointer: "/items", path: "[3]",
		},
		{
			name: "a name that pointers escape", steps: []step{{Name: "a/b~c"}},
			text: "a/b~c", field: "a/b~c", pointer: "/a~1b~0c", schemaPointer: "/properties/a~1b~0c", path: "a/b~c",
		},
		{
			name: "a property without a name", steps: []step{{Name: ""}},
			field: "<nil>", pointer: "/", schemaPointer: "/properties/", path: "[]",
		},
		{
			name: "an entry without a name", steps: []step{{Kind: pathstack.Entry}},
			text: ".", field: "<nil>", pointer: "/", schemaPointer: "/additionalProperties", path: "[]",
		},
		{
			name: "a missing property is in the pointer only", steps: []step{{Name: "a"}, {Name: "b", Kind: pathstack.Name}},
			text: "a", field: "a", pointer: "/a/b", schemaPointer: "/properties/a", path: "a",
		},
		{
			name: "other schemas of the same value are in the schema pointer only",
			steps: []step{
				{Index: 10, Kind: pathstack.AllOf},
				{Index: 11, Kind: pathstack.AnyOf},
				{Index: 12, Kind: pathstack.OneOf},
				{Kind: pathstack.Not},
			},
			field: "<nil>", schemaPointer: "/allOf/10/anyOf/11/oneOf/12/not", path: "<nil>",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := pathstack.Stack{Start: tt.start}
			for _, x := range tt.steps {
				s.Push(x.Kind, x.Name, x.Index)
			}
			for _, got := range []struct{ what, text, want string }{
				{"Text", s.Text(), tt.text},
				{"AppendText", string(s.AppendText([]byte("at "))), "at " + tt.text},
				{"FieldOf", s.FieldOf(s.Text()), tt.field},
				{"Pointer", string(s.AppendPointer(nil)), tt.pointer},
				{"AppendPointer", string(s.AppendPointer([]byte("#"))), "#" + tt.pointer},
				{"SchemaPointer", string(s.AppendSchemaPointer(nil)), tt.schemaPointer},
				{"AppendSchemaPointer", string(s.AppendSchemaPointer([]byte("#"))), "#" + tt.schemaPointer},
				{"AppendFieldPath", string(s.AppendFieldPath([]byte("in "))), "in " + tt.path},
			} {
				if got.text != got.want {
					t.Errorf("%s = %q, want %q", got.what, got.text, got.want)
				}
			}
			if got, want := s.TextIsEmpty(), tt.text == ""; got != want {
				t.Errorf("TextIsEmpty = %t, want %t", got, want)
			}
			for range tt.steps {
				s.Pop()
			}
			if got := string(s.AppendPointer(nil)); got != tt.start.Pointer {
				t.Errorf("after Pop the pointer is %q, want %q", got, tt.start.Pointer)
			}
		})
	}
}

// A schema has the path of the definition's field that holds it.
func TestSchemaStack(t *testing.T) {
	s := pathstack.NewSchemaStack(pathstack.At(field.NewPath("schema")), 4)
	for _, tt := range []struct {
		push func()
		want string
	}{
		{func() {}, "schema"},
		{func() { s.PushKey("properties", "a.b") }, "schema.properties[a.b]"},
		{func() { s.Push("items") }, "schema.properties[a.b].items"},
		{func() { s.PushIndex("allOf", 2) }, "schema.properties[a.b].items.allOf[2]"},
		{func() { s.Push("not") }, "schema.properties[a.b].items.allOf[2].not"},
		{func() { s.Pop(); s.Pop() }, "schema.properties[a.b].items"},
	} {
		if tt.push(); s.Path().String() != tt.want {
			t.Errorf("Path = %s, want %s", s.Path(), tt.want)
		}
	}
	var zero pathstack.SchemaStack
	if got := zero.Path(); got != nil {
		t.Errorf("Path of the zero SchemaStack = %s", got)
	}
	if got := testing.AllocsPerRun(10, func() { s.Push("items"); s.Pop() }); got != 0 {
		t.Errorf("a step within the depth allocated %v times, want 0", got)
	}
}
