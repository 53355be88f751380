package celtypes

import (
	"sync"

	"github.com/crdkit/crdkit/internal/kubeversion"
)

// A server knows all functions up to its own version, but admits in new rules
// only those that the previous version knows too. So the language of a minor
// version is that of stored rules in this version and of new rules in the next.

// The minor versions that have a language. The oldest one is that of new rules at
// the oldest known version.
const (
	OldestMinor = int(kubeversion.Oldest) - 1
	NewestMinor = int(kubeversion.Newest)
)

// languages builds the language of each minor version lazily.
var languages = func() (all [NewestMinor - OldestMinor + 1]func() (*Language, error)) {
	for i := range all {
		all[i] = sync.OnceValues(func() (*Language, error) { return newLanguage(OldestMinor + i) })
	}
	return all
}()

// LanguageOf returns the language of stored rules of Kubernetes 1.minor, which
// lies between OldestMinor and NewestMinor.
func LanguageOf(minor int) (*Language, error) { return languages[minor-OldestMinor]() }
