package jsonschema

import "reflect"

// The server prunes, drops nulls and sets defaults before it checks schemas below junctors. A
// validator of JSON Schema sees the object before these steps. So the translation of a schema
// accepts at least what the server accepts, and says whether it is exact. Only an exact translation
// may be negated or be a branch of oneOf.

func (e *exporter) junctors(out object, s, core *props) bool {
	exact := true
	var all []any
	for i := range s.AllOf {
		branch, same := e.nested(&s.AllOf[i], core)
		exact = same && exact
		if len(branch) > 0 {
			all = append(all, branch)
		}
	}
	one, same := e.branches(s.OneOf, core)
	switch {
	case len(one) > 0 && same:
		out["oneOf"] = one
	case len(one) > 0:
		all = append(all, object{"anyOf": one})
	}
	exact = exact && (same || len(s.OneOf) == 0)
	some, same := e.branches(s.AnyOf, core)
	if len(some) > 0 && !typesOnly(s, some) {
		out["anyOf"] = some
	}
	exact = exact && (same || len(s.AnyOf) == 0)
	if s.Not != nil {
		branch, same := e.nested(s.Not, core)
		if same {
			out["not"] = branch
		}
		exact = exact && same
	}
	if len(all) > 0 {
		out["allOf"] = all
	}
	return exact
}

// branches returns the translations of alternatives, and whether all are exact. If one alternative
// accepts every value, and not all are exact, it returns no translations.
func (e *exporter) branches(list []props, core *props) ([]any, bool) {
	var out []any
	exact, trivial := true, false
	for i := range list {
		branch, same := e.nested(&list[i], core)
		exact = exact && same
		trivial = trivial || len(branch) == 0
		out = append(out, branch)
	}
	if trivial && !exact {
		return nil, false
	}
	return out, exact
}

// typesOnly reports whether alternatives only allow integers and strings, like int-or-string.
func typesOnly(s *props, branches []any) bool {
	return s.XIntOrString && reflect.DeepEqual(branches, []any{object{"type": "integer"}, object{"type": "string"}})
}

// nested translates a schema below a junctor, and reports whether the translation is exact. core is
// the schema outside the junctor, which the same value must match.
func (e *exporter) nested(s, core *props) (object, bool) {
	out := object{}
	if s.Type != "" {
		out["type"] = s.Type
	}
	exact := e.values(out, s, core)
	properties := object{}
	for name, child := range s.Properties {
		own := property(core, name)
		if own == nil || e.reserved(core, name) {
			exact = false
			continue
		}
		branch, same := e.child(&child, own)
		exact = exact && same
		if len(branch) > 0 {
			properties[name] = branch
		}
	}
	var wanted []string
	for _, name := range s.Required {
		own := property(core, name)
		switch {
		case own == nil, e.reserved(core, name):
			exact = false
		// An object may lack a property with a default: the server sets it first.
		case hasDefault(own) && additional(core) != own:
		case own.Nullable:
			wanted = append(wanted, name)
		default:
			wanted = append(wanted, name)
			notNull(properties, name)
		}
	}
	if len(wanted) > 0 {
		out["required"] = union(nil, wanted)
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	return out, e.nestedElements(out, s, core) && exact
}

// nestedElements translates the schema of elements below a junctor. additionalProperties is not
// allowed there.
func (e *exporter) nestedElements(out object, s, core *props) bool {
	child := items(s)
	if child == nil {
		return true
	}
	own := items(core)
	if own == nil {
		return false
	}
	branch, same := e.child(child, own)
	out["items"] = branch
	return same
}

// child translates the schema s of a field or element below a junctor. own is the node of the
// value. The translation accepts null, because the server drops it or replaces it by a default. If
// own is nullable, the server checks null only against the type and the enum.
func (e *exporter) child(s, own *props) (object, bool) {
	branch, exact := e.nested(s, own)
	if hasDefault(own) {
		exact = false
	}
	if len(branch) == 0 {
		return branch, exact
	}
	_, enum := branch["enum"]
	_, typed := branch["type"]
	if own.Nullable && (enum || typed) {
		return branch, exact
	}
	return orNull(branch), exact
}

// notNull makes a property refuse null, which the server treats as absent.
func notNull(properties object, name string) {
	refuse := object{"not": object{"type": "null"}}
	if before, ok := properties[name]; ok {
		properties[name] = object{"allOf": []any{before, refuse}}
		return
	}
	properties[name] = refuse
}

// reserved reports whether the server changes a field of core before it checks the object.
func (e *exporter) reserved(core *props, name string) bool {
	switch name {
	case "apiVersion", "kind", "metadata":
		return core == e.top || core.XEmbeddedResource
	case "status":
		return core == e.top && e.status
	}
	return false
}
