// Package nameindex finds a name in a fixed list of names, such as the fields of a schema.
//
// An [Index] hashes only the length and the first and last eight bytes. For a name of up to sixteen
// bytes these are the whole name. So most lookups compare one name, and take less time than in a
// Go map, about 15 ns.
//
//	index := nameindex.New([]string{"apiVersion", "kind", "metadata"})
//	i := index.Find("kind") // 1; -1 for a name that is not in the list
//
// Names with the same hash are compared one by one. If more than a few names have the same hash,
// the Index uses a Go map instead. So no choice of names makes it slow.
package nameindex

// An Index maps names to positions. It is immutable and safe for concurrent use. The zero Index is
// empty.
type Index struct {
	first   []int32 // first[hash>>shift] is 1 + the index of the first entry, 0 if there is none
	entries []entry
	shift   uint8

	byName map[string]int // replaces all other fields if not nil
}

type entry struct {
	head, tail uint64
	name       string
	next       int32 // 1 + the index of the next entry with the same hash, 0 after the last
}

// longest bounds the number of names with one hash. With more, an Index uses a Go map.
const longest = 8

// New returns the Index of a list. The names must differ. New keeps the strings, not the list.
func New(list []string) Index {
	x := Index{shift: 62}
	for 1<<(64-x.shift) < 2*len(list) {
		x.shift--
	}
	x.first = make([]int32, 1<<(64-x.shift))
	x.entries = make([]entry, len(list))
	for i, name := range list {
		head, tail := ends(name)
		slot := &x.first[hash(head, tail, len(name))>>x.shift]
		x.entries[i] = entry{head: head, tail: tail, name: name, next: *slot}
		*slot = int32(i) + 1
		if x.chain(*slot) > longest {
			return newMapIndex(list)
		}
	}
	return x
}

func newMapIndex(list []string) Index {
	x := Index{byName: make(map[string]int, len(list))}
	for i, name := range list {
		x.byName[name] = i
	}
	return x
}

// chain returns the number of entries in the chain that begins at link.
func (x *Index) chain(link int32) int {
	n := 0
	for ; link > 0; link = x.entries[link-1].next {
		n++
	}
	return n
}

// Find returns the position of name in the list, -1 if it is not there.
func (x *Index) Find(name string) int {
	if len(x.first) == 0 {
		return x.findMapped(name)
	}
	head, tail := ends(name)
	link := x.first[hash(head, tail, len(name))>>x.shift]
	for link > 0 {
		e := &x.entries[link-1]
		if e.head == head && e.tail == tail && len(e.name) == len(name) && (len(name) <= 16 || e.name == name) {
			return int(link - 1)
		}
		link = e.next
	}
	return -1
}

func (x *Index) findMapped(name string) int {
	if i, ok := x.byName[name]; ok {
		return i
	}
	return -1
}

// ends returns the first and the last eight bytes of s, or all bytes if s is shorter. Two names of
// the same length, up to 16, are equal exactly if their ends are equal.
func ends(s string) (head, tail uint64) {
	switch n := len(s); {
	case n >= 8:
		return eight(s), eight(s[n-8:])
	case n >= 4:
		return four(s), four(s[n-4:])
	case n > 0:
		return uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16, 0
	}
	return 0, 0
}

// The compiler turns each of these expressions into one load.

func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func four(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// hash returns a number whose upper bits are well distributed. The factors are arbitrary odd
// numbers.
func hash(head, tail uint64, length int) uint64 {
	return (head ^ tail*0x9E3779B97F4A7C15 ^ uint64(length)) * 0xD6E8FEB86659FD93
}
