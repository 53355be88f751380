// Package celbranch finds the parts of a rule that decide its result: the operands of && and ||,
// and the conditions of ?:. For each part it makes two rules that observe its result.
//
//	r := celbranch.Split("!has(self.a) || self.a > 0")
//	fmt.Println(r.Terms[1].True.Text) // !(!(!has(self.a)) && ((self.a > 0)))
//
// An observer is a rule for the same schema. It is false if the term is evaluated and has the
// observed result. Otherwise it is true or ends with an error. A term in a macro, such as all(), is
// observed if it has the result for at least one element. So an engine that evaluates rules can
// also measure which branches the tests exercise.
//
// An operand of && is evaluated if all operands before it are true. An operand of || is evaluated
// if all operands before it are false. A branch of ?: is evaluated if the condition selects it. If
// an element decides a macro, the elements after it also count as evaluated.
//
// Results imply other results. If the last operand of && is evaluated, the operands before it are
// true. If the rule is true, the last operand is true. So most terms need only one observer; see
// [Rule.Implied] and [Rule.Evaluated].
//
// Split works on the tokens of the text. &&, || and ?: bind less tightly than all other operators.
// So these operators and brackets show where a term begins and ends.
package celbranch
