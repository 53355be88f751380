package table_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/table"
)

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

const widget = `{"apiVersion":"example.com/v1","kind":"Widget",
	"metadata":{"name":"w","namespace":"n","resourceVersion":"7","creationTimestamp":"2026-03-04T05:01:02Z","labels":{"a.b/c":"d"}},
	"spec":{"text":"t","int":3,"float":2.7,"large":1e21,"flag":true,"null":null,"object":{"b":"<","a":1},"list":["x","y"],
		"items":[{"n":"a","v":1},{"n":"b","v":2}],"then":"2024-01-02T03:04:05Z","bad":"yesterday","empty":""}}`

// cellTests are the cells of one object for a path and a type.
var cellTests = []struct{ name, path, kind, want string }{
	{"text", ".spec.text", "string", `"t"`},
	{"number as text", ".spec.large", "string", `"1e+21"`},
	{"boolean as text", ".spec.flag", "string", `"true"`},
	{"null as text", ".spec.null", "string", `"\u003cno value\u003e"`},
	{"object as text", ".spec.object", "string", `"{\"a\":1,\"b\":\"\\u003c\"}"`},
	{"list as text", ".spec.list", "string", `"[\"x\",\"y\"]"`},
	{"the first of many", ".spec.list[*]", "string", `"x"`},
	{"absent", ".spec.none.more", "string", `null`},
	{"fraction as integer", ".spec.float", "integer", `2`},
	{"integer as number", ".spec.int", "number", `3`},
	{"text as integer", ".spec.text", "integer", `null`},
	{"null as number", ".spec.null", "number", `null`},
	{"boolean", ".spec.flag", "boolean", `true`},
	{"text as boolean", ".spec.text", "boolean", `null`},
	{"age", ".metadata.creationTimestamp", "date", `"5m5s"`},
	{"years", ".spec.then", "date", `"2y62d"`},
	{"no time", ".spec.bad", "date", `"\u003cinvalid\u003e"`},
	{"empty time", ".spec.empty", "date", `"\u003cunknown\u003e"`},
	{"number as time", ".spec.int", "date", `null`},
	{"unknown type", ".spec.text", "text", `null`},
	{"quoted name", `.metadata.labels.a\.b/c`, "string", `"d"`},
	{"last element", ".spec.list[-1:]", "string", `"y"`},
	{"index out of bounds", ".spec.list[2]", "string", `null`},
	{"filter", `.spec.items[?(@.v>1)].n`, "string", `"b"`},
	{"fields in order of name", ".spec.object.*", "string", `"1"`},
	{"whole object in order of name", "..a", "string", `"1"`},
	{"range", "range .spec.items[*]}{.n}{end", "string", `"a"`},
}

func newPrinter(t *testing.T, path, kind string) *table.Printer {
	t.Helper()
	p, err := table.New([]apiextensionsv1.CustomResourceColumnDefinition{{Name: "C", Type: kind, JSONPath: path}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decode(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	obj, err := testkit.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: obj}
}

func TestCells(t *testing.T) {
	obj := decode(t, widget)
	for _, tt := range cellTests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPrinter(t, tt.path, tt.kind)
			for range 20 { // the same cell every time
				got := encode(t, p.Object(obj, now).Rows[0].Cells[1])
				if got != tt.want {
					t.Fatalf("cell of %s as %s: %s, want %s", tt.path, tt.kind, got, tt.want)
				}
			}
		})
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestHeaders checks that the description of a column without one is its path,
// and that everything else is as declared.
func TestHeaders(t *testing.T) {
	p, err := table.New([]apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "A", Type: "integer", Format: "int32", Description: "The first.", Priority: 1, JSONPath: ".spec.a"},
		{Name: "B", Type: "string", JSONPath: ".spec.b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	columns := p.Columns()
	want := []metav1.TableColumnDefinition{
		{Name: "A", Type: "integer", Format: "int32", Description: "The first.", Priority: 1},
		{Name: "B", Type: "string", Description: "Custom resource definition column (in JSONPath format): .spec.b"},
	}
	if diff := cmp.Diff(want, columns[len(columns)-2:]); diff != "" {
		t.Errorf("Columns (-want +got):\n%s", diff)
	}
}

// New drops a column whose path does not parse, and all columns after it.
func TestBadPath(t *testing.T) {
	p, err := table.New([]apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "A", Type: "string", JSONPath: ".spec.text"},
		{Name: "B", Type: "string", JSONPath: ".spec["},
		{Name: "C", Type: "string", JSONPath: ".spec.int"},
	})
	if err == nil || !strings.HasPrefix(err.Error(), `unrecognized column definition ".spec["`) {
		t.Errorf("error %v", err)
	}
	if got := encode(t, p.Object(decode(t, widget), now).Rows[0].Cells); got != `["w","t"]` {
		t.Errorf("cells %s", got)
	}
}

