package migration

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/versionsort"
)

// A Plan says what happens to versions when one definition replaces another. It
// belongs to the caller.
type Plan struct {
	// Storage is the version at which the new definition stores objects, "" for none.
	Storage string
	// Stored has the versions at which objects may be stored after the change: the new
	// status.storedVersions.
	Stored []string
	// Assumed is true if the old definition has no status.storedVersions, as in a file. The plan
	// then assumes that objects are stored at the old storage version.
	Assumed bool
	// Versions are the versions of both definitions and the stored versions, in order of priority.
	Versions []VersionPlan
	// Steps are the steps in order. After them all objects are stored at Storage, the only stored
	// version.
	Steps []Step
	// Errors are the server's errors about the change: fields that must not change, and stored
	// versions that are missing.
	Errors field.ErrorList
}

// A VersionPlan says what happens to one version.
type VersionPlan struct {
	Name string
	// InOld and InNew report which of the definitions have the version.
	InOld, InNew bool
	// Served, Storage and Stored are the version's properties in the new definition.
	Served, Storage, Stored bool
	// Blockers say why the version cannot be removed from spec.versions after the change. There are
	// none if the version can be removed or has been removed.
	Blockers []Blocker
}

// CanDrop reports whether nothing keeps the version in spec.versions.
func (v VersionPlan) CanDrop() bool { return len(v.Blockers) == 0 }

// A Blocker is a reason why a version cannot be dropped.
type Blocker string

const (
	// IsStorage: the version is the storage version, and every definition needs one.
	IsStorage Blocker = "storage"
	// MayBeStored: objects may be stored at the version, so the server refuses to drop it.
	MayBeStored Blocker = "stored"
	// IsServed: clients may use the version. The server would drop it.
	IsServed Blocker = "served"
)

// Description returns a clause that continues "it cannot be dropped:". It returns "" for an unknown
// blocker.
func (b Blocker) Description() string {
	return map[Blocker]string{
		IsStorage:   "it is the storage version",
		MayBeStored: "objects may be stored at it; rewrite them, then remove it from status.storedVersions",
		IsServed:    "it is served; set served to false first, and see who complains",
	}[b]
}

// A Step is one thing to do.
type Step struct {
	Action  Action
	Version string // the version that the action is about, or ""
}

// String returns the step as a sentence for people.
func (s Step) String() string {
	switch s.Action {
	case KeepVersion:
		return "keep version " + s.Version + " in spec.versions of the new definition"
	case ApplyDefinition:
		return "apply the new definition"
	case RewriteObjects:
		return "read all objects and write them back unchanged, which stores them at " + s.Version
	case ForgetVersion:
		return "remove " + s.Version + " from status.storedVersions"
	}
	return string(s.Action)
}

// An Action is what a step does.
type Action string

const (
	// KeepVersion: keep a version in spec.versions of the new definition.
	KeepVersion Action = "keep-version"
	// ApplyDefinition: apply the new definition.
	ApplyDefinition Action = "apply-definition"
	// RewriteObjects: read all objects and write them back, so that they are stored at the version
	// of the step.
	RewriteObjects Action = "rewrite-objects"
	// ForgetVersion: remove a version from status.storedVersions.
	ForgetVersion Action = "forget-version"
)

// NewPlan plans the change from old to new: which versions can be dropped, why others cannot, and
// the steps. If old is nil, there are no stored objects yet. If new is nil, the plan has an error.
// NewPlan does not change or keep the definitions.
func NewPlan(old, new *apiextensionsv1.CustomResourceDefinition) *Plan {
	p := &Plan{}
	if new == nil {
		p.Errors = field.ErrorList{field.Required(nil, "the definition is nil")}
		return p
	}
	if old != nil {
		if len(old.Status.StoredVersions) == 0 {
			p.Assumed = true
			assumed := *old
			assumed.Status.StoredVersions = definition.StoredVersions(old, nil)
			old = &assumed
		}
		p.Errors = crdversion.CheckImmutable(&new.Spec, &old.Spec, true)
	}
	p.Stored = definition.StoredVersions(new, old)
	p.Errors = append(p.Errors, crdversion.CheckStored(new.Spec.Versions, p.Stored)...)
	if v := crdversion.Storage(new); v != nil {
		p.Storage = v.Name
	}
	before, after := crdversion.ByName(old), crdversion.ByName(new)
	names := slices.AppendSeq(slices.AppendSeq(slices.Clone(p.Stored), maps.Keys(before)), maps.Keys(after))
	versionsort.Sort(names)
	for _, name := range slices.Compact(names) {
		v := VersionPlan{Name: name, InOld: before[name] != nil, Stored: slices.Contains(p.Stored, name)}
		if declared := after[name]; declared != nil {
			v.InNew, v.Served, v.Storage = true, declared.Served, declared.Storage
		}
		v.Blockers = v.blockers()
		p.Versions = append(p.Versions, v)
	}
	p.planSteps(after)
	return p
}

func (v VersionPlan) blockers() []Blocker {
	var found []Blocker
	switch {
	case v.Storage:
		found = append(found, IsStorage)
	case v.Stored:
		found = append(found, MayBeStored)
	}
	if v.Served {
		found = append(found, IsServed)
	}
	return found
}

func (p *Plan) planSteps(after map[string]*apiextensionsv1.CustomResourceDefinitionVersion) {
	var previous []string
	for _, name := range p.Stored {
		if name == p.Storage {
			continue
		}
		previous = append(previous, name)
		if after[name] == nil {
			p.Steps = append(p.Steps, Step{KeepVersion, name})
		}
	}
	p.Steps = append(p.Steps, Step{Action: ApplyDefinition})
	if len(previous) == 0 {
		return
	}
	p.Steps = append(p.Steps, Step{RewriteObjects, p.Storage})
	for _, name := range previous {
		p.Steps = append(p.Steps, Step{ForgetVersion, name})
	}
}
