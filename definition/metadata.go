package definition

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/metadata/objectname"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// metadata finds the pointers of apimachinery's errors, which have only a path and a value.
type metadata struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	kept     []int                        // the original indexes of the owner references; nil if all are kept
	warnings []Warning                    // about duplicate owner references
	entries  map[string]map[string]string // the results of entriesOf by pointer
}

const ownersPointer = "/metadata/ownerReferences"

// dropDuplicateOwners removes repeated owner references from crd, as the server does.
func dropDuplicateOwners(crd *apiextensionsv1.CustomResourceDefinition) *metadata {
	m := &metadata{crd: crd}
	kept, was, texts := objectmeta.UniqueOwners(crd.OwnerReferences)
	if len(texts) == 0 {
		return m
	}
	crd.OwnerReferences, m.kept = kept, was
	for _, text := range texts {
		m.warnings = append(m.warnings, Warning{Text: text, Pointer: ownersPointer})
	}
	return m
}

// plainPointer returns the pointer of a field whose names need no escaping.
func plainPointer(field string) string {
	return "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(field)
}

// pointer returns the pointer of an error. In annotations, labels and finalizers it leads to the
// entry that has the error's value.
func (m *metadata) pointer(err *field.Error) string {
	pointer := plainPointer(err.Field)
	if rest, ok := strings.CutPrefix(pointer, ownersPointer+"/"); ok && m.kept != nil {
		number, rest, _ := strings.Cut(rest+"/", "/")
		if i, err := strconv.Atoi(number); err == nil {
			return strings.TrimSuffix(ownersPointer+"/"+strconv.Itoa(m.kept[i])+"/"+rest, "/")
		}
	}
	if text, ok := err.BadValue.(string); ok {
		if entry, ok := m.entriesOf(pointer)[text]; ok {
			return pointer + "/" + schema.EscapePointer(entry)
		}
	}
	return pointer
}

// entriesOf returns the key of each entry at pointer, by key and by value. A text that is both
// stands for the key. Equal values stand for the first.
func (m *metadata) entriesOf(pointer string) map[string]string {
	if entries, ok := m.entries[pointer]; ok {
		return entries
	}
	entries := map[string]string{}
	named := func(values map[string]string) {
		for _, key := range slices.Backward(slices.Sorted(maps.Keys(values))) {
			entries[values[key]] = key
		}
		for key := range values {
			entries[key] = key
		}
	}
	switch pointer {
	case "/metadata/annotations":
		named(m.crd.Annotations)
	case "/metadata/labels":
		named(m.crd.Labels)
	case "/metadata/finalizers":
		for i, text := range slices.Backward(m.crd.Finalizers) {
			entries[text] = strconv.Itoa(i)
		}
	}
	if m.entries == nil {
		m.entries = map[string]map[string]string{}
	}
	m.entries[pointer] = entries
	return entries
}

// located returns errors about the metadata, and records their pointers.
func (m *metadata) located(errs field.ErrorList, cfg *config) field.ErrorList {
	for _, err := range errs {
		cfg.limit.AtPointer(m.pointer(err), err)
	}
	return errs
}

func (c *checker) group(group string, path *pathstack.Chain) {
	if group == "" {
		c.required(path, "")
		return
	}
	if !objectname.IsSubdomain(group) {
		c.invalid(path, group, strings.Join(validation.IsDNS1123Subdomain(group), ","))
		return
	}
	if !strings.Contains(group, ".") {
		c.invalid(path, group, "should be a domain with at least one dot")
	}
}

// oneOf checks a scope or a strategy, which has one of two values.
func (c *checker) oneOf(value string, path *pathstack.Chain, accepted ...string) {
	switch value {
	case "":
		c.required(path, "")
	case accepted[0], accepted[1]:
	default:
		c.unsupported(path, value, accepted)
	}
}

// specNames checks that the required names are set, and that all names are well-formed.
func (c *checker) specNames(n *apiextensionsv1.CustomResourceDefinitionNames, path *pathstack.Chain) {
	for _, required := range []struct{ field, value string }{
		{"plural", n.Plural}, {"singular", n.Singular}, {"kind", n.Kind}, {"listKind", n.ListKind},
	} {
		if required.value == "" {
			c.required(path.Child(required.field), "")
		}
	}
	c.names(n, path)
}

func (c *checker) names(n *apiextensionsv1.CustomResourceDefinitionNames, path *pathstack.Chain) {
	c.label(n.Plural, path.Child("plural"))
	c.label(n.Singular, path.Child("singular"))
	c.kind(n.Kind, path.Child("kind"))
	c.kind(n.ListKind, path.Child("listKind"))
	for i, name := range n.ShortNames {
		c.requiredLabel(name, path.Child("shortNames").Index(i))
	}
	if n.Kind != "" && n.Kind == n.ListKind {
		c.invalid(path.Child("listKind"), n.ListKind, "kind and listKind may not be the same")
	}
	for i, name := range n.Categories {
		c.requiredLabel(name, path.Child("categories").Index(i))
	}
}

func (c *checker) label(name string, path *pathstack.Chain) {
	if name != "" {
		c.requiredLabel(name, path)
	}
}

func (c *checker) requiredLabel(name string, path *pathstack.Chain) {
	if objectname.IsDNS1035Label(name) {
		return
	}
	if texts := validation.IsDNS1035Label(name); len(texts) > 0 {
		c.invalid(path, name, strings.Join(texts, ","))
	}
}

// kind checks a kind. It must be a DNS label, but may have upper case.
func (c *checker) kind(name string, path *pathstack.Chain) {
	if name == "" || objectname.IsKind(name) {
		return
	}
	if texts := validation.IsDNS1035Label(strings.ToLower(name)); len(texts) > 0 {
		c.invalid(path, name, "may have mixed case, but should otherwise match: "+strings.Join(texts, ","))
	}
}
