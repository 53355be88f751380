// Package celeval compiles checked expressions to closures and evaluates them.
//
//	compiled, declined := celeval.CompileRule(language, tree, self, optionalOldSelf)
//	if declined != "" {
//		return evaluateWithCELGo(tree) // declined is the reason
//	}
//	frame := celeval.Frame{Self: value, Limit: 1_000_000, Memory: cellib.Meter{Limit: cellib.DefaultMemory}}
//	holds, cost, failed, ok := compiled.Eval(&frame) // if !ok, the closure declines the evaluation
//	frame.Release()                                  // forgets the object
//
// cel-go evaluates a tree of interfaces over boxed values and measures the cost of each step.
// Closures read the raw values of the object as the Go type that the checker found. Most of
// the cost is known when a step is compiled: one addition per branch of the rule.
//
// Closures are the fast implementation and cel-go is the reference. The compiler declines an
// expression with a part that it does not know. A closure declines an evaluation, at any
// point, for a value that its schema does not admit, an error of unknown cost, or a cost over
// its limit. The caller then evaluates the expression with cel-go. Functions without a closure
// are called through the bridge, which boxes their arguments and charges what cel-go charges.
//
// An operator with a failed operand fails, except that && and || may not need the operand. The
// cost of evaluated operands counts. A closure that fails leaves the error in the frame, and
// returns any value. The closure that uses the value adds the remaining cost, and leaves the
// error there, or takes it and goes on.
package celeval
