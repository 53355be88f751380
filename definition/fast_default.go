package definition

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// A fastDefaults reports whether defaults are certainly valid values of their schemas, apart
// from rules. It knows objects and lists of declared members, and scalars of the declared
// type within simple limits, as nearly all defaults are. It reports false for all others;
// the validator then decides. The zero value is ready to use.
type fastDefaults struct {
	patterns map[string]*regexp.Regexp // of all defaults that were matched, nil for a wrong one
}

// Larger ones are left to the validator, which looks at the context.
const (
	maxFastValue    = 4096 // bytes of a default
	maxFastDepth    = 16   // each level reads the text again
	maxFastText     = 256  // bytes of a string that is matched with a pattern
	maxFastPattern  = 1024 // bytes
	maxFastPatterns = 1000
)

// valid reports whether the default of s is valid.
func (f *fastDefaults) valid(s *apiextensionsv1.JSONSchemaProps) bool {
	return len(s.Default.Raw) <= maxFastValue && f.validText(s, string(s.Default.Raw), maxFastDepth)
}

// validText reports whether a value is valid, given its text without white space around it,
// and how many levels it may have.
func (f *fastDefaults) validText(s *apiextensionsv1.JSONSchemaProps, text string, levels int) bool {
	if text == "" || levels == 0 || s.XIntOrString || s.XEmbeddedResource || s.MultipleOf != nil || s.UniqueItems ||
		len(s.AllOf) > 0 || len(s.AnyOf) > 0 || len(s.OneOf) > 0 || s.Not != nil {
		return false
	}
	switch text[0] {
	case 't', 'f':
		return (text == "true" || text == "false") && s.Type == "boolean" && isUnlimited(s) && isSizeUnlimited(s)
	case '{':
		return s.Type == "object" && isUnlimited(s) && s.MinItems == nil && s.MaxItems == nil && f.validObject(s, text, levels-1)
	case '[':
		return s.Type == "array" && isUnlimited(s) && len(s.Required) == 0 && s.MinProperties == nil && s.MaxProperties == nil && f.validList(s, text, levels-1)
	case '"':
		return s.Type == "string" && f.validString(s, text)
	}
	return s.Type == "integer" && s.Pattern == "" && fastValidInteger(s, text)
}

// isUnlimited reports whether no limit concerns a value of the right type, apart from its
// size and from those that validText refuses.
func isUnlimited(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.Format == "" && s.Pattern == "" && len(s.Enum) == 0 && s.MinLength == nil && s.MaxLength == nil && s.Minimum == nil && s.Maximum == nil
}

// isSizeUnlimited reports whether no limit concerns the size of an object or of a list.
func isSizeUnlimited(s *apiextensionsv1.JSONSchemaProps) bool {
	return len(s.Required) == 0 && s.MinItems == nil && s.MaxItems == nil && s.MinProperties == nil && s.MaxProperties == nil
}

// validObject handles objects whose members are declared and in strictly increasing order,
// so that none is repeated.
func (f *fastDefaults) validObject(s *apiextensionsv1.JSONSchemaProps, text string, levels int) bool {
	count, required, last := int64(0), 0, ""
	i, more := begin(text, '}')
	for ; more; count++ {
		name, _, at := jsonscan.Key(text, i)
		if at < 0 || count > 0 && name <= last {
			return false
		}
		end := jsonscan.Skip(text, at)
		member, declared := s.Properties[name]
		if end < 0 || !declared || !f.validText(&member, text[at:end], levels) {
			return false
		}
		if slices.Contains(s.Required, name) {
			required++
		}
		last = name
		i, more = jsonscan.Next(text, end, '}')
	}
	return i == len(text) && required == len(s.Required) && isWithin(s.MinProperties, count, s.MaxProperties)
}

func (f *fastDefaults) validList(s *apiextensionsv1.JSONSchemaProps, text string, levels int) bool {
	count := int64(0)
	i, more := begin(text, ']')
	for ; more; count++ {
		end := jsonscan.Skip(text, i)
		if end < 0 || s.Items == nil || s.Items.Schema == nil || !f.validText(s.Items.Schema, text[i:end], levels) {
			return false
		}
		i, more = jsonscan.Next(text, end, ']')
	}
	return i == len(text) && isWithin(s.MinItems, count, s.MaxItems)
}

// begin reports whether elements follow the opening bracket of a text. It returns the index
// of the first one, or the index after the closing bracket.
func begin(text string, closing byte) (i int, more bool) {
	i = jsonscan.Space(text, 1)
	if i < len(text) && text[i] == closing {
		return i + 1, false
	}
	return i, true
}

// isWithin reports whether n is within limits, which may be nil.
func isWithin(least *int64, n int64, most *int64) bool {
	return (least == nil || n >= *least) && (most == nil || n <= *most)
}

// validString handles strings of printable ASCII without escapes.
func (f *fastDefaults) validString(s *apiextensionsv1.JSONSchemaProps, text string) bool {
	n := len(text) - 2
	if n < 0 || text[n+1] != '"' || s.Minimum != nil || s.Maximum != nil || !isSizeUnlimited(s) {
		return false
	}
	value := text[1 : n+1]
	for i := range len(value) {
		if b := value[i]; b < ' ' || b > '~' || b == '"' || b == '\\' {
			return false
		}
	}
	if s.Format != "" {
		if check, ok := format.Registered(s.Format); !ok || !check(value) {
			return false
		}
	}
	listed := len(s.Enum) == 0
	for i := 0; !listed && i < len(s.Enum); i++ {
		listed = string(s.Enum[i].Raw) == text
	}
	return listed && isWithin(s.MinLength, int64(n), s.MaxLength) && (s.Pattern == "" || f.matches(s.Pattern, value))
}

// matches reports whether a text matches a pattern. Most patterns of defaults are matched
// once in each version, for which package regexp takes less time than an automaton.
func (f *fastDefaults) matches(pattern, text string) bool {
	if len(pattern) > maxFastPattern || len(text) > maxFastText {
		return false
	}
	re, ok := f.patterns[pattern]
	if !ok {
		if len(f.patterns) == maxFastPatterns {
			return false
		}
		if f.patterns == nil {
			f.patterns = make(map[string]*regexp.Regexp)
		}
		re, _ = regexp.Compile(pattern)
		f.patterns[pattern] = re
	}
	return re != nil && re.MatchString(text)
}

// fastValidInteger handles 32-bit integers, which are exact as floating point numbers and
// within every format.
func fastValidInteger(s *apiextensionsv1.JSONSchemaProps, text string) bool {
	v, err := strconv.Atoi(text)
	var canonical [20]byte
	if err != nil || v < math.MinInt32 || v > math.MaxInt32 || string(strconv.AppendInt(canonical[:0], int64(v), 10)) != text ||
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
