package oracle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/serving/table"
)

// The tests of this file compare tables. Upstream is the handler of GET requests with the
// convertor for the declared columns. They compare the body of its answer.

func TestTable(t *testing.T) {
	count := 12
	if testing.Short() {
		count = 4
	}
	var c tableComparison
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			v.AdditionalPrinterColumns = stableColumns(v.AdditionalPrinterColumns)
			objs := slices.DeleteFunc(objectsOf(d, v, count), listLike)
			server := c.server(t, d.CRD, v)
			ours, err := table.New(v.AdditionalPrinterColumns)
			if err != nil {
				t.Errorf("%s, version %s: %v", d.Path, v.Name, err)
			}
			for i, obj := range objs {
				policy := []metav1.IncludeObjectPolicy{"", metav1.IncludeMetadata, metav1.IncludeNone, metav1.IncludeObject}[i%4]
				c.compare(t, d.Path, server, ours, &unstructured.Unstructured{Object: obj}, policy)
			}
			c.compare(t, d.Path, server, ours, listOf(objs), "")
		}
	}
	if c.filled < c.cells/10 {
		t.Errorf("of %d cells %d have a value: the objects show too little", c.cells, c.filled)
	}
	fmt.Fprintf(os.Stdout, "oracle: tables %d of objects, %d of lists, %d rows, %d cells (%d with a value), %d differences\n", c.objects, c.lists, c.rows, c.cells, c.filled, c.differences)
}

// stableColumns returns the columns whose cells depend only on the object. The
// cells of paths with a wildcard or a recursive descent are random, so two rows
// of a table seldom agree; see TestTablePaths.
func stableColumns(columns []apiextensionsv1.CustomResourceColumnDefinition) []apiextensionsv1.CustomResourceColumnDefinition {
	return slices.DeleteFunc(slices.Clone(columns), func(c apiextensionsv1.CustomResourceColumnDefinition) bool {
		return strings.Contains(c.JSONPath, "..") || strings.Contains(c.JSONPath, ".*")
	})
}

// listLike reports whether the server treats an object as a list; see
// TestDifferenceTableItems.
func listLike(obj map[string]any) bool {
	_, ok := obj["items"].([]any)
	return ok
}

// TestDifferenceTableItems tests table/items of docs/DIFFERENCES.md: the server makes no
// row for an object that it treats as a list.
func TestDifferenceTableItems(t *testing.T) {
	upstream, err := tableconvertor.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{Object: decodeTree(t, `{"metadata":{"name":"a"},"items":["b"]}`)}
	if _, err := upstream.ConvertToTable(t.Context(), obj, nil); err == nil {
		t.Error("upstream prints the object: the difference is no more")
	}
	ours, err := table.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows := ours.Object(obj, time.Now()).Rows; len(rows) != 1 || rows[0].Cells[0] != "a" {
		t.Errorf("Object prints %v, want a row of a", rows)
	}
}

// objectsOf returns the samples of a version and n generated objects.
func objectsOf(d *testkit.Definition, v apiextensionsv1.CustomResourceDefinitionVersion, n int) []map[string]any {
	target := generate.Target{
		Group: d.CRD.Spec.Group, Version: v.Name, Kind: d.CRD.Spec.Names.Kind,
		Namespaced: d.CRD.Spec.Scope == apiextensionsv1.NamespaceScoped,
	}
	if v.Schema != nil {
		target.Schema = v.Schema.OpenAPIV3Schema
	}
	var samples, out []map[string]any
	for _, s := range d.Samples {
		samples = append(samples, s.Object)
		if s.Version() == v.Name {
			out = append(out, s.Object)
		}
	}
	g := generate.New(target, samples...)
	rng := rand.New(rand.NewPCG(uint64(len(d.Path)), uint64(len(v.Name))))
	for i := range n {
		obj := g.Object(rng, generate.Class(i%4))
		if metadata, ok := obj["metadata"].(map[string]any); ok && i%2 == 0 {
			metadata["creationTimestamp"] = "2015-01-02T03:04:05Z"
		}
		out = append(out, obj)
	}
	return out
}

