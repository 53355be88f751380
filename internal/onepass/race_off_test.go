//go:build !race

package onepass_test

// mostAllocations are the output, and the metadata with its map and its string.
const mostAllocations = 5

const mostMapAllocations = 0
