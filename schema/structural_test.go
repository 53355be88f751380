package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// structuralSections are the sections of testdata/structural/*.txtar:
//
//   - schema.yaml is the schema;
//   - path is its path, where <nil> is the nil path; without it, "schema";
//   - errors has the errors of a supported schema, one per line;
//   - unsupported is the text for a schema that is not supported.
var structuralSections = []string{"schema.yaml", "path", "errors", "unsupported"}

const structuralFiles = "testdata/structural/*.txtar"

func TestStructural(t *testing.T) {
	testkit.RunTxtar(t, structuralFiles, structuralSections, func(t *testing.T, c *testkit.Case) {
		if c.Has("errors") == c.Has("unsupported") {
			t.Fatal("want either errors or unsupported")
		}
		props := decodeSchema(t, c.Section("schema.yaml"))
		text := unsupported(props)
		c.Want(t, "unsupported", text)
		if text != "" {
			return
		}
		var got strings.Builder
		for _, err := range checkStructural(props, casePath(c.Section("path"))) {
			got.WriteString(err.Error() + "\n")
		}
		c.Want(t, "errors", got.String())
	})
}

// checkStructural returns the structural errors of a supported schema.
func checkStructural(props *apiextensionsv1.JSONSchemaProps, path *field.Path) field.ErrorList {
	if props == nil {
		return nil
	}
	c := newCompiler(optionsOf([]Option{AtPath(path)}))
	c.compile(props, levelRoot, false)
	return c.check.finish(props)
}

// unsupported returns the text of the error for what the server does not support in props, ""
// if there is none.
func unsupported(props *apiextensionsv1.JSONSchemaProps) string {
	if props == nil {
		return ""
	}
	c := newCompiler(optionsOf(nil))
	if c.compile(props, levelRoot, false); c.stop != nil {
		return c.stop.Detail
	}
	return ""
}

func casePath(section string) *field.Path {
	switch section = strings.TrimSpace(section); section {
	case "<nil>":
		return nil
	case "":
		return field.NewPath("schema")
	default:
		return field.NewPath(section)
	}
}

func decodeSchema(t testing.TB, text string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(text), props); err != nil {
		t.Fatal(err)
	}
	return props
}

// structuralSchemas returns the schemas of the cases in JSON, by file name.
func structuralSchemas(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(structuralFiles)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %q (%v)", structuralFiles, err)
	}
	schemas := map[string][]byte{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := yaml.YAMLToJSON(archive.Files[0].Data)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		schemas[path] = data
	}
	return schemas
}

// The cases must cover every error text. The texts are read from the source, so
// that a rule without a case fails this test.
func TestStructuralCasesCoverRules(t *testing.T) {
	var wanted strings.Builder
	for path := range structuralSchemas(t) {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == "errors" || f.Name == "unsupported" {
				wanted.Write(f.Data)
			}
		}
	}
	texts := structuralTexts(t)
	if len(texts) < 20 {
		t.Errorf("only %d texts found in the code", len(texts))
	}
	for _, text := range texts {
		if !strings.Contains(wanted.String(), text) {
			t.Errorf("no case wants %q", text)
		}
	}
}

// structuralTexts returns the error texts in structural*.go: the string literals
// with a space.
func structuralTexts(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("structural*.go")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(withoutComments(string(code)), `"`) {
			if i%2 == 1 && strings.Contains(part, " ") {
				texts = append(texts, part)
			}
		}
	}
	return texts
}

func withoutComments(code string) string {
	var out strings.Builder
	for line := range strings.Lines(code) {
		before, _, _ := strings.Cut(line, "//")
		out.WriteString(before + "\n")
	}
	return out.String()
}

