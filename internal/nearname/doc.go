// Package nearname finds the known name that somebody probably meant.
//
// [Nearest] compares a name with known ones: first without regard to case and
// separators, then by the number of edits, where an edit inserts, removes or replaces
// a byte or swaps two neighbours (the restricted Damerau-Levenshtein distance). A
// name may have one edit for each three bytes, and at most three.
//
//	nearest, ok := nearname.Nearest("replica", slices.Values([]string{"image", "replicas"})) // "replicas", true
//
// The work is bounded by the number of known names times 64 bytes: longer names are
// only compared for equality.
package nearname
