package main

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// The functions of this file are the rules of the shapes in hand-written Go, on the
// same maps. They assume that values have the declared types.

func str(m map[string]any, name string) string { s, _ := m[name].(string); return s }

func num(m map[string]any, name string) int64 { n, _ := m[name].(int64); return n }

func list(m map[string]any, name string) []any { l, _ := m[name].([]any); return l }

func object(m map[string]any, name string) map[string]any { o, _ := m[name].(map[string]any); return o }

func has(m map[string]any, name string) bool { return m[name] != nil }

func each(l []any, ok func(m map[string]any) bool) bool {
	for _, e := range l {
		if m, is := e.(map[string]any); !is || !ok(m) {
			return false
		}
	}
	return true
}

func count(l []any, is func(m map[string]any) bool) int {
	n := 0
	for _, e := range l {
		if m, ok := e.(map[string]any); ok && is(m) {
			n++
		}
	}
	return n
}

func handTrivial(obj, _ map[string]any) bool { return num(object(obj, "spec"), "replicas") >= 0 }

var (
	nameForm    = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	percentForm = regexp.MustCompile(`^[0-9]+%$`)
	pathForm    = regexp.MustCompile(`^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$`)
	mostMemory  = resource.MustParse("64Gi")
)

func handTypical(obj, _ map[string]any) bool {
	spec := object(obj, "spec")
	name, ports := str(spec, "name"), list(spec, "ports")
	if has(spec, "class") {
		switch str(spec, "class") {
		case "small", "medium", "large":
		default:
			return false
		}
	}
	if num(spec, "minReplicas") > num(spec, "maxReplicas") || !nameForm.MatchString(name) || len(ports) > 20 {
		return false
	}
	if !each(ports, func(p map[string]any) bool { n := num(p, "number"); return n > 0 && n < 65536 }) ||
		count(ports, func(p map[string]any) bool { return str(p, "name") == "https" }) == 0 {
		return false
	}
	if !strings.HasPrefix(name, "web-") && !strings.HasPrefix(name, "api-") {
		return false
	}
	if tier, ok := object(spec, "labels")["tier"]; ok && tier == "none" {
		return false
	}
	switch v := spec["surge"].(type) {
	case int64:
		if v < 0 {
			return false
		}
	case string:
		if !percentForm.MatchString(v) {
			return false
		}
	}
	memory, err := resource.ParseQuantity(str(spec, "memory"))
	return err == nil && memory.Cmp(mostMemory) < 0
}

func handItems(obj, _ map[string]any) bool {
	return each(list(object(obj, "spec"), "items"), func(m map[string]any) bool {
		name := str(m, "name")
		return num(m, "min") <= num(m, "max") && name != "" && !strings.HasSuffix(name, "-")
	})
}

func handTransition(obj, old map[string]any) bool {
	spec, before := object(obj, "spec"), object(old, "spec")
	if before == nil {
		return true
	}
	if str(spec, "name") != str(before, "name") || num(spec, "replicas") < num(before, "replicas") || has(spec, "class") != has(before, "class") {
		return false
	}
	zones := list(spec, "zones")
	for _, z := range list(before, "zones") {
		if !slices.Contains(zones, z) {
			return false
		}
	}
	if mode := str(spec, "mode"); str(before, "mode") == "Active" && mode != "Active" && mode != "Draining" {
		return false
	}
	ports := list(before, "ports")
	return each(list(spec, "ports"), func(p map[string]any) bool {
		name := str(p, "name")
		return each(ports, func(q map[string]any) bool {
			return str(q, "name") != name || num(q, "number") == num(p, "number")
		})
	})
}

func handRoute(obj, _ map[string]any) bool {
	spec := object(obj, "spec")
	parents, rules := list(spec, "parentRefs"), list(spec, "rules")
	if !handParents(parents) {
		return false
	}
	matches := 0
	for _, r := range rules {
		matches += len(list(r.(map[string]any), "matches"))
	}
	if matches > 128 {
		return false
	}
	return each(rules, func(r map[string]any) bool {
		if has(r, "name") && count(rules, func(o map[string]any) bool { return has(o, "name") && str(o, "name") == str(r, "name") }) != 1 {
			return false
		}
		return handRouteRule(r)
	})
}

func handParents(parents []any) bool {
	same := func(p, q map[string]any) bool {
		return str(p, "group") == str(q, "group") && str(p, "kind") == str(q, "kind") && str(p, "name") == str(q, "name") && str(p, "namespace") == str(q, "namespace")
	}
	return each(parents, func(p map[string]any) bool {
		return each(parents, func(q map[string]any) bool {
			return !same(p, q) || (str(p, "sectionName") == "") == (str(q, "sectionName") == "") && (num(p, "port") == 0) == (num(q, "port") == 0)
		}) && count(parents, func(q map[string]any) bool {
			return same(p, q) && str(p, "sectionName") == str(q, "sectionName")
		}) == 1
	})
}

func handRouteRule(r map[string]any) bool {
	filters, backends, matches := list(r, "filters"), list(r, "backendRefs"), list(r, "matches")
	if len(backends) > 0 && count(filters, func(f map[string]any) bool { return has(f, "requestRedirect") }) > 0 {
		return false
	}
	if count(filters, func(f map[string]any) bool {
		path := object(object(f, "urlRewrite"), "path")
		return str(path, "type") == "ReplacePrefixMatch" && has(path, "replacePrefixMatch")
	}) == 1 && (len(matches) != 1 || str(object(matches[0].(map[string]any), "path"), "type") != "PathPrefix") {
		return false
	}
	if t := object(r, "timeouts"); has(t, "request") && has(t, "backendRequest") {
		whole, err := time.ParseDuration(str(t, "request"))
		part, err2 := time.ParseDuration(str(t, "backendRequest"))
		if err != nil || err2 != nil || whole != 0 && part > whole {
			return false
		}
	}
	return handFilters(filters) &&
		each(backends, func(b map[string]any) bool {
			return str(b, "group") != "" || str(b, "kind") != "Service" || has(b, "port")
		}) &&
		each(matches, func(m map[string]any) bool { return !has(m, "path") || handPath(object(m, "path")) })
}

func handFilters(filters []any) bool {
	var headers, redirects, rewrites int
	for _, f := range filters {
		f := f.(map[string]any)
		typ := str(f, "type")
		switch typ {
		case "RequestHeaderModifier":
			headers++
		case "RequestRedirect":
			redirects++
		case "URLRewrite":
			rewrites++
		}
		if has(f, "requestHeaderModifier") != (typ == "RequestHeaderModifier") || has(f, "requestRedirect") != (typ == "RequestRedirect") || has(f, "urlRewrite") != (typ == "URLRewrite") {
			return false
		}
	}
	return headers <= 1 && redirects <= 1 && rewrites <= 1 && (redirects == 0 || rewrites == 0)
}

func handPath(p map[string]any) bool {
	value := str(p, "value")
	switch str(p, "type") {
	case "Exact", "PathPrefix":
		return strings.HasPrefix(value, "/") && !strings.Contains(value, "//") && !strings.Contains(value, "/./") && !strings.Contains(value, "/../") &&
			!strings.Contains(value, "%2f") && !strings.Contains(value, "#") && !strings.HasSuffix(value, "/..") && pathForm.MatchString(value)
	case "RegularExpression":
		return true
	}
	return false
}
