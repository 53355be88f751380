package main

import (
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/manifest"
)

// An applyLine is a line of crdkit apply -o jsonl for a configuration.
type applyLine struct {
	lineOrigin
	GVK       lineKind        `json:"gvk"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	Action    string          `json:"action"`
	Changes   []applyChange   `json:"changes"`
	Dropped   []applyDrop     `json:"dropped"`
	Conflicts []applyConflict `json:"conflicts"`
	Warnings  []string        `json:"warnings"`
	Error     string          `json:"error,omitempty"`
}

// An applyChange is a field. A value is null if the object does not have the field.
type applyChange struct {
	Path         string       `json:"path"`
	Before       any          `json:"before"`
	After        any          `json:"after"`
	OwnersBefore []applyOwner `json:"ownersBefore"`
	OwnersAfter  []applyOwner `json:"ownersAfter"`
}

type applyOwner struct {
	Manager     string `json:"manager"`
	Operation   string `json:"operation"`
	Subresource string `json:"subresource,omitempty"`
}

type applyDrop struct {
	Path    string `json:"path"`
	Value   any    `json:"value"`
	Removed bool   `json:"removed"`
	Why     string `json:"why"`
}

type applyConflict struct {
	Path    string     `json:"path"`
	Owner   applyOwner `json:"owner"`
	Current any        `json:"current"`
	Wanted  any        `json:"wanted"`
}

func applyLineOf(o *manifest.Object, s apply.Step) applyLine {
	gvk := s.Config.GroupVersionKind()
	l := applyLine{
		lineOrigin: originOf(o), GVK: lineKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind},
		Namespace: s.Config.GetNamespace(), Name: s.Config.GetName(), Action: s.Action(),
		Changes: []applyChange{}, Dropped: []applyDrop{}, Conflicts: []applyConflict{},
		Warnings: append([]string{}, s.Result.Warnings...),
	}
	for _, c := range s.Changes {
		l.Changes = append(l.Changes, applyChange{c.Path, c.Before, c.After, applyOwners(c.OwnersBefore), applyOwners(c.OwnersAfter)})
	}
	for _, d := range s.Dropped {
		l.Dropped = append(l.Dropped, applyDrop{d.Path, d.Value, d.Removed, d.Why})
	}
	for _, c := range s.Result.Conflicts {
		owner := applyOwner{c.Manager, string(c.Operation), c.Subresource}
		l.Conflicts = append(l.Conflicts, applyConflict{c.Field, owner, c.Current, c.Wanted})
	}
	if err := s.Result.Err(); err != nil {
		l.Error = err.Error()
	}
	return l
}

func applyOwners(owners []apply.Owner) []applyOwner {
	out := []applyOwner{}
	for _, o := range owners {
		out = append(out, applyOwner{o.Manager, string(o.Operation), o.Subresource})
	}
	return out
}
