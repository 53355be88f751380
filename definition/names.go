package definition

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdkit/crdkit/internal/metadata/objectname"
	"github.com/crdkit/crdkit/internal/path/pathstack"
)

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
	if objectname.IsOldLabel(name) {
		return
	}
	if texts := validation.IsDNS1035Label(name); len(texts) > 0 {
		c.invalid(path, name, strings.Join(texts, ","))
	}
}

// kind checks a kind, which is a label except for its case.
func (c *checker) kind(name string, path *pathstack.Chain) {
	if name == "" || objectname.IsKind(name) {
		return
	}
	if texts := validation.IsDNS1035Label(strings.ToLower(name)); len(texts) > 0 {
		c.invalid(path, name, "may have mixed case, but should otherwise match: "+strings.Join(texts, ","))
	}
}
