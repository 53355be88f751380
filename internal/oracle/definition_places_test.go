package oracle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/definition"
)

// TestDefinitionLocations breaks definitions and looks up the pointers of the errors. The
// definition that was sent must have the value, or the object in which it is missing. If
// the server shows a value, it must be the value at the pointer.
func TestDefinitionLocations(t *testing.T) {
	n := min(*mutants, 3000)
	if testing.Short() {
		n = 500
	}
	tally := &locationTally{}
	small := bases(t)
	fields := definitionFields()
	for i := range n {
		rng := seeded("places", i)
		base := small[i/len(fields)%len(small)]
		m := &definitionMutator{t: t, rng: rng, donor: reflect.ValueOf(small[rng.IntN(len(small))]).Elem()}
		broken := m.mutant(&definitionTally{fields: map[string]int{}}, base, fields, i)
		if broken != nil {
			tally.check(t, fmt.Sprintf("mutant %d of %s", i, base.Name), broken)
		}
	}
	for _, text := range tally.shown {
		t.Error(text)
	}
	fmt.Printf("oracle: locations of errors and notes %d, %d of them with a value, %d missing from an existing object, %d wrong; %d values compared\n",
		tally.exact+tally.missing+tally.astray, tally.exact, tally.missing, tally.astray, tally.values)
}

type locationTally struct {
	exact, missing, astray, values int
	shown                          []string
}

func (l *locationTally) check(t *testing.T, what string, crd *apiextensionsv1.CustomResourceDefinition) {
	report := definition.Check(crd, definition.WithNotes())
	text, err := json.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	source := definition.NewSource(text, definition.Position{})
	for _, e := range report.Errors {
		v, found := l.find(what+": "+e.Error(), doc, e.Pointer, e.Type == field.ErrorTypeRequired)
		if found && !sameValue(e.FieldError(), v, &l.values) {
			l.show(fmt.Sprintf("%s: %v points to %s, which is %v", what, e, e.Pointer, v))
		}
		if p := source.Position(e.Pointer); p.Line != 1 || p.Column < 1 || p.Column > len(text) {
			l.show(fmt.Sprintf("%s: %v is at %v", what, e, p))
		}
	}
	for _, n := range report.Notes {
		if _, found := l.find(what+": "+n.Text, doc, n.Pointer, false); !found {
			l.show(fmt.Sprintf("%s: %s points to %s, which is not there", what, n.Text, n.Pointer))
		}
	}
	for _, w := range report.Warnings {
		if _, found := l.find(what+": "+w.Text, doc, w.Pointer, false); !found {
			l.show(fmt.Sprintf("%s: %s points to %s, which is not there", what, w.Text, w.Pointer))
		}
	}
}

func (l *locationTally) show(text string) {
	if len(l.shown) < 30 {
		l.shown = append(l.shown, text)
	}
}

// find looks up a pointer and reports whether it leads to a value. A required value may
// be missing in an object that is missing itself.
func (l *locationTally) find(what string, v any, pointer string, required bool) (any, bool) {
	steps := strings.Split(pointer, "/")[1:]
	for i, step := range steps {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		next, ok := member(v, step)
		if !ok {
			if required || i == len(steps)-1 {
				l.missing++
				return nil, false
			}
			l.astray++
			l.show(fmt.Sprintf("%s points to %s, where %s is nothing", what, pointer, strings.Join(steps[:i+1], "/")))
			return nil, false
		}
		v = next
	}
	l.exact++
	return v, true
}

func member(v any, step string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		next, ok := v[step]
		return next, ok
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// sameValue reports whether the value of an error is v, as far as it is comparable.
// Errors show no value that is required or forbidden, often only the type of a default,
// and only the wrong part of a URL.
func sameValue(e *field.Error, v any, compared *int) bool {
	if e.Type != field.ErrorTypeInvalid && e.Type != field.ErrorTypeNotSupported {
		return true
	}
	bad, ok := e.BadValue.(string)
	got, scalar := v.(string)
	if !ok || !scalar || bad == "" || !utf8.ValidString(bad) || strings.Contains(e.Field, ".default") || strings.HasPrefix(e.Field, "metadata.annotations") {
		return true
	}
	*compared++
	return got == bad || strings.HasSuffix(e.Field, ".url") && strings.Contains(got, bad)
}
