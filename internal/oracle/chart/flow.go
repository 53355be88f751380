package main

import "fmt"

// drawFlow draws how a definition is compiled once, and how requests use it.
func drawFlow(t theme) []byte {
	d := newDrawing(t, 344, "How data flows through crdkit",
		"definition.Parse and definition.Check read a CustomResourceDefinition. crdkit.Compile compiles it once to a version, which never changes. "+
			"A request passes an object through the steps of the server: decode, prune, drop nulls, set defaults, validate, evaluate rules, encode. "+
			"It returns the object as it is stored, and a result with errors, warnings and changes.")
	d.write(20, 30, t.text, `font-size="16" font-weight="600"`, "Compile once, then answer requests as the server does")

	const top, high = 52.0, 62.0
	boxes := []struct {
		x, wide      float64
		title, below string
	}{
		{20, 118, "definition", "YAML or JSON"},
		{172, 204, "definition.Parse, Check", "the server's errors"},
		{410, 128, "crdkit.Compile", "once"},
		{572, 128, "crdkit.Version", "never changes"},
	}
	for i, b := range boxes {
		d.frame(b.x, top, b.wide, high, i == len(boxes)-1)
		d.write(b.x+b.wide/2, top+28, t.text, `text-anchor="middle" font-weight="600"`, b.title)
		d.write(b.x+b.wide/2, top+46, t.faint, `text-anchor="middle"`, b.below)
		if i > 0 {
			before := boxes[i-1]
			d.arrow(before.x+before.wide+4, top+high/2, b.x-4, top+high/2)
		}
	}
	d.arrow(636, top+high+4, 636, 148)

	const stepsTop, stepsHigh = 152.0, 100.0
	d.frame(20, stepsTop, 680, stepsHigh, true)
	d.write(36, stepsTop+26, t.text, "", "Create, Update, UpdateStatus, Patch, Apply: the steps of the server, in its order")
	x := 36.0
	for i, step := range []string{"decode", "prune", "drop nulls", "set defaults", "validate", "rules", "encode"} {
		wide := float64(len(step))*7 + 22
		if i > 0 {
			d.arrow(x-17, stepsTop+65, x-3, stepsTop+65)
		}
		fmt.Fprintf(d, `<rect x="%g" y="%g" width="%g" height="32" rx="6" fill="%s" stroke="%s"/>`+"\n", x, stepsTop+49, wide, t.back, t.line)
		d.write(x+wide/2, stepsTop+70, t.text, `text-anchor="middle"`, step)
		x += wide + 20
	}

	const outTop, outHigh = 284.0, 44.0
	for _, b := range []struct {
		x, wide     float64
		text        string
		intoRequest bool
	}{
		{20, 200, "object, from a client", true},
		{260, 200, "object, as it is stored", false},
		{500, 200, "errors, warnings, changes", false},
	} {
		d.frame(b.x, outTop, b.wide, outHigh, false)
		d.write(b.x+b.wide/2, outTop+27, t.text, `text-anchor="middle"`, b.text)
		if b.intoRequest {
			d.up(b.x+b.wide/2, outTop-4, stepsTop+stepsHigh+4)
			continue
		}
		d.arrow(b.x+b.wide/2, stepsTop+stepsHigh+4, b.x+b.wide/2, outTop-4)
	}
	return d.end()
}

// frame draws a box. An accented box has a colored border.
func (d *drawing) frame(x, y, wide, high float64, accented bool) {
	color := d.line
	if accented {
		color = d.accent
	}
	fmt.Fprintf(d, `<rect x="%g" y="%g" width="%g" height="%g" rx="8" fill="%s" stroke="%s"/>`+"\n", x, y, wide, high, d.box, color)
}

// up draws an arrow up.
func (d *drawing) up(x, y1, y2 float64) {
	d.rule(x, y1, x, y2, d.faint)
	fmt.Fprintf(d, `<path d="M%g %gl4 8h-8z" fill="%s"/>`+"\n", x, y2, d.faint)
}
