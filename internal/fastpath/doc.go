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
// explains an error. It also declines what is rare:
//
//   - texts: strings and numbers that package jsonscan does not read, repeated keys, and
//     numbers such as 1.0, which the output could not tell from integers;
//   - members of the whole object that the server could take for kind or apiVersion;
//   - metadata that ObjectMeta would write in another form;
//   - embedded resources, also in defaults;
//   - objects whose schema has both properties and additionalProperties, or requires a
//     property that it does not declare;
//   - schemas of whole objects that have enum, allOf, anyOf, oneOf, not or
//     additionalProperties, restrict the metadata, or require a status that is dropped.
//
// The object is stored in canonical form. This is what encoding/json writes of the decoded
// object: keys are sorted, and characters of HTML are escaped.
//
// # Plans
//
// [Compile] makes a [Plan] of a schema (build.go, compile.go). A plan is a tree of nodes. A node joins what the engines make of one
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
// An update of the status is a walk over the old object, which puts in the new status. All
// else that is sent, apart from metadata, must be what the canonical old object has.
//
// # Concurrency and ownership
//
// A Plan is immutable and safe for concurrent use. It keeps the buffers of past walks, up to
// a megabyte each, and no text. A [Result] belongs to the caller.
package fastpath
