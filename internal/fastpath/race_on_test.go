//go:build race

package fastpath_test

// mostAllocations is higher under the race detector, where a sync.Pool forgets
// at random what is put into it.
const mostAllocations = 25

const maxTextAllocations = 25

// mostMapAllocations is the state of the walk.
const mostMapAllocations = 2
