// Package fastpath does in one walk over an object what the engines do in five:
// it prunes, drops nulls, sets defaults, and validates values and lists. The
// object is a map, which the walk changes in place, or JSON text, from which it
// makes the text that the server stores, without maps in between.
//
// [Compile] makes a [Plan] of a schema. [Plan.Map] and [Plan.JSON] apply it.
//
//	plan := fastpath.Compile(node, fastpath.Config{APIVersion: "example.com/v1", Kind: "CronTab"})
//	out, ok := plan.JSON(text, fastpath.Request{})
//	if !ok {
//		return fallBack(text) // to the engines
//	}
//	stored := out.Text()
//	out.Release()
//
// # Contract
//
// The engines (packages pruning, defaulting and validation) are the reference.
// The fast path either has their result or declines. When it declines, the object
// is as it was and the caller falls back to the engines. The tests run both on
// every object.
//
// The canonical text is, byte for byte, what encoding/json writes of the decoded,
// pruned and defaulted object. The fast path accepts an object only if package
// validation has no error for it. Rules and the names of kind and apiVersion are not its
// business: kind and apiVersion must be those of [Config], and rules run on
// [Output.RuleInput]. On request, a walk over text also prepares metadata that
// [objectmeta.FastMeta] takes ([Request].Create, Replaced and Sent); all other metadata it
// decodes to a map, which the caller prepares ([Output.Metadata]).
//
// # Building a plan
//
// The builder is a list of steps in build.go. Each step says what it sets. A plan
// is a tree of nodes. A node joins what the engines compile of one schema: a check
// of package leafcheck, the members to keep, the filled default of package
// defaultvalue.
//
// # Walking a text
//
// There is one walk (walk.go, object.go, direct.go, list.go) with a sink (sink.go). The sink
// has two modes. It writes the canonical text, or, with [Request].Splice, it notes
// edits of the input (splice.go). Spliced text has the same value as the canonical
// text and keeps the spelling of the input; without edits it is the input.
//
// The walk writes a member as soon as it is read. In a new object it writes the default
// of a missing member before the next member, and takes it back if that member comes
// later (early.go). Members that are out of order, and other defaults, move when the
// object is complete. The walk keeps the keys of removed members until then to find
// repeated keys.
//
// Where enum, allOf, anyOf, oneOf, not or uniqueItems concern a whole object or
// list, its output is decoded and checked when it is complete. For scalars, the
// builder finds out which kinds need no check at all.
//
// # Walking a map
//
// [Plan.Map] changes the map and notes how to undo each change; if it declines, it
// undoes them. Metadata, status and the object as a whole are not final when it
// runs, so the caller checks them with [Plan.Admits] once they are.
//
// # Updates
//
// [Plan.Document] reads as much of the text of an object as an update needs.
// [Request].Status is the status of the output if the plan drops the one in the
// input. [Output.SameAs] compares the output with the old object, to count
// generations. [Ratchet] lets an update keep wrong values of the old object.
//
// # Declining
//
// The reasons to decline are the constants in decline.go. Most are values that are
// not valid, because only package validation explains errors. The others are texts
// whose decoded value is ambiguous, and combinations of keywords that the walk does
// not implement. A walk notes its reason only when it declines.
//
// # Concurrency and ownership
//
// A Plan is immutable and safe for concurrent use. It keeps the buffers of past
// calls, up to a megabyte each, for later calls. An [Output] holds such buffers
// until it is released, and is for one goroutine. Returned values belong to the
// caller; paths may keep the input alive.
package fastpath
