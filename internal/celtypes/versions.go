package celtypes

import (
	"sync"

	"github.com/crdkit/crdkit/internal/kubeversion"
)

// Versions of the language.
//
// A server knows every function that any version up to its own introduced, but
// admits only those in new rules which the version before it knows too. So the
// language of one minor version is that of stored rules in this version, and
// that of new rules in the next.

// The minor versions that have a language. The oldest one is that of new rules at
// the oldest known version.
const (
	OldestMinor = int(kubeversion.Oldest) - 1
	NewestMinor = int(kubeversion.Newest)
)

// languages make the language of each minor version when it is first needed.
var languages = func() (all [NewestMinor - OldestMinor + 1]func() (*Language, error)) {
	for i := range all {
		all[i] = sync.OnceValues(func() (*Language, error) { return newLanguage(OldestMinor + i) })
	}
	return all
}()

// LanguageOf returns what stored rules are written in at Kubernetes 1.minor, which
// lies between oldestMinor and newestMinor.
func LanguageOf(minor int) (*Language, error) { return languages[minor-OldestMinor]() }
