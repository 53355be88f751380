// Package search finds objects that a version of a definition admits, objects that break
// one rule or keyword of it and nothing else, and the smallest object that keeps a
// property. It also decides whether any value satisfies a condition.
//
//	space := search.New(version.Schema(), head, judge)
//	obj, err := space.Admitted(ctx, rng)
//	broken, err := space.Break(ctx, rng, search.Target{SchemaPointer: "/properties/spec", Rule: 0})
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
// # Objects
//
// [Space.Object] generates an object that should be valid, but may not be. [Space.Admitted]
// begins with such an object and changes values with errors, and those that a broken rule
// reads, until the judge admits it. A change stays if there are fewer or milder errors
// afterwards.
//
// [Space.Break] begins with an admitted object that has the value of the rule, with an old
// object for a transition rule, and with an update of the status for a rule in it. A rule
// that is false is preferred to one that ends with an error. The server reports a keyword
// of a branch with the junctor around it, and other branches of anyOf and oneOf, because
// these fail only together: these errors are one violation.
//
// [Space.Seek] looks for what the judge says that it wants, such as an object that one
// definition admits and another one refuses.
//
// A search that finds nothing returns an [*Unreachable] with the cause. The same random
// source gives the same result.
//
// # Conditions
//
// A [Cond] is a condition on one value: a type, a bound, a pattern, a member, elements, or a
// combination, closed under [Not]. Most are about values of one type. Vacuous conditions hold
// for other types, as keywords of schemas do, and strict ones do not, as expressions do.
//
// [Solver.Solve] splits alternatives only where the value that it found without them does not
// satisfy them. It decides numbers with intervals and candidates, strings with the automata
// of package pattern, and lists and objects by their parts. None is a proof. Found has a value
// that satisfies the condition, apart from [Opaque] ones, which have only a name. Undecided
// has a reason. Callers give every value to the server's rules before they rely on it.
//
// # Concurrency and ownership
//
// A [Space] is safe for concurrent use if its judge is. A random source is not. Conditions
// never change. A [Solver] is for one goroutine, and keeps the results of parts. Objects
// and values belong to the caller. [Minimize] removes one part after the other while a
// property holds, and does not change its input.
package search
