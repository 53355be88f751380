package fastpath

import (
	"strings"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// A Document is the JSON text of an object, cut into its members. It refers to
// the text.
type Document struct {
	// Metadata is the text of the metadata.
	Metadata string
	// Status is the text of the status, "" if there is none.
	Status  string
	members []textMember
}

type textMember struct{ name, text string }

// Document reads s, the JSON text of an object. It reports false if it declines:
// if s is not an object of the plan with metadata, or repeats a member.
func (p *Plan) Document(s string) (Document, bool) {
	var d Document
	if !d.read(s) {
		return Document{}, false
	}
	apiVersion, _ := d.find("apiVersion")
	kind, _ := d.find("kind")
	d.Metadata, _ = d.find("metadata")
	d.Status, _ = d.find("status")
	return d, strings.HasPrefix(d.Metadata, "{") && apiVersion == p.apiVersion && kind == p.kind
}

// DecodeMetadata decodes the metadata, which then shares no memory with the text. It reports false if it declines it, and when the
// watch ends.
func (d *Document) DecodeMetadata(watch *interrupt.Watch) (map[string]any, bool) {
	return decodeObject(strings.Clone(d.Metadata), watch)
}

func (d *Document) read(s string) bool {
	i := jsonscan.Space(s, 0)
	if i >= len(s) || s[i] != '{' {
		return false
	}
	i = jsonscan.Space(s, i+1)
	const usual = 6
	d.members = make([]textMember, 0, usual)
	for more := true; more; {
		key, _, at := jsonscan.Key(s, i)
		if at < 0 {
			return false
		}
		end := jsonscan.Skip(s, at)
		if end < 0 || isNamedLikeType(key) && key != "kind" && key != "apiVersion" {
			return false
		}
		if _, twice := d.find(key); twice {
			return false
		}
		d.members = append(d.members, textMember{key, s[at:end]})
		i, more = jsonscan.Next(s, end, '}')
	}
	return i >= 0 && jsonscan.Space(s, i) == len(s)
}

func (d *Document) find(name string) (string, bool) {
	for _, m := range d.members {
		if m.name == name {
			return m.text, true
		}
	}
	return "", false
}

// rest returns all members but metadata and status.
func (d *Document) rest() []textMember {
	var rest []textMember
	for _, m := range d.members {
		if m.name != "metadata" && m.name != "status" {
			rest = append(rest, m)
		}
	}
	return rest
}

// SameOutsideStatus reports whether a and b have the same members with the same
// values, apart from metadata and status. It reports false, too, if it cannot
// tell or when the watch ends.
func (p *Plan) SameOutsideStatus(a, b Document, watch *interrupt.Watch) bool {
	rest := a.rest()
	if len(rest) != len(b.rest()) {
		return false
	}
	for _, m := range rest {
		if other, ok := b.find(m.name); !ok || !p.SameValue(m.text, other, watch) {
			return false
		}
	}
	return true
}

// SameValue reports whether two texts are those of the same value. It reports
// false, too, if it cannot tell or when the watch ends.
func (p *Plan) SameValue(a, b string, watch *interrupt.Watch) bool {
	same, _ := p.sameText(a, false, b, watch)
	return same
}

// KeepsStatus reports whether a status, in JSON, is one that needs no change; ""
// stands for none. It reports false when the watch ends.
func (p *Plan) KeepsStatus(text string, watch *interrupt.Watch) bool {
	if text == "" {
		return p.statusNode == nil || p.statusNode.fill == nil
	}
	v, ok := jsonscan.DecodeUntil(text, watch)
	return ok && v != nil && !jsonscan.HasIntegral(v) && p.statusNode != nil && p.statusNode.keeps(v, false)
}
