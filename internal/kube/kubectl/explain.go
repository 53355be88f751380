package kubectl

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// An ExplainRequest names the kind or field that [Explain] describes.
type ExplainRequest struct {
	Document             map[string]any // of OpenAPI version 3, as decoded by encoding/json; it is not changed
	Group, Version, Kind string
	Fields               []string // property names from the kind to a field; empty for the kind
	Recursive            bool     // print the names of all fields below, without descriptions
	MaxDepth             int      // levels of fields if Recursive; 0 for all
}

// Explain returns what kubectl explain prints for a kind or one of its fields, in the plaintext
// format. White space is the same, too, because scripts parse the output. Like kubectl, it leaves
// out fields without a schema. It returns an error if the document lacks the kind or the field.
func Explain(r ExplainRequest) (string, error) {
	kind := r.kind()
	if kind == nil {
		return "", fmt.Errorf("the document has no kind %s of %s/%s", r.Kind, r.Group, r.Version)
	}
	s := r.at(kind, r.Fields, nil)
	if s == nil {
		return "", fmt.Errorf("field %q does not exist", r.Fields[len(r.Fields)-1])
	}
	head := ""
	if n := len(r.Fields); n > 0 {
		head = "FIELD: " + r.Fields[n-1] + " <" + r.typeOf(s) + ">\n" + enumLong(s) + "\n\n"
	}
	return fmt.Sprintf("GROUP:      %s\nKIND:       %s\nVERSION:    %s\n\n%s%s\n", r.Group, r.Kind, r.Version, head, r.describe(r.resolve(s))), nil
}

// A Field is a field that [Explain] lists.
type Field struct{ Name, Type string }

// FieldsBelow returns the fields that [Explain] lists directly below a kind or field, sorted by
// name. It returns none if the document lacks the kind or field.
func FieldsBelow(r ExplainRequest) []Field {
	var fields []Field
	r.each(r.at(r.kind(), r.Fields, nil), nil, func(s schema, _ []string) {
		for name := range member[schema](s, "properties") {
			fields = append(fields, Field{name, r.typeOf(member[schema](member[schema](s, "properties"), name))})
		}
	})
	slices.SortFunc(fields, func(a, b Field) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type)) })
	return slices.CompactFunc(fields, func(a, b Field) bool { return a.Name == b.Name })
}

// kind returns the schema of the kind in the request, nil if the document has none.
func (r *ExplainRequest) kind() schema {
	schemas := member[schema](member[schema](r.Document, "components"), "schemas")
	gvk := map[string]any{"group": r.Group, "version": r.Version, "kind": r.Kind}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		s := member[schema](schemas, name)
		kinds := member[[]any](s, "x-kubernetes-group-version-kind")
		if slices.ContainsFunc(kinds, func(v any) bool { return reflect.DeepEqual(v, gvk) }) {
			return s
		}
	}
	return nil
}

// each calls visit for a schema, its branches and its elements. It resolves references. seen are
// the references that led to s. They are not followed again.
func (r *ExplainRequest) each(s schema, seen []string, visit func(s schema, seen []string)) {
	ref := member[string](s, "$ref")
	if ref != "" && slices.Contains(seen, ref) {
		return
	}
	next := append(slices.Clip(seen), ref)
	s = r.resolve(s)
	visit(s, next)
	for _, branch := range allOf(s) {
		r.each(branch, next, visit)
	}
	for _, name := range elements {
		if element := member[schema](s, name); len(element) > 0 {
			r.each(element, next, visit)
		}
	}
}

var elements = []string{"items", "additionalProperties"}

// A schema is a JSON object in the document. An empty object counts as absent.
type schema = map[string]any

// member returns a member of a schema. If the member is absent or has another type, it returns the
// zero value.
func member[T any](s schema, name string) T {
	v, _ := s[name].(T)
	return v
}

func (r *ExplainRequest) resolve(s schema) schema {
	if found := r.find(member[string](s, "$ref")); len(found) > 0 {
		return found
	}
	return s
}

func (r *ExplainRequest) find(ref string) schema {
	fragment, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	s := r.Document
	for step := range strings.SplitSeq(fragment, "/") {
		s = member[schema](s, step)
	}
	return s
}

// at returns the schema at the end of fields, nil if there is none. seen are the references that
// were followed since the last field.
func (r *ExplainRequest) at(s schema, fields []string, seen []string) schema {
	if len(fields) == 0 {
		return s
	}
	ref := member[string](s, "$ref")
	resolved := r.resolve(s)
	if ref != "" && slices.Contains(seen, ref) {
		return nil
	}
	next := append(slices.Clip(seen), ref)
	if property := member[schema](member[schema](resolved, "properties"), fields[0]); len(property) > 0 {
		return r.at(property, fields[1:], nil)
	}
	for _, name := range elements {
		if element := member[schema](resolved, name); len(element) > 0 {
			return r.at(element, fields, next)
		}
	}
	for _, branch := range allOf(resolved) {
		if found := r.at(branch, fields, next); found != nil {
			return found
		}
	}
	return nil
}

func allOf(s schema) []schema {
	var out []schema
	for _, v := range member[[]any](s, "allOf") {
		if branch, ok := v.(schema); ok {
			out = append(out, branch)
		}
	}
	return out
}

