package cel

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celeval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A run collects failures in memory that it keeps, and makes errors of them at
// its end: with one list, one block of errors, and one string that all Field,
// Pointer and Schema texts share. TestErrorAllocation holds this to three
// allocations.

// A failure becomes an error.
type failure struct {
	err       field.Error // without Field
	rule      int
	location  location
	ratcheted bool
}

// A location holds offsets into the text of a run: Field, Pointer and Schema end
// there, each where the next begins.
type location struct{ from, field, pointer, schema int }

// maxText is the number of bytes of text that a run keeps room for.
const maxText = 64 << 10

// nowhere is how [field.Path] spells the root.
const nowhere = "<nil>"

// here returns the location that the run is at.
func (r *run) here() location {
	if !r.located {
		r.location, r.located = r.appendLocation(nil, ""), true
	}
	return r.location
}

// below returns the location of failures of a rule. The fieldPath is one step,
// whatever it contains.
func (r *run) below(rule *rule) location {
	if len(rule.path) == 0 {
		return r.here()
	}
	return r.appendLocation(rule.path, rule.pathText)
}

// appendLocation appends the texts of a location below the current one.
func (r *run) appendLocation(below schema.Path, belowText string) location {
	p := location{from: len(r.text)}
	b := appendField(r.text, r.path, belowText)
	p.field = len(b)
	b = appendPointer(appendPointer(b, r.path), below)
	p.pointer = len(b)
	b = appendSchemaPointer(b, r.path)
	p.schema = len(b)
	r.text = b
	return p
}

// appendField appends a path as the server spells it.
func appendField(b []byte, path schema.Path, below string) []byte {
	if len(path) == 0 && below == "" {
		return append(b, nowhere...)
	}
	for i, s := range path {
		name, named := s.Name()
		if named && name != "" && s == schema.Field(name) {
			if i > 0 {
				b = append(b, '.')
			}
			b = append(b, name...)
			continue
		}
		b = append(b, '[')
		if at, isIndex := s.Index(); isIndex {
			b = strconv.AppendInt(b, int64(at), 10)
		}
		b = append(b, name...)
		b = append(b, ']')
	}
	if below != "" {
		if len(path) > 0 {
			b = append(b, '.')
		}
		b = append(b, below...)
	}
	return b
}

func appendPointer(b []byte, path schema.Path) []byte {
	for _, s := range path {
		b = append(b, '/')
		if i, isIndex := s.Index(); isIndex {
			b = strconv.AppendInt(b, int64(i), 10)
			continue
		}
		name, _ := s.Name()
		b = append(b, schema.EscapePointer(name)...)
	}
	return b
}

// appendSchemaPointer appends the pointer to the schema of a path.
func appendSchemaPointer(b []byte, path schema.Path) []byte {
	for _, s := range path {
		name, named := s.Name()
		switch {
		case !named:
			b = append(b, "/items"...)
		case s == schema.Field(name):
			b = append(b, "/properties/"...)
			b = append(b, schema.EscapePointer(name)...)
		default:
			b = append(b, "/additionalProperties"...)
		}
	}
	return b
}

// A reported error is allocated together with the error of the server that it
// embeds.
type reported struct {
	err    validation.Error
	server field.Error
}

// errors returns all failures as errors, sorted. Empty lists are nil.
func (r *run) errors() (errs, ratcheted validation.ErrorList) {
	text := string(r.text)
	made := make([]reported, len(r.failures))
	list := make(validation.ErrorList, len(r.failures))
	first, last := 0, len(list)
	for i := range r.failures {
		f, e := &r.failures[i], &made[i]
		p := f.location
		e.server = f.err
		e.server.Field = text[p.from:p.field]
		e.err = *validation.NewError(&e.server, validation.StepRules, text[p.field:p.pointer], text[p.pointer:p.schema])
		e.err.Rule = f.rule
		if !f.ratcheted {
			list[first] = &e.err
			first++
		}
	}
	if errs = list[:first:first]; first == 0 {
		errs = nil
	}
	if ratcheted = list[first:]; first == last {
		ratcheted = nil
	}
	for i, next := 0, 0; next < len(ratcheted); i++ {
		if r.failures[i].ratcheted {
			ratcheted[next] = &made[i].err
			next++
		}
	}
	errs.Sort()
	ratcheted.Sort()
	return errs, ratcheted
}

// A detail is the text of an error for an eval error of a rule.
type detail struct {
	of   *celeval.EvalError
	text string
}

// detail returns the text of an error for an eval error of the rule. It keeps the
// first text, as rules mostly lack the same field again.
func (r *rule) detail(what *celeval.EvalError) string {
	kept := r.condition.detail.Load()
	if kept != nil && kept.of == what {
		return kept.text
	}
	text := r.errorText(what)
	if kept == nil {
		r.condition.detail.CompareAndSwap(nil, &detail{of: what, text: text})
	}
	return text
}

// errorText returns the text of an error for an error of the condition.
func (r *rule) errorText(what error) string {
	if isNoSuchOverload(what) {
		return "'" + what.Error() + "': call arguments did not match a supported operator, function or macro signature for rule: " + r.name
	}
	return asServer(what.Error()) + evaluating + r.name
}

// asServer returns the text of an error with the names of Go types in the server.
// cel-go names the type of a value that is not a key.
func asServer(text string) string {
	if !strings.Contains(text, "*celvalue.") {
		return text
	}
	return strings.NewReplacer("*celvalue.listValue", "*common.unstructuredList", "*celvalue.mapValue", "*common.unstructuredMap",
		"*celvalue.setList", "*common.unstructuredSetList", "*celvalue.mapList", "*common.unstructuredMapList",
		"*celvalue.sumOfSets", "*common.refValSetList", "*celvalue.sumOfMapLists", "*common.refValMapList").Replace(text)
}

const evaluating = " evaluating rule: "
