package compat

import (
	"cmp"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// checkVersions compares the versions of the definitions in the order of the old one,
// and then those that are new.
func (r *resourceCheck) checkVersions() {
	index := func(crd *apiextensionsv1.CustomResourceDefinition, name string) int {
		return slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	}
	for i := range r.old.Spec.Versions {
		old := &r.old.Spec.Versions[i]
		j := index(r.crd, old.Name)
		if j < 0 {
			r.reportRemoved(i)
			continue
		}
		v, pointer := &r.crd.Spec.Versions[j], versionPointer(j)
		r.checkServed(i, v, pointer)
		if old.Served && v.Served {
			r.checkSubresources(i, j, pointer)
			r.checkSelectable(old, v, pointer)
			r.checkColumns(old, v, pointer)
		}
		r.checkDescriptions(old, v, pointer+"/schema/openAPIV3Schema")
	}
	for j := range r.crd.Spec.Versions {
		if name := r.crd.Spec.Versions[j].Name; index(r.old, name) < 0 {
			r.add(VersionAdded, Note, name, versionPointer(j)+"/name", "", name, "version %s is new", name)
		}
	}
	before, after := crdversion.Storage(r.old), crdversion.Storage(r.crd)
	if before != nil && after != nil && before.Name != after.Name {
		r.add(StorageVersionChanged, Note, after.Name, versionPointer(index(r.crd, after.Name))+"/storage", before.Name, after.Name,
			"objects are stored at %s when they are next written, and stay at %s until then; see crdkit migrate", after.Name, before.Name)
	}
}

func versionPointer(i int) string { return fmt.Sprintf("/spec/versions/%d", i) }

// reportRemoved reports version i of the old definition, which the new one lacks.
func (r *resourceCheck) reportRemoved(i int) {
	old := &r.old.Spec.Versions[i]
	if slices.Contains(r.stored, old.Name) {
		assumed := ""
		if r.assumed {
			assumed = " (assumed: the old definition has no status.storedVersions, so objects are stored at its storage version)"
		}
		f := r.add(StoredVersionRemoved, Error, old.Name, "/spec/versions", "read", "",
			"version %s is removed while objects are stored at it: the server cannot read them%s", old.Name, assumed)
		f.Witness, f.New = r.refused(i, func(obj *unstructured.Unstructured) error {
			_, _, err := r.newDef.Storage().Read(r.ctx, obj)
			return err
		})
		for _, pointer := range slices.Clone(r.order) {
			if pointer == "/status/storedVersions" || pointer == fmt.Sprintf("/status/storedVersions/%d", slices.Index(r.stored, old.Name)) {
				f.New = cmp.Or(f.New, r.refusal(pointer))
				delete(r.refusals, pointer)
			}
		}
	}
	if !old.Served {
		r.add(VersionRemoved, Note, old.Name, "/spec/versions", old.Name, "", "version %s is removed; no client could use it, for it was not served", old.Name)
		return
	}
	r.addNotServed(i, VersionRemoved, "/spec/versions", "version %s is removed: every request at it fails")
}

// checkServed compares whether version i of the old definition is served and deprecated.
func (r *resourceCheck) checkServed(i int, v *apiextensionsv1.CustomResourceDefinitionVersion, pointer string) {
	old := &r.old.Spec.Versions[i]
	switch {
	case old.Served && !v.Served:
		r.addNotServed(i, VersionNotServed, pointer+"/served", "version %s is not served any more: every request at it fails")
	case !old.Served && v.Served:
		r.add(VersionServed, Note, v.Name, pointer+"/served", "false", "true", "version %s is served now", v.Name)
	}
	if v.Deprecated && !old.Deprecated {
		compiled, _ := r.newDef.Version(v.Name)
		r.add(VersionDeprecated, Note, v.Name, pointer+"/deprecated", "", compiled.Warning(),
			"version %s is deprecated: the server warns every client of it", v.Name)
	}
}

// addNotServed adds a finding about version i of the old definition, which clients used and
// cannot use any more. Clients of a deprecated version have been warned.
func (r *resourceCheck) addNotServed(i int, code Code, pointer, text string) {
	old := &r.old.Spec.Versions[i]
	f := r.add(code, Error, old.Name, pointer, "served", "", text, old.Name)
	if old.Deprecated {
		f.Severity = Warning
	}
	f.Witness, f.New = r.refused(i, func(obj *unstructured.Unstructured) error {
		_, err := r.newDef.VersionFor(obj)
		return err
	})
}
