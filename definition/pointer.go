package definition

import (
	"reflect"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/schema"
)

// A locator finds the JSON Pointers of the errors of one definition. It indexes the names
// of properties and decodes defaults at the first error that needs them, so that many
// errors take time in proportion to their number.
type locator struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	names    map[uintptr]*prefixIndex // by the address of the map that has the names
	values   map[*byte]any            // decoded defaults, by the address of their text
	metadata metadataLocator
	watch    *interrupt.Watch // when it ends, pointers are of no use
}

func newLocator(crd *apiextensionsv1.CustomResourceDefinition, watch *interrupt.Watch) *locator {
	return &locator{crd: crd, watch: watch, names: map[uintptr]*prefixIndex{}, values: map[*byte]any{}, metadata: metadataLocator{meta: &crd.ObjectMeta}}
}

// namesOf returns the index of the names of a map, which must belong to the definition.
func namesOf[V any](l *locator, named map[string]V) *prefixIndex {
	at := reflect.ValueOf(named).Pointer()
	x, ok := l.names[at]
	if !ok {
		x = newPrefixIndex(named)
		l.names[at] = x
	}
	return x
}

// pointer returns the JSON Pointer (RFC 6901) of the field of an error, in the definition
// as it was written. What all versions share is found in the first version. A field that
// the definition lacks has the pointer that it would have.
func (l *locator) pointer(field string) string {
	for _, common := range [...]struct{ field, pointer string }{
		{"spec.validation", "/spec/versions/0/schema"},
		{"spec.schema", "/spec/versions/0/schema"},
		{"spec.subresources", "/spec/versions/0/subresources"},
		{"spec.additionalPrinterColumns", "/spec/versions/0/additionalPrinterColumns"},
		{"spec.selectableFields", "/spec/versions/0/selectableFields"},
		{"spec.version", "/spec/versions/0/name"},
		{"spec.conversion.webhookClientConfig", "/spec/conversion/webhook/clientConfig"},
		{"spec.conversion.conversionReviewVersions", "/spec/conversion/webhook/conversionReviewVersions"},
		{"metadata.annotations", "/metadata/annotations"},
		{"metadata.labels", "/metadata/labels"},
	} {
		if rest, ok := strings.CutPrefix(field, common.field); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return common.pointer + l.below(common.pointer, rest)
		}
	}
	return l.below("", "."+field)
}

// below returns the pointer of a field below a location.
func (l *locator) below(location, rest string) string {
	var b strings.Builder
	for rest != "" {
		if root, after, ok := l.enterSchema(location+b.String(), rest); ok {
			b.WriteString("/openAPIV3Schema")
			l.writeSchemaPointer(&b, root, after)
			break
		}
		var name string
		name, rest = cutStep(rest)
		if name == "JSONPath" {
			name = "jsonPath"
		}
		b.WriteString("/" + schema.EscapePointer(name))
	}
	return b.String()
}

// enterSchema reports whether the location is the schema of a version and the field leads
// into it.
func (l *locator) enterSchema(location, rest string) (*apiextensionsv1.JSONSchemaProps, string, bool) {
	after, ok := strings.CutPrefix(rest, ".openAPIV3Schema")
	if !ok {
		return nil, "", false
	}
	number, ok := strings.CutPrefix(strings.TrimSuffix(location, "/schema"), "/spec/versions/")
	i, err := strconv.Atoi(number)
	if !ok || err != nil || i < 0 || i >= len(l.crd.Spec.Versions) {
		return nil, "", false
	}
	v := l.crd.Spec.Versions[i].Schema
	if v == nil {
		return nil, after, true
	}
	return v.OpenAPIV3Schema, after, true
}

// cutStep splits the first step off a field: ".name" or "[key]".
func cutStep(rest string) (name, after string) {
	if rest[0] == '[' {
		if end := strings.IndexByte(rest, ']'); end > 0 {
			return rest[1:end], rest[end+1:]
		}
		return rest[1:], ""
	}
	rest = strings.TrimPrefix(rest, ".")
	if end := strings.IndexAny(rest, ".["); end > 0 {
		return rest[:end], rest[end:]
	}
	return rest, ""
}

// schemaPointer writes the pointer that a field spells below a schema. The
// names of properties may have any bytes, so they are looked up.
func (l *locator) writeSchemaPointer(b *strings.Builder, s *apiextensionsv1.JSONSchemaProps, rest string) {
	for rest != "" {
		var name string
		name, rest = cutStep(rest)
		b.WriteString("/" + schema.EscapePointer(name))
		if s == nil {
			continue
		}
		switch name {
		case "properties":
			s, rest = l.enterNamed(b, s.Properties, rest)
		case "definitions":
			s, rest = l.enterNamed(b, s.Definitions, rest)
		case "items":
			s = itemsOf(s)
		case "not":
			s = s.Not
		case "additionalProperties":
			if s.AdditionalProperties == nil {
				s = nil
				continue
			}
			s = s.AdditionalProperties.Schema
		case "allOf":
			s, rest = enterListed(b, s.AllOf, rest)
		case "anyOf":
			s, rest = enterListed(b, s.AnyOf, rest)
		case "oneOf":
			s, rest = enterListed(b, s.OneOf, rest)
		case "default":
			if s.Default != nil {
				l.valuePointer(b, s.Default.Raw, rest)
			}
			return
		default:
			s = nil
		}
	}
}

// enterNamed enters the schema with the longest name that the field can mean.
func (l *locator) enterNamed(b *strings.Builder, named map[string]apiextensionsv1.JSONSchemaProps, rest string) (*apiextensionsv1.JSONSchemaProps, string) {
	inside, ok := strings.CutPrefix(rest, "[")
	if !ok {
		return nil, rest
	}
	name, ok := namesOf(l, named).longest(inside, func(after string) bool { return strings.HasPrefix(after, "]") })
	if !ok {
		return nil, rest
	}
	b.WriteString("/" + schema.EscapePointer(name))
	s := named[name]
	return &s, inside[len(name)+len("]"):]
}

func enterListed(b *strings.Builder, listed []apiextensionsv1.JSONSchemaProps, rest string) (*apiextensionsv1.JSONSchemaProps, string) {
	if rest == "" {
		return nil, rest
	}
	number, after := cutStep(rest)
	b.WriteString("/" + schema.EscapePointer(number))
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(listed) {
		return nil, after
	}
	return &listed[i], after
}
