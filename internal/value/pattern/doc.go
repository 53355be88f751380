// Package pattern reports whether a string matches an RE2 expression. It turns an expression into a
// deterministic automaton (see build.go), which reads each byte once and looks up one table entry
// for it. The automaton stops as soon as the rest of the string cannot change the verdict.
//
//	p, err := pattern.Compile("^[a-z]+$")
//	if err != nil {
//		return err
//	}
//	fmt.Println(p.Match("crontab"))
//
// [Compile] accepts exactly what [regexp.Compile] accepts and fails with the same text.
// [Pattern.Match] has exactly the results of [regexp.Regexp.MatchString].
//
// Expressions can be hostile: (a|b)*a(a|b){20} needs two million states. So the number of states,
// the bytes of the table and the steps of building it are bounded. Package regexp matches an
// expression that exceeds a bound, or that has \b, \B or the flag m, with the same verdicts.
// [Pattern.Fast] reports whether the pattern has an automaton.
//
// A [Pattern] is safe for concurrent use. Its first use builds the automaton, under a lock. After
// that, Match does not allocate if [Pattern.Fast] is true.
package pattern
