package coverage

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
)

func (p *Profile) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(p)
}

// A Summary counts the points of one kind, their goals, and the goals that are met.
type Summary struct {
	Kind              Kind
	Points, Met, Goal int
}

// Summaries returns a summary for each kind of points that the version has.
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

// WriteText writes for each version how many goals are met. Then it lists the points with goals
// that are not met, without points of kind [Field].
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

// maxText limits the bytes of a rule in the text report.
const maxText = 160

// describe returns the text of a point, or the end of its pointer.
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

func (v *Version) pointer(inSchema string) string {
	return "/spec/versions/" + strconv.Itoa(v.Index) + "/schema/openAPIV3Schema" + inSchema
}

// pageStart is the part of the page before the first version.
//
//go:embed page.html
var pageStart string

// WriteHTML writes a page with the text of each version. The color of a line shows how many of its
// goals ([Point.Goals]) values have met. Terms of rules have their own colors. Tooltips show the counts.
func (p *Profile) WriteHTML(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(pageStart)
	b.WriteString("<select id=\"versions\">\n")
	n := 0
	for _, d := range p.Definitions {
		for _, v := range d.Versions {
			met, goals := 0, 0
			for _, s := range v.Summaries() {
				met, goals = met+s.Met, goals+s.Goal
			}
			fmt.Fprintf(b, "<option value=\"v%d\">%s %s (%.1f%%)</option>\n", n, html.EscapeString(d.Name), html.EscapeString(v.Name), percent(met, goals))
			n++
		}
	}
	b.WriteString("</select></header>\n")
	n = 0
	for _, d := range p.Definitions {
		for _, v := range d.Versions {
			fmt.Fprintf(b, "<section id=\"v%d\"%s>\n", n, hiddenUnless(n == 0))
			d.writePage(b, v)
			b.WriteString("</section>\n")
			n++
		}
	}
	b.WriteString(pageEnd)
	return b.Flush()
}

const pageEnd = `<script>
document.getElementById("versions").onchange = e => {
	for (const s of document.querySelectorAll("section")) s.hidden = s.id !== e.target.value;
};
</script>
</body></html>
`

func hiddenUnless(shown bool) string {
	if shown {
		return ""
	}
	return " hidden"
}

type page struct {
	lines       []string
	first, last int              // from 1
	points      map[int][]*Point // points other than terms, by line
	panels      map[int][]*Point // rules, by the last line of the rule
	terms       map[string][]*Point
}

func (d *Definition) writePage(w *bufio.Writer, v *Version) {
	writeSummary(w, v)
	p := d.page(v)
	w.WriteString("<pre>\n")
	for n := p.first; n <= p.last; n++ {
		class, title := "", ""
		if points := p.points[n]; len(points) > 0 {
			class, title = lineState(points), titleOf(points)
		}
		fmt.Fprintf(w, "<i>%d</i><span%s%s>%s</span>\n", n, attribute("class", class), attribute("title", title), html.EscapeString(p.lines[n-1]))
		for _, rule := range p.panels[n] {
			w.WriteString("<div class=\"rule\">")
			writeTerms(w, rule, p.terms[rule.Pointer])
			w.WriteString("</div>")
		}
	}
	w.WriteString("</pre>\n")
}

func writeSummary(w *bufio.Writer, v *Version) {
	fmt.Fprintf(w, "<table><tr><th>%d requests</th><th>goals met</th><th>goals</th><th></th></tr>\n", v.Requests)
	for _, s := range v.Summaries() {
		fmt.Fprintf(w, "<tr><td>%s</td><td>%d</td><td>%d</td><td>%.1f%%</td></tr>\n", s.Kind, s.Met, s.Goal, percent(s.Met, s.Goal))
	}
	w.WriteString("</table>\n")
}

func attribute(name, text string) string {
	if text == "" {
		return ""
	}
	return " " + name + "=\"" + html.EscapeString(text) + "\""
}

func (d *Definition) page(v *Version) *page {
	p := &page{lines: strings.Split(strings.TrimRight(d.Text, "\n"), "\n"), points: map[int][]*Point{}, panels: map[int][]*Point{}, terms: map[string][]*Point{}}
	p.first, p.last = d.position(v, "").Line, 0
	if p.first == 0 { // the text has no positions
		p.first = 1
	}
	for _, point := range v.Points {
		if point.Kind == Term {
			p.terms[point.Pointer] = append(p.terms[point.Pointer], point)
			continue
		}
		at := d.position(v, point.Pointer)
		p.points[at.Line] = append(p.points[at.Line], point)
		last := at.Line
		if point.Kind == Rule {
			element := strings.TrimSuffix(point.Pointer, "/rule")
			last = p.blockEnd(at.Line, d.position(v, element).Column)
			p.panels[last] = append(p.panels[last], point)
		}
		p.first, p.last = min(p.first, max(at.Line, 1)), max(p.last, last)
	}
	p.last = min(p.last, len(p.lines))
	return p
}

func (p *page) blockEnd(line, column int) int {
	for line < len(p.lines) {
		next := p.lines[line]
		trimmed := strings.TrimLeft(next, " ")
		if trimmed == "" || len(next)-len(trimmed) < column-1 {
			break
		}
		line++
	}
	return line
}

func lineState(points []*Point) string {
	met, goals := 0, 0
	for _, p := range points {
		m, g := p.Met()
		met, goals = met+m, goals+g
	}
	switch met {
	case goals:
		return "full"
	case 0:
		return "none"
	}
	return "part"
}

func titleOf(points []*Point) string {
	var texts []string
	for _, p := range points {
		var goals []string
		for _, g := range p.Goals {
			goals = append(goals, fmt.Sprintf("%s %d", g.Name, g.Count))
		}
		texts = append(texts, string(p.Kind)+": "+strings.Join(goals, ", "))
	}
	return strings.Join(texts, "\n")
}

// writeTerms writes the text of a rule, with an HTML element for each term. Elements are nested
// like the terms.
func writeTerms(w *bufio.Writer, rule *Point, terms []*Point) {
	terms = slices.Clone(terms)
	slices.SortStableFunc(terms, func(a, b *Point) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	fmt.Fprintf(w, "<b class=\"%s\">%s</b><span class=\"%s\">", lineState([]*Point{rule}), html.EscapeString(titleOf([]*Point{rule})), lineState([]*Point{rule}))
	at := 0
	var open []*Point
	upTo := func(end int) {
		w.WriteString(html.EscapeString(rule.Text[at:end]))
		at = end
	}
	closeTo := func(start int) {
		for len(open) > 0 && open[len(open)-1].End <= start {
			upTo(open[len(open)-1].End)
			w.WriteString("</span>")
			open = open[:len(open)-1]
		}
	}
	for _, t := range terms {
		if t.Start < at || t.End > len(rule.Text) {
			continue // the record is damaged
		}
		closeTo(t.Start)
		upTo(t.Start)
		fmt.Fprintf(w, "<span class=\"%s\"%s>", lineState([]*Point{t}), attribute("title", titleOf([]*Point{t})))
		open = append(open, t)
	}
	closeTo(len(rule.Text))
	upTo(len(rule.Text))
	w.WriteString("</span>")
}
