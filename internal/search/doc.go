// Package search finds objects: objects that a version of a definition admits, objects
// that break one rule or one keyword of it and nothing else, and the smallest object that
// keeps a property. It decides, too, whether any value satisfies a condition.
//
//	space := search.New(version.Schema(), head, judge)
//	obj, err := space.Admitted(ctx, rng)
//	broken, err := space.Break(ctx, rng, search.Target{Pointer: "/properties/spec", Rule: 0})
//
//	c := search.And(search.Types(search.Object), search.At("replicas", search.Not(search.AtMost(10, false))))
//	r := search.NewSolver(ctx, 100_000).Solve(c)
//	// r.Status == search.Found, r.Value == map[string]any{"replicas": int64(11)}
//
//	smallest := search.Minimize(ctx, failure, objectOf, func(candidate map[string]any) (*Failure, bool) {
//		again := run(candidate)
//		return again, again != nil
//	})
//
// # Objects that are admitted or break a rule
//
// [Space.Object] generates an object that should be valid, but may not be. [Space.Admitted]
// begins with such an object and changes values until the judge admits it: those with errors,
// and those that a broken rule reads. A change stays if the object has fewer or milder errors
// afterwards. The values are generated, or come from the rules, from enums and from other
// fields.
//
// [Space.Break] begins with an admitted object that has the value of the rule. A transition
// rule gets an old object too, and a rule in the status is broken by an update of the status.
// What is found is made as small as possible. An object for which the rule is false is
// preferred to one for which it ends with an error.
//
// The server reports a keyword of a branch with the anyOf, oneOf or allOf around it. The
// errors of other branches of anyOf and oneOf belong to the same violation, because these
// fail only if all branches fail.
//
// [Space.Seek] looks for whatever the judge says that it wants, such as an object that one
// definition admits and another one refuses. It begins with an object that is almost that.
//
// A search that finds nothing returns an [*Unreachable] with the cause. The same random
// source gives the same result. The judge, and not this package, decides what an object
// breaks.
//
// # Conditions
//
// A [Cond] is a condition on one value: a type, a bound, a pattern, a member, the
// elements of a list, or a combination of conditions. Conditions are closed under
// [Not]. Most conditions are about values of one type. Vacuous conditions hold for
// values of other types, as keywords of schemas do, and strict ones do not, as
// expressions in rules do.
//
// [Solver.Solve] splits alternatives only where the value that it found without
// them does not satisfy them. It decides numbers with intervals and candidates,
// strings with the automata of package pattern, and lists and objects by their
// parts. The answer None is a proof. The answer Found has a value that satisfies
// the condition, apart from [Opaque] conditions, which have only a name. The
// answer Undecided has a reason. Callers give every value to the server's rules before
// they rely on it.
//
// # Smaller objects
//
// [Minimize] removes one part after the other, a member of an object or an element of a
// list, large parts first. It stops when no further removal keeps the property. The
// result depends only on the object and on the answers of the function. apiVersion and
// kind of the object stay.
//
// # Differences from Kubernetes
//
// None: the server does not search objects.
//
// # Concurrency and ownership
//
// A [Space] is safe for concurrent use if its judge is. A random source is not. Conditions
// never change. A [Solver] is for one goroutine. It keeps the results of parts that it has
// solved, and takes no steps for them again. Objects and values that are returned belong to
// the caller. [Minimize] does not change its input.
package search
