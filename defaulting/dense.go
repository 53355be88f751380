package defaulting

// probeIsFaster reports whether to look up this number of fields in a map with
// this number of entries, instead of ranging over the map. To start ranging
// costs about five lookups. An entry costs little more, except in maps with
// more than eight entries, which have a slower representation.
// BenchmarkProbeAndScan measures both.
func probeIsFaster(fields, entries int) bool {
	if entries > 8 {
		return fields <= entries
	}
	return fields <= 5
}

// isContainer reports whether v is a map or a list. Most values are not, so
// callers use it to avoid a call.
func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
