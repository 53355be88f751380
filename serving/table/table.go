package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/crdkit/crdkit/internal/path/crdpath/jsonpath"
)

// A Printer makes tables of the objects of one version. It does not change and
// is safe for concurrent use.
type Printer struct {
	headers []metav1.TableColumnDefinition
	columns []column // of headers[1:]
}

// New returns a Printer for the columns that a version declares
// (spec.versions[*].additionalPrinterColumns). It does not keep them. If there are none, the
// Printer has a column for the age of the object.
//
// If the path of a column does not parse, New returns an error that names the column, and a Printer
// with the columns before it, like the server.
func New(columns []apiextensionsv1.CustomResourceColumnDefinition) (*Printer, error) {
	doc := metav1.ObjectMeta{}.SwaggerDoc()
	p := &Printer{headers: []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: doc["name"]},
	}}
	if len(columns) == 0 {
		columns = []apiextensionsv1.CustomResourceColumnDefinition{
			{Name: "Age", Type: "date", Description: doc["creationTimestamp"], JSONPath: ".metadata.creationTimestamp"},
		}
	}
	for _, declared := range columns {
		path, err := jsonpath.Parse(declared.Name, declared.JSONPath)
		if err != nil {
			return p, fmt.Errorf("unrecognized column definition %q: %w", declared.JSONPath, err)
		}
		p.columns = append(p.columns, column{kind: declared.Type, path: path})
		p.headers = append(p.headers, header(declared))
	}
	return p, nil
}

func header(declared apiextensionsv1.CustomResourceColumnDefinition) metav1.TableColumnDefinition {
	description := declared.Description
	if description == "" {
		description = "Custom resource definition column (in JSONPath format): " + declared.JSONPath
	}
	return metav1.TableColumnDefinition{
		Name:        declared.Name,
		Type:        declared.Type,
		Format:      declared.Format,
		Description: description,
		Priority:    declared.Priority,
	}
}

// ScaleColumns returns the columns of the scale subresource, for [New]. The tables are then for
// objects of kind Scale. It returns nil if s is nil.
func ScaleColumns(s *apiextensionsv1.CustomResourceSubresourceScale) []apiextensionsv1.CustomResourceColumnDefinition {
	if s == nil {
		return nil
	}
	var columns []apiextensionsv1.CustomResourceColumnDefinition
	if s.SpecReplicasPath != "" {
		columns = append(columns, apiextensionsv1.CustomResourceColumnDefinition{
			Name: "Desired", Type: "integer", Description: "Number of desired replicas", JSONPath: ".spec.replicas",
		})
	}
	if s.StatusReplicasPath != "" {
		columns = append(columns, apiextensionsv1.CustomResourceColumnDefinition{
			Name: "Available", Type: "integer", Description: "Number of actual replicas", JSONPath: ".status.replicas",
		})
	}
	return append(columns, apiextensionsv1.CustomResourceColumnDefinition{
		Name: "Age", Type: "date", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"], JSONPath: ".metadata.creationTimestamp",
	})
}

// Columns returns the columns of every table of p, the name first. The slice belongs to the caller.
func (p *Printer) Columns() []metav1.TableColumnDefinition { return slices.Clone(p.headers) }

// Object returns the table of one object, with a single row. Ages are relative to now. A nil object
// has no row.
func (p *Printer) Object(obj *unstructured.Unstructured, now time.Time, opts ...Option) *metav1.Table {
	t, cfg := p.newTable(opts)
	if obj == nil {
		return t
	}
	t.ResourceVersion = obj.GetResourceVersion()
	t.Rows = append(t.Rows, p.row(obj, now, cfg))
	return t
}

