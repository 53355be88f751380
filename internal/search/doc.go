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
// [Space.Object] generates an object that should be valid, but may not be. [Space.Admitted] begins
// with one. It changes values with errors, and values that a broken rule reads, until the judge
// admits the object. It keeps changes that reduce the errors.
//
// [Space.Break] begins with an admitted object that has a value for the rule. For a transition rule
// it makes an update, and for a rule in the status an update of the status. It prefers a rule that
// is false to a rule that ends with an error. If a keyword of a branch is broken, the server also
// reports the anyOf, oneOf, allOf or not around it. An anyOf or oneOf fails only if its other
// branches fail too: the server reports them. All these errors count as one violation.
//
// [Space.Seek] looks for a case that the judge wants, such as an object that one definition admits
// and another one refuses.
//
// If a search finds nothing, it returns an [*Unreachable] with the cause. The same random source
// gives the same result.
//
// # Conditions
//
// A [Cond] is a condition on one value: a type, a bound, a pattern, a member, elements, or a
// combination. [Not] returns the opposite. Most conditions are about values of one type,
// and do not hold for other values, as in an expression. A [Vacuous] condition also holds for
// values of other types, like a keyword of a schema.
//
// [Solver.Solve] first leaves out the disjunctions and finds a value. If the value does not satisfy
// a disjunction, it tries each part. It decides numbers with intervals and candidates, strings with
// the automata of package pattern, and lists and objects by their parts. The status None is a proof
// that there is no value. With Found, the value satisfies the condition, but nothing is known about
// [Opaque] conditions. Undecided comes with a reason. Callers check every value by the server's
// rules before they rely on it.
//
// # Concurrency and ownership
//
// A [Space] is safe for concurrent use if its judge is. A random source is not safe. Conditions
// never change. A [Solver] is for one goroutine, and reuses its results. Objects and values belong
// to the caller. [Minimize] removes one part after the other while a property holds, and does not
// change its input.
package search
