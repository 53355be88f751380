package main

import (
	"fmt"
	"strings"
)

// around is the number of unchanged lines before and after a change.
const around = 3

// An edit is one line of a diff: ' ' kept, '-' removed or '+' added.
type edit struct {
	op   byte
	line string
}

// unified returns the difference of two texts in the unified format, "" for
// equal texts.
func unified(oldName, newName, before, after string) string {
	edits := compare(lines(before), lines(after))
	var b strings.Builder
	for start := 0; start < len(edits); {
		first := nextChange(edits, start)
		if first == len(edits) {
			break
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
		}
		start = hunk(&b, edits, max(first-around, start))
	}
	return b.String()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func nextChange(edits []edit, from int) int {
	for i := from; i < len(edits); i++ {
		if edits[i].op != ' ' {
			return i
		}
	}
	return len(edits)
}

// hunk writes adjacent changes from start on and returns the index after them.
func hunk(b *strings.Builder, edits []edit, start int) int {
	end := start
	for {
		change := nextChange(edits, end)
		if change == len(edits) || end > start && change-end > 2*around {
			break
		}
		for end = change; end < len(edits) && edits[end].op != ' '; {
			end++
		}
	}
	end = min(end+around, len(edits))
	oldLine, newLine := position(edits[:start])
	oldCount, newCount := position(edits[start:end])
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", oldLine+1, oldCount, newLine+1, newCount)
	for _, e := range edits[start:end] {
		fmt.Fprintf(b, "%c%s\n", e.op, e.line)
	}
	return end
}

// position returns the numbers of lines of both texts that the edits cover.
func position(edits []edit) (before, after int) {
	for _, e := range edits {
		if e.op != '+' {
			before++
		}
		if e.op != '-' {
			after++
		}
	}
	return before, after
}

// compare returns the edits that turn a into b. It keeps the common lines at
// both ends and a longest common subsequence of the lines between.
func compare(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append(tail, edit{' ', a[len(a)-1]})
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	edits := append(head, changedLines(a, b)...)
	for i := len(tail) - 1; i >= 0; i-- {
		edits = append(edits, tail[i])
	}
	return edits
}

// most is the maximal size of the table in changedLines. For larger texts every
// line counts as changed.
const most = 16 << 20

func changedLines(a, b []string) []edit {
	var edits []edit
	if (len(a)+1)*(len(b)+1) > most {
		for _, l := range a {
			edits = append(edits, edit{'-', l})
		}
		for _, l := range b {
			edits = append(edits, edit{'+', l})
		}
		return edits
	}
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	common := make([][]int32, len(a)+1)
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	return edits
}