// List returns the table of a list: a row for each object in their order, and the list's
// resourceVersion, continue and remainingItemCount. Ages are relative to now. A nil list has no
// rows.
func (p *Printer) List(list *unstructured.UnstructuredList, now time.Time, opts ...Option) *metav1.Table {
	t, cfg := p.newTable(opts)
	if list == nil {
		return t
	}
	t.ResourceVersion = list.GetResourceVersion()
	t.Continue = list.GetContinue()
	t.RemainingItemCount = list.GetRemainingItemCount()
	t.Rows = slices.Grow(t.Rows, len(list.Items))
	for i := range list.Items {
		t.Rows = append(t.Rows, p.row(&list.Items[i], now, cfg))
	}
	return t
}

func (p *Printer) newTable(opts []Option) (*metav1.Table, config) {
	cfg := config{include: metav1.IncludeMetadata}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&cfg)
		}
	}
	t := &metav1.Table{
		TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: metav1.SchemeGroupVersion.String()},
		Rows:     []metav1.TableRow{},
	}
	if !cfg.noHeaders {
		t.ColumnDefinitions = p.Columns()
	}
	return t, cfg
}

func (p *Printer) row(obj *unstructured.Unstructured, now time.Time, cfg config) metav1.TableRow {
	cells := make([]any, 1, 1+len(p.columns))
	cells[0] = obj.GetName()
	for _, c := range p.columns {
		cells = append(cells, c.cell(obj.Object, now))
	}
	row := metav1.TableRow{Cells: cells}
	switch cfg.include {
	case metav1.IncludeObject:
		row.Object = runtime.RawExtension{Object: obj}
	case metav1.IncludeMetadata:
		partial := meta.AsPartialObjectMetadata(obj)
		partial.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
		row.Object = runtime.RawExtension{Object: partial}
	}
	return row
}

type column struct {
	kind string // as declared: string, integer, number, boolean, date
	path jsonpath.Path
}

// cell returns the value of the cell for one object, or nil for an empty cell.
func (c column) cell(obj map[string]any, now time.Time) any {
	value, ok := c.path.First(obj)
	if !ok {
		return nil
	}
	switch c.kind {
	case "string":
		return text(value)
	case "integer":
		return integer(value)
	case "number":
		return number(value)
	case "boolean":
		if b, ok := value.(bool); ok {
			return b
		}
	case "date":
		if s, ok := value.(string); ok {
			return age(s, now)
		}
	}
	return nil
}

// text returns a value as text, or nil if the value has no text.
func text(value any) any {
	switch value := value.(type) {
	case nil:
		return "<no value>"
	case string:
		return value
	case map[string]any, []any:
		data, err := json.Marshal(value)
		if err != nil {
			return nil
		}
		return string(data)
	default:
		return fmt.Sprint(value)
	}
}

func integer(value any) any {
	switch n := value.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return nil
}

func number(value any) any {
	switch n := value.(type) {
	case int64:
		return float64(n)
	case float64:
		return n
	}
	return nil
}

func age(value string, now time.Time) string {
	var t metav1.Time
	if err := t.UnmarshalQueryParameter(value); err != nil {
		return "<invalid>"
	}
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(t.Time))
}

// An Option changes a table. Without options a table is the server's answer to a request without
// parameters. A nil Option changes nothing.
type Option interface{ apply(*config) }

type config struct {
	include   metav1.IncludeObjectPolicy
	noHeaders bool
}

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// IncludeObject returns an option that sets how much of its object each row has, like the parameter
// includeObject of a request. policy is IncludeMetadata, IncludeObject or IncludeNone of package
// metav1; "" is IncludeMetadata. Any other policy is an error.
func IncludeObject(policy metav1.IncludeObjectPolicy) (Option, error) {
	switch policy = cmp.Or(policy, metav1.IncludeMetadata); policy {
	case metav1.IncludeMetadata, metav1.IncludeObject, metav1.IncludeNone:
		return optionFunc(func(c *config) { c.include = policy }), nil
	}
	return nil, fmt.Errorf("table: unknown policy %q of including objects", policy)
}

// WithoutHeaders omits the columns, as the server does in a watch after its first event.
func WithoutHeaders() Option { return optionFunc(func(c *config) { c.noHeaders = true }) }
