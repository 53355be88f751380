package jsonval

// IsDecoded reports whether v consists only of the Go types that a JSON decoder
// returns: map[string]any, []any, string, int64, float64, bool and nil.
// It reports false for a value that is nested deeper than [MaxDepth].
func IsDecoded(v any) bool { return isDecoded(v, 0) }

func isDecoded(v any, depth int) bool {
	if depth > MaxDepth {
		return false
	}
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return true
	case map[string]any:
		for _, child := range v {
			if !isDecoded(child, depth+1) {
				return false
			}
		}
		return true
	case []any:
		for _, child := range v {
			if !isDecoded(child, depth+1) {
				return false
			}
		}
		return true
	default:
		return false
	}
}
