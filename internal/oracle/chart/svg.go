package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
)

// A theme has the colors of a picture.
type theme struct {
	name                                      string
	back, text, faint, line, box, bar, accent string
}

var themes = []theme{
	{"light", "#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#f6f8fa", "#326ce5", "#326ce5"},
	{"dark", "#0d1117", "#e6edf3", "#9198a1", "#3d444d", "#151b23", "#4d84f0", "#79a5ff"},
}

const width = 720

// A drawing is an SVG file that is being written.
type drawing struct {
	bytes.Buffer
	theme
}

// newDrawing begins a file of a height, with a title and a description for readers that
// do not see it.
func newDrawing(t theme, height int, title, description string) *drawing {
	d := &drawing{theme: t}
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title desc" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(d, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", escaped(title), escaped(description))
	fmt.Fprintf(d, `<rect width="%d" height="%d" rx="8" fill="%s"/>`+"\n", width, height, t.back)
	return d
}

func (d *drawing) end() []byte {
	d.WriteString("</svg>\n")
	return d.Bytes()
}

// write writes a line of text. attributes are further attributes of the element, such as
// `text-anchor="end"`.
func (d *drawing) write(x, y float64, color, attributes, text string) {
	if attributes != "" {
		attributes = " " + attributes
	}
	fmt.Fprintf(d, `<text x="%g" y="%g" fill="%s"%s>%s</text>`+"\n", x, y, color, attributes, escaped(text))
}

func (d *drawing) rule(x1, y1, x2, y2 float64, color string) {
	fmt.Fprintf(d, `<path d="M%g %gL%g %g" stroke="%s"/>`+"\n", x1, y1, x2, y2, color)
}

// arrow draws a line with a head at its end, to the right or down.
func (d *drawing) arrow(x1, y1, x2, y2 float64) {
	const size = 4
	d.rule(x1, y1, x2, y2, d.faint)
	if x1 == x2 {
		fmt.Fprintf(d, `<path d="M%g %gl%d %dh%d z" fill="%s"/>`+"\n", x2, y2, size, -2*size, -2*size, d.faint)
		return
	}
	fmt.Fprintf(d, `<path d="M%g %gl%d %dv%d z" fill="%s"/>`+"\n", x2, y2, -2*size, -size, 2*size, d.faint)
}

func escaped(text string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a buffer returns no error
	}
	return b.String()
}

// Places of the chart, in pixels.
const (
	barsLeft, barsRight = 250.0, 650.0
	rowHeight           = 24.0
	barHeight           = 15.0
	groupHeight         = 34.0
	chartTop            = 62.0
)

// drawSpeed draws a bar for each charted operation, on a logarithmic scale from 1.
func drawSpeed(measured []operation, t theme) ([]byte, error) {
	height, most, summary := chartTop+44, 100.0, ""
	for _, g := range charted {
		height += groupHeight + rowHeight*float64(len(g.rows))
		for _, row := range g.rows {
			o, ok := find(measured, row.name)
			if !ok {
				return nil, fmt.Errorf("the output of compare has no mean of %s", row.name)
			}
			most = max(most, o.mean)
			summary += fmt.Sprintf(" %s: %s.", row.label, times(o.mean))
		}
	}
	at := func(ratio float64) float64 {
		return math.Round(barsLeft + (barsRight-barsLeft)*math.Log(max(ratio, 1))/math.Log(most))
	}
	d := newDrawing(t, int(height), "How many times as fast as kube-apiserver's own packages",
		"Bars on a logarithmic scale, one for each operation."+summary)
	d.write(20, 30, t.text, `font-size="16" font-weight="600"`, "Times as fast as kube-apiserver's own packages")
	d.write(20, 50, t.faint, "", "processor time, geometric mean over definitions and objects, logarithmic scale")
	bottom := height - 34
	for _, ratio := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500} {
		if ratio > most {
			break
		}
		d.rule(at(ratio), chartTop+8, at(ratio), bottom, t.line)
		d.write(at(ratio), bottom+18, t.faint, `text-anchor="middle"`, fmt.Sprintf("%g×", ratio))
	}
	y := chartTop
	for _, g := range charted {
		y += groupHeight
		d.write(20, y-8, t.faint, `font-weight="600"`, g.title)
		for _, row := range g.rows {
			o, _ := find(measured, row.name)
			d.write(barsLeft-10, y+12, t.text, `text-anchor="end"`, row.label)
			fmt.Fprintf(d, `<rect x="%g" y="%g" width="%g" height="%g" rx="2" fill="%s"/>`+"\n", barsLeft, y, at(o.mean)-barsLeft, barHeight, t.bar)
			d.write(at(o.mean)+7, y+12, t.text, `font-weight="600"`, times(o.mean)+"×")
			y += rowHeight
		}
	}
	return d.end(), nil
}
