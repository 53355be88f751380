package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/check"
)

// Numbers are compared with a bound as what they are, int64 or float64, if the
// bound fits the declared type. If it does not, that is an error in itself, and
// they are compared as float64.

func (r *run) int(n *check.Node, v int64) {
	num := n.Number
	if num == nil {
		return
	}
	if !num.FitsInt(v) {
		r.misfit("Checked", num)
	}
	if l := &num.Multiple; l.Fits {
		r.multiple(l.OffInt(v), l.Int, l.Int > 0, v)
	} else if l.Set {
		r.misfit("MultipleOf", num)
		r.multiple(l.OffFloat(float64(v)), l.Value, l.Value > 0, float64(v))
	}
	if l := &num.Min; l.Fits {
		r.minimum(l.TooLowInt(v), l.Int, l.Exclusive, v)
	} else if l.Set {
		r.misfit("Minimum boundary", num)
		r.minimum(l.TooLowFloat(float64(v)), l.Value, l.Exclusive, float64(v))
	}
	if l := &num.Max; l.Fits {
		r.maximum(l.TooHighInt(v), l.Int, l.Exclusive, v)
	} else if l.Set {
		r.misfit("Maximum boundary", num)
		r.maximum(l.TooHighFloat(float64(v)), l.Value, l.Exclusive, float64(v))
	}
}

func (r *run) float(n *check.Node, v float64) {
	num := n.Number
	if num == nil {
		return
	}
	if !num.FitsFloat(v) {
		r.misfit("Checked", num)
	}
	if l := &num.Multiple; l.Set {
		if !l.Fits {
			r.misfit("MultipleOf", num)
		}
		r.multiple(l.OffFloat(v), l.Value, l.Value > 0, v)
	}
	if l := &num.Min; l.Set {
		if !l.Fits {
			r.misfit("Minimum boundary", num)
		}
		r.minimum(l.TooLowFloat(v), l.Value, l.Exclusive, v)
	}
	if l := &num.Max; l.Set {
		if !l.Fits {
			r.misfit("Maximum boundary", num)
		}
		r.maximum(l.TooHighFloat(v), l.Value, l.Exclusive, v)
	}
}

// misfit reports that a value or a bound is out of the range of the type.
func (r *run) misfit(what string, n *check.Number) {
	form := "(default format)"
	if n.Format != "" {
		form = "with format " + n.Format
	}
	r.reportAtStart(what + " value must be of type " + n.Type + " " + form + " in " + r.place.text())
}

func (r *run) multiple(off bool, factor any, positive bool, v any) {
	switch {
	case !off:
	case positive:
		r.invalid(v, fmt.Sprintf("should be a multiple of %v", factor))
	default:
		path := r.place.text()
		text := fmt.Sprintf("factor MultipleOf declared for %s must be positive: %v", path, factor)
		r.add(text, &field.Error{Type: field.ErrorTypeInvalid, Field: r.place.fieldOf(path), BadValue: factor, Detail: text})
	}
}

func (r *run) minimum(low bool, bound any, exclusive bool, v any) {
	switch {
	case !low:
	case exclusive:
		r.invalid(v, fmt.Sprintf("should be greater than %v", bound))
	default:
		r.invalid(v, fmt.Sprintf("should be greater than or equal to %v", bound))
	}
}

func (r *run) maximum(high bool, bound any, exclusive bool, v any) {
	switch {
	case !high:
	case exclusive:
		r.invalid(v, fmt.Sprintf("should be less than %v", bound))
	default:
		r.invalid(v, fmt.Sprintf("should be less than or equal to %v", bound))
	}
}