func (r *ExplainRequest) describe(s schema) string {
	description := ""
	r.each(s, nil, func(s schema, _ []string) {
		if text := member[string](s, "description"); text != "" {
			description += text + "\n"
		}
	})
	if description == "" {
		description = "<empty>"
	}
	out := "DESCRIPTION:\n" + indent(4, wrap(76, description)) + "\n"
	if docs := externalDocs(s, 0, 4, 76); docs != "" {
		out += "\n" + docs
	}
	if fields := r.fieldList(s, 1, nil); fields != "" {
		out += "FIELDS:\n" + fields
	}
	return out
}

// externalDocs returns the text about external documentation, or "". head is the indentation of the
// first line, body the indentation of the other lines. limit is the length of a line.
func externalDocs(s schema, head, body, limit int) string {
	docs := member[schema](s, "externalDocs")
	if len(docs) == 0 {
		return ""
	}
	out := indent(head, "EXTERNAL DOCS:") + "\n"
	if d := member[string](docs, "description"); d != "" {
		out += indent(body, wrap(limit, d)) + "\n"
	}
	if url := member[string](docs, "url"); url != "" {
		out += indent(body, "URL: "+url) + "\n"
	}
	return out
}

// fieldList returns the text about the fields of a schema, with all fields below if the request is
// recursive.
func (r *ExplainRequest) fieldList(s schema, level int, seen []string) string {
	var out strings.Builder
	r.each(s, seen, func(s schema, seen []string) {
		properties := member[schema](s, "properties")
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			property := member[schema](properties, name)
			out.WriteString(r.field(s, name, property, level*2))
			if r.Recursive && (r.MaxDepth == 0 || level < r.MaxDepth) {
				out.WriteString(r.fieldList(property, level+1, seen))
			}
		}
	})
	return out.String()
}

// field returns the text about a field of parent. If the request is recursive, the text has no
// description.
func (r *ExplainRequest) field(parent schema, name string, s schema, by int) string {
	out := indent(by, name) + "\t<" + r.typeOf(s) + ">"
	if slices.Contains(member[[]any](parent, "required"), any(name)) {
		out += " -required-"
	}
	out += enumShort(s, by) + "\n"
	if r.Recursive {
		return out
	}
	description := member[string](s, "description")
	if description == "" {
		description = "<no description>"
	}
	out += indent(by+2, wrap(78-by, description)) + "\n"
	if docs := externalDocs(s, by+2, by+4, 76-by); docs != "" {
		out += "\n" + docs
	}
	return out + "\n"
}

func (r *ExplainRequest) typeOf(s schema) string {
	if items := member[schema](s, "items"); len(items) > 0 {
		return "[]" + r.typeOf(items)
	}
	if values := member[schema](s, "additionalProperties"); len(values) > 0 {
		return "map[string]" + r.typeOf(values)
	}
	if branches := allOf(s); len(branches) == 1 && len(member[schema](s, "properties")) == 0 {
		return r.typeOf(branches[0])
	}
	typ := member[string](s, "type")
	if ref := member[string](s, "$ref"); ref != "" {
		if typ = member[string](r.find(ref), "type"); typ == "" || typ == "object" {
			return ref[strings.LastIndexAny(ref, "/.")+1:]
		}
		return typ
	}
	if typ == "" || typ == "object" {
		return "Object"
	}
	return typ
}

// enumShort lists up to shortEnum values.
const shortEnum = 4

func enumValues(s schema) []string {
	var out []string
	for _, v := range member[[]any](s, "enum") {
		switch v {
		case nil:
			out = append(out, "<no value>")
		case "":
			out = append(out, `""`)
		default:
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}

func enumShort(s schema, by int) string {
	values := enumValues(s)
	if len(values) == 0 {
		return ""
	}
	if len(values) > shortEnum {
		values = append(values[:shortEnum:shortEnum], "....")
	}
	return "\n" + indent(by, "enum: ") + strings.Join(values, ", ")
}

// enumLong returns the enum values, one per line, "" if there are none.
func enumLong(s schema) string {
	values := enumValues(s)
	if len(values) == 0 {
		return ""
	}
	return "ENUM:\n    " + strings.Join(values, "\n    ")
}

// indent indents all lines of s. If s ends with a line feed, the empty line after it is indented,
// too.
func indent(by int, s string) string {
	pad := strings.Repeat(" ", by)
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad)
}

const noBreakSpace = '\u00a0'

// wrap breaks lines at white space after at most limit characters. A longer word has its own line.
// White space at a break is dropped, so wrap writes spaces only together with the next word.
func wrap(limit int, s string) string {
	var out strings.Builder
	var spaces, word []rune
	column := 0 // in the output
	flush := func() {
		out.WriteString(string(spaces) + string(word))
		column += len(spaces) + len(word)
		spaces, word = nil, nil
	}
	newline := func() {
		out.WriteByte('\n')
		spaces, column = nil, 0
	}
	fits := func() bool { return column+len(spaces)+len(word) <= limit }
	for _, c := range s {
		switch {
		case c == '\n':
			if len(word) > 0 || fits() {
				flush()
			}
			newline()
		case unicode.IsSpace(c) && c != noBreakSpace:
			if len(word) > 0 {
				flush()
			}
			spaces = append(spaces, c)
		default:
			if word = append(word, c); !fits() && len(word) < limit {
				newline()
			}
		}
	}
	if len(word) > 0 || fits() {
		flush()
	}
	return out.String()
}
