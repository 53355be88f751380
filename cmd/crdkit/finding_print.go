package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/manifest"
)

// A findingPrinter prints findings in one format.
type findingPrinter interface {
	print(*finding) error
	end() error // is called once, after the last finding
}

func findingOutputs() []string { return []string{"text", "json", "jsonl", "sarif", "junit", "github"} }

// newFindingPrinter returns the printer of one of findingOutputs. passed is the word for a
// positive verdict. colors is for text, see hasColors.
func newFindingPrinter(output, passed string, out io.Writer, colors bool) findingPrinter {
	switch output {
	case "json":
		return &jsonArray{out: out}
	case "jsonl":
		return jsonLines{out: out}
	case "sarif":
		return newSARIF(out)
	case "junit":
		return &junitPrinter{out: out, name: suiteName(passed)}
	case "github":
		return annotations{out: out}
	default:
		return &textPrinter{out: out, passed: passed, colors: colors, counts: map[string]int{}}
	}
}

// suiteName returns the command that has a word for a positive verdict.
func suiteName(passed string) string {
	if passed == admitted {
		return "crdkit admit"
	}
	return "crdkit check"
}

// textPrinter prints -o text.
type textPrinter struct {
	out    io.Writer
	passed string // the word for a positive verdict
	quiet  bool   // no verdicts without a reason, and no counts
	colors bool   // out is a terminal
	counts map[string]int
}

func (p *textPrinter) print(f *finding) error {
	p.counts[f.verdict()] += max(f.objects, 1)
	if p.quiet && f.passed != "" && len(f.issues) == 0 {
		return nil
	}
	name := ""
	if f.name != "" {
		name = ": " + f.name
	}
	if _, err := fmt.Fprintf(p.out, "%s: %s\n", p.paint(f.verdict()), printable(f.doc.Location()+name)); err != nil {
		return err
	}
	for n := range f.issues {
		i := &f.issues[n]
		_, err := fmt.Fprintf(p.out, "  %s: %s: %s\n", printable(positionText(f.doc.File, i.position)), p.paint(i.level), printable(i.message()))
		if err == nil && i.why != nil {
			_, err = fmt.Fprintf(p.out, "    %s\n", printable(i.explanation()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// paint returns a verdict or level in its color.
func (p *textPrinter) paint(word string) string {
	color := 0
	switch word {
	case refused, levelError, string(compat.Incompatible):
		color = 31 // red
	case undecided, levelWarning, string(compat.Unknown):
		color = 33 // yellow
	case accepted, admitted, string(compat.Compatible):
		color = 32 // green
	}
	if !p.colors || color == 0 {
		return word
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", color, word)
}

func (p *textPrinter) end() error {
	if p.quiet {
		return nil
	}
	_, err := fmt.Fprintf(p.out, "%d %s, %d refused, %d undecided\n", p.counts[p.passed], p.passed, p.counts[refused], p.counts[undecided])
	return err
}

// line returns the issue in the format of compiler messages, which editors
// parse.
func (i *issue) line(file string) string {
	return fmt.Sprintf("%s: %s: %s", positionText(file, i.position), i.level, i.explained())
}

// explained returns the message of the issue, and on a line of its own the
// explanation, if there is one.
func (i *issue) explained() string {
	if i.why == nil {
		return i.message()
	}
	return i.message() + "\n  " + i.explanation()
}

// explanation returns the text of an explanation as one line, whatever keys it quotes.
func (i *issue) explanation() string { return strings.ReplaceAll(short(i.why.Text), "\n", `\n`) }

func positionText(file string, p definition.Position) string {
	file = manifest.Quote(file)
	if !p.IsValid() {
		return file
	}
	return file + ":" + p.String()
}

// message returns the text of the issue with its field. Only the text of an
// error names the field itself.
func (i *issue) message() string {
	text := short(i.description())
	switch {
	case i.named:
		return text
	case i.level == levelNote && i.pointer != "":
		return fmt.Sprintf("%s: %s (%s)", i.pointer, text, i.code)
	case i.level == levelWarning && i.pointer != "":
		return fmt.Sprintf("%s: %s", i.pointer, text)
	}
	return text
}

// short cuts the middle of very long texts, such as those of errors with a
// whole schema as value.
func short(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + " ... " + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// annotations prints -o github: workflow commands.
//
// See https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions.
type annotations struct{ out io.Writer }

func (p annotations) print(f *finding) error {
	var b strings.Builder
	for _, i := range f.issues {
		level := i.level
		if level == levelNote {
			level = "notice"
		}
		fmt.Fprintf(&b, "::%s file=%s", level, annotationProperty(printable(f.doc.File)))
		if i.position.IsValid() {
			fmt.Fprintf(&b, ",line=%d,col=%d", i.position.Line, i.position.Column)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", annotationProperty(i.code), annotationText(printable(withName(f.name, i.explained()))))
	}
	_, err := io.WriteString(p.out, b.String())
	return err
}

func (p annotations) end() error { return nil }

func withName(name, text string) string {
	if name == "" {
		return text
	}
	return name + ": " + text
}

func annotationText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func annotationProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(annotationText(text))
}
