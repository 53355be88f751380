// Package kubectl prints what kubectl prints.
//
//	text, err := kubectl.Explain(kubectl.ExplainRequest{Document: document, Group: g, Version: v, Kind: k})
//	err = kubectl.PrintTable(out, table, kubectl.TableOptions{Wide: true})
//
// [Explain] has the output of kubectl explain, [PrintTable] the output of kubectl get.
package kubectl

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// TableOptions select what [PrintTable] prints. The zero value prints the columns
// of priority 0 with their headers.
type TableOptions struct {
	Wide      bool     // print columns of every priority
	NoHeaders bool     // print no headers
	Namespace bool     // print the namespace in the first column
	Kind      string   // prefix of each name, before a slash; none if ""
	Labels    []string // print a column for each of these labels, after the other columns
	AllLabels bool     // print all labels in the last column
}

// PrintTable writes a table as kubectl get does. Headers are in capitals, and columns are as wide
// as their widest cell. A cell cannot break a line or send control sequences to a terminal.
// PrintTable writes nothing, not even headers, if the table has no rows.
func PrintTable(out io.Writer, t *metav1.Table, o TableOptions) error {
	if len(t.Rows) == 0 {
		return nil
	}
	headers, rows := o.lines(t)
	w := tabwriter.NewWriter(out, 6, 4, 3, ' ', 0)
	if !o.NoHeaders {
		rows = slices.Insert(rows, 0, headers)
	}
	missing := firstLinePadding(rows)
	for _, row := range rows {
		if _, err := io.WriteString(w, tableLine(row, missing)); err != nil {
			return err
		}
		missing = nil
	}
	return w.Flush()
}

func (o TableOptions) lines(t *metav1.Table) (headers []string, rows [][]string) {
	visible := func(i int) bool {
		return i < len(t.ColumnDefinitions) && (o.Wide || t.ColumnDefinitions[i].Priority == 0)
	}
	if o.Namespace {
		headers = append(headers, "NAMESPACE")
	}
	for i, c := range t.ColumnDefinitions {
		if visible(i) {
			headers = append(headers, strings.ToUpper(c.Name))
		}
	}
	for _, label := range o.Labels {
		headers = append(headers, strings.ToUpper(label[strings.LastIndexByte(label, '/')+1:]))
	}
	if o.AllLabels {
		headers = append(headers, "LABELS")
	}
	name := slices.IndexFunc(t.ColumnDefinitions, func(c metav1.TableColumnDefinition) bool {
		return c.Type == "string" && c.Format == "name"
	})
	for _, row := range t.Rows {
		var cells []string
		object := objectOf(row)
		if o.Namespace {
			cells = append(cells, object.GetNamespace())
		}
		for i, cell := range row.Cells {
			if !visible(i) {
				continue
			}
			text := cellText(cell)
			if i == name && o.Kind != "" {
				text = o.Kind + "/" + text
			}
			cells = append(cells, text)
		}
		for _, label := range o.Labels {
			cells = append(cells, object.GetLabels()[label])
		}
		if o.AllLabels {
			cells = append(cells, labels.FormatLabels(object.GetLabels()))
		}
		rows = append(rows, cells)
	}
	return headers, rows
}

// objectOf returns the metadata of the object of a row. It is empty if the row has no object.
func objectOf(row metav1.TableRow) metav1.Object {
	if object, err := meta.Accessor(row.Object.Object); err == nil {
		return object
	}
	return &metav1.ObjectMeta{}
}

// cellText returns the text of a decoded cell. A number without fraction prints as an integer.
func cellText(cell any) string {
	if _, ok := cell.(float64); ok {
		if data, err := json.Marshal(cell); err == nil {
			var number any
			if utiljson.Unmarshal(data, &number) == nil {
				cell = number
			}
		}
	}
	if cell == nil {
		return ""
	}
	return fmt.Sprint(cell)
}

// firstLinePadding returns how many spaces each cell of the first line needs to be as wide as its
// column. The last cell needs none. Widths are in bytes, as in kubectl.
func firstLinePadding(rows [][]string) []int {
	first := rows[0]
	missing := make([]int, len(first))
	for i := range len(first) - 1 {
		for _, row := range rows[1:] {
			if i < len(row) {
				missing[i] = max(missing[i], len(row[i])-len(first[i]))
			}
		}
	}
	return missing
}

// tableLine returns a line for a tabwriter. It cuts cells at a line break, escapes control
// characters, and adds missing[i] spaces to cell i.
func tableLine(cells []string, missing []int) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteByte('\t')
		}
		if end := strings.IndexAny(cell, "\f\n\r"); end >= 0 {
			cell = cell[:end] + "..."
		}
		b.WriteString(strings.ReplaceAll(cell, "\x1b", "^["))
		if i < len(missing) {
			b.WriteString(strings.Repeat(" ", missing[i]))
		}
	}
	b.WriteByte('\n')
	return b.String()
}
