package coverage

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

type Kind string

const (
	Rule     Kind = "rule"     // x-kubernetes-validations
	Term     Kind = "term"     // an operand or a condition in a rule
	Field    Kind = "field"    // a property, a list element or a map entry
	Required Kind = "required" // a name in required
	Enum     Kind = "enum"     // a value in enum, or all other values
	Bound    Kind = "bound"    // minimum, maxLength, ...
	Pattern  Kind = "pattern"
	Branch   Kind = "branch" // a branch of anyOf, oneOf or not
)

// kinds are all kinds, in the order of reports.
var kinds = [...]Kind{Rule, Term, Branch, Required, Enum, Bound, Pattern, Field}

// A Point is a part of the schema of a version that tests can exercise.
type Point struct {
	Kind Kind `json:"kind"`
	// Pointer is the JSON pointer from the schema of the version to the keyword.
	Pointer string `json:"pointer"`
	// Text is the rule, the term, the value of an enum, or the name of a required field.
	Text string `json:"text,omitempty"`
	// Start and End are the location of a term in its rule, in bytes.
	Start int `json:"start,omitempty"`
	End   int `json:"end,omitempty"`
	// Goals are the events that may happen at the point.
	Goals []Goal `json:"goals"`
}

// A Goal is an event that may happen at a point.
type Goal struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	// Optional goals do not count in summaries.
	Optional bool `json:"optional,omitempty"`
}

// Met returns the number of goals that are met, and of all goals. Optional goals do not count.
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

// Missed returns the names of the goals that are not met. Optional goals do not count.
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

func (p *Point) hit(goal int) {
	if goal != unmet {
		p.Goals[goal].Count++
	}
}

// A Profile is the record of some definitions, sorted by name.
type Profile struct {
	Definitions []*Definition `json:"definitions"`
}

// A Definition is the record of one definition.
type Definition struct {
	Name     string     `json:"name"`
	File     string     `json:"file,omitempty"`
	Line     int        `json:"line,omitempty"`
	Text     string     `json:"text"`
	Versions []*Version `json:"versions"`

	source    *definition.Source
	positions map[string]definition.Position // in Text, by JSON pointer
}

func (d *Definition) position(v *Version, inSchema string) definition.Position {
	if d.source == nil {
		d.source = definition.NewSource([]byte(d.Text), definition.Position{})
		d.positions = map[string]definition.Position{}
	}
	pointer := v.pointer(inSchema)
	at, known := d.positions[pointer]
	if !known {
		at = d.source.Position(pointer)
		d.positions[pointer] = at
	}
	return at
}

func (d *Definition) inFile(v *Version, p *Point) string {
	at := d.position(v, p.Pointer)
	if at.IsValid() && d.Line > 0 {
		at.Line += d.Line - 1
	}
	if d.File != "" {
		return d.File + ":" + at.String()
	}
	return at.String()
}

// A Version is the record of one version.
type Version struct {
	Name     string   `json:"name"`
	Index    int      `json:"index"` // in spec.versions
	Requests int      `json:"requests"`
	Points   []*Point `json:"points"`
	// Unread are the pointers of rules with terms that cannot be observed.
	Unread []string `json:"unread,omitempty"`
}

// Read reads a profile in JSON. If the file does not exist, the profile is empty.
func Read(name string) (*Profile, error) {
	text, err := manifest.ReadRegular(manifest.System{}, name)
	if errors.Is(err, fs.ErrNotExist) {
		return &Profile{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &Profile{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s is not a coverage profile: %w", name, err)
	}
	return p, nil
}

// Merge adds the counts of other to p, and may keep parts of other. If a definition has another
// text in other, its record in other replaces its record in p.
func (p *Profile) Merge(other *Profile) {
	for _, d := range other.Definitions {
		p.Definitions = slices.DeleteFunc(p.Definitions, func(o *Definition) bool { return o.Name == d.Name && o.Text != d.Text })
		i := slices.IndexFunc(p.Definitions, func(o *Definition) bool { return o.Name == d.Name })
		if i < 0 {
			p.Definitions = append(p.Definitions, d)
			continue
		}
		for _, v := range d.Versions {
			p.Definitions[i].merge(v)
		}
	}
	p.sort()
}

func (d *Definition) merge(v *Version) {
	i := slices.IndexFunc(d.Versions, func(o *Version) bool { return o.Name == v.Name })
	if i < 0 {
		d.Versions = append(d.Versions, v)
		return
	}
	d.Versions[i].merge(v)
}

type pointKey struct {
	kind       Kind
	pointer    string
	start, end int
}

func (p *Point) key() pointKey { return pointKey{p.Kind, p.Pointer, p.Start, p.End} }

func (v *Version) merge(other *Version) {
	v.Requests += other.Requests
	known := map[pointKey]*Point{}
	for _, p := range v.Points {
		known[p.key()] = p
	}
	for _, p := range other.Points {
		same := known[p.key()]
		if same == nil || len(same.Goals) != len(p.Goals) {
			continue // a damaged record
		}
		for i := range p.Goals {
			same.Goals[i].Count += p.Goals[i].Count
		}
	}
}

func (p *Profile) sort() {
	slices.SortStableFunc(p.Definitions, func(a, b *Definition) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
	})
	for _, d := range p.Definitions {
		slices.SortFunc(d.Versions, func(a, b *Version) int { return cmp.Compare(a.Name, b.Name) })
	}
}
