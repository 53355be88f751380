package hostile

import (
	"fmt"
	"strings"
)

// An Input is the input of one operation. The texts are JSON or YAML.
type Input struct {
	Definition string // the definition of the objects, or the input itself
	Old        string // the object or the definition that the update replaces
	Object     string // the object of a request
}

// Size returns the number of bytes of all texts.
func (in Input) Size() int { return len(in.Definition) + len(in.Old) + len(in.Object) }

// A Case is an operation on an input that grows.
type Case struct {
	Name  string // operation and dimension, as "create/unknown fields"
	Op    Op
	N     int // the smaller size; the larger one is 8 times as large
	Input func(n int) Input
	Want  Verdict
	Most  int // largest size that the operation can receive, 0 for any
}

// Larger returns the size of the case times a factor, or the largest one.
func (c Case) Larger(factor int) int {
	if c.Most > 0 {
		return min(factor*c.N, c.Most)
	}
	return factor * c.N
}

// each joins n texts with commas.
func each(n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text(i))
	}
	return b.String()
}

// format returns a function that formats its argument.
func format(layout string) func(i int) string {
	return func(i int) string { return fmt.Sprintf(layout, i) }
}

// constant returns a function that always returns the text.
func constant(text string) func(i int) string {
	return func(int) string { return text }
}

// nested returns n times open, the middle, and n times end.
func nested(n int, open, middle, end string) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

// widget returns a definition of widgets.example.com with one version, whose
// spec has the schema.
func widget(spec string) string {
	return versions(version("v1", true, spec))
}

// versions returns a definition with the versions.
func versions(list string) string {
	return resource(list, `"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"`)
}

// resource returns a definition with versions and names.
func resource(versions, names string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",` +
		`"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",` +
		`"names":{` + names + `},"versions":[` + versions + `]}}`
}

// version returns a version whose spec has the schema.
func version(name string, storage bool, spec string) string {
	return versionWith(name, storage, spec, `,"subresources":{"status":{}}`)
}

// versionWith returns a version with more members, each after a comma.
func versionWith(name string, storage bool, spec, more string) string {
	return fmt.Sprintf(`{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object",`+
		`"properties":{"spec":%s,"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}%s}`,
		name, storage, spec, more)
}

// properties returns a schema of an object with n properties.
func properties(n int, text func(i int) string) string {
	return `{"type":"object","properties":{` +
		each(n, func(i int) string { return fmt.Sprintf(`"p%d":%s`, i, text(i)) }) + `}}`
}

// list returns a schema of an object with one list l of items.
func list(items, more string) string {
	return `{"type":"object","properties":{"l":{"type":"array","items":` + items + more + `}}}`
}

// object returns a widget with a spec.
func object(spec string) string { return objectWith("", spec) }

// objectWith returns a widget with more members of metadata, each after a comma.
func objectWith(metadata, spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"` +
		metadata + `},"spec":` + spec + `}`
}

// stored returns a widget as a store keeps it.
func stored(metadata, spec string) string {
	return objectWith(`,"uid":"5f7a6b1c-0000-4000-8000-000000000007","resourceVersion":"7",`+
		`"creationTimestamp":"2024-02-29T12:00:00Z"`+metadata, spec)
}

// preserved is the schema of an object with any fields.
const preserved = `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`

// MemoryLimit returns the number of bytes that a process may take that runs an
// operation on the input.
func MemoryLimit(in Input) int { return 20*in.Size() + 64<<20 }
