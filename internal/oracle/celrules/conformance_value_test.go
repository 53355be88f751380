package celrules

import (
	"flag"
	"math"
	"regexp"
	"strconv"
	"strings"

	exprpb "cel.dev/expr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var showSlow = flag.Bool("slow", false, "print the conformance tests that cel-go evaluates")

// declared returns a schema for a value. It returns nil for values that no schema
// describes.
func declared(v *exprpb.Value) *apiextensionsv1.JSONSchemaProps {
	switch v := v.GetKind().(type) {
	case *exprpb.Value_BoolValue:
		return &apiextensionsv1.JSONSchemaProps{Type: "boolean"}
	case *exprpb.Value_Int64Value:
		return &apiextensionsv1.JSONSchemaProps{Type: "integer"}
	case *exprpb.Value_DoubleValue:
		return &apiextensionsv1.JSONSchemaProps{Type: "number"}
	case *exprpb.Value_StringValue:
		return &apiextensionsv1.JSONSchemaProps{Type: "string"}
	case *exprpb.Value_ListValue:
		if len(v.ListValue.Values) == 0 {
			return nil
		}
		if items := declared(v.ListValue.Values[0]); items != nil {
			return &apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: items}}
		}
	case *exprpb.Value_MapValue:
		if len(v.MapValue.Entries) == 0 {
			return nil
		}
		first := v.MapValue.Entries[0]
		if _, named := first.Key.GetKind().(*exprpb.Value_StringValue); !named {
			return nil
		}
		if values := declared(first.Value); values != nil {
			return &apiextensionsv1.JSONSchemaProps{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: values}}
		}
	}
	return nil
}

// jsonOf returns a value that declared describes as a part of an object.
func jsonOf(v *exprpb.Value) any {
	switch v := v.GetKind().(type) {
	case *exprpb.Value_BoolValue:
		return v.BoolValue
	case *exprpb.Value_Int64Value:
		return v.Int64Value
	case *exprpb.Value_DoubleValue:
		return v.DoubleValue
	case *exprpb.Value_StringValue:
		return v.StringValue
	case *exprpb.Value_ListValue:
		list := []any{}
		for _, e := range v.ListValue.Values {
			list = append(list, jsonOf(e))
		}
		return list
	case *exprpb.Value_MapValue:
		object := map[string]any{}
		for _, e := range v.MapValue.Entries {
			object[e.Key.GetStringValue()] = jsonOf(e.Value)
		}
		return object
	}
	return nil
}

// qualified replaces a variable by a field of self. What it replaces in texts of the
// expression does no harm: all sides get the same rule.
func qualified(expr, name string) string {
	return regexp.MustCompile(`(^|[^.\w])`+regexp.QuoteMeta(name)+`\b`).ReplaceAllString(expr, "${1}self."+name)
}

// literal returns the text of a value. It is not ok for messages, enums and
// unspellable numbers.
func literal(v *exprpb.Value) (text string, ok bool) {
	switch v := v.GetKind().(type) {
	case *exprpb.Value_NullValue:
		return "null", true
	case *exprpb.Value_BoolValue:
		return strconv.FormatBool(v.BoolValue), true
	case *exprpb.Value_Int64Value:
		return strconv.FormatInt(v.Int64Value, 10), true
	case *exprpb.Value_Uint64Value:
		return strconv.FormatUint(v.Uint64Value, 10) + "u", true
	case *exprpb.Value_DoubleValue:
		if math.IsNaN(v.DoubleValue) || math.IsInf(v.DoubleValue, 0) {
			return "", false
		}
		text = strconv.FormatFloat(v.DoubleValue, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text, true
	case *exprpb.Value_StringValue:
		return strconv.Quote(v.StringValue), true
	case *exprpb.Value_TypeValue:
		return v.TypeValue, true
	case *exprpb.Value_ListValue:
		return literals(v.ListValue.Values)
	case *exprpb.Value_MapValue:
		var entries []string
		for _, e := range v.MapValue.Entries {
			key, isKey := literal(e.Key)
			value, isValue := literal(e.Value)
			if !isKey || !isValue {
				return "", false
			}
			entries = append(entries, key+": "+value)
		}
		return "{" + strings.Join(entries, ", ") + "}", true
	}
	return "", false
}

func literals(values []*exprpb.Value) (text string, ok bool) {
	var texts []string
	for _, v := range values {
		text, ok := literal(v)
		if !ok {
			return "", false
		}
		texts = append(texts, text)
	}
	return "[" + strings.Join(texts, ", ") + "]", true
}
