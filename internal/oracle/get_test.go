package oracle_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/crdkit/crdkit/internal/kube/kubectl"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/table"
)

// The tests of this file compare the output of kubectl get. Upstream is kubectl's own
// printer with the answer of the server's handler. Our side is the printer of crdkit get
// with our table.

func TestGet(t *testing.T) {
	count := 8
	if testing.Short() {
		count = 2
	}
	var c tableComparison
	tables, lines, differences := 0, 0, 0
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			v.AdditionalPrinterColumns = stableColumns(v.AdditionalPrinterColumns)
			list := listOf(slices.DeleteFunc(objectsOf(d, v, count), listLike))
			server := c.server(t, d.CRD, v)
			ours, err := table.New(v.AdditionalPrinterColumns)
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range getOptions {
				if i > 0 && tables%3 != 0 && testing.Short() {
					continue
				}
				if o.Kind != "" {
					o.Kind = strings.ToLower(d.CRD.Spec.Names.Kind + "." + d.CRD.Spec.Group)
				}
				got, diff := compareGet(t, server, ours, list, o)
				tables++
				lines += strings.Count(got, "\n")
				if diff != "" {
					differences++
					t.Errorf("%s, version %s, %+v (-upstream +ours):\n%s", d.Path, v.Name, o, diff)
				}
			}
		}
	}
	fmt.Fprintf(os.Stdout, "oracle: kubectl get prints %d tables, %d lines, %d differences\n", tables, lines, differences)
}

var getOptions = []kubectl.TableOptions{
	{},
	{Wide: true},
	{Namespace: true, NoHeaders: true},
	{Wide: true, Namespace: true, Kind: "kind", Labels: []string{"app", "app.kubernetes.io/name"}, AllLabels: true},
}

// compareGet returns our text, and its difference from upstream's text. It tries again if
// an age has changed.
func compareGet(t *testing.T, server *tableServer, ours *table.Printer, list *unstructured.UnstructuredList, o kubectl.TableOptions) (got, diff string) {
	t.Helper()
	for range 20 {
		want := kubectlGet(t, server.get(t, list, ""), o)
		var b strings.Builder
		if err := kubectl.PrintTable(&b, ours.List(list, time.Now()), o); err != nil {
			t.Fatal(err)
		}
		if got, diff = b.String(), cmp.Diff(want, b.String()); diff == "" {
			break
		}
	}
	return got, diff
}

// kubectlGet prints an answer as kubectl does.
func kubectlGet(t *testing.T, answer string, o kubectl.TableOptions) string {
	t.Helper()
	obj, err := runtime.Decode(unstructured.UnstructuredJSONScheme, []byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	flags := get.NewHumanPrintFlags()
	flags.NoHeaders, flags.WithNamespace = o.NoHeaders, o.Namespace
	flags.ColumnLabels, flags.ShowLabels = &o.Labels, &o.AllLabels
	if o.Kind != "" {
		kind, group, _ := strings.Cut(o.Kind, ".")
		flags.Kind.Kind, flags.Kind.Group = kind, group
		if err := flags.EnsureWithKind(); err != nil {
			t.Fatal(err)
		}
	}
	format := ""
	if o.Wide {
		format = "wide"
	}
	printer, err := flags.ToPrinter(format)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	w := printers.GetNewTabWriter(&b)
	if err := (&get.TablePrinter{Delegate: printer}).PrintObj(obj, w); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGetCells compares cells with line breaks, control characters for terminals, or
// text that is not ASCII, and missing cells.
func TestGetCells(t *testing.T) {
	columns := []metav1.TableColumnDefinition{{Name: "Name", Type: "string", Format: "name"}, {Name: "Größe", Type: "string"}, {Name: "C", Type: "number"}, {Name: "D", Type: "integer", Priority: 1}, {Name: "E", Type: "string"}}
	values := []any{"", "a", "größer als alles", "two\nlines", "\x1b[31mred", nil, 3.0, 1e6, 1e21, 1e-7, int64(7), true, "\fform", "\r", "世界世界世界世界"}
	for shift := range values {
		out := &metav1.Table{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"}, ColumnDefinitions: columns}
		for row := range shift % 7 {
			cells := []any{fmt.Sprint("name-", row)}
			for i := range len(columns) - 1 {
				cells = append(cells, values[(shift*3+row*5+i)%len(values)])
			}
			out.Rows = append(out.Rows, metav1.TableRow{Cells: cells, Object: runtime.RawExtension{Object: &metav1.PartialObjectMetadata{
				TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}, ObjectMeta: metav1.ObjectMeta{Namespace: strings.Repeat("n", row), Labels: map[string]string{"b": "x", "app": "y"}},
			}}})
		}
		for _, o := range getOptions {
			want := kubectlGet(t, string(encode(t, out)), o)
			var b strings.Builder
			if err := kubectl.PrintTable(&b, out, o); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, b.String()); diff != "" {
				t.Errorf("shift %d, %+v (-upstream +ours):\n%s", shift, o, diff)
			}
		}
	}
}

// TestDifferenceGetTabs tests get/tabs of docs/DIFFERENCES.md: a tab in a cell adds a
// column, and kubectl keeps its width for the rest of the table.
func TestDifferenceGetTabs(t *testing.T) {
	out := &metav1.Table{
		TypeMeta:          metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"},
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "A"}, {Name: "B"}},
		Rows:              []metav1.TableRow{{Cells: []any{"a\twide enough", "b"}}, {Cells: []any{"a", "b"}}, {Cells: []any{"a\tb", "c"}}},
	}
	const want = "A               B\na               wide enough   b\na               b\na               b             c\n"
	if diff := cmp.Diff(want, kubectlGet(t, string(encode(t, out)), kubectl.TableOptions{})); diff != "" {
		t.Errorf("upstream (-want +got):\n%s", diff)
	}
	var b strings.Builder
	if err := kubectl.PrintTable(&b, out, kubectl.TableOptions{}); err != nil {
		t.Fatal(err)
	}
	const ours = "A               B\na               wide enough   b\na               b\na               b     c\n"
	if diff := cmp.Diff(ours, b.String()); diff != "" {
		t.Errorf("ours (-want +got):\n%s", diff)
	}
}