func listOf(objs []map[string]any) *unstructured.UnstructuredList {
	remaining := int64(7)
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("example.com/v1")
	list.SetKind("WidgetList")
	list.SetResourceVersion("41")
	list.SetContinue("more")
	list.SetRemainingItemCount(&remaining)
	for _, obj := range objs {
		list.Items = append(list.Items, unstructured.Unstructured{Object: obj})
	}
	return list
}

type tableComparison struct{ objects, lists, rows, cells, filled, differences int }

// A tableServer answers GET requests with one object.
type tableServer struct {
	scope  *handlers.RequestScope
	object runtime.Object
}

func (s *tableServer) Get(context.Context, string, *metav1.GetOptions) (runtime.Object, error) {
	return s.object.DeepCopyObject(), nil
}

func (c *tableComparison) server(t *testing.T, crd *definitionV1, v apiextensionsv1.CustomResourceDefinitionVersion) *tableServer {
	t.Helper()
	columns := v.AdditionalPrinterColumns
	if len(columns) == 0 { // as the server's handler of custom resources has it
		columns = []apiextensionsv1.CustomResourceColumnDefinition{{
			Name: "Age", Type: "date", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"], JSONPath: ".metadata.creationTimestamp",
		}}
	}
	convertor, err := tableconvertor.New(columns)
	if err != nil {
		t.Logf("%s, version %s: upstream: %v", crd.Name, v.Name, err)
	}
	kind := runtimeschema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
	scheme := crdserverscheme.NewUnstructuredObjectTyper()
	return &tableServer{scope: &handlers.RequestScope{
		Namer:            handlers.ContextBasedNaming{},
		Serializer:       serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion(),
		Typer:            scheme,
		Convertor:        sameVersion{},
		TableConvertor:   convertor,
		Kind:             kind,
		MetaGroupVersion: metav1.SchemeGroupVersion,
	}}
}

// sameVersion converts nothing, because objects have the version of the request.
type sameVersion struct{ runtime.ObjectConvertor }

func (sameVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (s *tableServer) get(t *testing.T, obj runtime.Object, policy metav1.IncludeObjectPolicy) string {
	t.Helper()
	s.object = obj
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?includeObject="+string(policy), nil)
	req.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	req = req.WithContext(request.WithRequestInfo(req.Context(), &request.RequestInfo{Name: "x", Namespace: "y"}))
	w := httptest.NewRecorder()
	handlers.GetResource(s, s.scope)(w, req)
	if w.Code != http.StatusOK {
		t.Fatalf("upstream answers %d %s", w.Code, w.Body)
	}
	return strings.TrimSuffix(w.Body.String(), "\n")
}

func (c *tableComparison) compare(t *testing.T, name string, server *tableServer, ours *table.Printer, obj runtime.Object, policy metav1.IncludeObjectPolicy) {
	t.Helper()
	var want, got string
	for range 20 { // fields in any order, and ages that change
		want = server.get(t, obj, policy)
		if got = c.ours(t, ours, obj, policy); got == want {
			return
		}
	}
	c.differences++
	t.Errorf("%s (-upstream +ours):\n%s", name, cmp.Diff(indented(t, want), indented(t, got)))
}

func (c *tableComparison) ours(t *testing.T, p *table.Printer, obj runtime.Object, policy metav1.IncludeObjectPolicy) string {
	t.Helper()
	var out *metav1.Table
	switch obj := obj.(type) {
	case *unstructured.Unstructured:
		c.objects++
		include, err := table.IncludeObject(policy)
		if err != nil {
			t.Fatal(err)
		}
		out = p.Object(obj, time.Now(), include)
	case *unstructured.UnstructuredList:
		c.lists++
		out = p.List(obj, time.Now())
	}
	for _, row := range out.Rows {
		c.rows++
		c.cells += len(row.Cells)
		for _, cell := range row.Cells {
			if cell != nil && cell != "" {
				c.filled++
			}
		}
	}
	return string(encode(t, out))
}

func indented(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", " "); err != nil {
		return text
	}
	return b.String()
}

