//go:build race

package conversion_test

// raceFactor is how many times more a test may allocate under the race detector, where
// a sync.Pool forgets at random what is put into it. Package regexp has such pools.
const raceFactor = 20
