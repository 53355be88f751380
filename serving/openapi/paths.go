package openapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A request is one operation of a path: the server's names of its action and
// verb, and the names of the schemas that it reads and returns.
type request struct {
	method  string // as OpenAPI spells it
	action  string // x-kubernetes-action
	verb    string // begins its operation and description
	reads   string // schema of the body, "" if there is none
	returns string
	suffix  string // of the operation
}

// paths returns the paths of the version and adds their shared parameters to d.
func (b *builder) paths(d *Document) map[string]any {
	gv := "/apis/" + b.group + "/" + b.version.Name + "/"
	root := gv + b.crd.Spec.Names.Plural
	kind, list, scale := b.modelName(b.kind), b.modelName(b.list), scaleTypes+"Scale"
	out := map[string]any{}
	if b.crd.Spec.Scope == "Namespaced" {
		out[root] = b.path(d, root, "", []request{{method: "get", action: "list", verb: "list", returns: list, suffix: "ForAllNamespaces"}})
		root = gv + "namespaces/{namespace}/" + b.crd.Spec.Names.Plural
	}
	out[root] = b.path(d, root, "", []request{
		{method: "get", action: "list", verb: "list", returns: list},
		{method: "post", action: "post", verb: "create", reads: kind, returns: kind},
		{method: "delete", action: "deletecollection", verb: "deletecollection", returns: metaTypes + "Status"},
	})
	item := root + "/{name}"
	out[item] = b.path(d, item, "", append(ofItem(kind),
		request{method: "delete", action: "delete", verb: "delete", reads: metaTypes + "DeleteOptions", returns: metaTypes + "Status"}))
	if sub := b.version.Subresources; sub != nil && sub.Status != nil {
		out[item+"/status"] = b.path(d, item+"/status", "status", ofItem(kind))
	}
	if b.hasScale() {
		out[item+"/scale"] = b.path(d, item+"/scale", "scale", ofItem(scale))
	}
	return out
}

// ofItem returns the requests that an object and its subresources have.
func ofItem(kind string) []request {
	return []request{
		{method: "get", action: "get", verb: "read", returns: kind},
		{method: "put", action: "put", verb: "replace", reads: kind, returns: kind},
		{method: "patch", action: "patch", verb: "patch", reads: metaTypes + "Patch", returns: kind},
	}
}

func (b *builder) hasScale() bool {
	return b.version.Subresources != nil && b.version.Subresources.Scale != nil
}

func isScale(name string) bool { return strings.HasPrefix(name, scaleTypes) }

// path returns a path with its operations. Parameters of all operations become
// parameters of the path.
func (b *builder) path(d *Document, path, subresource string, requests []request) object {
	count := map[string]int{}
	for _, r := range requests {
		for _, p := range b.parameters(path, r) {
			count[p.Parameter.Name]++
		}
	}
	out := object{}
	for i, r := range requests {
		op := b.operation(r, subresource)
		var own, common []any
		for _, p := range b.parameters(path, r) {
			if count[p.Parameter.Name] == len(requests) {
				common = append(common, b.encoded(d, p))
			} else {
				own = append(own, b.encoded(d, p))
			}
		}
		b.addBody(d, op, &own, r)
		if own != nil {
			op["parameters"] = own
		}
		if i == 0 && common != nil {
			out["parameters"] = common
		}
		out[r.method] = op
	}
	return out
}

// parameters returns the parameters of a request in the order of their names.
func (b *builder) parameters(path string, r request) []sharedParameter {
	list := slices.Concat(b.builtin.Parameters["every"], b.builtin.Parameters[r.action])
	if strings.Contains(path, "{namespace}") {
		list = append(list, b.builtin.Parameters["path"]...)
	}
	if strings.Contains(path, "{name}") {
		list = append(list, sharedParameter{Parameter: parameter{
			Description: "name of the " + b.kind, In: "path", Name: "name", Required: true, Type: "string", UniqueItems: true,
		}})
	}
	slices.SortFunc(list, func(a, b sharedParameter) int { return cmp.Compare(a.Parameter.Name, b.Parameter.Name) })
	return list
}

// encoded returns a parameter in the form of the document.
func (b *builder) encoded(d *Document, p sharedParameter) any {
	if b.format == v3 {
		s := object{}
		s.text("type", p.Parameter.Type)
		s.flag("uniqueItems", p.Parameter.UniqueItems)
		p.Parameter.Type, p.Parameter.UniqueItems, p.Parameter.Schema = "", false, s
		return p.Parameter
	}
	if p.Shared == "" {
		return p.Parameter
	}
	d.parameters[p.Shared] = p.Parameter
	return map[string]any{"$ref": "#/parameters/" + p.Shared}
}

// addBody adds the body of a request. In version 2 the body is one of the
// parameters own.
func (b *builder) addBody(d *Document, op object, own *[]any, r request) {
	if r.reads == "" {
		return
	}
	body := sharedParameter{Parameter: parameter{In: "body", Name: "body", Required: true, Schema: b.format.ref(r.reads)}}
	if list := b.builtin.Parameters["body "+r.action]; len(list) > 0 {
		body.Shared, body.Parameter.Required = list[0].Shared, list[0].Parameter.Required
	}
	if b.format == v2 {
		i := slices.IndexFunc(*own, func(p any) bool { return nameOf(d, p) > "body" })
		if i < 0 {
			i = len(*own)
		}
		*own = slices.Insert(*own, i, b.encoded(d, body))
		return
	}
	content := object{"content": contentOf(consumed(r.method), body.Parameter.Schema)}
	content.flag("required", body.Parameter.Required)
	op["requestBody"] = content
}

// nameOf returns the name of a parameter that encoded returned.
func nameOf(d *Document, p any) string {
	switch p := p.(type) {
	case parameter:
		return p.Name
	case map[string]any:
		ref, _ := p["$ref"].(string)
		return d.parameters[strings.TrimPrefix(ref, "#/parameters/")].Name
	default:
		return ""
	}
}

var produced = []string{"application/json", "application/yaml"}

func consumed(method string) []string {
	if method == "patch" {
		return []string{"application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"}
	}
	return produced
}

func contentOf(types []string, schema any) object {
	out := object{}
	for _, t := range types {
		out[t] = object{"schema": schema}
	}
	return out
}

// operation returns an operation without parameters.
func (b *builder) operation(r request, subresource string) object {
	op := object{
		"description":         b.description(r, subresource),
		"operationId":         b.operationID(r, subresource),
		"tags":                []string{b.tag()},
		"responses":           b.responses(r),
		"x-kubernetes-action": r.action,
		groupVersionKind:      b.gvk(b.kind),
	}
	if b.format == v2 {
		op["consumes"] = consumed(r.method)
		op["produces"] = produced
		op["schemes"] = []string{"https"}
	}
	return op
}

func (b *builder) responses(r request) object {
	texts := map[int]string{200: "OK"}
	switch r.action {
	case "post":
		texts[201], texts[202] = "Created", "Accepted"
	case "put":
		texts[201] = "Created"
	case "delete":
		texts[202] = "Accepted"
	}
	out := object{"401": object{"description": "Unauthorized"}}
	for code, text := range texts {
		response := object{"description": text}
		if b.format == v2 {
			response["schema"] = b.format.ref(r.returns)
		} else {
			response["content"] = contentOf(produced, b.format.ref(r.returns))
		}
		out[strconv.Itoa(code)] = response
	}
	return out
}

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