// tablePaths are paths of columns, right and wrong.
var tablePaths = []string{
	".spec.a", ".spec", ".", "", ".spec.list[0].b", ".spec.list[-1:].b", ".spec.list[0:3:2].b", ".spec.list[*].b", ".spec.list[5]", ".spec.list[2:1]",
	".spec.list[0,1].b", ".spec['a','c']", ".spec.*", "..b", ".spec..b", "..", ".spec.list[?(@.b)].b", ".spec.list[?(@.c)].b", ".spec.list[?(@.b==\"x\")].b",
	".spec.list[?(@.n>1)].n", ".spec.list[?(@.n<=1.5)].n", ".spec.list[?(@.n!=true)].n", ".spec.list[?(@.b>@.c)].b", ".spec.a[*]", ".spec.a..", ".spec[?(@.a)]",
	".spec.list[?(@.list[7])].b", ".spec.none.more", ".metadata.labels.a\\.b/c", ".metadata.labels['a\\.b/c']", ".spec.a \"text\"", ".spec.a 7", "7", "\"x\"", "true", "1.5",
	"range .spec.list[*]}{.b}{end", ".spec.a}{range .spec.list[*]}{.b}{end}{.a", "range .spec.none[*]}{.b[0]}{end", "range .spec.none[*]}{[0]}{end", "end", ".spec.a}{end", ".spec.a} text {.spec.c",
	".spec.list[a]", ".spec.list[", "[", ".spec.list[?(@.b", "spec.a", "nothing", "@.spec.a", "$.spec.a", ".spec.list[::0].b", ".spec.list[-9:].b", ".spec.list[0:0].b", ".spec.b..list[0]",
	".spec.list[?(@.b==@.b)].c", ".spec.list[?(@.*)].c", ".spec.list[?(1==1)].b", ".spec.list[?(@.deep[0].x=='y')].b", ".spec.none[*]", ".spec.nil", ".spec.nil.a", ".spec.nil[0]", ".spec.nil[?(@.a)]",
}

// tableObjects are objects for tablePaths.
var tableObjects = []string{
	`{"metadata":{"name":"a","namespace":"b","labels":{"a.b/c":"d"}},"spec":{"a":"x","c":7,"nil":null,"list":[{"b":"x","n":1,"c":"y"},{"b":"y","n":2,"c":"x"},{"b":null,"n":3}]}}`,
	`{"metadata":{"name":"a"},"spec":{"a":1.5,"c":true,"list":[{"b":1,"n":1.5},{"b":true,"n":1e21,"deep":[{"x":"y"}]}]}}`,
	`{"metadata":{"name":"a","creationTimestamp":"2001-02-03T04:05:06Z"},"spec":{"a":{"b":{"b":["<&>"]}},"list":[[1,2],["b"],[]]}}`,
	`{"metadata":{"name":7},"spec":{"a":"2001-02-03T04:05:06+01:00","c":"","list":"text"}}`,
	`{"metadata":null,"spec":[{"a":1}]}`,
	`{"spec":{"list":{"b":"x"},"a":["2001-02-03",null]}}`,
	`{}`,
}

var tableTypes = []string{"string", "integer", "number", "boolean", "date"}

// TestTablePaths compares a table for every path, object and type.
func TestTablePaths(t *testing.T) {
	var c tableComparison
	for _, text := range tableObjects {
		for _, path := range tablePaths {
			for _, kind := range tableTypes {
				c.column(t, path, kind, text)
			}
		}
	}
	if c.objects < 1000 {
		t.Errorf("only %d tables", c.objects)
	}
	fmt.Fprintf(os.Stdout, "oracle: tables of %d paths at %d objects as %d types, %d cells (%d with a value), %d differences\n", len(tablePaths), len(tableObjects), len(tableTypes), c.cells, c.filled, c.differences)
}

