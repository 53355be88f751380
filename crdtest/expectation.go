package crdtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/validation"
)

// An Expectation says what the answer to a request must be. If there are several, all must be met.
type Expectation interface {
	// String returns the call that made the Expectation, such as Refused("spec.image", "Required").
	String() string
	judge(*verdict)
}

type verdict struct {
	set        *Set
	response   *Response
	complaints []complaint
	warnings   []bool // for each warning, whether an expectation is about it
	onlyThese  bool   // unexpected complaints fail the test
	onlyWarned bool   // unexpected warnings fail the test
	unmet      []string
}

// A complaint is one reason why the server refuses a request.
type complaint struct {
	err      *validation.Error // nil for a refusal before validation
	field    string
	text     string // the server's text, with the field
	expected bool
	// implied is true if the complaint only says that rules did not run because of other errors. It
	// needs no expectation.
	implied bool
}

func (c *complaint) unexpected() bool { return !c.expected && !c.implied }

type expectation struct {
	text  func() string
	apply func(*verdict)
}

func (e expectation) String() string { return e.text() }

func (e expectation) judge(v *verdict) { e.apply(v) }

// expects returns an expectation. Its text is the Go call name(args...).
func expects[T any](name string, args []T, apply func(*verdict)) Expectation {
	return expectation{apply: apply, text: func() string {
		var texts []string
		for _, a := range args {
			if text, ok := any(a).(string); ok {
				texts = append(texts, strconv.Quote(text))
			} else {
				texts = append(texts, fmt.Sprint(a))
			}
		}
		return name + "(" + strings.Join(texts, ", ") + ")"
	}}
}

// Admitted expects that the server admits the object, with or without warnings.
func Admitted() Expectation {
	return expects("Admitted", []string(nil), func(v *verdict) {
		if len(v.complaints) > 0 {
			v.unmet = append(v.unmet, "admitted")
		}
	})
}

// Refused expects an error about a field, with a text that contains a substring. The field is as
// the server writes it, such as spec.containers[0].image; "" means any field. The text is as for
// [Errors]. The server may report other errors too; see [Exactly].
func Refused(field, substring string) Expectation {
	return expects("Refused", []string{field, substring}, func(v *verdict) {
		v.match(fmt.Sprintf("an error at %s with %q", fieldText(field), substring), func(c complaint) bool {
			return (field == "" || c.field == field) && strings.Contains(c.text, substring)
		})
	})
}

// RefusedBy expects an error of a rule. rule is its expression or its message. White space in the
// expression does not count. The server may report other errors too; see [Exactly].
func RefusedBy(rule string) Expectation {
	return expects("RefusedBy", []string{rule}, func(v *verdict) {
		unmet := len(v.unmet)
		v.match("an error of the rule "+strconv.Quote(rule), func(c complaint) bool {
			return c.isRule(v.response, rule)
		})
		if len(v.unmet) > unmet && !declares(v.response.version, rule) {
			v.unmet[unmet] += ", but no rule of the version has this expression or message"
		}
	})
}

// Exactly expects one error for each given [Refused] and [RefusedBy], and no others.
func Exactly(want ...Expectation) Expectation {
	return expects("Exactly", want, func(v *verdict) {
		v.onlyThese = true
		for _, w := range want {
			if w != nil {
				w.judge(v)
			}
		}
	})
}

// Errors expects these errors in any order, and no others. Each is the whole text of an error, as
// in the message of the server: "spec.replicas: Required value". If errors prevent the evaluation
// of rules, the server adds an error that says so. This error may be left out, also for [Exactly].
// Without texts, Errors expects that the object is admitted.
func Errors(texts ...string) Expectation {
	return expects("Errors", texts, func(v *verdict) {
		v.onlyThese = true
		for _, text := range texts {
			v.match("the error "+strconv.Quote(text), func(c complaint) bool { return c.text == text })
		}
	})
}

// Warned expects for each substring a warning that contains it, and no other warnings. Without
// substrings, it expects no warnings.
func Warned(substrings ...string) Expectation {
	return expects("Warned", substrings, func(v *verdict) {
		v.onlyWarned = true
		for _, text := range substrings {
			i := slices.IndexFunc(v.response.Result.Warnings, func(w string) bool { return strings.Contains(w, text) })
			if i < 0 {
				v.unmet = append(v.unmet, "a warning with "+strconv.Quote(text))
				continue
			}
			v.warnings[i] = true
		}
	})
}

// Stored expects that the object is admitted and that the stored object, pruned and with defaults,
// equals want. want is an object as [Set.Create] takes it. In the metadata, only the fields of want
// are compared.
func Stored(want any) Expectation {
	return expects("Stored", []any{want}, func(v *verdict) {
		if len(v.complaints) > 0 {
			v.unmet = append(v.unmet, "admitted, to be stored")
			return
		}
		same := *v.set
		same.only = v.response.version
		in, err := same.input(want)
		if err != nil {
			v.unmet = append(v.unmet, fmt.Sprintf("stored as an object that cannot be read: %v", err))
			return
		}
		got := withMetadataOf(v.response.Object.Object, in.object.Object)
		if diff := cmp.Diff(in.object.Object, got); diff != "" {
			v.unmet = append(v.unmet, "stored as wanted (-want +got):\n"+indent(diff, "      "))
		}
	})
}

