package kubectl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// printedTable has cells of every kind. The oracle compares many more with kubectl.
var printedTable = &metav1.Table{
	ColumnDefinitions: []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name"}, {Name: "Weight", Type: "number"}, {Name: "Note", Type: "string", Priority: 1}, {Name: "Ready", Type: "boolean"},
	},
	Rows: []metav1.TableRow{
		{Cells: []any{"a", 3.0, "two\nlines", true}, Object: runtime.RawExtension{Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Labels: map[string]string{"x/app": "y", "b": "c"}}}}},
		{Cells: []any{"longer", 1e21, "\x1b[0m", nil}},
	},
}

var printTableTests = []struct {
	name    string
	options TableOptions
	want    string
}{
	{"default", TableOptions{}, "NAME     WEIGHT   READY\na        3        true\nlonger   1e+21    \n"},
	{"wide", TableOptions{Wide: true}, "NAME     WEIGHT   NOTE        READY\na        3        two...      true\nlonger   1e+21    ^[[0m       \n"},
	{"no headers", TableOptions{NoHeaders: true}, "a        3       true\nlonger   1e+21   \n"},
	{"kind and namespace", TableOptions{Kind: "w.x", Namespace: true}, "NAMESPACE   NAME         WEIGHT   READY\nn           w.x/a        3        true\n            w.x/longer   1e+21    \n"},
	{"labels", TableOptions{Labels: []string{"x/app"}, AllLabels: true}, "NAME     WEIGHT   READY   APP   LABELS\na        3        true    y     b=c,x/app=y\nlonger   1e+21                  <none>\n"},
}

func TestPrintTable(t *testing.T) {
	for _, tt := range printTableTests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := PrintTable(&b, printedTable, tt.options); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("PrintTable (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPrintTableKind: the kind stands before the name, whichever column that is.
func TestPrintTableKind(t *testing.T) {
	table := &metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{
			{Name: "Note", Type: "string"}, {Name: "Number", Type: "integer", Format: "name"}, {Name: "Name", Type: "string", Format: "name"},
		},
		Rows: []metav1.TableRow{{Cells: []any{"a", int64(1), "b"}}},
	}
	var b strings.Builder
	if err := PrintTable(&b, table, TableOptions{Kind: "w.x"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("NOTE   NUMBER   NAME\na      1        w.x/b\n", b.String()); diff != "" {
		t.Errorf("PrintTable (-want +got):\n%s", diff)
	}
}

func TestPrintTableWithoutRows(t *testing.T) {
	var b strings.Builder
	if err := PrintTable(&b, &metav1.Table{ColumnDefinitions: printedTable.ColumnDefinitions}, TableOptions{}); err != nil || b.Len() > 0 {
		t.Errorf("PrintTable without rows: %q, %v", b.String(), err)
	}
}
