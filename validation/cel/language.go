package cel

import "sync"

// Versions of the language.
//
// A server knows every function that any version up to its own introduced, but
// admits only those in new rules which the version before it knows too. So the
// language of one minor version is that of stored rules in this version, and
// that of new rules in the next.

const (
	oldestMinor = 28
	newestMinor = 37
)

// languages make the language of each minor version when it is first needed.
var languages = func() (all [newestMinor - oldestMinor + 1]func() (*base, error)) {
	for i := range all {
		all[i] = sync.OnceValues(func() (*base, error) { return newBase(oldestMinor + i) })
	}
	return all
}()

// language returns what stored rules are written in at Kubernetes 1.minor, which
// lies between oldestMinor and newestMinor.
func language(minor int) (*base, error) { return languages[minor-oldestMinor]() }