// match marks the first fitting complaint that no other expectation has marked. If there is none,
// the expectation is unmet.
func (v *verdict) match(what string, fits func(complaint) bool) {
	for i := range v.complaints {
		if c := &v.complaints[i]; !c.expected && fits(*c) {
			c.expected = true
			return
		}
	}
	v.unmet = append(v.unmet, what)
}

func fieldText(field string) string {
	if field == "" {
		return "any field"
	}
	return field
}

// isRule reports whether the complaint is of a rule with this expression or message.
func (c *complaint) isRule(r *Response, rule string) bool {
	if c.err == nil || c.err.Rule < 0 {
		return false
	}
	return isRuleAt(r.version, c.err.SchemaPointer, c.err.Rule, rule)
}

// declares reports whether a rule of the version has this expression or message.
func declares(v *crdkit.Version, rule string) bool {
	return slices.ContainsFunc(Targets(v), func(t Target) bool {
		return t.Rule >= 0 && isRuleAt(v, t.SchemaPointer, t.Rule, rule)
	})
}

func isRuleAt(v *crdkit.Version, pointer string, index int, rule string) bool {
	declared, ok := schemapath.Rule(v.Schema(), pointer, index)
	return ok && (sameText(declared.Rule, rule) || declared.Message != "" && sameText(declared.Message, rule))
}

// sameText reports whether two texts differ in white space only.
func sameText(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// withMetadataOf returns a copy of got without the metadata fields that are not in want.
func withMetadataOf(got, want map[string]any) map[string]any {
	out := maps.Clone(got)
	wanted, ok := want["metadata"].(map[string]any)
	if !ok {
		delete(out, "metadata")
		return out
	}
	meta, _ := got["metadata"].(map[string]any)
	kept := map[string]any{}
	for name := range wanted {
		if child, ok := meta[name]; ok {
			kept[name] = child
		}
	}
	out["metadata"] = kept
	return out
}

// expect compares the answer with the expectations. An unmet expectation fails the test.
func (r *Response) expect(t testing.TB, s *Set, want []Expectation) *Response {
	t.Helper()
	v := newVerdict(s, r)
	if len(want) == 0 {
		want = []Expectation{Admitted()}
	}
	for _, w := range want {
		if w != nil {
			w.judge(v)
		}
	}
	if v.failed() {
		t.Error(v.report(t.Context()))
	}
	return r
}

func newVerdict(s *Set, r *Response) *verdict {
	v := &verdict{set: s, response: r, warnings: make([]bool, len(r.Result.Warnings))}
	for _, e := range r.Result.Errors {
		v.complaints = append(v.complaints, complaint{err: e, field: e.Field, text: e.Error(), implied: search.IsImplied(e)})
	}
	if refusal := r.Result.Refusal; refusal != nil {
		details := refusal.Details
		if len(details) == 0 {
			details = []string{refusal.Message}
		}
		for _, d := range details {
			v.complaints = append(v.complaints, complaint{text: d})
		}
	}
	return v
}

func (v *verdict) failed() bool {
	return len(v.unmet) > 0 ||
		v.onlyThese && slices.ContainsFunc(v.complaints, func(c complaint) bool { return c.unexpected() }) ||
		v.onlyWarned && slices.Contains(v.warnings, false)
}

// report returns the text of a failed test: the verdict, unmet expectations, and unexpected
// complaints.
func (v *verdict) report(ctx context.Context) string {
	r := v.response
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.verb, r.verdict())
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

// position returns the position of a complaint in the text of the object or patch, or "".
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
	if in.operations != nil && !strings.HasPrefix(before, "json patch ") { // the path is in the patched object
		return in.position("/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(path))
	}
	if p := in.text.Position(in.text.FieldPointer(path)); p.IsValid() {
		return p.String()
	}
	return ""
}

// rule returns the expression of a complaint's rule, and its position in the definition's file.
func (v *verdict) rule(c *complaint) (expression, position string) {
	if c.err == nil {
		return "", ""
	}
	r, ok := schemapath.Rule(v.response.version.Schema(), c.err.SchemaPointer, c.err.Rule)
	if !ok {
		return "", ""
	}
	pointer := fmt.Sprintf("%s/x-kubernetes-validations/%d", c.err.SchemaPointer, c.err.Rule)
	return r.Rule, v.set.definitionPosition(v.response.version.Definition().Name(), v.response.version.Name(), pointer)
}

// definitionPosition returns the position of a schema pointer in a definition's file, or "".
func (s *Set) definitionPosition(definition, version, pointer string) string {
	from := s.byName[definition]
	if from == nil || from.File == "" {
		return ""
	}
	for i := range from.CRD.Spec.Versions {
		if from.CRD.Spec.Versions[i].Name == version {
			pointer = "/spec/versions/" + strconv.Itoa(i) + "/schema/openAPIV3Schema" + pointer
			return from.File + ":" + from.positions.Position(pointer).String()
		}
	}
	return ""
}

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

func indent(text, prefix string) string {
	return prefix + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+prefix)
}