// A keyword that upstream adds to the type must be handled in [declaresNothing]
// or in [unsupportedKeyword]. This test finds it.
func TestEveryKeywordDeclaresSomething(t *testing.T) {
	for f := range reflect.TypeFor[apiextensionsv1.JSONSchemaProps]().Fields() {
		t.Run(f.Name, func(t *testing.T) {
			props := &apiextensionsv1.JSONSchemaProps{}
			setNonZero(t, reflect.ValueOf(props).Elem().FieldByIndex(f.Index))
			if f.Name == "Type" {
				if !isOnlyType(props, props.Type) || isOnlyType(props, "string") {
					t.Errorf("isOnlyType does not compare the type")
				}
				return
			}
			if isOnlyType(props, "") && unsupported(props) == "" {
				t.Errorf("isOnlyType overlooks %s", f.Name)
			}
		})
	}
}

// setNonZero sets v to a value that is not null in JSON.
func setNonZero(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Interface().(type) {
	case *apiextensionsv1.JSON:
		v.Set(reflect.ValueOf(&apiextensionsv1.JSON{Raw: []byte("0")}))
		return
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		v.Set(reflect.ValueOf(&apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{}}))
		return
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		v.Set(reflect.ValueOf(&apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if e := v.Elem(); e.Kind() == reflect.Bool || e.Kind() == reflect.String {
			setNonZero(t, e)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(v.Type().Elem()))
	default:
		t.Fatalf("no value of type %s", v.Type())
	}
}

// Values set by a program may be null in forms that decoding never produces.
func TestHasValue(t *testing.T) {
	for _, test := range []struct {
		raw  string
		want bool
	}{
		{"", false}, {"null", false}, {" null\n", false}, {" ", false},
		{"0", true}, {"false", true}, {`""`, true}, {"{}", true}, {`"null"`, true},
	} {
		if got := hasValue(&apiextensionsv1.JSON{Raw: []byte(test.raw)}); got != test.want {
			t.Errorf("hasValue(%q) = %v, want %v", test.raw, got, test.want)
		}
	}
	if hasValue(nil) {
		t.Error("hasValue(nil) = true")
	}
}

func TestStructuralNil(t *testing.T) {
	if text := unsupported(nil); text != "" {
		t.Errorf("unsupported(nil) = %q", text)
	}
	if errs := checkStructural(nil, nil); len(errs) > 0 {
		t.Errorf("checkStructural(nil) = %v", errs)
	}
}

// The schema is deeper than structuralDepth.
func TestStructuralDeep(t *testing.T) {
	props, want := &apiextensionsv1.JSONSchemaProps{}, "schema"
	for range 3 * structuralDepth {
		props = &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": *props}}
		want += ".properties[a]"
	}
	want += ".type: Required value: must not be empty for specified object fields"
	var got []string
	for _, err := range checkStructural(props, field.NewPath("schema")) {
		got = append(got, err.Error())
	}
	if diff := cmp.Diff([]string{want}, got); diff != "" {
		t.Errorf("checkStructural() mismatch (-want +got):\n%s", diff)
	}
}

// The server accepts real definitions, so each is structural.
func TestStructuralCorpus(t *testing.T) {
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema == nil {
				continue
			}
			props := v.Schema.OpenAPIV3Schema
			if text := unsupported(props); text != "" {
				t.Errorf("%s %s: unsupported: %s", d.Path, v.Name, text)
			}
			if errs := checkStructural(props, nil); len(errs) > 0 {
				t.Errorf("%s %s: %v", d.Path, v.Name, errs.ToAggregate())
			}
		}
	}
}

// The check of a schema without errors and patterns does not allocate.
func TestStructuralAllocations(t *testing.T) {
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(structuralSchemas(t)["testdata/structural/accepted.txtar"], props); err != nil {
		t.Fatal(err)
	}
	compile := func(opts ...Option) float64 {
		return testing.AllocsPerRun(100, func() {
			if _, errs := Compile(props, opts...); len(errs) > 0 {
				t.Error("the schema is not accepted")
			}
		})
	}
	at := AtPath(field.NewPath("schema"))
	if got, without := compile(at), compile(at, schemaopt.Unstructured{}); got > without+2 {
		t.Errorf("compiling a structural schema allocated %v times, want no more than the %v without the check", got, without)
	}
}
