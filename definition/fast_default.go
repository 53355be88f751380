package definition

import (
	"math"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// fastValidDefault reports whether the default of s is certainly a valid value of s, apart
// from rules: a scalar of the declared type within simple limits, or an empty object or
// list, as nearly all defaults are. It reports false for all other defaults; the validator
// then decides.
func fastValidDefault(s *apiextensionsv1.JSONSchemaProps) bool {
	raw := s.Default.Raw
	if len(raw) == 0 || s.XIntOrString || s.XEmbeddedResource || s.Pattern != "" || s.MultipleOf != nil || s.UniqueItems ||
		len(s.AllOf) > 0 || len(s.AnyOf) > 0 || len(s.OneOf) > 0 || s.Not != nil {
		return false
	}
	switch string(raw) {
	case "true", "false":
		return s.Type == "boolean" && isUnlimited(s)
	case "{}":
		return s.Type == "object" && isUnlimited(s)
	case "[]":
		return s.Type == "array" && isUnlimited(s)
	}
	if raw[0] == '"' {
		return s.Type == "string" && fastValidString(s, raw)
	}
	return s.Type == "integer" && fastValidInteger(s, raw)
}

// isUnlimited reports whether no limit concerns a value of the right type, apart from those
// that [fastValidDefault] refuses.
func isUnlimited(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.Format == "" && len(s.Enum) == 0 && s.MinLength == nil && s.MaxLength == nil && s.Minimum == nil && s.Maximum == nil && isSizeUnlimited(s)
}

// isSizeUnlimited reports whether no limit concerns the size of an object or of a list.
func isSizeUnlimited(s *apiextensionsv1.JSONSchemaProps) bool {
	return len(s.Required) == 0 && s.MinItems == nil && s.MaxItems == nil && s.MinProperties == nil && s.MaxProperties == nil
}

// fastValidString handles strings of printable ASCII without escapes.
func fastValidString(s *apiextensionsv1.JSONSchemaProps, raw []byte) bool {
	n := len(raw) - 2
	if n < 0 || raw[n+1] != '"' || s.Format != "" || s.Minimum != nil || s.Maximum != nil || !isSizeUnlimited(s) {
		return false
	}
	for _, b := range raw[1 : n+1] {
		if b < ' ' || b > '~' || b == '"' || b == '\\' {
			return false
		}
	}
	if s.MinLength != nil && int64(n) < *s.MinLength || s.MaxLength != nil && int64(n) > *s.MaxLength {
		return false
	}
	listed := len(s.Enum) == 0
	for i := 0; !listed && i < len(s.Enum); i++ {
		listed = string(s.Enum[i].Raw) == string(raw)
	}
	return listed
}

// fastValidInteger handles 32-bit integers, which are exact as floating point numbers and
// within every format.
func fastValidInteger(s *apiextensionsv1.JSONSchemaProps, raw []byte) bool {
	v, err := strconv.Atoi(string(raw))
	var canonical [20]byte
	if err != nil || v < math.MinInt32 || v > math.MaxInt32 || string(strconv.AppendInt(canonical[:0], int64(v), 10)) != string(raw) ||
		s.Format != "" && s.Format != "int32" && s.Format != "int64" ||
		len(s.Enum) > 0 || s.MinLength != nil || s.MaxLength != nil || !isSizeUnlimited(s) {
		return false
	}
	f := float64(v)
	return isBelow(s.Minimum, f, s.ExclusiveMinimum) && (s.Maximum == nil || isBelow(&f, *s.Maximum, s.ExclusiveMaximum) && isSmall(*s.Maximum))
}

// isBelow reports whether bound, which may be nil, is a 32-bit integer and at most v, or less
// than v if it is exclusive.
func isBelow(bound *float64, v float64, exclusive bool) bool {
	return bound == nil || isSmall(*bound) && (*bound < v || *bound == v && !exclusive)
}

// isSmall reports whether a bound is a 32-bit integer. The server has errors of its own
// for others.
func isSmall(bound float64) bool { return bound == float64(int32(bound)) }
