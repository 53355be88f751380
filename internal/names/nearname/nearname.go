// Package nearname finds the known name that somebody probably meant.
//
// [Nearest] compares a name with known ones. First it ignores case and separators. Then it counts
// edits. An edit inserts, removes or replaces a byte, or swaps two neighbours (the restricted
// Damerau-Levenshtein distance). A name may have one edit for every three bytes, at most three.
//
//	nearest, ok := nearname.Nearest("replica", slices.Values([]string{"image", "replicas"})) // "replicas", true
//
// Names of more than 64 bytes are only compared for equality.
package nearname

import "iter"

const (
	longest  = 64 // in bytes; edits of longer names are not counted
	maxEdits = 3
)

// Nearest returns the known name that is closest to name but not equal, and whether it is close
// enough. If several are equally close, it returns the smallest.
func Nearest(name string, known iter.Seq[string]) (nearest string, ok bool) {
	best := min(len(name)/3, maxEdits) + 1
	folded := fold(name)
	for k := range known {
		if k == name {
			continue
		}
		n := 0
		if fold(k) != folded {
			n = edits(name, k, best)
		}
		if n < best || n == best && ok && k < nearest {
			nearest, best, ok = k, n, true
		}
	}
	return nearest, ok
}

// fold returns a name in lower case and without separators.
func fold(name string) string {
	if len(name) > longest {
		return name
	}
	out := make([]byte, 0, longest)
	for i := range len(name) {
		switch c := name[i]; {
		case c == '-' || c == '_' || c == '.' || c == ' ':
		case 'A' <= c && c <= 'Z':
			out = append(out, c+'a'-'A')
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// edits returns the number of edits between two names, or limit+1 if there are more.
func edits(a, b string, limit int) int {
	if len(a) > longest || len(b) > longest || max(len(a)-len(b), len(b)-len(a)) > limit {
		return limit + 1
	}
	var rows [3][longest + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, twoAbove := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := above[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], twoAbove[j-2]+1)
			}
		}
	}
	return min(rows[len(a)%3][len(b)], limit+1)
}
