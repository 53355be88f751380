// Package celcond translates rules to conditions of package search.
//
//	t := celcond.New(root, nil)
//	r := t.Rule("!has(self.max) || self.min <= self.max", node, nil)
//	// r.Holds is a condition on the values of node
//
// # Semantics
//
// A rule holds, fails or ends with an error. [Rule.Holds] is the condition that it holds, and
// [Rule.Fails] is the condition that it fails. Both conditions are exact for
//
//   - comparisons of a field with a constant or with another field,
//   - has, size, startsWith, endsWith, contains, matches, and in with constants,
//   - all and exists over lists,
//   - negation, conjunction, disjunction and the conditional operator.
//
// Every other part becomes an opaque condition, named by its text. So equal parts of two rules
// cancel out. More is known about some opaque parts:
//
//   - A comparison of a sum of sizes of elements at fixed indices holds if no element has more
//     than an equal share.
//   - A comparison of the size of a filtered list holds if the list is small enough, or if the
//     filter keeps no element. For "at most one element", filter and exists_one use one name.
//   - A comparison of duration(self) has a result only if the string is a duration.
//   - Rules that all strings of a list differ, or all strings in a field of its elements, are
//     recognized in their usual forms.
//
// A macro may be in the body of a macro over the same list. The inner one is exact for lists of
// one element. For longer lists, an inner exists_one is opaque. Its [Count] has the conditions
// of its body for pairs of elements. Callers compare Counts to find equal ones.
//
// [Translator.Update] translates a transition rule to a condition on the new and the old value
// together. It also decides the equality of booleans, lists and objects, unless CEL and JSON
// disagree about it: sets in another order, or times in another zone.
//
// As in the server, a field that is null is absent. The formats byte and date-time allow texts that
// CEL cannot read. If a field has one of them, even has(...) ends with an error.
//
// A Translator belongs to one goroutine. Conditions are immutable.
package celcond
