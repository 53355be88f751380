package crdtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/pathstack"
)

// An edit changes one value of an object.
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

// decoded returns what decoding the JSON of a Go value returns.
func decoded(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	return out, utiljson.Unmarshal(raw, &out)
}

// apply changes an object.
func (e edit) apply(obj map[string]any) error {
	if e.err != nil {
		return e.err
	}
	_, err := e.at(obj, pathstack.Tokens(e.pointer))
	if err != nil {
		return fmt.Errorf("%s %s: %w", e.op, e.pointer, err)
	}
	return nil
}

var (
	errAbsent    = errors.New("there is no such value")
	errNotObject = errors.New("the value around it is neither an object nor a list")
)

// at applies the edit to the value that tokens lead to, and returns the changed parent.
func (e edit) at(parent any, tokens []string) (any, error) {
	switch parent := parent.(type) {
	case map[string]any:
		return e.inObject(parent, tokens)
	case []any:
		return e.inList(parent, tokens)
	}
	return nil, errNotObject
}

func (e edit) inObject(parent map[string]any, tokens []string) (any, error) {
	name := tokens[0]
	child, ok := parent[name]
	if len(tokens) == 1 {
		changed, err := e.change(child, ok)
		switch {
		case err != nil:
			return nil, err
		case e.op == opDelete:
			delete(parent, name)
		default:
			parent[name] = changed
		}
		return parent, nil
	}
	if !ok && e.op != opDelete {
		child = map[string]any{} // the objects around a new value
	} else if !ok {
		return nil, errAbsent
	}
	changed, err := e.at(child, tokens[1:])
	if err != nil {
		return nil, err
	}
	parent[name] = changed
	return parent, nil
}

func (e edit) inList(parent []any, tokens []string) (any, error) {
	i, err := strconv.Atoi(tokens[0])
	if err != nil || i < 0 || i >= len(parent) {
		return nil, fmt.Errorf("the list has no element %q", tokens[0])
	}
	if len(tokens) > 1 {
		if parent[i], err = e.at(parent[i], tokens[1:]); err != nil {
			return nil, err
		}
		return parent, nil
	}
	changed, err := e.change(parent[i], true)
	if err != nil {
		return nil, err
	}
	if e.op == opDelete {
		return slices.Delete(parent, i, i+1), nil
	}
	parent[i] = changed
	return parent, nil
}

// change returns the value after the edit.
func (e edit) change(v any, present bool) (any, error) {
	switch e.op {
	case opDelete:
		if !present {
			return nil, errAbsent
		}
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
