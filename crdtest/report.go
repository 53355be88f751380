package crdtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/schemapath"
)

// report returns what the test prints: the verdict, the unmet expectations, and all that
// the server says that no expectation expects.
func (v *verdict) report(ctx context.Context) string {
	r := v.response
	var b strings.Builder
	state := "admitted"
	if !r.Admitted() {
		state = "refused"
	}
	fmt.Fprintf(&b, "%s %s %s: %s", r.verb, r.version.GroupVersionKind().Kind, nameOf(r), state)
	for _, text := range v.unmet {
		fmt.Fprintf(&b, "\n  unmet: %s", text)
	}
	for i := range v.complaints {
		if c := &v.complaints[i]; c.unexpected() {
			v.describe(ctx, &b, c)
		}
	}
	for i, w := range r.Result.Warnings {
		if !v.warnings[i] {
			fmt.Fprintf(&b, "\n  unexpected warning: %s", strings.ReplaceAll(w, "\n", "\n  "))
		}
	}
	return b.String()
}

func nameOf(r *Response) string {
	if name := r.in.object.GetName(); name != "" {
		return strconv.Quote(name)
	}
	return "without a name"
}

// describe writes a complaint with its position, its rule and its explanation.
func (v *verdict) describe(ctx context.Context, b *strings.Builder, c *complaint) {
	b.WriteString("\n  unexpected: ")
	if position := v.position(c); position != "" {
		b.WriteString(position + ": ")
	}
	b.WriteString(c.text)
	if rule, position := v.rule(c); rule != "" {
		fmt.Fprintf(b, "\n    rule: %s", strings.Join(strings.Fields(rule), " "))
		if position != "" {
			fmt.Fprintf(b, " (%s)", position)
		}
	}
	if why := v.why(ctx, c); why != "" {
		fmt.Fprintf(b, "\n    because %s", why)
	}
}

// position returns the line and column of a complaint in the text of the object or of
// the patch, "" if there is none.
func (v *verdict) position(c *complaint) string {
	in := v.response.in
	if in.text == nil {
		return ""
	}
	if c.err != nil {
		return in.position(c.err.Pointer)
	}
	before, quoted, ok := strings.Cut(c.text, `field "`)
	if !ok {
		return ""
	}
	path, _, _ := strings.Cut(quoted, `"`)
	if in.operations != nil && !strings.HasPrefix(before, "json patch ") { // in the result of a JSON patch
		return in.position("/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(path))
	}
	if p := in.text.Position(in.text.FieldPointer(path)); p.IsValid() {
		return p.String()
	}
	return ""
}

// rule returns the expression of the rule of a complaint, and its position in the file
// of the definition.
func (v *verdict) rule(c *complaint) (expression, position string) {
	if c.err == nil || c.err.Rule < 0 {
		return "", ""
	}
	l, ok := schemapath.At(v.response.version.Schema(), c.err.SchemaPointer)
	if !ok || c.err.Rule >= len(l.Node.Rules()) {
		return "", ""
	}
	pointer := fmt.Sprintf("%s/x-kubernetes-validations/%d", c.err.SchemaPointer, c.err.Rule)
	return l.Node.Rules()[c.err.Rule].Rule, v.set.definitionPosition(v.response.version.Definition().Name(), v.response.version.Name(), pointer)
}

// definitionPosition returns the position of a schema pointer in the file of a
// definition, "" if it is not from a file.
func (s *Set) definitionPosition(definition, version, pointer string) string {
	from := s.byName[definition]
	if from == nil || from.file == "" {
		return ""
	}
	for i := range from.crd.Spec.Versions {
		if from.crd.Spec.Versions[i].Name == version {
			pointer = "/spec/versions/" + strconv.Itoa(i) + "/schema/openAPIV3Schema" + pointer
			return from.file + ":" + from.text.Position(pointer).String()
		}
	}
	return ""
}

// why returns the explanation of a complaint, "" if there is none.
func (v *verdict) why(ctx context.Context, c *complaint) string {
	x := explanation.New(v.response.version)
	if c.err == nil {
		if e := x.UnknownField(c.text); e != nil {
			return e.Text
		}
		return ""
	}
	e, err := x.Error(ctx, c.err, v.response.Object, v.response.old)
	if err != nil || e == nil {
		return ""
	}
	return e.Text
}

// indent puts a prefix before each line.
func indent(text, prefix string) string {
	return prefix + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+prefix)
}
