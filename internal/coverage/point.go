package coverage

// A Kind is the kind of a point.
type Kind string

const (
	Rule     Kind = "rule"     // x-kubernetes-validations
	Term     Kind = "term"     // a part of a rule
	Field    Kind = "field"    // a property, an element or an entry
	Required Kind = "required" // one name of required
	Enum     Kind = "enum"     // one value, or any other one
	Bound    Kind = "bound"    // minimum, maxLength, ...
	Pattern  Kind = "pattern"
	Branch   Kind = "branch" // of anyOf, oneOf or not
)

// kinds are in the order of reports.
var kinds = [...]Kind{Rule, Term, Branch, Required, Enum, Bound, Pattern, Field}

// A Point is a part of the schema of a version.
type Point struct {
	Kind Kind `json:"kind"`
	// Pointer is the JSON pointer from the schema of the version to the keyword.
	Pointer string `json:"pointer"`
	// Text is the rule, the term, the value of an enum, or the name of a required field.
	Text string `json:"text,omitempty"`
	// Start and End are where a term is in its rule, in bytes.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
	// Goals are what may happen at the point.
	Goals []Goal `json:"goals"`
}

// A Goal is something that may happen at a point.
type Goal struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	// Optional goals do not count in summaries.
	Optional bool `json:"optional,omitempty"`
}

// Met returns how many of the goals that are not optional are met, and how many there
// are.
func (p *Point) Met() (met, goals int) {
	for _, g := range p.Goals {
		if g.Optional {
			continue
		}
		if goals++; g.Count > 0 {
			met++
		}
	}
	return met, goals
}

// Missed returns the names of the goals that are not met and not optional.
func (p *Point) Missed() (out []string) {
	for _, g := range p.Goals {
		if !g.Optional && g.Count == 0 {
			out = append(out, g.Name)
		}
	}
	return out
}

func newPoint(kind Kind, pointer, text string, goals ...string) *Point {
	p := &Point{Kind: kind, Pointer: pointer, Text: text}
	for _, g := range goals {
		p.Goals = append(p.Goals, Goal{Name: g})
	}
	return p
}

// hit counts a goal. A negative index is none.
func (p *Point) hit(goal int) {
	if goal >= 0 {
		p.Goals[goal].Count++
	}
}
