package compat

import (
	"cmp"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// checkVersions compares the versions of the definitions in the order of the old one,
// and then those that are new.
func (r *resourceCheck) checkVersions() {
	before, after := crdversion.ByName(r.old), crdversion.ByName(r.crd)
	for i := range r.old.Spec.Versions {
		old := &r.old.Spec.Versions[i]
		v := after[old.Name]
		if v == nil {
			r.reportRemoved(i)
			continue
		}
		j := slices.IndexFunc(r.crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == old.Name })
		r.checkServed(i, j)
		if old.Served && v.Served {
			r.checkSubresources(i, j)
			r.checkSelectable(old, v, j)
			r.checkColumns(old, v, j)
		}
		r.checkDescriptions(old, v, j)
	}
	for j := range r.crd.Spec.Versions {
		if name := r.crd.Spec.Versions[j].Name; before[name] == nil {
			r.add(Finding{
				Code: VersionAdded, Verdict: Compatible, Severity: Note, Version: name, Pointer: versionPointer(j, "name"), New: name,
				Text: fmt.Sprintf("version %s is new", name),
			})
		}
	}
	r.checkStorage()
}

func versionPointer(i int, field string) string { return fmt.Sprintf("/spec/versions/%d/%s", i, field) }

// reportRemoved reports version i of the old definition, which the new one lacks.
func (r *resourceCheck) reportRemoved(i int) {
	old := &r.old.Spec.Versions[i]
	if slices.Contains(r.stored, old.Name) {
		f := Finding{
			Code: StoredVersionRemoved, Verdict: Incompatible, Severity: Error, Version: old.Name, Pointer: "/spec/versions", Old: "read",
			Text: fmt.Sprintf("version %s is removed while objects are stored at it: the server cannot read them", old.Name),
		}
		if r.assumed {
			f.Text += " (assumed: the old definition has no status.storedVersions, so objects are stored at its storage version)"
		}
		f.Witness, f.New = r.storedWitness(i)
		for _, pointer := range slices.Clone(r.order) {
			if pointer == "/status/storedVersions" || pointer == fmt.Sprintf("/status/storedVersions/%d", slices.Index(r.stored, old.Name)) {
				f.New = cmp.Or(f.New, r.refusal(pointer))
				delete(r.refusals, pointer)
			}
		}
		r.add(f)
	}
	if !old.Served {
		r.add(Finding{
			Code: VersionRemoved, Verdict: Compatible, Severity: Note, Version: old.Name, Pointer: "/spec/versions", Old: old.Name,
			Text: fmt.Sprintf("version %s is removed; no client could use it, for it was not served", old.Name),
		})
		return
	}
	f := r.notServed(i)
	f.Code, f.Pointer = VersionRemoved, "/spec/versions"
	f.Text = fmt.Sprintf("version %s is removed: every request at it fails", old.Name)
	r.add(f)
}

// checkServed compares whether a version is served, and whether it is deprecated.
func (r *resourceCheck) checkServed(i, j int) {
	old, v := &r.old.Spec.Versions[i], &r.crd.Spec.Versions[j]
	switch {
	case old.Served && !v.Served:
		f := r.notServed(i)
		f.Code, f.Pointer = VersionNotServed, versionPointer(j, "served")
		f.Text = fmt.Sprintf("version %s is not served any more: every request at it fails", v.Name)
		r.add(f)
	case !old.Served && v.Served:
		r.add(Finding{
			Code: VersionServed, Verdict: Compatible, Severity: Note, Version: v.Name, Pointer: versionPointer(j, "served"), Old: "false", New: "true",
			Text: fmt.Sprintf("version %s is served now", v.Name),
		})
	}
	if v.Deprecated && !old.Deprecated {
		compiled, _ := r.newDef.Version(v.Name)
		r.add(Finding{
			Code: VersionDeprecated, Verdict: Compatible, Severity: Note, Version: v.Name, Pointer: versionPointer(j, "deprecated"), New: compiled.Warning(),
			Text: fmt.Sprintf("version %s is deprecated: the server warns every client of it", v.Name),
		})
	}
}

// notServed returns the finding for version i of the old definition, which clients used
// and cannot use any more. Clients of a deprecated version have been warned.
func (r *resourceCheck) notServed(i int) Finding {
	old := &r.old.Spec.Versions[i]
	f := Finding{Verdict: Incompatible, Severity: Error, Version: old.Name, Old: "served"}
	if old.Deprecated {
		f.Severity = Warning
	}
	f.Witness, f.New = r.requestWitness(i)
	return f
}

func (r *resourceCheck) checkStorage() {
	before, after := crdversion.Storage(r.old), crdversion.Storage(r.crd)
	if before == nil || after == nil || before.Name == after.Name {
		return
	}
	j := slices.IndexFunc(r.crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	r.add(Finding{
		Code: StorageVersionChanged, Verdict: Compatible, Severity: Note, Version: after.Name, Pointer: versionPointer(j, "storage"),
		Old: before.Name, New: after.Name,
		Text: fmt.Sprintf("objects are stored at %s when they are next written, and stay at %s until then; see crdkit migrate", after.Name, before.Name),
	})
}
