// Package pattern answers whether a string matches an RE2 expression, and
// nothing else about it: no positions, no groups.
//
// Giving up everything but the verdict is what makes it fast. An expression
// becomes a deterministic automaton (see build.go) which reads each byte once
// and looks up one table entry for it. It stops as soon as the rest of the
// string cannot change the verdict.
//
// # Semantics
//
// [Compile] accepts exactly what [regexp.Compile] accepts and fails with the
// same text. [Pattern.Match] gives exactly what [regexp.Regexp.MatchString]
// gives: a search anywhere in the string unless the expression is anchored,
// ^ and $ at the ends of the text (of the line with (?m)), \b and \B by ASCII
// word characters, (?i) by Unicode simple folding, and bytes that are not
// UTF-8 read as U+FFFD, one for each byte.
//
// The automaton covers all of Unicode. Its columns are classes of runes which
// no part of the expression tells apart; ASCII finds its class by one table
// lookup, other runes by binary search.
//
// Expressions can be hostile: (a|b)*a(a|b){20} needs two million states. So the
// number of states, the bytes of the table and the steps spent on building it
// are bounded. An expression that exceeds a bound is matched by package regexp,
// in linear time, with the same verdicts. [Pattern.Fast] tells which way was
// taken.
//
// # Differences from Kubernetes
//
// None in verdicts: https://spec.openapis.org/oas/v3.0.0#properties lets the
// keyword pattern hold a regular expression, and kube-apiserver takes RE2
// syntax as package regexp defines it, searching unanchored. kube-apiserver
// keeps every expression it ever compiled in one table of the process; here
// a Pattern belongs to whoever compiled it.
//
// # Concurrency and ownership
//
// A [Pattern] shows no change after Compile and is safe for concurrent use by
// multiple goroutines. Match does not allocate and does not keep the string.
package pattern
