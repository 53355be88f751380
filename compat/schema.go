package compat

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// A comparison decides one pair of versions.
type comparison struct {
	*pair
	*versionPair
	ctx  context.Context // ends when the time limit ends the comparison
	work int             // what is left of the work limit
	// seekLeft is what is left of seekWork.
	seekLeft int
	lost     bool // the new definition lacks a version at which objects are stored: nothing is proved for them
	// beside has what the objects that show a goal for one role leave open for another one: the
	// new definition refuses them for another reason, or admits them.
	beside []Finding
	unread []unread // see storageWalk
}

// schemaFindings returns the findings about the schemas of two versions.
func (c *comparison) schemaFindings() []Finding {
	if c.sameSchema() {
		return c.guard(c.proved("the schema and the rules are equal"))
	}
	return c.guard(c.decide())
}

// sameSchema reports whether the two versions treat every object alike.
func (c *comparison) sameSchema() bool {
	return c.before.node == c.after.node && c.old.Spec.PreserveUnknownFields == c.crd.Spec.PreserveUnknownFields &&
		(c.oldStorageNode == c.newStorageNode || !c.storesAnotherVersion()) && (c.oldStorageNode == c.readNode || !c.readsAnotherVersion())
}

func (c *comparison) finding(code Code, verdict Verdict, severity Severity, role Role) Finding {
	f := Finding{
		Code: code, Verdict: verdict, Severity: severity, Role: role,
		Version: c.after.version.Name(),
		Pointer: fmt.Sprintf("/spec/versions/%d", c.after.index),
	}
	if old := c.before.version.Name(); old != f.Version {
		f.OldVersion = old
	}
	if crdversion.Schema(&c.crd.Spec.Versions[c.after.index]) != nil {
		f.Pointer += "/schema/openAPIV3Schema"
	}
	return f
}

// proved returns a finding for each role that nothing differs for it.
func (c *comparison) proved(reason string) []Finding {
	var out []Finding
	for _, role := range []Role{Writers, Stored, Readers} {
		if role == Stored && c.lost {
			continue
		}
		f := c.finding(Proved, Compatible, Note, role)
		f.Text = reason
		out = append(out, f)
	}
	return out
}
