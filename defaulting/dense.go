package defaulting

// dense reports whether it takes less time to look that many fields up in a
// map than to go through its entries. BenchmarkDense measures both. Starting
// to go through a map costs as much as a handful of lookups, and maps of more
// than eight entries are of another, slower kind.
func dense(fields, entries int) bool {
	if entries > 8 {
		return fields <= 2*entries
	}
	return fields <= 4+entries/2
}

// isContainer reports whether v is a map or a list. Most values are not, and
// to ask first saves a call.
func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
