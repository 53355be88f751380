package openapi

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// The paths of a version are the server's paths of one definition in namespaces, with
// the names of this definition: builtin.json has ‹kind› and the like in their place.

// paths adds the paths of the version to d, and the parameters that they share.
func (b *builder) paths(d *Document) error {
	names := b.names()
	escaped := slices.Clone(names)
	for i := 1; i < len(names); i += 2 {
		text, err := encode(names[i])
		if err != nil {
			return err
		}
		escaped[i] = string(text[1 : len(text)-1])
	}
	inPath, inText := strings.NewReplacer(names...), strings.NewReplacer(escaped...)
	namespaced, status := b.crd.Spec.Scope == "Namespaced", b.version.Subresources != nil && b.version.Subresources.Status != nil
	for path, text := range b.builtin.Paths[b.format.String()] {
		inNamespace := strings.Contains(path, "{namespace}")
		switch {
		case !inNamespace && !namespaced, strings.HasSuffix(path, "/status") && !status, strings.HasSuffix(path, "/scale") && !b.hasScale():
			continue
		case !namespaced:
			var err error
			if path, text, err = atCluster(path, text); err != nil {
				return err
			}
		}
		text = inText.Replace(text)
		d.paths[inPath.Replace(path)] = json.RawMessage(text)
		for name, p := range b.builtin.Parameters {
			if strings.Contains(text, `"#/parameters/`+name+`"`) {
				d.parameters[name] = p
			}
		}
	}
	return nil
}

// names returns the placeholders, each followed by what it stands for. Identifiers of
// operations have names in camel case.
func (b *builder) names() []string {
	group := strings.TrimSuffix(b.group, ".k8s.io")
	namespaced, kind, inner := "", identifier(b.kind, true), strings.TrimPrefix(identifier("x"+b.kind, false), "x")
	namespacedKind := kind
	if b.crd.Spec.Scope == "Namespaced" {
		namespaced = "Namespaced"
		namespacedKind = namespaced + inner
	}
	return []string{
		"‹group›", b.group, "‹version›", b.version.Name, "‹plural›", b.crd.Spec.Names.Plural, "‹kind›", b.kind, "‹list›", b.list,
		"‹model›", b.modelName(""), "‹article›", article(b.kind), "‹tag›", identifier(group, false) + "_" + identifier(b.version.Name, false),
		"‹Group›", identifier(group, true), "‹Version›", identifier(b.version.Name, true), "‹Kind›", kind, "‹innerKind›", inner,
		"‹Namespaced›", namespaced, "‹NamespacedKind›", namespacedKind,
	}
}

// atCluster removes the namespace from a path and its operations.
func atCluster(path, text string) (string, string, error) {
	var item map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &item); err != nil {
		return "", "", err
	}
	var parameters []map[string]any
	if err := json.Unmarshal(item["parameters"], &parameters); err != nil {
		return "", "", err
	}
	parameters = slices.DeleteFunc(parameters, func(p map[string]any) bool {
		ref, _ := p["$ref"].(string)
		return p["name"] == "namespace" || strings.HasPrefix(ref, "#/parameters/namespace-")
	})
	var err error
	if item["parameters"], err = encode(parameters); err != nil {
		return "", "", err
	}
	encoded, err := encode(item)
	return strings.Replace(path, "/namespaces/{namespace}", "", 1), string(encoded), err
}

func (b *builder) hasScale() bool {
	return b.version.Subresources != nil && b.version.Subresources.Scale != nil
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
