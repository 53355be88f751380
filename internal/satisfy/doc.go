// Package satisfy finds a small JSON value that satisfies a condition, or proves
// that there is none.
//
//	c := satisfy.And(satisfy.Types(satisfy.Object), satisfy.At("replicas", satisfy.Not(satisfy.AtMost(10, false))))
//	r := satisfy.NewSolver(ctx, 100_000).Solve(c)
//	// r.Status == satisfy.Found, r.Value == map[string]any{"replicas": int64(11)}
//
// # Semantics
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
// answer Undecided has a reason.
//
// # Differences from Kubernetes
//
// None: the server does not solve conditions. Callers give every value to the
// server's rules before they rely on it.
//
// # Concurrency and ownership
//
// Conditions never change. A Solver is for one goroutine. The values that it
// returns belong to the caller. A Solver keeps the results of parts that it has
// solved, and takes no steps for them again.
package satisfy
