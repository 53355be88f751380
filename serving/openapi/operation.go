package openapi

import (
	"strings"
	"unicode"
)

// description returns the description of a request.
func (b *builder) description(r request, subresource string) string {
	of := ""
	if subresource != "" {
		of = " " + subresource + " of"
	}
	switch r.verb {
	case "list":
		return "list" + of + " objects of kind " + b.kind
	case "read", "replace":
		return r.verb + of + " the specified " + b.kind
	case "patch":
		return "partially update" + of + " the specified " + b.kind
	case "deletecollection":
		return "delete collection of " + b.kind
	default:
		return r.verb + of + article(b.kind) + b.kind
	}
}

// article returns the article of a kind between spaces, or one space if the
// name looks like a plural.
func article(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s") && !strings.HasSuffix(kind, "ss"):
		return " "
	case strings.Contains("aeiouAEIOU", kind[:1]):
		return " an "
	default:
		return " a "
	}
}

// operationID returns the identifier of a request, such as
// readStableExampleComV1NamespacedCronTabStatus.
func (b *builder) operationID(r request, subresource string) string {
	verb, rest := r.verb, ""
	if verb == "deletecollection" {
		// The server splits the verb after the first verb that it knows.
		verb, rest = "delete", "collection"
	}
	if b.crd.Spec.Scope == "Namespaced" && r.suffix == "" {
		rest += "Namespaced"
	}
	rest += b.kind + r.suffix
	if subresource != "" {
		rest += strings.ToUpper(subresource[:1]) + subresource[1:]
	}
	return verb + identifier(b.tagGroup(), true) + identifier(b.version.Name, true) + identifier(rest, true)
}

// tag returns the tag of the requests of a group and version.
func (b *builder) tag() string {
	return identifier(b.tagGroup(), false) + "_" + identifier(b.version.Name, false)
}

func (b *builder) tagGroup() string { return strings.TrimSuffix(b.group, ".k8s.io") }

// identifier returns the letters, digits and underscores of s in camel case.
// It begins with an upper case letter if upper, and never with a digit.
func identifier(s string, upper bool) string {
	var out strings.Builder
	for i, r := range s {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)) {
			upper = true
			continue
		}
		if upper {
			r = unicode.ToUpper(r)
			upper = false
		}
		out.WriteRune(r)
	}
	return out.String()
}
