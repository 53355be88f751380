// Package fastpath handles requests on the JSON text of objects. It does in one walk over
// the text what the engines do in five: it prunes, drops nulls, sets defaults, prepares the
// metadata, and validates. It makes maps only of what rules and a few keywords read.
//
//	plan := fastpath.Compile(node, fastpath.Config{APIVersion: "example.com/v1", Kind: "CronTab"})
//	if res, ok := plan.Create(raw, &fastpath.Request{}); ok {
//		return res.Object // the text that the server stores
//	}
//	return pipeline(raw)
//
// # Contract
//
// A request is handled as a whole, or it is declined. A request that is handled has the
// answer of the pipeline in the root package: the same bytes, warnings and cost of rules. A
// request that is declined has left nothing behind, and the caller runs the pipeline from
// the start. The fast path declines every request that the server refuses, so it never
// explains an error. It also declines what is rare; decline.go lists all reasons.
//
// The object is stored in canonical form. This is what encoding/json writes of the decoded
// object: keys are sorted, and characters of HTML are escaped.
//
// # Plans
//
// [Compile] makes a [Plan] of a schema. The builder is a list of steps in build.go; each step
// says what it sets. A plan is a tree of nodes. A node joins what the engines make of one
// schema: a check of package leafcheck, the members to keep, and the default.
//
// # The walk
//
// A walk (walk.go, object.go, list.go) reads a text once and writes the canonical text to a
// sink (sink.go). Parts of the input that are canonical already are copied as long texts.
//
//   - Members that are out of order are sorted when the object is complete (sort.go).
//     Defaults of missing members are added then, too. Removed members take part in this, so
//     that a repeated key is found.
//   - Members mostly come in the order of the schema. key.go guesses the next one, and direct.go
//     has a short way for common values. head.go reads apiVersion, kind and metadata at once.
//   - The elements of a list of type set or map are told apart by the texts of their keys
//     (list.go).
//   - Enum, allOf, anyOf, oneOf and not may concern a whole object or list. Its output is then
//     decoded and checked when it is complete.
//   - [objectmeta.Meta] reads, prepares, checks and writes the metadata.
//
// When the walk is complete, the fields of the scale subresource are checked, and the rules
// are evaluated on the values that they read (reads.go, ruleinput.go).
//
// # Updates
//
// The text of the old object is cut into its members (document.go). The walk over the new
// object gets its metadata and its status. The generation grows if the new object differs in
// more than metadata.
//
// An update of the status takes two walks. A plan with [Config].OnlyStatus reads the object
// that is sent. The other walk reads the old object and puts in the new status.
//
// # Concurrency and ownership
//
// A Plan is immutable and safe for concurrent use. It keeps the buffers of past walks, up to
// a megabyte each, and no text. A [Result] belongs to the caller.
package fastpath
