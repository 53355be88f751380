package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/pathstack"
)

func (c *checker) spec(spec *apiextensionsv1.CustomResourceDefinitionSpec, path *pathstack.Chain) {
	c.group(spec.Group, path.Child("group"))
	c.oneOf(string(spec.Scope), path.Child("scope"), string(apiextensionsv1.ClusterScoped), string(apiextensionsv1.NamespaceScoped))
	c.haveSchemas(path)
	c.tighten(path)
	c.versions(path)
	c.specNames(&spec.Names, path.Child("names"))

	common, at := &c.form.common, path.Moved("/spec/versions/0")
	c.schema(common, c.form.anyStatus())
	c.subresources(common.subresources, at.Child("subresources"))
	c.columns(common.columns, at.Child("additionalPrinterColumns"))
	c.commonSelectable(at)

	if conv := spec.Conversion; conv != nil {
		if conv.Strategy != apiextensionsv1.NoneConverter && c.form.preserving() {
			c.invalid(path.Child("conversion").Child("strategy"), conv.Strategy, "must be None if spec.preserveUnknownFields is true")
		}
		c.conversion(conv, path.Child("conversion"))
	}
}

// haveSchemas checks that all versions have a schema. If the old definition lacks one,
// only served versions need a schema, and none if unknown fields are preserved.
func (c *checker) haveSchemas(path *pathstack.Chain) {
	if c.form.common.root() != nil || !c.opts.schemas && c.form.preserving() {
		return
	}
	for i := range c.form.versions {
		v := &c.form.versions[i]
		if v.root() != nil || c.watch().Ended() {
			continue
		}
		at := path.Child("versions").Index(i).Child("schema").Child("openAPIV3Schema")
		switch {
		case c.opts.schemas:
			c.required(at, "")
		case v.declared.Served:
			c.required(at, "because otherwise all fields are pruned")
		}
	}
}

// tighten requires structural schemas if the definition uses what only structural schemas
// may have, even if the old definition was not structural.
func (c *checker) tighten(path *pathstack.Chain) {
	if !c.form.preserving() || c.form.any(func(f *facts) bool { return f.extensions }) {
		c.opts.structural = true
	}
	// A definition that prunes needs no search for defaults.
	if c.form.preserving() && !c.opts.noDefaults && c.form.any(func(f *facts) bool { return f.defaults }) {
		c.opts.structural = true
		c.invalid(path.Child("preserveUnknownFields"), true, "must be false in order to use defaults in the schema")
	}
}

func (c *checker) versions(path *pathstack.Chain) {
	for i := range c.form.versions {
		if c.watch().Ended() {
			return
		}
		v, at := &c.form.versions[i], path.Child("versions").Index(i)
		c.requiredLabel(v.name, at.Child("name"))
		c.version(v, at, hasStatus(c.form.subresourcesOf(v.name)))
	}
	c.list(c.form.crd.Spec.Versions, path.Child("versions"))
	// The server also checks the name of the first version as spec.version.
	c.label(c.form.common.name, path.Child("version").Moved("/spec/versions/0/name"))
}

// list checks the versions as a list. The value of its errors is what it looks at, since
// the schemas are large.
func (c *checker) list(versions []apiextensionsv1.CustomResourceDefinitionVersion, path *pathstack.Chain) {
	if len(versions) == 1 && versions[0].Storage { // as in nearly all definitions
		return
	}
	errs := crdversion.CheckVersions(versions, path.Path(), nil)
	if len(errs) == 0 {
		return
	}
	value := slices.Grow(versions[:0:0], len(versions)) // nil if versions is nil
	for _, v := range versions {
		value = append(value, apiextensionsv1.CustomResourceDefinitionVersion{Name: v.Name, Served: v.Served, Storage: v.Storage})
	}
	for _, err := range errs {
		err.BadValue = value
		c.errs.AddAt(path, err)
	}
}

func (c *checker) commonSelectable(path *pathstack.Chain) {
	common := &c.form.common
	switch {
	case len(common.selectable) == 0:
	case common.schema == nil:
		c.invalid(path.Child("selectableFields"), "", "may only be set when validations.schema is included")
	default:
		c.selectable(common, path, "")
	}
}
