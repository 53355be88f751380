package compat

import (
	"math/rand/v2"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/generate"
)

// searchObjects is how many generated objects of the old definition are given to
// the new one if nothing better is known.
const searchObjects = 64

// search gives generated objects to both definitions. It returns a finding for
// each kind of difference, with the first witness.
func (c *comparison) search() ([]Finding, error) {
	g := generate.New(generate.Target{
		Group: c.old.Spec.Group, Version: c.oldVersion.Name(), Kind: c.old.Spec.Names.Kind,
		Namespaced: c.oldDef.Namespaced(), Schema: crdversion.Schema(&c.old.Spec.Versions[c.oldIndex]),
	})
	rng := rand.New(rand.NewPCG(1, 2))
	type kind struct {
		role Role
		code Code
	}
	seen := map[kind]bool{}
	var out []Finding
	for i := range searchObjects {
		if c.watch.Poll() {
			return out, c.watch.Err()
		}
		found, err := c.createDifferences(g.Object(rng, generate.Class(i%2)))
		if err != nil {
			return out, err
		}
		for i := range found {
			if k := (kind{found[i].role, found[i].code}); !seen[k] {
				seen[k] = true
				out = append(out, c.findingOf(&found[i]))
			}
		}
	}
	return out, nil
}

// findingOf returns the finding for a difference.
func (c *comparison) findingOf(d *difference) Finding {
	f := c.finding(d.code, Incompatible, Error, d.role)
	if d.ratcheted || d.code == Defaulted {
		f.Severity = Warning
	}
	f.Field = d.path.String()
	f.Witness = &d.witness
	f.Old, f.New, f.Ratcheted = d.old, d.new, d.ratcheted
	f.Text = differenceTexts[d.code]
	if d.ratcheted {
		f.Text = "a stored object is admitted only as long as the value does not change"
	}
	return f
}

var differenceTexts = map[Code]string{
	Refused:   "the new definition refuses an object that the old one admits",
	Pruned:    "the new definition removes a field that the old one keeps",
	Changed:   "the new definition has another value",
	Defaulted: "the new definition adds a value",
}
