package heapsize

import (
	"reflect"
	"sort"
	"sync/atomic"
	"unsafe"
)

// A Hidden value keeps memory alive that reflection cannot see.
type Hidden interface {
	// HeapHidden returns the number of bytes of that memory.
	HeapHidden() int
}

// A Global value exists once in a program. It does not count, nor does what it
// refers to.
type Global interface{ HeapGlobal() }

// A Gate is a field of a struct that a goroutine writes after others have seen it. The
// fields of the struct are skipped while the gate is closed. The zero Gate is open.
type Gate struct{ closed atomic.Bool }

// Close closes the gate, before other goroutines see the struct.
func (g *Gate) Close() { g.closed.Store(true) }

// Open opens the gate, after all fields are written.
func (g *Gate) Open() { g.closed.Store(false) }

// A Meter adds up the heap that values keep alive. It is for one goroutine.
type Meter struct {
	seen   map[visit]struct{}
	types  map[reflect.Type]*typeInfo
	pieces []piece
	others int // bytes of what has no address: tables of maps, boxed values, closures
}

// A visit is a type at an address: a struct and its first field share one.
type visit struct {
	at   unsafe.Pointer
	info *typeInfo
}

// A piece is memory that a pointer, a slice or a string refers to.
type piece struct{ start, end uintptr }

// New returns a Meter that has counted nothing.
func New() *Meter {
	return &Meter{seen: map[visit]struct{}{}, types: map[reflect.Type]*typeInfo{}}
}

// Add counts what v refers to, unless it was counted before. No goroutine may change
// it meanwhile, except for what package documentation says.
func (m *Meter) Add(v any) { m.boxed(reflect.ValueOf(v)) }

// Bytes returns the sum of everything that was added.
func (m *Meter) Bytes() int {
	sort.Slice(m.pieces, func(i, j int) bool { return m.pieces[i].start < m.pieces[j].start })
	total := m.others
	for i := 0; i < len(m.pieces); {
		p := m.pieces[i]
		for i++; i < len(m.pieces) && m.pieces[i].start < p.end; i++ {
			p.end = max(p.end, m.pieces[i].end)
		}
		total += allocated(int(p.end - p.start))
	}
	return total
}

// first reports whether a type is met at an address for the first time.
func (m *Meter) first(at unsafe.Pointer, info *typeInfo) bool {
	v := visit{at, info}
	if _, ok := m.seen[v]; ok {
		return false
	}
	m.seen[v] = struct{}{}
	return true
}

func (m *Meter) count(at unsafe.Pointer, size uintptr) {
	if size > 0 {
		m.pieces = append(m.pieces, piece{uintptr(at), uintptr(at) + size})
	}
}

// pointer counts a value that a pointer refers to.
func (m *Meter) pointer(at unsafe.Pointer, info *typeInfo) {
	if at == nil || info.global || !m.first(at, info) {
		return
	}
	m.count(at, info.size)
	m.countValue(at, info)
}

// boxed counts what an interface holds.
func (m *Meter) boxed(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
	case reflect.Pointer:
		m.pointer(v.UnsafePointer(), m.info(v.Type().Elem()))
	default:
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		if v.Kind() != reflect.Map && v.Kind() != reflect.Func && v.Kind() != reflect.Chan {
			m.others += allocated(int(v.Type().Size()))
		}
		m.countValue(copied.Addr().UnsafePointer(), m.info(v.Type()))
	}
}
