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
// Closures read the raw values of the object, with the Go type that the checker found. Most of the
// cost is known when a step is compiled, and is added once per branch of the rule.
//
// Closures are the fast implementation and cel-go is the reference. The compiler declines an
// expression if it does not know a part of it. A closure may decline an evaluation at any point: at
// a value that does not match its schema, at an error of unknown cost, or if the cost is over its
// limit. The caller then evaluates the expression with cel-go. Functions without a closure are
// called through the bridge, which boxes their arguments and charges what cel-go charges.
//
// If an operand fails, its operator fails, except && and || if another operand decides. The cost of
// evaluated operands counts. A closure that fails stores the error in the frame and returns any
// value. The closure that uses the value then adds the rest of its own cost. It leaves the error in
// the frame, or takes it out and continues.
package celeval
