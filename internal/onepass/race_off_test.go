//go:build !race

package onepass_test

// mostAllocations are the metadata: a map in two parts and its string.
const mostAllocations = 3

// mostPlainAllocations: metadata that is plain takes none.
const mostPlainAllocations = 0

const mostMapAllocations = 0
