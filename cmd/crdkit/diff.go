package main

import (
	"fmt"
	"strings"
)

// contextLines is the number of unchanged lines that are shown before and after a change.
const contextLines = 3

// unified returns the difference of two texts in the unified format, "" if they are equal.
func unified(oldName, newName, before, after string) string {
	edits := compare(lines(before), lines(after))
	shown := make([]bool, len(edits))
	for i, e := range edits {
		for j := max(i-contextLines, 0); e[0] != ' ' && j <= min(i+contextLines, len(edits)-1); j++ {
			shown[j] = true
		}
	}
	var b strings.Builder
	oldLine, newLine := 1, 1
	for start := 0; start < len(edits); {
		end, oldCount, newCount := start, 0, 0
		for ; end < len(edits) && shown[end] == shown[start]; end++ {
			if edits[end][0] != '+' {
				oldCount++
			}
			if edits[end][0] != '-' {
				newCount++
			}
		}
		if shown[start] {
			if b.Len() == 0 {
				fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
			}
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n%s\n", oldLine, oldCount, newLine, newCount, strings.Join(edits[start:end], "\n"))
		}
		oldLine, newLine, start = oldLine+oldCount, newLine+newCount, end
	}
	return b.String()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// maxCommon is the largest number of entries of the table common in [compare]. For longer
// texts, everything between the common start and the common end counts as changed.
const maxCommon = 16 << 20

// compare returns the edits from a to b: the lines with the prefix ' ', '-' or '+'. It keeps
// the common start and end, and a longest common subsequence between them.
func compare(a, b []string) (edits []string) {
	add := func(op string, lines []string) {
		for _, l := range lines {
			edits = append(edits, op+l)
		}
	}
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	add(" ", a[:head])
	a, b = a[head:], b[head:]
	tail := 0
	for tail < min(len(a), len(b)) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	end := a[len(a)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	if (len(a)+1)*(len(b)+1) <= maxCommon {
		// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
		common := make([][]int32, len(a)+1)
		common[len(a)] = make([]int32, len(b)+1)
		for i := len(a) - 1; i >= 0; i-- {
			common[i] = make([]int32, len(b)+1)
			for j := len(b) - 1; j >= 0; j-- {
				if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
					common[i][j] = common[i+1][j+1] + 1
				}
			}
		}
		for i, j := 0, 0; len(a) > 0 && len(b) > 0; {
			switch {
			case a[0] == b[0]:
				add(" ", a[:1])
				a, b, i, j = a[1:], b[1:], i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				add("-", a[:1])
				a, i = a[1:], i+1
			default:
				add("+", b[:1])
				b, j = b[1:], j+1
			}
		}
	}
	add("-", a)
	add("+", b)
	add(" ", end)
	return edits
}
