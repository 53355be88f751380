package crdversion

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// CheckImmutable returns kube-apiserver's errors for what an update must not change: the
// group and plural name, by which objects are stored, and scope and kind once established.
func CheckImmutable(spec, old *apiextensionsv1.CustomResourceDefinitionSpec, established bool) field.ErrorList {
	const detail = "field is immutable"
	path := field.NewPath("spec")
	var errs field.ErrorList
	if established && spec.Scope != old.Scope {
		errs = append(errs, field.Invalid(path.Child("scope"), spec.Scope, detail))
	}
	if established && spec.Names.Kind != old.Names.Kind {
		errs = append(errs, field.Invalid(path.Child("names", "kind"), spec.Names.Kind, detail))
	}
	if spec.Group != old.Group {
		errs = append(errs, field.Invalid(path.Child("group"), spec.Group, detail))
	}
	if spec.Names.Plural != old.Names.Plural {
		errs = append(errs, field.Invalid(path.Child("names", "plural"), spec.Names.Plural, detail))
	}
	return errs
}

// CheckVersions returns kube-apiserver's errors for versions at path with repeated names,
// or not exactly one storage version. value is what errors say the value is.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#specify-multiple-versions.
func CheckVersions(versions []apiextensionsv1.CustomResourceDefinitionVersion, path *field.Path, value any) field.ErrorList {
	stored, names := 0, map[string]bool{}
	for i := range versions {
		if versions[i].Storage {
			stored++
		}
		names[versions[i].Name] = true
	}
	var errs field.ErrorList
	if len(names) < len(versions) {
		errs = append(errs, field.Invalid(path, value, "must contain unique version names"))
	}
	if stored != 1 {
		errs = append(errs, field.Invalid(path, value, "must have exactly one version marked as storage version"))
	}
	return errs
}

// CheckStored returns kube-apiserver's errors for stored versions: there is one, the
// storage version is among them, and spec.versions has all. The last of a repeated one
// counts.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version.
func CheckStored(versions []apiextensionsv1.CustomResourceDefinitionVersion, stored []string) field.ErrorList {
	if len(versions) == 1 && len(stored) == 1 && versions[0].Name == stored[0] { // as of nearly all definitions
		return nil
	}
	path := field.NewPath("status", "storedVersions")
	if len(stored) == 0 {
		return field.ErrorList{field.Invalid(path, stored, "must have at least one stored version")}
	}
	missing := map[string]int{}
	for i, name := range stored {
		missing[name] = i
	}
	var errs field.ErrorList
	for i := range versions {
		v := &versions[i]
		if _, ok := missing[v.Name]; !ok && v.Storage {
			errs = append(errs, field.Invalid(path, stored, "must have the storage version "+v.Name))
		}
		delete(missing, v.Name)
	}
	for i, name := range stored {
		if last, ok := missing[name]; ok && last == i {
			errs = append(errs, field.Invalid(path.Index(i), name, "missing from spec.versions; "+name+
				" was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in "+
				name+" and removes "+name+" from status.storedVersions"))
		}
	}
	return errs
}
