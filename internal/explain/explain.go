package explain

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A Request says what to print.
type Request struct {
	Group, Version, Kind string
	Fields               []string // the way to a field, none for the kind
	Recursive            bool     // names of all fields below instead of descriptions
	MaxDepth             int      // levels of fields if Recursive, 0 for all
}

// Print returns the explanation. The document is one of OpenAPI version 3, as
// encoding/json decodes it, and is not changed. It is an error if it lacks the
// kind or the field.
func Print(document map[string]any, r Request) (string, error) {
	p := &printer{request: r, document: document}
	schemas := child(child(document, "components"), "schemas")
	gvk := map[string]any{"group": r.Group, "version": r.Version, "kind": r.Kind}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		s := child(schemas, name)
		if !isOf(s, gvk) {
			continue
		}
		out := p.output(s, r.Fields, nil)
		if out == "" {
			return "", fmt.Errorf("field %q does not exist", r.Fields[len(r.Fields)-1])
		}
		return fmt.Sprintf("GROUP:      %s\nKIND:       %s\nVERSION:    %s\n\n%s\n", r.Group, r.Kind, r.Version, out), nil
	}
	return "", fmt.Errorf("the document has no kind %s of %s/%s", r.Kind, r.Group, r.Version)
}

func isOf(s schema, gvk map[string]any) bool {
	list, _ := s["x-kubernetes-group-version-kind"].([]any)
	return slices.ContainsFunc(list, func(v any) bool { return reflect.DeepEqual(v, gvk) })
}

// A schema is one of the document. An empty one is taken for none.
type schema = map[string]any

func child(s schema, name string) schema {
	c, _ := s[name].(schema)
	return c
}

func text(s schema, name string) string {
	t, _ := s[name].(string)
	return t
}

// A printer holds the state of one Print.
type printer struct {
	request  Request
	document map[string]any
}

// resolve returns the schema that s refers to, or s.
func (p *printer) resolve(s schema) schema {
	if found := p.find(text(s, "$ref")); len(found) > 0 {
		return found
	}
	return s
}

func (p *printer) find(ref string) schema {
	fragment, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	s := p.document
	for step := range strings.SplitSeq(fragment, "/") {
		s = child(s, step)
	}
	return s
}

// output prints the kind or field at the end of fields, "" if there is none.
// Seen are the references on the way.
func (p *printer) output(s schema, fields []string, seen []string) string {
	ref := text(s, "$ref")
	resolved := p.resolve(s)
	if len(fields) == 0 {
		return p.describe(resolved)
	}
	if ref != "" && slices.Contains(seen, ref) {
		return ""
	}
	next := append(slices.Clip(seen), ref)
	if property := child(child(resolved, "properties"), fields[0]); len(property) > 0 {
		head := ""
		if len(fields) == 1 {
			head = "FIELD: " + fields[0] + " <" + p.typeOf(property) + ">\n" + enumLong(property) + "\n\n"
		}
		return head + p.output(property, fields[1:], nil)
	}
	if items := child(resolved, "items"); len(items) > 0 {
		return p.output(items, fields, next)
	}
	if values := child(resolved, "additionalProperties"); len(values) > 0 {
		return p.output(values, fields, next)
	}
	for _, branch := range allOf(resolved) {
		if out := p.output(branch, fields, next); out != "" {
			return out
		}
	}
	return ""
}

func allOf(s schema) []schema {
	list, _ := s["allOf"].([]any)
	var out []schema
	for _, v := range list {
		if branch, ok := v.(schema); ok {
			out = append(out, branch)
		}
	}
	return out
}

// describe prints the description of a schema and its fields.
func (p *printer) describe(s schema) string {
	description := p.description(s)
	if description == "" {
		description = "<empty>"
	}
	out := "DESCRIPTION:\n" + indent(4, wrap(76, description)) + "\n"
	if docs := externalDocs(s, 0, 4, 76); docs != "" {
		out += "\n" + docs
	}
	if fields := p.fieldList(s, 1, nil); fields != "" {
		out += "FIELDS:\n" + fields
	}
	return out
}

// description returns the descriptions of a schema and of its elements, a line
// each.
func (p *printer) description(s schema) string {
	s = p.resolve(s)
	out := text(s, "description")
	if out != "" {
		out += "\n"
	}
	for _, branch := range allOf(s) {
		out += p.description(branch)
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if element := child(s, name); len(element) > 0 {
			out += p.description(element)
		}
	}
	return out
}

// externalDocs prints a link to documentation elsewhere, "" if there is none:
// its head and its body moved to the right, the body in lines up to limit.
func externalDocs(s schema, head, body, limit int) string {
	docs := child(s, "externalDocs")
	if len(docs) == 0 {
		return ""
	}
	out := indent(head, "EXTERNAL DOCS:") + "\n"
	if d := text(docs, "description"); d != "" {
		out += indent(body, wrap(limit, d)) + "\n"
	}
	if url := text(docs, "url"); url != "" {
		out += indent(body, "URL: "+url) + "\n"
	}
	return out
}

// fieldList prints the fields of a schema, and of those below if that is asked
// for.
func (p *printer) fieldList(s schema, level int, seen []string) string {
	ref := text(s, "$ref")
	if ref != "" && slices.Contains(seen, ref) {
		return ""
	}
	next := append(slices.Clip(seen), ref)
	s = p.resolve(s)
	var out strings.Builder
	properties := child(s, "properties")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := child(properties, name)
		out.WriteString(p.field(s, name, property, level*2))
		if p.request.Recursive && (p.request.MaxDepth == 0 || level < p.request.MaxDepth) {
			out.WriteString(p.fieldList(property, level+1, next))
		}
	}
	for _, branch := range allOf(s) {
		out.WriteString(p.fieldList(branch, level, next))
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if element := child(s, name); len(element) > 0 {
			out.WriteString(p.fieldList(element, level, next))
		}
	}
	return out.String()
}

// field prints one field of parent, with its description unless all fields below
// are printed, too.
func (p *printer) field(parent schema, name string, s schema, by int) string {
	out := indent(by, name) + "\t<" + p.typeOf(s) + ">"
	if required, _ := parent["required"].([]any); slices.Contains(required, any(name)) {
		out += " -required-"
	}
	out += enumShort(s, by) + "\n"
	if p.request.Recursive {
		return out
	}
	description := text(s, "description")
	if description == "" {
		description = "<no description>"
	}
	out += indent(by+2, wrap(78-by, description)) + "\n"
	if docs := externalDocs(s, by+2, by+4, 76-by); docs != "" {
		out += "\n" + docs
	}
	return out + "\n"
}

// typeOf names the type of a schema for people.
func (p *printer) typeOf(s schema) string {
	if items := child(s, "items"); len(items) > 0 {
		return "[]" + p.typeOf(items)
	}
	if values := child(s, "additionalProperties"); len(values) > 0 {
		return "map[string]" + p.typeOf(values)
	}
	if branches := allOf(s); len(branches) == 1 && len(child(s, "properties")) == 0 {
		return p.typeOf(branches[0])
	}
	typ := text(s, "type")
	if ref := text(s, "$ref"); ref != "" {
		if typ = text(p.find(ref), "type"); typ == "" || typ == "object" {
			return ref[strings.LastIndexAny(ref, "/.")+1:]
		}
		return typ
	}
	if typ == "" || typ == "object" {
		return "Object"
	}
	return typ
}
