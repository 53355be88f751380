package document

import (
	"strconv"

	kjson "sigs.k8s.io/json"
)

// unknownFields are the errors of strict decoding, as sigs.k8s.io/json reports them: in
// their order in the text, and the first hundred with different texts.
type unknownFields struct {
	errs []error
	seen map[string]bool // the texts of errs
	last int             // the value of the last unknown field

	silent int // above 0: the library decodes these schemas without looking for unknown fields
	object int // the object that is read
	of     int // the object whose path is path
	path   string
	paths  int // how many paths were made
}

const (
	// mostUnknown is how many errors the library reports.
	mostUnknown = 100
	// mostPaths bounds the time to make paths. There are more only if many are equal.
	mostPaths = 1_000
)

// unknownField reports the field whose value is v. It reports false to decline: the library
// reads YAML in another order.
func (r *definitionReader) unknownField(v int) bool {
	u := &r.unknown
	u.last = v
	if u.silent > 0 || len(u.errs) == mostUnknown {
		return true
	}
	if !r.tokens.json {
		return false
	}
	if u.of != u.object {
		if u.paths++; u.paths > mostPaths {
			return false
		}
		u.of, u.path = u.object, r.tokens.path(u.object)
	}
	path := r.tokens.Text(v - 1)
	if u.of != 0 {
		path = u.path + "." + path
	}
	u.add(&unknownField{path})
	return true
}

// strictErrors adds the errors of the library for the value v. It reports false to decline.
func (r *definitionReader) strictErrors(v int, errs []error) bool {
	path := r.tokens.path(v)
	for _, err := range errs {
		err, ok := err.(kjson.FieldError)
		if !ok || !r.tokens.json {
			return false
		}
		err.SetFieldPath(path + "." + err.FieldPath())
		r.unknown.add(err)
	}
	return true
}

func (u *unknownFields) add(err error) {
	text := err.Error()
	if u.seen[text] || len(u.errs) == mostUnknown {
		return
	}
	if u.seen == nil {
		u.seen = map[string]bool{}
	}
	u.seen[text] = true
	u.errs = append(u.errs, err)
}

// path returns the path of a value below the document, as sigs.k8s.io/json writes it.
func (t *Tokens) path(i int) string {
	var path []byte
	for at := 0; at != i; {
		list := t.Kind(at) == List
		child, k := at+1, 0
		for {
			value := child
			if !list {
				value++
			}
			if i < t.Next(value) {
				at = value
				break
			}
			child, k = t.Next(value), k+1
		}
		switch {
		case list:
			path = append(strconv.AppendInt(append(path, '['), int64(k), 10), ']')
		case len(path) > 0:
			path = append(append(path, '.'), t.Text(child)...)
		default:
			path = append(path, t.Text(child)...)
		}
	}
	return string(path)
}

// An unknownField is the error of sigs.k8s.io/json for a field that a type does not have.
type unknownField struct{ path string }

// Error returns the text of the library.
func (e *unknownField) Error() string { return "unknown field " + strconv.Quote(e.path) }

// FieldPath returns the path of the field.
func (e *unknownField) FieldPath() string { return e.path }
