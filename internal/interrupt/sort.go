package interrupt

import (
	"maps"
	"slices"
	"strings"
)

// run is the number of elements that Sort sorts without a poll.
const run = 1024

// SortFunc is Sort for a list without equal elements, and as fast as [slices.SortFunc] for
// a short one.
func SortFunc[E any](watch *Watch, list []E, compare func(a, b E) int) {
	if watch == nil || len(list) <= run {
		slices.SortFunc(list, compare)
		return
	}
	sortRuns(watch, list, compare, slices.SortFunc)
}

// Sort sorts list as [slices.SortStableFunc] does. When the watch ends it returns early,
// and the order of the elements is unspecified.
func Sort[E any](watch *Watch, list []E, compare func(a, b E) int) {
	if watch == nil || len(list) <= run {
		slices.SortStableFunc(list, compare)
		return
	}
	sortRuns(watch, list, compare, slices.SortStableFunc)
}

// IsSorted is [slices.IsSortedFunc]. When the watch ends it returns true early.
func IsSorted[E any](watch *Watch, list []E, compare func(a, b E) int) bool {
	for i := 1; i < len(list) && !watch.Ended(); i++ {
		if compare(list[i-1], list[i]) > 0 {
			return false
		}
	}
	return true
}

// SortedKeys returns the keys of a map in increasing order. When the watch ends the order is
// unspecified.
func SortedKeys(watch *Watch, m map[string]any) []string {
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	if watch == nil || len(keys) <= run {
		slices.Sort(keys)
	} else {
		SortFunc(watch, keys, strings.Compare)
	}
	return keys
}

// sortRuns sorts list in runs, each of them with sort, and merges them.
func sortRuns[E any](watch *Watch, list []E, compare func(a, b E) int, sort func([]E, func(a, b E) int)) {
	for part := range slices.Chunk(list, run) {
		if watch.Poll() {
			return
		}
		sort(part, compare)
	}
	merged := make([]E, len(list))
	for width := run; width < len(list); width *= 2 {
		for start := 0; start < len(list); start += 2 * width {
			middle, end := min(start+width, len(list)), min(start+2*width, len(list))
			if !merge(watch, merged[start:end], list[start:middle], list[middle:end], compare) {
				return
			}
		}
		copy(list, merged)
	}
}

// merge merges two sorted lists into out. It reports false if the watch has ended.
func merge[E any](watch *Watch, out, a, b []E, compare func(a, b E) int) bool {
	for i := range out {
		if watch.Ended() {
			return false
		}
		if len(a) > 0 && (len(b) == 0 || compare(a[0], b[0]) <= 0) {
			out[i], a = a[0], a[1:]
		} else {
			out[i], b = b[0], b[1:]
		}
	}
	return true
}