// A path visits a limited number of values. Without a limit this path would
// visit every choice of 40 of 60 levels.
func TestVisits(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60)
	p := newPrinter(t, strings.Repeat("..a", 40), "string")
	if cell := p.Object(decode(t, `{"metadata":{},"spec":`+deep+`}`), now).Rows[0].Cells[1]; cell != nil {
		t.Errorf("cell %v", cell)
	}
}

func TestNothing(t *testing.T) {
	p := newPrinter(t, ".spec.text", "string")
	for _, got := range []*metav1.Table{p.Object(nil, now), p.List(nil, now), p.List(&unstructured.UnstructuredList{}, now)} {
		if len(got.Rows) != 0 || len(got.ColumnDefinitions) != 2 {
			t.Errorf("%s", encode(t, got))
		}
	}
	if got := encode(t, p.Object(&unstructured.Unstructured{}, now).Rows[0].Cells); got != `["",null]` {
		t.Errorf("cells of an empty object: %s", got)
	}
}

// A table has the resource version of its object, or the paging metadata of its
// list.
func TestPaging(t *testing.T) {
	p, left := newPrinter(t, ".spec.text", "string"), int64(5)
	obj := decode(t, widget)
	if got := p.Object(obj, now).ListMeta; got != (metav1.ListMeta{ResourceVersion: "7"}) {
		t.Errorf("object: %s", encode(t, got))
	}
	list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*obj, *obj}}
	list.SetResourceVersion("8")
	list.SetContinue("more")
	list.SetRemainingItemCount(&left)
	got := p.List(list, now)
	if diff := cmp.Diff(metav1.ListMeta{ResourceVersion: "8", Continue: "more", RemainingItemCount: &left}, got.ListMeta); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if len(got.Rows) != 2 {
		t.Errorf("%d rows", len(got.Rows))
	}
}

func TestOptions(t *testing.T) {
	p := newPrinter(t, ".spec.int", "integer")
	obj := decode(t, widget)
	const metadata = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"w","namespace":"n","resourceVersion":"7","creationTimestamp":"2026-03-04T05:01:02Z","labels":{"a.b/c":"d"}}}`
	for policy, want := range map[metav1.IncludeObjectPolicy]string{
		"":                     metadata,
		metav1.IncludeMetadata: metadata,
		metav1.IncludeNone:     "null",
		metav1.IncludeObject:   encode(t, obj),
	} {
		include, err := table.IncludeObject(policy)
		if err != nil {
			t.Fatal(err)
		}
		got := encode(t, p.Object(obj, now, include).Rows[0].Object)
		if diff := cmp.Diff(decodeAny(t, want), decodeAny(t, got)); diff != "" {
			t.Errorf("policy %q (-want +got):\n%s", policy, diff)
		}
	}
	if opt, err := table.IncludeObject("Everything"); err == nil {
		t.Errorf("IncludeObject of an unknown policy = %v, want an error", opt)
	}
	if got := p.Object(obj, now, table.WithoutHeaders()); got.ColumnDefinitions != nil || len(got.Rows) != 1 {
		t.Errorf("without headers: %s", encode(t, got))
	}
}

func decodeAny(t *testing.T, text string) any {
	t.Helper()
	v, err := testkit.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// One Printer serves many objects at once.
func TestConcurrent(t *testing.T) {
	p := newPrinter(t, "range .spec.items[*]}{.n}{end}{.spec.text", "string")
	var group sync.WaitGroup
	for range 8 {
		obj := decode(t, widget)
		group.Go(func() {
			for range 100 {
				if cell := p.Object(obj, now).Rows[0].Cells[1]; cell != "a" {
					t.Errorf("cell %v", cell)
				}
			}
		})
	}
	group.Wait()
}
