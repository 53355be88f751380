package correlate

import "strconv"

// Elements finds the old elements of a map list, for one walk. The zero Elements finds
// none.
type Elements struct {
	schema    *Schema
	next, old []any

	// byKey has the first element of old[:seen] for each key, for long lists only.
	byKey map[any]map[string]any
	seen  int
}

// scanned is up to what length an old list is searched without allocations.
const scanned = 16

// At returns the new element i and the old one that corresponds, the zero Pair for none.
func (e *Elements) At(i int) Pair {
	if e.schema == nil || len(e.schema.keys) == 0 || i >= len(e.next) {
		return Pair{}
	}
	item, ok := e.next[i].(map[string]any)
	if !ok {
		return Pair{}
	}
	old := e.find(item)
	if old == nil {
		return Pair{}
	}
	return Pair{schema: e.schema.items, Next: item, Old: old}
}

func (e *Elements) find(item map[string]any) map[string]any {
	if len(e.old) > scanned {
		return e.lookup(item)
	}
	keys := e.schema.keys
	if !keyed(keys, item) {
		return nil
	}
	for _, o := range e.old {
		if o, ok := o.(map[string]any); ok && o != nil && sameKeys(keys, item, o) {
			return o
		}
	}
	return nil
}

// lookup reads old elements until it finds the key, few in lists that keep their order.
func (e *Elements) lookup(item map[string]any) map[string]any {
	key, ok := compositeKey(e.schema.keys, item)
	if !ok {
		return nil
	}
	if o, ok := e.byKey[key]; ok {
		return o
	}
	if e.byKey == nil {
		e.byKey = make(map[any]map[string]any, len(e.old))
	}
	for e.seen < len(e.old) {
		o, ok := e.old[e.seen].(map[string]any)
		e.seen++
		if !ok {
			continue
		}
		k, ok := compositeKey(e.schema.keys, o)
		if !ok {
			continue
		}
		if _, ok := e.byKey[k]; !ok {
			e.byKey[k] = o
		}
		if k == key {
			return o
		}
	}
	return nil
}

// keyed reports whether item has all keys, with scalar values.
func keyed(keys []string, item map[string]any) bool {
	for _, k := range keys {
		switch item[k].(type) {
		case bool, float64, int64, string:
		default:
			return false
		}
	}
	return true
}

// sameKeys reports whether item, which is keyed, and old have equal keys.
func sameKeys(keys []string, item, old map[string]any) bool {
	if len(keys) == 1 {
		return item[keys[0]] == old[keys[0]]
	}
	for _, k := range keys {
		if !sameKeyPart(item[k], old[k]) {
			return false
		}
	}
	return true
}

// sameKeyPart compares one of several keys, floats by their first six decimals.
func sameKeyPart(a, b any) bool {
	x, isFloat := a.(float64)
	y, bothFloats := b.(float64)
	if !isFloat || !bothFloats {
		return a == b
	}
	var bufX, bufY [32]byte
	return string(appendFixed(bufX[:0], x)) == string(appendFixed(bufY[:0], y))
}

func appendFixed(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', 6, 64) }

// compositeKey returns a comparable value for the keys of item, and whether it has keys.
func compositeKey(keys []string, item map[string]any) (any, bool) {
	if !keyed(keys, item) {
		return nil, false
	}
	if len(keys) == 1 {
		return item[keys[0]], true
	}
	var b []byte
	for _, k := range keys {
		b = append(b, 0)
		switch v := item[k].(type) {
		case bool:
			b = strconv.AppendBool(b, v)
		case float64:
			b = appendFixed(b, v)
		case int64:
			b = strconv.AppendInt(b, v, 10)
		case string:
			b = strconv.AppendQuote(b, v)
		}
	}
	return string(b), true
}
