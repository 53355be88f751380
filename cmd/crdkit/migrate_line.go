package main

import (
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/migration"
)

// A planLine is the line of -o jsonl before those of the objects of a definition.
type planLine struct {
	Definition string        `json:"definition"`
	Storage    string        `json:"storage"`
	Stored     []string      `json:"storedVersions"`
	Assumed    bool          `json:"assumed"`
	Versions   []planVersion `json:"versions"`
	Steps      []string      `json:"steps"`
	Errors     []string      `json:"errors"`
}

type planVersion struct {
	Name     string   `json:"name"`
	CanDrop  bool     `json:"canDrop"`
	Blockers []string `json:"blockers"`
}

func planLineOf(name string, p *migration.Plan) planLine {
	l := planLine{Definition: name, Storage: p.Storage, Stored: p.Stored, Assumed: p.Assumed, Versions: []planVersion{}, Steps: []string{}, Errors: []string{}}
	for _, v := range p.Versions {
		version := planVersion{Name: v.Name, CanDrop: v.CanDrop(), Blockers: []string{}}
		for _, blocker := range v.Blockers {
			if isOnlyVersion(p, v) {
				break
			}
			version.Blockers = append(version.Blockers, blocker.Description())
		}
		l.Versions = append(l.Versions, version)
	}
	for _, s := range p.Steps {
		l.Steps = append(l.Steps, s.String())
	}
	for _, err := range p.Errors {
		l.Errors = append(l.Errors, err.Error())
	}
	return l
}

// A rewriteLine is a line of -o jsonl for an object.
type rewriteLine struct {
	lineOrigin
	Namespace    string         `json:"namespace,omitempty"`
	Name         string         `json:"name"`
	From         string         `json:"from"`
	Outcome      string         `json:"outcome"`
	Changes      []lineChange   `json:"changes,omitempty"`
	Lost         []string       `json:"lost,omitempty"`
	Error        string         `json:"error,omitempty"`
	Ratcheted    []string       `json:"ratcheted,omitempty"`
	Irreversible string         `json:"irreversible,omitempty"`
	Stored       map[string]any `json:"stored,omitempty"`
}

func rewriteLineOf(o *manifest.Object) rewriteLine {
	return rewriteLine{lineOrigin: originOf(o), Namespace: o.Namespace, Name: o.Name}
}

func lineOf(o *manifest.Object, r *migration.Rewrite) rewriteLine {
	l := rewriteLineOf(o)
	l.From, l.Outcome = r.From, string(r.Outcome())
	for _, c := range r.Changes {
		l.Changes = append(l.Changes, lineChange{Op: string(c.Op), Pointer: c.Path.Pointer()})
	}
	for _, p := range r.Lost {
		l.Lost = append(l.Lost, p.Pointer())
	}
	if r.Failure != nil {
		l.Error = r.Failure.Error()
	}
	l.Ratcheted = ratcheted(r)
	if r.Irreversible != nil {
		l.Irreversible = r.Irreversible.Error()
	}
	if r.Stored != nil {
		l.Stored = r.Stored.Object
	}
	return l
}
