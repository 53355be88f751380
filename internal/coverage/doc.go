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
//   - a text that matches a pattern, and one that does not;
//   - a required field is there, and is missing;
//   - a branch of anyOf or oneOf is satisfied;
//   - a rule is true, and is false. The same for each term of a rule (package celbranch).
//
// The goal that a rule ends with an error is optional.
//
// Objects are observed as they are validated: pruned and with defaults. It does not matter whether
// they are admitted. Rules are observed if the server evaluates them.
//
// A [Recorder] is safe for concurrent use. It keeps the definitions, and no objects.
package coverage
