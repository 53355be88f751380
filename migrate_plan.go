package crdkit

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/versionsort"
)

// A MigrationPlan says what becomes of versions when one definition takes the
// place of another. It belongs to the caller.
type MigrationPlan struct {
	// Storage is the version at which objects are written with the new
	// definition, "" if it has none.
	Storage string
	// Stored are the versions at which objects may be in storage once the new
	// definition is there: its status.storedVersions.
	Stored []string
	// Assumed reports that the old definition says nothing of stored versions,
	// as a file does not, and that objects were taken to be stored at its
	// storage version only. What a server has in status.storedVersions is
	// sure; this is not.
	Assumed bool
	// Versions are all versions of both definitions and all that objects may be
	// stored at, by priority.
	Versions []VersionPlan
	// Steps are what has to be done, in this order, until all objects are
	// stored at the version Storage and no other is on record.
	Steps []MigrationStep
	// Errors are why the server refuses to put the new definition in the place
	// of the old one: identity that cannot change, and versions that cannot go
	// yet. Nothing else of the definition is judged.
	Errors field.ErrorList
}

// A VersionPlan says what becomes of one version.
type VersionPlan struct {
	Name string
	// InOld and InNew report which of the definitions have the version.
	InOld, InNew bool
	// Served, Storage and Stored are what the new definition says of it.
	Served, Storage, Stored bool
	// Obstacles are why the version cannot be dropped from spec.versions as
	// things will stand once the new definition is there. There are none if it
	// can be, or already is.
	Obstacles []Obstacle
}

// CanDrop reports whether nothing keeps the version in spec.versions.
func (v VersionPlan) CanDrop() bool { return len(v.Obstacles) == 0 }

// An Obstacle is why a version cannot be dropped, in words that continue "it
// cannot be dropped:".
type Obstacle string

const (
	// IsStorage: without it the definition has no storage version.
	IsStorage Obstacle = "it is the storage version"
	// MayBeStored: the server refuses to drop it, since nobody could read its
	// objects any more.
	MayBeStored Obstacle = "objects may be stored at it; rewrite them, then remove it from status.storedVersions"
	// IsServed: the server would drop it, and with it whoever uses it.
	IsServed Obstacle = "it is served; set served to false first, and see who complains"
)

// A MigrationStep is one thing to do.
type MigrationStep struct {
	Action  MigrationAction
	Version string // that it is about, "" if none
}

// String returns the step as a sentence for people.
func (s MigrationStep) String() string {
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

// A MigrationAction is what a step does.
type MigrationAction string

const (
	// KeepVersion: put a version back into the new definition, which the
	// server refuses otherwise.
	KeepVersion MigrationAction = "keep-version"
	// ApplyDefinition: replace the old definition.
	ApplyDefinition MigrationAction = "apply-definition"
	// RewriteObjects: store every object anew. [Definition.Rehearse] says what
	// comes of it.
	RewriteObjects MigrationAction = "rewrite-objects"
	// ForgetVersion: remove a version from status.storedVersions.
	ForgetVersion MigrationAction = "forget-version"
)

// PlanMigration says what putting the new definition in the place of the old
// one means for stored objects: which versions can be dropped, why others
// cannot, and what to do. If old is nil, the definition is new and there are no
// objects. A nil new is one of the plan's errors. Neither is changed or kept.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version.
func PlanMigration(old, new *apiextensionsv1.CustomResourceDefinition) *MigrationPlan {
	p := &MigrationPlan{}
	if new == nil {
		p.Errors = field.ErrorList{field.Required(nil, "the definition is nil")}
		return p
	}
	if old != nil && len(old.Status.StoredVersions) == 0 {
		p.Assumed = true
		old = &apiextensionsv1.CustomResourceDefinition{
			ObjectMeta: old.ObjectMeta,
			Spec:       old.Spec,
			Status:     apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: StoredVersions(old, nil)},
		}
	}
	p.Stored = StoredVersions(new, old)
	if v := storageOf(new); v != nil {
		p.Storage = v.Name
	}
	p.Errors = append(p.checkIdentity(old, new), p.checkStored(new)...)
	p.planVersions(old, new)
	p.planSteps(new)
	return p
}

// checkIdentity returns the server's errors for what never changes while there
// are objects.
func (p *MigrationPlan) checkIdentity(old, new *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	if old == nil {
		return nil
	}
	var errs field.ErrorList
	spec := field.NewPath("spec")
	same := func(path *field.Path, a, b string) {
		if a != b {
			errs = append(errs, field.Invalid(path, b, "field is immutable"))
		}
	}
	same(spec.Child("scope"), string(old.Spec.Scope), string(new.Spec.Scope))
	same(spec.Child("names", "kind"), old.Spec.Names.Kind, new.Spec.Names.Kind)
	same(spec.Child("group"), old.Spec.Group, new.Spec.Group)
	same(spec.Child("names", "plural"), old.Spec.Names.Plural, new.Spec.Names.Plural)
	return errs
}

// checkStored returns the server's errors for stored versions that the
// definition lacks.
func (p *MigrationPlan) checkStored(new *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	path := field.NewPath("status", "storedVersions")
	if len(p.Stored) == 0 {
		return field.ErrorList{field.Invalid(path, p.Stored, "must have at least one stored version")}
	}
	var errs field.ErrorList
	for i, name := range p.Stored {
		if versionOf(new, name) == nil {
			errs = append(errs, field.Invalid(path.Index(i), name,
				"missing from spec.versions; "+name+" was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in "+name+" and removes "+name+" from status.storedVersions"))
		}
	}
	return errs
}

func (p *MigrationPlan) planVersions(old, new *apiextensionsv1.CustomResourceDefinition) {
	names := slices.Clone(p.Stored)
	for _, v := range new.Spec.Versions {
		names = append(names, v.Name)
	}
	if old != nil {
		for _, v := range old.Spec.Versions {
			names = append(names, v.Name)
		}
	}
	versionsort.Sort(names)
	for _, name := range slices.Compact(names) {
		v := VersionPlan{Name: name, Stored: slices.Contains(p.Stored, name)}
		v.InOld = old != nil && versionOf(old, name) != nil
		if declared := versionOf(new, name); declared != nil {
			v.InNew, v.Served, v.Storage = true, declared.Served, declared.Storage
		}
		v.Obstacles = v.obstacles()
		p.Versions = append(p.Versions, v)
	}
}

func (v VersionPlan) obstacles() []Obstacle {
	var found []Obstacle
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

func (p *MigrationPlan) planSteps(new *apiextensionsv1.CustomResourceDefinition) {
	var previous []string
	for _, name := range p.Stored {
		if name == p.Storage {
			continue
		}
		previous = append(previous, name)
		if versionOf(new, name) == nil {
			p.Steps = append(p.Steps, MigrationStep{KeepVersion, name})
		}
	}
	p.Steps = append(p.Steps, MigrationStep{Action: ApplyDefinition})
	if len(previous) == 0 {
		return
	}
	p.Steps = append(p.Steps, MigrationStep{RewriteObjects, p.Storage})
	for _, name := range previous {
		p.Steps = append(p.Steps, MigrationStep{ForgetVersion, name})
	}
}
