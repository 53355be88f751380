package nameindex

// An Index has the positions of a list of names. The zero Index has none.
type Index struct {
	first   []int32 // one more than the first of entries, by hash; 0 for none
	entries []entry
	shift   uint8 // of a hash, to get an index of first

	byName map[string]int // in the place of all others if they would be slow
}

type entry struct {
	head, tail uint64
	name       string
	next       int32 // like in first, of the next of that hash
}

// longest is how many names of one hash are compared one by one.
const longest = 8

// New returns the Index of a list of names, which must be different.
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

// newMapIndex returns the Index that is a map.
func newMapIndex(list []string) Index {
	x := Index{byName: make(map[string]int, len(list))}
	for i, name := range list {
		x.byName[name] = i
	}
	return x
}

// chain counts the entries from link on.
func (x *Index) chain(link int32) int {
	n := 0
	for ; link > 0; link = x.entries[link-1].next {
		n++
	}
	return n
}

// Find returns the position of a name in the list, -1 if it is not there.
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

// ends returns the beginning and the end of a name. Names of the same length,
// up to 16, are equal if both are.
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

// eight and four are spelled such that the compiler makes one load of them.

func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func four(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// hash is good in its upper bits. The factors are odd and otherwise arbitrary.
func hash(head, tail uint64, length int) uint64 {
	return (head ^ tail*0x9E3779B97F4A7C15 ^ uint64(length)) * 0xD6E8FEB86659FD93
}
