package document

import (
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// keyword reads the value of a keyword of s.
func (r *definitionReader) keyword(name string, v int, s *props) bool {
	switch name {
	case "description":
		return r.readString(v, &s.Description)
	case "type":
		return r.readString(v, &s.Type)
	case "properties":
		return r.properties(v, &s.Properties)
	case "items":
		return r.items(v, s)
	case "additionalProperties":
		return r.additional(v, s)
	case "required":
		return r.stringList(v, &s.Required)
	case "default":
		return r.literal(v, &s.Default)
	case "example":
		return r.literal(v, &s.Example)
	case "enum":
		return r.enum(v, s)
	case "allOf":
		return r.schemas(v, &s.AllOf)
	case "anyOf":
		return r.schemas(v, &s.AnyOf)
	case "oneOf":
		return r.schemas(v, &s.OneOf)
	case "not":
		s.Not = &props{}
		return r.schema(v, s.Not)
	case "format":
		return r.readString(v, &s.Format)
	case "title":
		return r.readString(v, &s.Title)
	case "pattern":
		return r.readString(v, &s.Pattern)
	case "nullable":
		return r.boolean(v, &s.Nullable)
	}
	return r.limit(name, v, s)
}

// limit is keyword for constraints on values and for the extensions of
// Kubernetes.
func (r *definitionReader) limit(name string, v int, s *props) bool {
	switch name {
	case "maximum":
		return r.number(v, &s.Maximum)
	case "minimum":
		return r.number(v, &s.Minimum)
	case "multipleOf":
		return r.number(v, &s.MultipleOf)
	case "exclusiveMaximum":
		return r.boolean(v, &s.ExclusiveMaximum)
	case "exclusiveMinimum":
		return r.boolean(v, &s.ExclusiveMinimum)
	case "uniqueItems":
		return r.boolean(v, &s.UniqueItems)
	case "maxLength":
		return r.count(v, &s.MaxLength)
	case "minLength":
		return r.count(v, &s.MinLength)
	case "maxItems":
		return r.count(v, &s.MaxItems)
	case "minItems":
		return r.count(v, &s.MinItems)
	case "maxProperties":
		return r.count(v, &s.MaxProperties)
	case "minProperties":
		return r.count(v, &s.MinProperties)
	case "x-kubernetes-preserve-unknown-fields":
		s.XPreserveUnknownFields = new(bool)
		return r.boolean(v, s.XPreserveUnknownFields)
	case "x-kubernetes-embedded-resource":
		return r.boolean(v, &s.XEmbeddedResource)
	case "x-kubernetes-int-or-string":
		return r.boolean(v, &s.XIntOrString)
	case "x-kubernetes-list-map-keys":
		return r.stringList(v, &s.XListMapKeys)
	case "x-kubernetes-list-type":
		s.XListType = new(string)
		return r.readString(v, s.XListType)
	case "x-kubernetes-map-type":
		s.XMapType = new(string)
		return r.readString(v, s.XMapType)
	case "x-kubernetes-validations":
		return r.rules(v, s)
	case "id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions", "externalDocs":
		return false // left to the library
	}
	return r.unknownField(v)
}

func (r *definitionReader) readString(v int, out *string) bool {
	if r.tokens.Kind(v) != String {
		return false
	}
	*out = r.string(v)
	return true
}

func (r *definitionReader) stringList(v int, out *[]string) bool {
	return readList(r, v, out, r.readString)
}

func (r *definitionReader) boolean(v int, out *bool) bool {
	kind := r.tokens.Kind(v)
	*out = kind == True
	return kind == True || kind == False
}

func (r *definitionReader) number(v int, out **float64) bool {
	if r.tokens.Kind(v) != Number {
		return false
	}
	f, err := strconv.ParseFloat(r.tokens.Text(v), 64)
	*out = &f
	return err == nil
}

func (r *definitionReader) count(v int, out **int64) bool {
	if r.tokens.Kind(v) != Number {
		return false
	}
	n, err := strconv.ParseInt(r.tokens.Text(v), 10, 64)
	*out = &n
	return err == nil
}

// literal reads a value without changing its bytes. Null counts as absent.
func (r *definitionReader) literal(v int, out **apiextensionsv1.JSON) bool {
	if r.tokens.Kind(v) == Null {
		return true
	}
	*out = &apiextensionsv1.JSON{}
	return r.raw(v, *out)
}

func (r *definitionReader) raw(v int, out *apiextensionsv1.JSON) bool {
	if r.tokens.Kind(v) == Null {
		return true
	}
	var ok bool
	out.Raw, ok = r.tokens.AppendJSON(nil, v)
	return ok
}

func (r *definitionReader) enum(v int, s *props) bool { return readList(r, v, &s.Enum, r.raw) }

func (r *definitionReader) items(v int, s *props) bool {
	of := &struct {
		items  apiextensionsv1.JSONSchemaPropsOrArray
		schema props
	}{}
	of.items.Schema = &of.schema
	s.Items = &of.items
	return r.silentSchema(v, &of.schema)
}

func (r *definitionReader) additional(v int, s *props) bool {
	switch r.tokens.Kind(v) {
	case True, False:
		s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: r.tokens.Kind(v) == True}
		return true
	}
	of := &struct {
		values apiextensionsv1.JSONSchemaPropsOrBool
		schema props
	}{}
	of.values = apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &of.schema}
	s.AdditionalProperties = &of.values
	return r.silentSchema(v, &of.schema)
}

// silentSchema reads a schema that the type around it decodes by itself, so that strict
// decoding does not see its unknown fields.
func (r *definitionReader) silentSchema(v int, s *props) bool {
	r.unknown.silent++
	ok := r.schema(v, s)
	r.unknown.silent--
	return ok
}

func (r *definitionReader) schemas(v int, out *[]props) bool { return readList(r, v, out, r.schema) }

// properties reads schemas by name. It reads each into spare memory and copies
// it into the map, which avoids an allocation for each property.
func (r *definitionReader) properties(v int, out *map[string]props) bool {
	if r.tokens.Kind(v) != Object {
		return false
	}
	n := r.tokens.Len(v)
	all := make(map[string]props, n)
	if r.depth == len(r.spare) {
		r.spare = append(r.spare, &props{})
	}
	property := r.spare[r.depth]
	r.depth++
	name := v + 1
	for range n {
		*property = props{}
		if !r.schema(name+1, property) {
			return false
		}
		all[r.string(name)] = *property
		name = r.tokens.Next(name + 1)
	}
	r.depth--
	*out = all
	return len(all) == n
}

func (r *definitionReader) rules(v int, s *props) bool {
	return readList(r, v, (*[]apiextensionsv1.ValidationRule)(&s.XValidations), r.rule)
}

func (r *definitionReader) rule(i int, rule *apiextensionsv1.ValidationRule) bool {
	return r.members(i, func(name string, v int) bool { return r.ruleField(name, v, rule) })
}

func (r *definitionReader) ruleField(name string, v int, rule *apiextensionsv1.ValidationRule) bool {
	switch name {
	case "rule":
		return r.readString(v, &rule.Rule)
	case "message":
		return r.readString(v, &rule.Message)
	case "messageExpression":
		return r.readString(v, &rule.MessageExpression)
	case "fieldPath":
		return r.readString(v, &rule.FieldPath)
	case "reason":
		rule.Reason = new(apiextensionsv1.FieldValueErrorReason)
		return r.readString(v, (*string)(rule.Reason))
	case "optionalOldSelf":
		rule.OptionalOldSelf = new(bool)
		return r.boolean(v, rule.OptionalOldSelf)
	}
	return r.unknownField(v)
}
