// Package fastpath handles requests on the JSON text of objects. In one walk over the text it
// prunes, drops nulls, sets defaults, prepares the metadata, and validates.
//
//	plan := fastpath.Compile(node, fastpath.Config{APIVersion: "example.com/v1", Kind: "CronTab"})
//	if res, ok := plan.Create(raw, &fastpath.Request{}); ok {
//		return res.Object // the text that the server stores
//	}
//	return pipeline(raw)
//
// # Contract
//
// A plan handles a request as a whole or declines it. If it handles the request, the answer is the
// same as the answer of the pipeline in the root package: the same bytes, warnings and cost of
// rules. If it declines, nothing has changed. It declines every request that the server refuses,
// and requests with rare features:
//
//   - texts: strings and numbers that package jsonscan does not read, repeated keys, and numbers
//     such as 1.0, which would look like integers in the output;
//   - members of the whole object with names such as KIND, which the server could take for kind or
//     apiVersion;
//   - metadata that ObjectMeta would write in another form;
//   - embedded resources, also in defaults;
//   - objects whose schema has both properties and additionalProperties, or requires a
//     property that it does not declare;
//   - schemas of whole objects that have enum, allOf, anyOf, oneOf, not or
//     additionalProperties, restrict the metadata, or require a status that is dropped.
//
// The object is stored as encoding/json writes the decoded object: keys are sorted, and characters
// of HTML are escaped.
//
// # The walk
//
// A [Plan] is a tree of nodes. A node combines what the engines need of one schema: a check of
// package leafcheck, the declared members, and the default. A walk reads a text once and writes the
// canonical text to a sink. Parts that are already canonical are copied in one piece.
//
//   - Members are sorted when the object is complete, if they are out of order. Added defaults
//     and removed members are sorted too, so that a repeated key is found.
//   - Members mostly come in the order of the schema. direct.go guesses the next member, and
//     handles common values. document.go reads apiVersion, kind and metadata.
//   - The elements of a list of type set or map are compared by the texts of their keys.
//   - If enum, allOf, anyOf, oneOf or not apply to an object or list, its output is decoded
//     and checked when it is complete.
//   - [objectmeta.Meta] reads, prepares, checks and writes the metadata.
//
// Then the fields of the scale subresource are checked, and the rules are evaluated on the values
// that they read (reads.go).
//
// For an update the text of the old object is cut into its members (document.go). The walk over the
// new object gets the metadata and the status of the old object. An update of the status is a walk
// over the old object with the new status. This walk declines if the new object
// changes members other than metadata and status.
//
// A Plan is immutable and safe for concurrent use. It reuses the buffers of past walks, up to a
// megabyte each, and keeps no text. A [Result] belongs to the caller.
package fastpath
