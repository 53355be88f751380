package jsonschema

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
)

// values sets the constraints of a schema on a single value, whose node is
// core: the schema itself, or the one around a junctor. It reports whether they
// refuse exactly what the server refuses. Otherwise they refuse less.
func (e *exporter) values(out object, s, core *props) bool {
	exact := core != nil
	exact = e.numbers(out, s, core) && exact
	exact = e.strings(out, s) && exact
	if s.MinItems != nil {
		out["minItems"] = *s.MinItems
	}
	if s.MaxItems != nil {
		out["maxItems"] = *s.MaxItems
	}
	exact = e.counts(out, s, core) && exact
	exact = e.enum(out, s, core) && exact
	return e.junctors(out, s, core) && exact
}

// numbers sets bounds. It leaves out a bound with a fraction on integers,
// because the server truncates it.
func (e *exporter) numbers(out object, s, core *props) bool {
	exact := true
	bound := func(value *float64, exclusive bool, keyword, exclusiveKeyword string) {
		switch {
		case value == nil:
		case *value != math.Trunc(*value) || math.Abs(*value) > 1<<53:
			exact = false
		case exclusive:
			out[exclusiveKeyword] = *value
		default:
			out[keyword] = *value
		}
	}
	bound(s.Minimum, s.ExclusiveMinimum, "minimum", "exclusiveMinimum")
	bound(s.Maximum, s.ExclusiveMaximum, "maximum", "exclusiveMaximum")
	if s.MultipleOf != nil {
		integers := core != nil && (core.Type == "integer" || core.XIntOrString)
		if integers && *s.MultipleOf > 0 && *s.MultipleOf == math.Trunc(*s.MultipleOf) && *s.MultipleOf <= 1<<53 {
			out["multipleOf"] = *s.MultipleOf
		} else {
			exact = false
		}
	}
	if s.Type == "integer" && s.Format == "int32" {
		if s.Minimum == nil {
			out["minimum"] = math.MinInt32
		}
		if s.Maximum == nil {
			out["maximum"] = math.MaxInt32
		}
	}
	return exact
}

// goOnly matches syntax of regular expressions that Go has and ECMAScript does
// not.
var goOnly = regexp.MustCompile(`\(\?[a-zA-Z]*(-[a-zA-Z]+)?[:)]|\(\?P<|\\[AzQEC]|\[\[?:|\\p[A-Z]|\\P[A-Z]|\\x\{|\[\^?\]`)

// nonCapturing is the only match of goOnly that both have.
const nonCapturing = "(?:"

// formats are the names of formats that JSON Schema has. Except for dates,
// their meaning in JSON Schema differs slightly from the server's.
var formats = map[string]string{
	"datetime": "date-time", "email": "email", "hostname": "hostname", "ipv4": "ipv4", "ipv6": "ipv6", "uri": "uri", "uuid": "uuid",
}

func (e *exporter) strings(out object, s *props) bool {
	exact := true
	if s.MinLength != nil {
		out["minLength"] = *s.MinLength
	}
	if s.MaxLength != nil {
		out["maxLength"] = *s.MaxLength
	}
	if s.Pattern != "" {
		if goOnly.MatchString(strings.ReplaceAll(s.Pattern, nonCapturing, "(")) {
			exact = false
		} else {
			out["pattern"] = s.Pattern
		}
	}
	if s.Format == "" || s.Type != "string" && s.Type != "" {
		return exact
	}
	switch name := strings.ReplaceAll(s.Format, "-", ""); {
	case name == "date":
		out["format"] = "date"
	case name == "byte":
		out["contentEncoding"] = "base64"
		exact = false
	case e.strict && formats[name] != "":
		out["format"] = formats[name]
	default:
		exact = false
	}
	return exact
}

// counts sets the limits on the number of properties. Before pruning and
// defaulting, an object may have more properties or fewer than the server
// counts, so that most limits are left out.
func (e *exporter) counts(out object, s, core *props) bool {
	if s.MinProperties == nil && s.MaxProperties == nil {
		return true
	}
	if s.MinProperties != nil && !defaultsBelow(core) {
		out["minProperties"] = *s.MinProperties
	}
	if s.MaxProperties != nil && e.strict {
		out["maxProperties"] = *s.MaxProperties
	}
	return false
}

func defaultsBelow(s *props) bool {
	if s == nil {
		return false
	}
	for _, child := range s.Properties {
		if hasDefault(&child) {
			return true
		}
	}
	return false
}

// enum sets the admitted values if the server compares them as JSON Schema
// does. The server rounds numbers, takes integers for characters, and changes
// objects and arrays before it compares.
func (e *exporter) enum(out object, s, core *props) bool {
	if len(s.Enum) == 0 {
		return true
	}
	kind := ""
	if core != nil {
		kind = core.Type
		if core.XIntOrString {
			kind = "int-or-string"
		}
	}
	values := []any{}
	for _, raw := range s.Enum {
		if len(raw.Raw) == 0 {
			continue // null, as the types of the API have it
		}
		var value any
		if json.Unmarshal(raw.Raw, &value) != nil {
			return false
		}
		switch value := value.(type) {
		case string:
			if kind == "int-or-string" && len([]rune(value)) == 1 {
				return false
			}
		case float64:
			if kind != "integer" && kind != "int-or-string" || value != math.Trunc(value) {
				return false
			}
		case map[string]any, []any:
			return false
		case nil:
			continue // nothing matches it
		}
		values = append(values, json.RawMessage(raw.Raw))
	}
	if kind != "string" && kind != "integer" && kind != "boolean" && kind != "int-or-string" || len(values) == 0 {
		return false
	}
	out["enum"] = values
	return true
}
