package heapsize

import (
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"
)

// A typeInfo says how to visit the values of a type.
type typeInfo struct {
	typ    reflect.Type
	kind   reflect.Kind
	size   uintptr
	fields []fieldInfo // of a struct: those that refer to something
	elem   *typeInfo   // of a pointer, a slice or an array
	gate   *uintptr    // offset of the Gate of a struct, nil without one
	skip   bool        // values refer to nothing
	atomic bool        // the type is an atomic pointer
	global bool
	hidden bool // the type implements Hidden
}

type fieldInfo struct {
	offset uintptr
	info   *typeInfo
}

var (
	hiddenType  = reflect.TypeFor[Hidden]()
	globalType  = reflect.TypeFor[Global]()
	gateType    = reflect.TypeFor[Gate]()
	reflectType = reflect.TypeFor[reflect.Type]()
)

// info returns the typeInfo of t, which is made once.
func (m *Meter) info(t reflect.Type) *typeInfo {
	if info, ok := m.types[t]; ok {
		return info
	}
	p := reflect.PointerTo(t)
	info := &typeInfo{
		typ: t, kind: t.Kind(), size: t.Size(),
		global: p.Implements(globalType) || p.Implements(reflectType),
		hidden: p.Implements(hiddenType),
	}
	m.types[t] = info
	switch info.kind {
	case reflect.Struct:
		m.structure(info)
	case reflect.Pointer, reflect.Slice:
		info.elem = m.info(t.Elem())
	case reflect.Array:
		info.elem = m.info(t.Elem())
		info.skip = info.elem.skip
	case reflect.Interface, reflect.Map, reflect.String:
	default: // numbers, functions and channels
		info.skip = true
	}
	info.skip = info.global || info.skip && !info.hidden
	return info
}

// structure fills in the info of a struct.
func (m *Meter) structure(info *typeInfo) {
	t := info.typ
	switch {
	case t.PkgPath() == "sync" && t.Name() == "Pool":
		info.skip = true
		return
	case t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer["):
		// Its first field, an empty array, has the type of the pointer.
		info.atomic, info.elem = true, m.info(t.Field(0).Type.Elem().Elem())
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == gateType {
			info.gate = &f.Offset
		}
		if below := m.info(f.Type); !below.skip {
			info.fields = append(info.fields, fieldInfo{f.Offset, below})
		}
	}
	info.skip = len(info.fields) == 0
}

// countValue counts what a value refers to. The memory of the value itself is counted.
func (m *Meter) countValue(at unsafe.Pointer, info *typeInfo) {
	if info.skip {
		return
	}
	if info.hidden {
		m.others += reflect.NewAt(info.typ, at).Interface().(Hidden).HeapHidden()
	}
	switch info.kind {
	case reflect.Pointer:
		m.pointer(*(*unsafe.Pointer)(at), info.elem)
	case reflect.String:
		s := *(*string)(at)
		m.count(unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s)))
	case reflect.Slice:
		m.slice(at, info)
	case reflect.Array:
		m.elements(at, info.typ.Len(), info.elem)
	case reflect.Struct:
		m.members(at, info)
	case reflect.Interface:
		m.boxed(reflect.NewAt(info.typ, at).Elem().Elem())
	case reflect.Map:
		m.table(reflect.NewAt(info.typ, at).Elem(), info)
	}
}

// members counts what the fields of a struct refer to.
func (m *Meter) members(at unsafe.Pointer, info *typeInfo) {
	if info.atomic {
		m.pointer(atomic.LoadPointer((*unsafe.Pointer)(at)), info.elem)
		return
	}
	if info.gate != nil && (*Gate)(unsafe.Add(at, *info.gate)).closed.Load() {
		return
	}
	for _, f := range info.fields {
		m.countValue(unsafe.Add(at, f.offset), f.info)
	}
}

func (m *Meter) slice(at unsafe.Pointer, info *typeInfo) {
	s := (*struct {
		data     unsafe.Pointer
		len, cap int
	})(at)
	if s.cap == 0 || !m.first(s.data, info) {
		return
	}
	m.count(s.data, uintptr(s.cap)*info.elem.size)
	m.elements(s.data, s.len, info.elem)
}

func (m *Meter) elements(at unsafe.Pointer, n int, elem *typeInfo) {
	if elem.skip {
		return
	}
	for i := range n {
		m.countValue(unsafe.Add(at, uintptr(i)*elem.size), elem)
	}
}

// table counts a map. Its keys and values have no address, so they are copied.
func (m *Meter) table(v reflect.Value, info *typeInfo) {
	if v.IsNil() || !m.first(v.UnsafePointer(), info) {
		return
	}
	key, elem := m.info(info.typ.Key()), m.info(info.typ.Elem())
	m.others += tableSize(v.Len(), key.size, elem.size)
	if key.skip && elem.skip {
		return
	}
	k, e := reflect.New(key.typ).Elem(), reflect.New(elem.typ).Elem()
	for it := v.MapRange(); it.Next(); {
		k.SetIterKey(it)
		m.countValue(k.Addr().UnsafePointer(), key)
		e.SetIterValue(it)
		m.countValue(e.Addr().UnsafePointer(), elem)
	}
}
