// Package celcond translates rules to conditions of package search.
//
//	t := celcond.New(root, nil)
//	r := t.Rule("!has(self.max) || self.min <= self.max", node, nil)
//	// r.Holds is a condition on the values of node
//
// # Semantics
//
// An expression holds, fails or ends with an error. [Rule.Holds] is the condition that the
// rule holds, and [Rule.Fails] that it fails; an error is neither. Both are exact for
// comparisons of a field with a constant or with another field, has, size, startsWith,
// endsWith, contains, matches, in with constants, all and exists over lists, negation,
// conjunction, disjunction and the conditional operator. Every other part becomes an opaque
// condition with its text, so that equal parts of two rules cancel out.
//
// A comparison of a sum of sizes of elements with fixed indices is opaque, but holds if no
// element has more than its share. One of the size of a filtered list is opaque, but holds if
// the list is small enough, or the filter keeps no element; at most one element is the same
// opaque condition in exists_one. A comparison of duration(self) is opaque, but a string for
// which it has a value is a duration.
//
// Rules that all strings of a list differ, or those in a field of its elements, are
// recognized in their usual forms.
//
// A macro over the elements of a list inside of another one over the same list is decided
// for lists of one element. An exists_one in such a place is opaque for longer lists, but
// [Count] has the conditions of its body on pairs of elements, so that callers can find
// one that agrees with it.
//
// [Translator.Update] translates a transition rule to a condition on the new and the old
// value together. It decides the equality of booleans, lists and objects, too, unless
// CEL and JSON disagree about it: sets in another order, or times in another zone.
//
// As in the server, a field that is null is absent. The formats byte and date-time admit
// texts that CEL does not read, and has ends with an error for a field with one.
//
// A Translator is for one goroutine. Conditions never change.
package celcond
