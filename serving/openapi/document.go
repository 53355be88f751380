package openapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A Document is an OpenAPI document of version 2 or 3.
type Document struct {
	format     format
	schemas    map[string]json.RawMessage
	parameters map[string]json.RawMessage // for version 2: shared by operations
	paths      map[string]json.RawMessage
}

// A format is a version of OpenAPI.
type format int

const (
	v2 format = 2
	v3 format = 3
)

func (f format) String() string {
	if f == v2 {
		return "2.0"
	}
	return "3.0.0"
}

func (f format) ref(name string) map[string]any {
	if f == v2 {
		return map[string]any{"$ref": "#/definitions/" + name}
	}
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// describedRef returns a reference with a description. In version 3 a description beside $ref has
// no effect, so the reference is in allOf.
func (f format) describedRef(name, description string) map[string]any {
	if f == v2 {
		ref := f.ref(name)
		ref["description"] = description
		return ref
	}
	return map[string]any{"allOf": []any{f.ref(name)}, "description": description}
}

// OpenAPI returns the version of OpenAPI of the document: "2.0" or "3.0.0".
func (d *Document) OpenAPI() string { return d.format.String() }

// MarshalJSON returns the document as compact JSON, with fields sorted by name. It never fails for
// a document of this package. It does not escape <, > and &; json.Marshal does.
func (d *Document) MarshalJSON() ([]byte, error) {
	out := map[string]any{
		"info":  map[string]string{"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
		"paths": d.paths,
	}
	switch d.format {
	case v2:
		out["swagger"] = d.OpenAPI()
		out["definitions"] = d.schemas
		if len(d.parameters) > 0 {
			out["parameters"] = d.parameters
		}
	case v3:
		out["openapi"] = d.OpenAPI()
		out["components"] = map[string]any{"schemas": d.schemas}
	default:
		return nil, errors.New("openapi: the zero Document is not one")
	}
	return encode(out)
}

// encode is like json.Marshal without escapes for HTML.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Merge returns one document with the contents of the given ones. All must have the same version of
// OpenAPI. Merge returns an error if there is no document, if one is nil, or if two have a path or
// a schema in common, except for schemas of Kubernetes' own types.
func Merge(docs ...*Document) (*Document, error) {
	if len(docs) == 0 {
		return nil, errors.New("openapi: no documents to merge")
	}
	if slices.Contains(docs, nil) {
		return nil, errors.New("openapi: a document is nil")
	}
	out := newDocument(docs[0].format)
	for _, d := range docs {
		if err := out.add(d); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func newDocument(f format) *Document {
	return &Document{
		format:     f,
		schemas:    map[string]json.RawMessage{},
		parameters: map[string]json.RawMessage{},
		paths:      map[string]json.RawMessage{},
	}
}

func (d *Document) add(other *Document) error {
	if d.format != other.format {
		return fmt.Errorf("openapi: documents of OpenAPI %s and %s cannot be merged", d.format, other.format)
	}
	for name, s := range other.schemas {
		if _, ok := d.schemas[name]; ok && !isBuiltin(name) {
			return conflict("schema", name, d.schemas, other.schemas)
		}
		d.schemas[name] = s
	}
	for path, p := range other.paths {
		if _, ok := d.paths[path]; ok {
			return conflict("path", path, d.paths, other.paths)
		}
		d.paths[path] = p
	}
	maps.Copy(d.parameters, other.parameters)
	return nil
}

func conflict(what, found string, a, b map[string]json.RawMessage) error {
	for name := range a {
		if _, ok := b[name]; ok && !isBuiltin(name) && name < found {
			found = name
		}
	}
	return fmt.Errorf("openapi: two documents have the %s %s", what, found)
}

// builtinJSON has the parts that the documents of all definitions share. Program
// internal/oracle/builtins generates it from the server's documents.
//
//go:embed builtin.json
var builtinJSON []byte

// builtins decodes builtinJSON once. Documents share its encoded schemas and parameters.
var builtins = sync.OnceValues(func() (*builtin, error) {
	var b builtin
	if err := json.Unmarshal(builtinJSON, &b); err != nil {
		return nil, fmt.Errorf("openapi: the embedded builtin.json: %w", err)
	}
	return &b, nil
})

type builtin struct {
	Descriptions struct {
		APIVersion, Kind, Metadata       string
		EmbeddedAPIVersion, EmbeddedKind string
		ListMetadata                     string
	}
	Parameters map[string]json.RawMessage   // by name, for version 2
	Paths      map[string]map[string]string // by version of OpenAPI and path: JSON with placeholders
	V2, V3     map[string]json.RawMessage   // schemas by name
}

const (
	metaTypes  = "io.k8s.apimachinery.pkg.apis.meta.v1."
	scaleTypes = "io.k8s.api.autoscaling.v1."
)

func isBuiltin(name string) bool {
	return strings.HasPrefix(name, metaTypes) || strings.HasPrefix(name, scaleTypes)
}

// builtin.json has the paths of a namespaced definition, with placeholders for names, such as ‹kind›.

// paths adds the paths of the version to d, and the parameters that they share.
func (b *builder) paths(d *Document) error {
	names := b.names()
	escaped := slices.Clone(names)
	for i := 1; i < len(names); i += 2 {
		text, err := encode(names[i])
		if err != nil {
			return err
		}
		escaped[i] = string(text[1 : len(text)-1])
	}
	inPath, inText := strings.NewReplacer(names...), strings.NewReplacer(escaped...)
	namespaced, status := b.crd.Spec.Scope == "Namespaced", b.version.Subresources != nil && b.version.Subresources.Status != nil
	for path, text := range b.builtin.Paths[b.format.String()] {
		inNamespace := strings.Contains(path, "{namespace}")
		switch {
		case !inNamespace && !namespaced, strings.HasSuffix(path, "/status") && !status, strings.HasSuffix(path, "/scale") && !b.hasScale():
			continue
		case !namespaced:
			var err error
			if path, text, err = atCluster(path, text); err != nil {
				return err
			}
		}
		text = inText.Replace(text)
		d.paths[inPath.Replace(path)] = json.RawMessage(text)
		for name, p := range b.builtin.Parameters {
			if strings.Contains(text, `"#/parameters/`+name+`"`) {
				d.parameters[name] = p
			}
		}
	}
	return nil
}

// names returns pairs of a placeholder and the text that replaces it. Identifiers are in camel
// case.
func (b *builder) names() []string {
	group := strings.TrimSuffix(b.group, ".k8s.io")
	namespaced, kind, inner := "", identifier(b.kind, true), strings.TrimPrefix(identifier("x"+b.kind, false), "x")
	namespacedKind := kind
	if b.crd.Spec.Scope == "Namespaced" {
		namespaced = "Namespaced"
		namespacedKind = namespaced + inner
	}
	return []string{
		"‹group›", b.group, "‹version›", b.version.Name, "‹plural›", b.crd.Spec.Names.Plural, "‹kind›", b.kind, "‹list›", b.list,
		"‹model›", b.modelName(""), "‹article›", article(b.kind), "‹tag›", identifier(group, false) + "_" + identifier(b.version.Name, false),
		"‹Group›", identifier(group, true), "‹Version›", identifier(b.version.Name, true), "‹Kind›", kind, "‹innerKind›", inner,
		"‹Namespaced›", namespaced, "‹NamespacedKind›", namespacedKind,
	}
}

func atCluster(path, text string) (string, string, error) {
	var item map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &item); err != nil {
		return "", "", err
	}
	var parameters []map[string]any
	if err := json.Unmarshal(item["parameters"], &parameters); err != nil {
		return "", "", err
	}
	parameters = slices.DeleteFunc(parameters, func(p map[string]any) bool {
		ref, _ := p["$ref"].(string)
		return p["name"] == "namespace" || strings.HasPrefix(ref, "#/parameters/namespace-")
	})
	var err error
	if item["parameters"], err = encode(parameters); err != nil {
		return "", "", err
	}
	encoded, err := encode(item)
	return strings.Replace(path, "/namespaces/{namespace}", "", 1), string(encoded), err
}

func (b *builder) hasScale() bool {
	return b.version.Subresources != nil && b.version.Subresources.Scale != nil
}

// article returns the text before a kind: " a " or " an ", or " " for a likely plural.
func article(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s") && !strings.HasSuffix(kind, "ss"):
		return " "
	case strings.Contains("aeiouAEIOU", kind[:1]):
		return " an "
	default:
		return " a "
	}
}

// identifier returns the letters, digits and underscores of s in camel case, without a digit at the
// start. If upper is true, the first letter is in upper case.
func identifier(s string, upper bool) string {
	var out strings.Builder
	for i, r := range s {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
			upper = false
		}
		out.WriteRune(r)
	}
	return out.String()
}