// column compares the table of one column. A cell that makes upstream panic
// must be empty on our side.
func (c *tableComparison) column(t *testing.T, path, kind, object string) {
	t.Helper()
	value, err := testkit.DecodeJSON([]byte(object))
	tree, ok := value.(map[string]any)
	if err != nil || !ok {
		return
	}
	obj := &unstructured.Unstructured{Object: tree}
	columns := []apiextensionsv1.CustomResourceColumnDefinition{{Name: "C", Type: kind, JSONPath: path}}
	ours, oursErr := table.New(columns)
	var want, got string
	for range 200 {
		// Using a path changes it; see table/range in docs/DIFFERENCES.md.
		upstream, err := tableconvertor.New(columns)
		if (err != nil) != (oursErr != nil) {
			t.Fatalf("path %q: upstream %v, ours %v", path, err, oursErr)
		}
		want = upstreamTable(t, upstream.ConvertToTable, obj)
		got = c.ours(t, ours, obj, metav1.IncludeObject)
		if got == want || want == panicked && strings.Contains(got, `,null],"object":`) {
			return
		}
	}
	c.differences++
	t.Errorf("path %q as %s of %s (-upstream +ours):\n%s", path, kind, object, cmp.Diff(want, got))
}

type toTable = func(context.Context, runtime.Object, runtime.Object) (*metav1.Table, error)

// panicked stands for a table that upstream does not make: one of our cells has
// no value then (table/panics in docs/DIFFERENCES.md).
const panicked = "panic"

func upstreamTable(t *testing.T, convert toTable, obj *unstructured.Unstructured) (text string) {
	t.Helper()
	defer func() {
		if recover() != nil {
			text = panicked
		}
	}()
	out, err := convert(t.Context(), obj.DeepCopy(), &metav1.TableOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out.Kind, out.APIVersion = "Table", "meta.k8s.io/v1"
	return string(encode(t, out))
}

// FuzzTablePath checks that the cell of an arbitrary path is the cell of some run of
// upstream.
func FuzzTablePath(f *testing.F) {
	for i, path := range tablePaths {
		for _, object := range tableObjects[:3] {
			f.Add(path, uint8(i), object)
		}
	}
	fuzz.Run(f, func(t *testing.T, path string, kind uint8, object string) {
		if len(path) > 200 || len(object) > 2000 {
			return
		}
		var c tableComparison
		c.column(t, path, tableTypes[int(kind)%len(tableTypes)], object)
	})
}

// TestDifferenceTableRange tests table/range of docs/DIFFERENCES.md: a path of upstream
// keeps the position at which its last use ended, and a path of crdkit does not.
func TestDifferenceTableRange(t *testing.T) {
	columns := []apiextensionsv1.CustomResourceColumnDefinition{{Name: "C", Type: "string", JSONPath: "range .spec.list[*]}{.b}{end}{.spec.a"}}
	upstream, err := tableconvertor.New(columns)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := table.New(columns)
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{Object: decodeTree(t, `{"spec":{"a":"A","list":[{"b":"B"}]}}`)}
	first, second := upstreamTable(t, upstream.ConvertToTable, obj), upstreamTable(t, upstream.ConvertToTable, obj)
	if first == second {
		t.Errorf("upstream finds the same twice: the difference is no more\n%s", first)
	}
	for range 2 {
		var c tableComparison
		if diff := fuzz.Diff(first, c.ours(t, ours, obj, metav1.IncludeObject)); diff != "" {
			t.Errorf("ours is not what upstream finds first (-upstream +ours):\n%s", diff)
		}
	}
}
