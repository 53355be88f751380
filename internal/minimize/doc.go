// Package minimize makes an object smaller while it keeps a property, such as a failure
// of a test.
//
//	smallest := minimize.Object(ctx, failure, objectOf, func(candidate map[string]any) (*Failure, bool) {
//		again := run(candidate)
//		return again, again != nil
//	})
//
// # Semantics
//
// [Object] removes one part after the other, a member of an object or an element of a
// list, large parts first. It stops when no further removal keeps the property. The
// result depends only on the object and on the answers of the function. apiVersion and
// kind of the object stay.
//
// # Differences from Kubernetes
//
// None: the server does not make objects smaller.
//
// # Concurrency and ownership
//
// The functions are safe for concurrent use with different objects. [Object] does not
// change its input.
package minimize
