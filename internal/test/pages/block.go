package pages

import (
	"regexp"
	"strings"
)

// A Block is a block of code on a page.
type Block struct {
	Page     string // path from the root of the repository, with slashes
	Line     int    // of the first line of Text; the first line of the page is 1
	Language string // of the fence, "" without one
	Text     string // without fence and indentation; each line ends in a newline
}

var (
	fence    = regexp.MustCompile("^( *)(```+|~~~+) *([A-Za-z]*)[^`]*$")
	indented = regexp.MustCompile(`^( {4}|\t)`)
	goLine   = regexp.MustCompile(`(?m)^(package|func) | := `)
)

// Blocks returns the blocks of a page in their order: fenced blocks, and indented ones
// after an empty line.
func Blocks(page, text string) []Block {
	var blocks []Block
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		b := Block{Page: page}
		if m := fence.FindStringSubmatch(lines[i]); m != nil {
			b.Line, b.Language = i+2, m[3]
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != m[2]; i++ {
				b.Text += strings.TrimPrefix(lines[i], m[1]) + "\n"
			}
			blocks = append(blocks, b)
			continue
		}
		if !indented.MatchString(lines[i]) || i > 0 && strings.TrimSpace(lines[i-1]) != "" {
			continue
		}
		b.Line = i + 1
		for ; i < len(lines) && (indented.MatchString(lines[i]) || strings.TrimSpace(lines[i]) == ""); i++ {
			b.Text += indented.ReplaceAllString(lines[i], "") + "\n"
		}
		i-- // the line after the block may open a fence
		b.Text = strings.TrimRight(b.Text, "\n") + "\n"
		blocks = append(blocks, b)
	}
	return blocks
}

// IsGo reports whether a block is Go code.
func (b Block) IsGo() bool {
	return b.Language == "go" || b.Language == "" && goLine.MatchString(b.Text)
}

// isOutput reports whether a block may be the output of the program before it.
func (b Block) isOutput() bool { return b.Language == "text" || b.Language == "output" }

var moduleLine = regexp.MustCompile(`^// module: (\S+)\n`)

// module returns the module that the block needs besides crdkit, "" for none.
func (b Block) module() string {
	if m := moduleLine.FindStringSubmatch(b.Text); m != nil {
		return m[1]
	}
	return ""
}
