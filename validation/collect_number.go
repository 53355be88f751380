package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/leafcheck"
)

// If a bound fits the declared type, a number is compared with it as int64 or
// float64, whichever the number is. If it does not fit, that is an error of its
// own, and the number is compared as float64.

func (r *run) int(n *leafcheck.Node, v int64, bad any) {
	num := n.Number
	if num == nil {
		return
	}
	if !num.FitsInt(v) {
		r.misfit("Checked", num)
	}
	if l := &num.Multiple; l.Fits {
		r.multiple(l.OffInt(v), l.Int, l.Int > 0, bad)
	} else if l.Set {
		r.misfit("MultipleOf", num)
		r.multiple(l.OffFloat(float64(v)), l.Value, l.Value > 0, float64(v))
	}
	if l := &num.Min; l.Fits {
		r.minimum(l.TooLowInt(v), l.Int, l.Exclusive, bad)
	} else if l.Set {
		r.misfit("Minimum boundary", num)
		r.minimum(l.TooLowFloat(float64(v)), l.Value, l.Exclusive, float64(v))
	}
	if l := &num.Max; l.Fits {
		r.maximum(l.TooHighInt(v), l.Int, l.Exclusive, bad)
	} else if l.Set {
		r.misfit("Maximum boundary", num)
		r.maximum(l.TooHighFloat(float64(v)), l.Value, l.Exclusive, float64(v))
	}
}

func (r *run) float(n *leafcheck.Node, v float64, bad any) {
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
		r.multiple(l.OffFloat(v), l.Value, l.Value > 0, bad)
	}
	if l := &num.Min; l.Set {
		if !l.Fits {
			r.misfit("Minimum boundary", num)
		}
		r.minimum(l.TooLowFloat(v), l.Value, l.Exclusive, bad)
	}
	if l := &num.Max; l.Set {
		if !l.Fits {
			r.misfit("Maximum boundary", num)
		}
		r.maximum(l.TooHighFloat(v), l.Value, l.Exclusive, bad)
	}
}

// misfit reports that a value or a bound is outside the range of the type.
func (r *run) misfit(what string, n *leafcheck.Number) {
	form := "(default format)"
	if n.Format != "" {
		form = "with format " + n.Format
	}
	r.atStart([]byte(what + " value must be of type " + n.Type + " " + form + " in " + r.stack.Text()))
}

func (r *run) multiple(off bool, factor any, positive bool, v any) {
	switch {
	case !off:
	case positive:
		r.invalid(fmt.Append(append(r.begin(), "should be a multiple of "...), factor), v)
	default:
		path := r.begin()[:r.path]
		text := fmt.Appendf(nil, "factor MultipleOf declared for %s must be positive: %v", path, factor)
		r.misplaced(string(path), text, factor)
	}
}

// misplaced adds an error whose text does not start with the path.
func (r *run) misplaced(path string, text []byte, bad any) {
	if err := r.add(text, field.Error{Type: field.ErrorTypeInvalid, BadValue: bad}, false); err != nil {
		err.fieldError.Field = r.stack.FieldOf(path)
	}
}

func (r *run) minimum(low bool, bound any, exclusive bool, v any) {
	switch {
	case !low:
	case exclusive:
		r.invalid(fmt.Append(append(r.begin(), "should be greater than "...), bound), v)
	default:
		r.invalid(fmt.Append(append(r.begin(), "should be greater than or equal to "...), bound), v)
	}
}

func (r *run) maximum(high bool, bound any, exclusive bool, v any) {
	switch {
	case !high:
	case exclusive:
		r.invalid(fmt.Append(append(r.begin(), "should be less than "...), bound), v)
	default:
		r.invalid(fmt.Append(append(r.begin(), "should be less than or equal to "...), bound), v)
	}
}
