package jsonschema

import "reflect"

// Junctors (a preface). What stands below allOf, anyOf, oneOf and not is checked
// by the server after it has pruned the object, dropped nulls and set defaults;
// a validator of JSON Schema sees the object as it was written. Each schema
// below a junctor is therefore translated to one that takes at least what the
// server takes, and the translation reports whether it takes exactly that. Only
// then may it be negated, or be one of several that exclude one another.

// junctors fills in the junctors of s, which are about values of the node core.
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

// branches returns the translations of alternatives and whether all are exact.
// There are none to choose from if one of them takes everything without being
// exact.
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

// typesOnly reports whether alternatives say no more than that a value is an
// integer or a string, which the type of an int-or-string says already.
func typesOnly(s *props, branches []any) bool {
	return s.XIntOrString && reflect.DeepEqual(branches, []any{object{"type": "integer"}, object{"type": "string"}})
}

// nested translates a schema below a junctor.
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
		case hasDefault(own) && additional(core) != own:
			// It is there when the server looks.
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

// nestedElements translates what a schema below a junctor says of elements.
func (e *exporter) nestedElements(out object, s, core *props) bool {
	exact := true
	if child := additional(s); child != nil {
		// Which fields are additional depends on what is pruned.
		exact = false
		if own := additional(core); own != nil && len(core.Properties) == 0 && len(s.Properties) == 0 {
			if branch, _ := e.child(child, own); len(branch) > 0 {
				out["additionalProperties"] = branch
			}
		}
	} else if s.AdditionalProperties != nil && !s.AdditionalProperties.Allows {
		exact = false
	}
	if child := items(s); child != nil {
		own := items(core)
		if own == nil {
			return false
		}
		branch, same := e.child(child, own)
		out["items"] = branch
		exact = exact && same
	}
	return exact
}

// child translates what a schema below a junctor says of a field or element
// whose node is own. Null is not looked at: it is dropped, or has become the
// default, or only its type and enum count.
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

// notNull makes a property refuse null, which is as good as absent there.
func notNull(properties object, name string) {
	refuse := object{"not": object{"type": "null"}}
	if before, ok := properties[name]; ok {
		properties[name] = object{"allOf": []any{before, refuse}}
		return
	}
	properties[name] = refuse
}

// reserved reports whether a field of core is one that is not in an object as
// it is written as it is when the server looks.
func (e *exporter) reserved(core *props, name string) bool {
	switch name {
	case "apiVersion", "kind", "metadata":
		return core == e.top || core.XEmbeddedResource
	case "status":
		return core == e.top && e.status
	}
	return false
}
