package leafcheck

import (
	"encoding/json"
	"hash/maphash"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// sameElement reports whether a and b are equal elements of a set: scalars of
// the same Go type and value, or objects or lists with the same JSON text.
func sameElement(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case map[string]any, []any:
		switch b.(type) {
		case map[string]any, []any:
			return sameText(a, b)
		}
		return false
	}
	return sameRest(a, b)
}

// sameRest compares values that are not objects, lists or strings. Values of Go
// types that JSON does not decode to may not be comparable with ==.
func sameRest(a, b any) bool {
	switch a.(type) {
	case nil, bool, int64, float64, absent:
		return a == b
	}
	return jsonval.Equal(a, b)
}

// sameText reports whether a and b have the same JSON text. Numbers of
// different Go types may have the same text, and so may strings that are not
// UTF-8. The value absent has a text of its own.
func sameText(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && sameString(a, b)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && sameObject(a, b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameText(a[i], b[i]) {
				return false
			}
		}
		return true
	case int64:
		switch b := b.(type) {
		case int64:
			return a == b
		case float64:
			return sameNumber(a, b)
		}
		return false
	case float64:
		switch b := b.(type) {
		case float64:
			return a == b && math.Signbit(a) == math.Signbit(b)
		case int64:
			return sameNumber(b, a)
		}
		return false
	}
	return sameRest(a, b)
}

func sameObject(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		w, ok := b[k]
		if !ok || !sameText(v, w) {
			return false
		}
	}
	return true
}

func sameString(a, b string) bool {
	if a == b {
		return true
	}
	return !utf8.ValidString(a) && !utf8.ValidString(b) && quoted(a) == quoted(b)
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	return string(text)
}

// sameNumber reports whether i and f have the same digits. A float is written
// with the fewest significant digits that identify it.
func sameNumber(i int64, f float64) bool {
	if float64(i) != f || f == 0 && math.Signbit(f) {
		return false
	}
	if -maxWhole <= i && i <= maxWhole {
		return true
	}
	var x, y [32]byte
	return string(strconv.AppendInt(x[:0], i, 10)) == string(strconv.AppendFloat(y[:0], f, 'f', -1, 64))
}

const multiplier = 0x9e3779b97f4a7c15

// A hasher hashes with a random seed, so that nobody can construct a list that
// is slow to check.
type hasher struct {
	seed maphash.Seed
	salt uint64
}

func newHasher() hasher {
	seed := maphash.MakeSeed()
	return hasher{seed: seed, salt: maphash.String(seed, "salt")}
}

// hashValue returns the same number for values that are equal by sameElement or
// sameText.
func (h *hasher) hashValue(v any) uint64 {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return h.mix(1)
		}
		return maphash.String(h.seed, v)
	case int64:
		return h.hashNumber(float64(v))
	case float64:
		return h.hashNumber(v)
	case bool:
		if v {
			return h.mix(2)
		}
		return h.mix(3)
	case map[string]any:
		sum := h.mix(4)
		for k, e := range v {
			sum += h.mix(maphash.String(h.seed, k) ^ h.hashValue(e)) // independent of the order
		}
		return sum
	case []any:
		sum := h.mix(5)
		for _, e := range v {
			sum = sum*multiplier + h.hashValue(e)
		}
		return sum
	default:
		return h.mix(6)
	}
}

func (h *hasher) hashNumber(f float64) uint64 {
	if f == 0 {
		f = 0 // drop the sign
	}
	return h.mix(math.Float64bits(f))
}

// mix spreads the bits of x over the whole word.
func (h *hasher) mix(x uint64) uint64 {
	x ^= h.salt
	x ^= x >> 32
	x *= multiplier
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}
