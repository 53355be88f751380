package defaulting

// probeIsFaster reports whether it takes less time to look that many fields up in a
// map than to go through its entries, most of which are passed over without a
// look. BenchmarkProbeAndScan measures both. To start going through a map costs as
// much as some five lookups, and an entry little more, unless there are over
// eight entries: such a map is of another, slower kind.
func probeIsFaster(fields, entries int) bool {
	if entries > 8 {
		return fields <= entries
	}
	return fields <= 5
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
