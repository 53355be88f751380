//go:build race

package testkit

// RaceDetector says whether the race detector is on. Then a sync.Pool forgets at
// random what is put into it, so tests must allow for more allocations.
const RaceDetector = true
