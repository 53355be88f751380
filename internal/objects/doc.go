// Package objects finds objects that a version of a definition admits, and objects that
// break one rule or one keyword of it and nothing else.
//
//	space := objects.New(version.Schema(), head, judge)
//	obj, err := space.Admitted(ctx, rng)
//	broken, err := space.Break(ctx, rng, objects.Target{Pointer: "/properties/spec", Rule: 0})
//
// # Semantics
//
// Package generate makes an object, which may be refused. Then the search changes values
// until the judge admits it: those with errors, and those that a broken rule reads. A
// change stays if the object has fewer or milder errors afterwards. The values are
// generated, or come from the rules, from enums and from other fields.
//
// The search for a broken rule begins with an admitted object that has the value of the
// rule. A transition rule gets an old object too, and a rule in the status is broken by
// an update of the status. What is found is made as small as possible. An object for which
// the rule is false is preferred to one for which it ends with an error.
//
// The server reports a keyword of a branch with the anyOf, oneOf or allOf around it. The
// errors of other branches of anyOf and oneOf belong to the same violation, because these
// fail only if all branches fail.
//
// A search that finds nothing returns an [*Unreachable] with the cause. The same random
// source gives the same result. The judge, and not this package, decides what an object
// breaks.
//
// # Differences from Kubernetes
//
// None: the server does not generate objects.
//
// # Concurrency and ownership
//
// A [Space] is safe for concurrent use if its judge is. A random source is not. Objects
// belong to the caller.
package objects
