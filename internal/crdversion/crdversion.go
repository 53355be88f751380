// Package crdversion holds what several packages do with a version of a CustomResourceDefinition:
// compile its schema as kube-apiserver serves it, and compare it with the schema of another
// version.
//
//	for i := range crd.Spec.Versions {
//		node, errs := crdversion.Compile(crd, i)
//		...
//	}
//
// All functions are safe for concurrent use. They do not change their arguments.
package crdversion

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
)

// Schema returns the schema of objects of a version, nil if the version has none.
func Schema(v *apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.JSONSchemaProps {
	if v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

// SchemaPath returns the field path of the schema of version i.
func SchemaPath(i int) *field.Path {
	return field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
}

// Compile returns the schema of version i as it is served, with pruned defaults. It returns nil if
// the version has no schema. With preserveUnknownFields: true the schema need not be structural,
// and defaults are not pruned. Errors name the schema by [SchemaPath].
func Compile(crd *apiextensionsv1.CustomResourceDefinition, i int, opts ...schema.Option) (*schema.Node, field.ErrorList) {
	props := Schema(&crd.Spec.Versions[i])
	if props == nil {
		return nil, nil
	}
	opts = append(slices.Clip(opts), schema.AtPath(SchemaPath(i)))
	if crd.Spec.PreserveUnknownFields {
		opts = append(opts, schemaopt.Unstructured{})
	}
	node, errs := schema.Compile(props, opts...)
	if len(errs) > 0 {
		return nil, errs
	}
	if !crd.Spec.PreserveUnknownFields {
		node = PruneDefaults(node)
	}
	return node, nil
}

// Storage returns the first storage version. It returns nil if there is none or crd is nil.
func Storage(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionVersion {
	if crd == nil {
		return nil
	}
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Storage {
			return &crd.Spec.Versions[i]
		}
	}
	return nil
}

// ByName returns the versions by name. For a repeated name, it returns the first version. It
// returns nil if crd is nil.
func ByName(crd *apiextensionsv1.CustomResourceDefinition) map[string]*apiextensionsv1.CustomResourceDefinitionVersion {
	if crd == nil {
		return nil
	}
	versions := make(map[string]*apiextensionsv1.CustomResourceDefinitionVersion, len(crd.Spec.Versions))
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if versions[v.Name] == nil {
			versions[v.Name] = v
		}
	}
	return versions
}

// SetDefaultNames sets the names that kube-apiserver sets by default: the singular name and the
// kind of lists.
func SetDefaultNames(n *apiextensionsv1.CustomResourceDefinitionNames) {
	n.Singular = cmp.Or(n.Singular, strings.ToLower(n.Kind))
	if n.ListKind == "" && n.Kind != "" {
		n.ListKind = n.Kind + "List"
	}
}

// A Claim has the names by which clients know a definition. Two definitions of one group must not
// have a resource name or a kind in common.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#create-a-customresourcedefinition.
type Claim struct {
	Resources, Kinds []string
}

// ClaimOf returns the claim of names, without default names. It shares no memory with n.
func ClaimOf(n *apiextensionsv1.CustomResourceDefinitionNames) Claim {
	return Claim{
		Resources: append([]string{n.Plural, n.Singular}, n.ShortNames...),
		Kinds:     []string{n.Kind, n.ListKind},
	}
}

// Conflict returns the first name that both claims have. what is "kind" or "resource name", or ""
// if there is no such name.
func (c *Claim) Conflict(other *Claim) (what, name string) {
	if name, ok := firstIn(c.Kinds, other.Kinds); ok {
		return "kind", name
	}
	if name, ok := firstIn(c.Resources, other.Resources); ok {
		return "resource name", name
	}
	return "", ""
}

// fewNames is the length up to which a list is searched without an index.
const fewNames = 16

func firstIn(names, list []string) (string, bool) {
	has := func(name string) bool { return slices.Contains(list, name) }
	if len(list) > fewNames {
		set := make(map[string]bool, len(list))
		for _, name := range list {
			set[name] = true
		}
		has = func(name string) bool { return set[name] }
	}
	i := slices.IndexFunc(names, has)
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// PruneDefaults returns the schema with the defaults that kube-apiserver serves. If none changes,
// it returns node.
//
// A default in an accepted definition may have undeclared fields. The server puts each default into
// the smallest object that has it at its path. It then coerces and prunes that object.
func PruneDefaults(node *schema.Node) *schema.Node {
	if !node.Facts().Has(schema.HasDefaults) {
		return node
	}
	pruner := sync.OnceValue(func() *pruning.Pruner { return pruning.New(node) })
	embedded := objectmeta.Embedded{Schema: node, IsResource: true}
	withoutEmbedded := !node.Facts().Has(schema.HasEmbedded)
	return node.RewriteDefaults(func(path schema.Path, def any) any {
		if withoutEmbedded && !canShrink(def) {
			return def
		}
		obj, ok := Enclose(path, def).(map[string]any)
		if !ok {
			return def // the default of the root is not an object; the schema check refuses it
		}
		// Coerce does not change metadata that it cannot decode.
		_, _ = embedded.Coerce(obj, objectmeta.Options{DropInvalid: true})
		pruner().Prune(obj)
		after, _ := path.Lookup(obj)
		return after
	})
}

// canShrink reports whether pruning can remove something from v.
func canShrink(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// Enclose returns the smallest value that has v at path.
func Enclose(path schema.Path, v any) any {
	for i := len(path) - 1; i >= 0; i-- {
		if name, ok := path[i].Name(); ok {
			v = map[string]any{name: v}
		} else {
			v = []any{v}
		}
	}
	return v
}

// equalities compare schemas as the server does. Empty values equal missing ones, but a pointer to
// zero does not equal nil. Literals are equal if they decode to equal values.
var equalities = sync.OnceValue(func() conversion.Equalities {
	return conversion.EqualitiesOrDie(func(a, b apiextensionsv1.JSON) bool {
		return bytes.Equal(a.Raw, b.Raw) || jsonval.Equal(literal(a), literal(b))
	})
})

// SameSchema reports whether two schemas are equal, including descriptions. Versions with equal
// schemas share the compiled schema. Schemas may be nil.
func SameSchema(a, b *apiextensionsv1.JSONSchemaProps) bool { return equalities().DeepEqual(a, b) }

// literal decodes a literal. It returns nil for null and for invalid JSON.
func literal(j apiextensionsv1.JSON) (v any) {
	if json.Unmarshal(j.Raw, &v) != nil {
		return nil
	}
	return v
}

// CheckImmutable returns kube-apiserver's errors about fields that an update must not change: the
// group and the plural name, by which objects are stored, and scope and kind if the definition is
// established.
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

// CheckVersions returns kube-apiserver's errors if a version name is repeated, or if there is not
// exactly one storage version. path is the path of the versions, and value is their value in
// errors.
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

// CheckStored returns kube-apiserver's errors about stored versions. There must be at least one,
// the storage version must be among them, and spec.versions must have all of them. If a version is
// repeated in spec.versions, the last one counts.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version.
func CheckStored(versions []apiextensionsv1.CustomResourceDefinitionVersion, stored []string) field.ErrorList {
	if len(versions) == 1 && len(stored) == 1 && versions[0].Name == stored[0] { // the usual case
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
