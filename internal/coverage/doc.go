// Package coverage records which parts of definitions the requests of tests exercise. It writes the
// record as text and as a page.
//
//	r := coverage.NewRecorder()
//	err := r.Observe(ctx, definition, "v1", coverage.Request{Object: obj, Rules: true})
//	profile := r.Profile()
//	err = profile.WriteHTML(w)
//
// A [Point] is a part of a schema. It has goals:
//
//   - a field is set;
//   - a value of an enum, or another value;
//   - a value below, at and above a bound;
//   - a string that matches a pattern, and a string that does not match;
//   - a required field is there, and is missing;
//   - a branch of anyOf or oneOf is satisfied;
//   - a rule, or a term of a rule (package celbranch), is true, and is false.
//
// A rule also has an optional goal: its evaluation ends with an error.
//
// Objects are observed after pruning and defaulting, even if they are refused. Rules are observed
// if the server evaluates them.
//
// A [Recorder] is safe for concurrent use. It keeps the definitions, and no objects.
package coverage
