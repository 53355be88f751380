package table

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/crdkit/crdkit/internal/crdpath/jsonpath"
)

// A column finds and formats the value of one cell.
type column struct {
	kind string // as declared: string, integer, number, boolean, date
	path jsonpath.Path
}

// cell returns the value of the cell for one object, nil for an empty cell.
func (c column) cell(obj map[string]any, now time.Time) any {
	value, ok := c.path.First(obj)
	if !ok {
		return nil
	}
	if c.kind == "string" {
		return text(value)
	}
	switch c.kind {
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

// text returns a value as text, nil if it has none.
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

// age returns the age of a time at now, in the format of kubectl.
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
