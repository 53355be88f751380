// Package fastpath does in one walk over an object what the engines do in five:
// it prunes, drops nulls, sets defaults, and checks values and lists. The object
// is a map, which is changed in place, or a text. Of a text, what comes out is
// the text that the server stores; no maps are made on the way.
//
// [Compile] makes a [Plan] of a schema, and [Plan.Map] and [Plan.Bytes] apply it.
//
// # Semantics
//
// The result is, byte for byte, what encoding/json writes of the object that
// package defaulting and package pruning make of the decoded input, and there
// is a result only if package validation finds nothing wrong with it. Three
// things are left to the caller: metadata of the object, which is handed to
// [Request].Metadata; rules; and whether kind and apiVersion are right, which
// here must be those of [Config].
//
// A member is written as soon as it is read. Members that turn out to be in
// another order than the output needs, and defaults that belong before them,
// are moved once the object is complete. Null members and members that are not
// declared leave no trace but their keys, because a key may come again.
//
// Schemas of whole objects and lists, which are allOf, anyOf, oneOf, not, enum
// and uniqueItems next to them, need the value. It is decoded from the text that
// was written, which by then is finished. Where they only tell scalars apart, as
// most anyOf do, they are worked out per kind of value when the plan is made.
//
// # Splicing
//
// With [Request].Splice nothing is written on the way: the walk notes what has
// to change in the input, and [Made.Append] copies the input with these edits.
// What comes out has the value of the canonical text. To splice an object needs
// no copy of it if there is nothing to change.
//
// # Updates
//
// [Plan.Old] reads the text of an object that is replaced as far as a request
// needs it, [Request].Status puts its status in the place of the one that a
// client sends, and [Made.SameBut] tells whether the generation changes. Where
// two members are not spelled alike they are compared in canonical form.
//
// # Maps
//
// [Plan.Map] changes a map as it goes, and keeps account of it. If it meets
// something that is for the plain path, it undoes everything. Metadata, status
// and what concerns the object as a whole are not final at that time, because
// there are steps of a request to come; [Plan.Settled] checks them at the end.
//
// # The plain path
//
// Whatever is wrong or strange is not for this package: [Plan.Bytes] says so,
// nothing has happened yet, and the caller takes the path through the engines
// from the start. So does it with
//
//   - everything that is not valid, as only package validation can say why;
//   - everything that package jsonscan refuses to read, such as repeated keys;
//   - floats that are written like integers, 1.0 or 1e3: the text could not
//     tell them from integers later on;
//   - embedded resources whose metadata is not written as the server writes it,
//     and defaults that are not valid or have an embedded resource inside;
//   - schemas that declare properties next to additionalProperties, or require
//     a property that they do not declare, where these are met.
//
// A schema that says more of metadata than what its values may be, or of the
// whole object what differs from that of others, has no plan: [Compile] returns
// nil.
//
// # Concurrency and ownership
//
// A Plan is immutable and safe for concurrent use. It keeps the buffers of past
// calls for calls to come, up to a megabyte each. A [Made] holds such buffers until
// it is released. What is returned belongs to the caller; paths may keep the input
// alive.
package fastpath
