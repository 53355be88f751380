package coverage

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteJSON writes the profile as [Read] reads it.
func (p *Profile) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(p)
}

// A Summary counts the goals of one kind of points.
type Summary struct {
	Kind              Kind
	Points, Met, Goal int
}

// Summaries returns the summary of each kind that the version has.
func (v *Version) Summaries() []Summary {
	var out []Summary
	for _, kind := range kinds {
		s := Summary{Kind: kind}
		for _, p := range v.Points {
			if p.Kind == kind {
				met, goals := p.Met()
				s.Points, s.Met, s.Goal = s.Points+1, s.Met+met, s.Goal+goals
			}
		}
		if s.Points > 0 {
			out = append(out, s)
		}
	}
	return out
}

// WriteText writes for each version the part of the goals that are met, and all points
// with goals that are not, except fields, which are counted only.
func (p *Profile) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, d := range p.Definitions {
		for _, v := range d.Versions {
			d.writeVersion(b, v)
		}
	}
	return b.Flush()
}

func (d *Definition) writeVersion(w *bufio.Writer, v *Version) {
	fmt.Fprintf(w, "%s %s: %d requests\n", d.Name, v.Name, v.Requests)
	for _, s := range v.Summaries() {
		fmt.Fprintf(w, "  %-9s %6.1f%% %6d of %d goals at %d points\n", s.Kind, percent(s.Met, s.Goal), s.Met, s.Goal, s.Points)
	}
	for _, kind := range kinds {
		for _, point := range v.Points {
			missed := point.Missed()
			if point.Kind != kind || kind == Field || len(missed) == 0 {
				continue
			}
			fmt.Fprintf(w, "  %s: %s never %s%s\n", d.inFile(v, point), kind, strings.Join(missed, ", "), describe(point))
		}
	}
	for _, pointer := range v.Unread {
		fmt.Fprintf(w, "  %s: rule has terms that are not measured\n", d.inFile(v, &Point{Pointer: pointer}))
	}
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}

// maxText is how many bytes of a rule a line of text has.
const maxText = 160

// describe returns what a point is: its text, or the end of its pointer.
func describe(p *Point) string {
	text := strings.Join(strings.Fields(p.Text), " ")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	if text == "" {
		text = p.Pointer[strings.LastIndexByte(p.Pointer, '/')+1:]
	}
	return ": " + text
}

// pointer returns the pointer in the definition of a pointer in the schema.
func (v *Version) pointer(inSchema string) string {
	return "/spec/versions/" + strconv.Itoa(v.Index) + "/schema/openAPIV3Schema" + inSchema
}
