package crdtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A Mutation is a change of a valid object, with the expected answer to the changed object. [Put],
// [Delete] and [Append] make a Mutation. Its methods return a changed copy.
type Mutation struct {
	name  string
	edits []edit
	want  []Expectation
	verb  verb
}

// Put returns a mutation that sets the value at a JSON pointer (RFC 6901). It encodes the new value
// as JSON, and creates absent objects around it.
func Put(pointer string, to any) Mutation { return Mutation{}.Put(pointer, to) }

// Delete returns a mutation that removes the value at a JSON pointer. If there is no value, it ends
// the test.
func Delete(pointer string) Mutation { return Mutation{}.Delete(pointer) }

// Append returns a mutation that appends an element to the list at a JSON pointer. If there is no
// list, it creates one.
func Append(pointer string, element any) Mutation { return Mutation{}.Append(pointer, element) }

// Put adds another edit; see the function [Put].
func (m Mutation) Put(pointer string, to any) Mutation { return m.with(newEdit(opPut, pointer, to)) }

// Delete adds another edit; see the function [Delete].
func (m Mutation) Delete(pointer string) Mutation { return m.with(newEdit(opDelete, pointer, nil)) }

// Append adds another edit; see the function [Append].
func (m Mutation) Append(pointer string, element any) Mutation {
	return m.with(newEdit(opAppend, pointer, element))
}

func (m Mutation) with(e edit) Mutation {
	m.edits = append(slices.Clone(m.edits), e)
	return m
}

// Wants adds expectations. Without expectations, the server must admit the changed object.
func (m Mutation) Wants(want ...Expectation) Mutation {
	m.want = append(slices.Clone(m.want), want...)
	return m
}

// Named sets the name of the subtest. The default is a text of the edits.
func (m Mutation) Named(name string) Mutation {
	m.name = name
	return m
}

// OnUpdate makes the request an update of the valid object to the changed object. The default is to
// create the changed object.
func (m Mutation) OnUpdate() Mutation {
	m.verb = updating
	return m
}

// OnStatusUpdate makes the request an update of the valid object's status to the changed object's
// status.
func (m Mutation) OnStatusUpdate() Mutation {
	m.verb = updatingStatus
	return m
}

// Mutations creates a valid object, and then makes one request for each mutation of it. Each
// request is a subtest if t is a *testing.T. The edits apply to the object as it is stored, with
// its defaults. Mutations ends the test if the object is refused, or if an edit is impossible. It
// does not change valid.
func Mutations(t testing.TB, s *Set, valid any, mutations ...Mutation) {
	t.Helper()
	stored := s.stored(t, valid)
	for i, m := range mutations {
		run(t, m.label(i), func(t testing.TB) {
			t.Helper()
			m.request(t, s, stored)
		})
	}
}

func run(t testing.TB, name string, test func(testing.TB)) {
	t.Helper()
	if parent, ok := t.(*testing.T); ok {
		parent.Run(name, func(t *testing.T) {
			t.Helper()
			test(t)
		})
		return
	}
	test(t)
}

func (m Mutation) label(i int) string {
	if text := m.String(); text != "" {
		return text
	}
	return fmt.Sprintf("mutation %d", i)
}

// String returns the name, or the edits if there is no name: "put spec.replicas".
func (m Mutation) String() string {
	if m.name != "" {
		return m.name
	}
	var texts []string
	for _, e := range m.edits {
		texts = append(texts, e.op+" "+strings.ReplaceAll(strings.TrimPrefix(e.pointer, "/"), "/", "."))
	}
	return strings.Join(texts, ", ")
}

func (m Mutation) request(t testing.TB, s *Set, stored *Response) {
	t.Helper()
	if len(m.edits) == 0 {
		t.Fatal("crdtest: the mutation has no edits")
	}
	changed := stored.Object.DeepCopy()
	for _, e := range m.edits {
		if err := e.apply(changed.Object); err != nil {
			t.Fatalf("crdtest: %v", err)
		}
	}
	var old *unstructured.Unstructured
	verb := creating
	if m.verb != "" {
		old, verb = stored.Object, m.verb
	}
	s.do(t, verb, old, changed).expect(t, s, m.want)
}

type edit struct {
	op      string // put, delete or append
	pointer string
	to      any // decoded JSON; nil for delete
	err     error
}

func newEdit(op, pointer string, to any) edit {
	e := edit{op: op, pointer: pointer}
	if pointer == "" || !strings.HasPrefix(pointer, "/") {
		e.err = fmt.Errorf("%q is not a JSON pointer to a part of an object", pointer)
		return e
	}
	if op != opDelete {
		e.to, e.err = decoded(to)
	}
	return e
}

const (
	opPut    = "put"
	opDelete = "delete"
	opAppend = "append"
)

func decoded(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	return out, utiljson.Unmarshal(raw, &out)
}

func (e edit) apply(obj map[string]any) error {
	if e.err != nil {
		return e.err
	}
	if _, err := e.edited(obj, true, pathstack.Tokens(e.pointer)); err != nil {
		return fmt.Errorf("%s %s: %w", e.op, e.pointer, err)
	}
	return nil
}

var errAbsent = errors.New("there is no such value")

// edited returns v after the edit, and creates absent objects on the path. present is false if
// there is no v. tokens is the path from v to the edited value.
func (e edit) edited(v any, present bool, tokens []string) (any, error) {
	switch {
	case !present && e.op == opDelete:
		return nil, errAbsent
	case len(tokens) == 0:
		return e.change(v, present)
	case !present:
		v = map[string]any{}
	}
	last := len(tokens) == 1
	switch parent := v.(type) {
	case map[string]any:
		child, ok := parent[tokens[0]]
		changed, err := e.edited(child, ok, tokens[1:])
		switch {
		case err != nil:
			return nil, err
		case last && e.op == opDelete:
			delete(parent, tokens[0])
		default:
			parent[tokens[0]] = changed
		}
		return parent, nil
	case []any:
		i, err := strconv.Atoi(tokens[0])
		if err != nil || i < 0 || i >= len(parent) {
			return nil, fmt.Errorf("the list has no element %q", tokens[0])
		}
		changed, err := e.edited(parent[i], true, tokens[1:])
		switch {
		case err != nil:
			return nil, err
		case last && e.op == opDelete:
			return slices.Delete(parent, i, i+1), nil
		}
		parent[i] = changed
		return parent, nil
	}
	return nil, errors.New("the value around it is neither an object nor a list")
}

func (e edit) change(v any, present bool) (any, error) {
	switch e.op {
	case opDelete:
		return nil, nil
	case opAppend:
		list, ok := v.([]any)
		if present && !ok {
			return nil, errors.New("it is not a list")
		}
		return append(list, jsonval.Clone(e.to)), nil
	}
	return jsonval.Clone(e.to), nil
}
