// Package celbranch finds the parts of a rule that decide its result: the operands of &&
// and ||, and the conditions of ?:. For each it makes two expressions that observe it.
//
//	r := celbranch.Split("!has(self.a) || self.a > 0")
//	fmt.Println(r.Terms[1].True.Text) // !(!(!has(self.a)) && ((self.a > 0)))
//
// An observer is a rule of the same schema. It is false if the evaluation of the rule comes to
// the term and the term has the observed result, and true or an error otherwise. A term within
// a macro, such as all(), is observed if it has the result for at least one element. So an
// engine that evaluates rules also measures which branches tests exercise.
//
// The evaluation comes to an operand of && if those before it are true, to one of || if
// those before it are false, and to a branch of ?: if the condition has the result for
// it. Elements after the one that decides a macro count as evaluated.
//
// Results imply others: if the last operand of && is evaluated, those before it are true,
// and if the rule is true, so is the last one. So most terms need one expression only; see
// [Rule.Implied] and [Rule.Evaluated].
//
// Split works on the words of the text. These operators bind less than all others, so
// brackets and operators tell where a term begins and ends.
package celbranch
