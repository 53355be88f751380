// Package coverage records which parts of definitions the requests of tests exercise,
// and renders the record as text and as a page.
//
//	r := coverage.NewRecorder()
//	err := r.Observe(ctx, definition, "v1", coverage.Request{Object: obj, Rules: true})
//	profile := r.Profile()
//	err = profile.WriteHTML(w)
//
// A [Point] is a part of a schema with goals: a field that is set, a value of an enum, a
// value below, at and above a bound, a text that matches a pattern and one that does not, a
// required field that is there and one that is missing, a branch of anyOf and oneOf that is
// satisfied, a rule that is true and false, and so is each term of it (package celbranch). A
// goal that no rule can miss is optional: that a rule ends with an error.
//
// Objects are observed as they are validated, pruned and with defaults, whether they are
// admitted or refused. Rules are observed if the server evaluates them.
//
// A [Recorder] is safe for concurrent use. It keeps the definitions, and no objects.
package coverage
