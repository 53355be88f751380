package heapsize

import "sort"

// sizes are the size classes of the allocator of the Go runtime. Larger pieces take
// whole pages.
var sizes = [...]int{
	8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448, 480, 512,
	576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5376, 6144,
	6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264,
	28672, 32768,
}

const pageSize = 8192

// tinySize bounds the pieces without pointers that the allocator puts side by side.
// Pieces with pointers are not smaller than a word.
const tinySize = 16

// allocated returns how many bytes the allocator takes for n bytes.
func allocated(n int) int {
	if n < tinySize {
		return n
	}
	i := sort.SearchInts(sizes[:], n)
	if i < len(sizes) {
		return sizes[i]
	}
	return (n + pageSize - 1) / pageSize * pageSize
}

// How the Go runtime keeps maps: groups of 8 slots with a control word each. A map
// of up to 8 entries has one group. A larger one has tables that are at most 7/8
// full and double when they grow. Keys and values above 128 bytes are kept apart.
const (
	groupSlots  = 8
	mapHeader   = 48
	tableHeader = 40
	largestSlot = 128
	wordSize    = 8
)

// tableSize returns how many bytes a map of n entries takes, without what its keys
// and values refer to.
func tableSize(n int, key, elem uintptr) int {
	apart := 0
	for _, size := range []*uintptr{&key, &elem} {
		if *size > largestSlot {
			apart += n * allocated(int(*size))
			*size = wordSize
		}
	}
	slot := int(key + elem)
	if slot > wordSize { // all large keys and values here are aligned to words
		slot = (slot + wordSize - 1) / wordSize * wordSize
	}
	group := wordSize + groupSlots*slot
	switch {
	case n == 0: // the group comes with the first entry
		return mapHeader
	case n <= groupSlots:
		return mapHeader + allocated(group) + apart
	}
	groups := 2
	for groups*groupSlots*7/8 < n {
		groups *= 2
	}
	return mapHeader + wordSize + allocated(tableHeader) + allocated(groups*group) + apart
}
