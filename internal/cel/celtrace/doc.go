// Package celtrace says why a rule failed: which part of it decided, and the values of the operands
// there.
//
// [Rule] evaluates the rule again with cel-go, the reference, and records the value of each part.
// Then it looks for the parts that made the result: the false term of &&, all terms of ||, the
// branch of a ternary that was taken, or the element that decided all() or exists(). For a macro it
// evaluates the condition for one element after the other.
//
//	why, err := celtrace.Rule(ctx, celtrace.Input{Root: root, Path: path, Rule: rule, Self: value, Runes: 80})
//	if err == nil {
//		fmt.Println(why.Text) // self.minReplicas (5) <= self.maxReplicas (3) is false
//	}
//
// Each evaluation ends at the cost limit of a rule. Conditions of macros are evaluated at most
// [maxElements] times. Values are cut while they are written.
package celtrace
