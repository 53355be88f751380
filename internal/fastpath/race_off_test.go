//go:build !race

package fastpath_test

// mostAllocations are the metadata: its text, a map in two parts and a string.
const mostAllocations = 4

// maxTextAllocations is 0: metadata on the fast path costs no allocation.
const maxTextAllocations = 0

const mostMapAllocations = 0
