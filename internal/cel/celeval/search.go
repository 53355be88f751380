package celeval

import (
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// This file replaces functions of cel-go that copy a string to look into it, or
// that compare it with another one at each position.

// quicker returns impl with a faster function for some overloads.
func quicker(overload string, impl *functions.Overload) *functions.Overload {
	var binary func(v, w ref.Val) (ref.Val, bool)
	switch overload {
	case "string_index_of_string":
		binary = searchWith(strings.Index)
	case "string_last_index_of_string":
		binary = searchWith(strings.LastIndex)
	case "string_char_at_int":
		binary = charAt
	}
	if binary == nil || impl == nil || impl.Binary == nil {
		return impl
	}
	fast, slow := *impl, impl.Binary
	fast.Binary = func(v, w ref.Val) ref.Val {
		if result, ok := binary(v, w); ok {
			return result
		}
		return slow(v, w)
	}
	return &fast
}

// searchWith returns a search that counts code points. It is not ok for empty
// strings and for those that are not UTF-8.
func searchWith(find func(s, part string) int) func(v, w ref.Val) (ref.Val, bool) {
	return func(v, w ref.Val) (ref.Val, bool) {
		s, isText := v.(types.String)
		part, isTextToo := w.(types.String)
		if !isText || !isTextToo || s == "" || part == "" || !utf8.ValidString(string(s)) || !utf8.ValidString(string(part)) {
			return nil, false
		}
		at := find(string(s), string(part))
		if at > 0 {
			at = utf8.RuneCountInString(string(s[:at]))
		}
		return types.Int(at), true
	}
}

// charAt returns a code point of a string. It is not ok for indexes at the end and
// outside.
func charAt(v, w ref.Val) (ref.Val, bool) {
	s, isText := v.(types.String)
	i, isInt := w.(types.Int)
	if !isText || !isInt || i < 0 {
		return nil, false
	}
	for _, r := range string(s) {
		if i == 0 {
			return types.String(string(r)), true
		}
		i--
	}
	return nil, false
}
