package cel

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/validation"
)

// errorAt returns an error at the current location. index is the index of the rule, or
// noRule. The fieldPath of the rule is one step, whatever it contains; below may be nil.
func (r *run) errorAt(index int, err *field.Error, below *rule) *validation.Error {
	var buf [512]byte
	b := r.path.AppendFieldPath(buf[:0])
	text := len(b)
	if below != nil && len(below.path) > 0 {
		if len(r.path.Steps) == 0 {
			b = append(b[:0], below.pathText...)
		} else {
			b = append(append(b, '.'), below.pathText...)
		}
		text = len(b)
		b = append(r.path.AppendPointer(b), below.path.Pointer()...)
	} else {
		b = r.path.AppendPointer(b)
	}
	pointer := len(b)
	all := string(r.path.AppendSchemaPointer(b))
	x := &struct { // in one piece of memory
		field field.Error
		err   validation.Error
	}{field: *err}
	x.field.Field = all[:text]
	x.err = *validation.NewError(&x.field, validation.StepRules, all[text:pointer], all[pointer:])
	x.err.Rule = index
	return &x.err
}

// errorText returns the text of an error for an error of the condition.
func (r *rule) errorText(what error) string {
	if isNoSuchOverload(what) {
		return "'" + what.Error() + "': call arguments did not match a supported operator, function or macro signature for rule: " + r.name
	}
	return asServer(what.Error()) + " evaluating rule: " + r.name
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
