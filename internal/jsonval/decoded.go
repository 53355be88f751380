package jsonval

// IsDecoded reports whether v consists only of the Go types that a JSON decoder
// returns: map[string]any, []any, string, int64, float64, bool and nil.
func IsDecoded(v any) bool {
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return true
	case map[string]any:
		for _, child := range v {
			if !IsDecoded(child) {
				return false
			}
		}
		return true
	case []any:
		for _, child := range v {
			if !IsDecoded(child) {
				return false
			}
		}
		return true
	default:
		return false
	}
}
