// Package leafcheck decides whether a value is valid under a schema, and nothing
// more: no error texts, no paths, no allocation.
//
// [New] compiles a schema node into a tree of [Node], in which everything that
// depends on the schema alone is decided already. The type of a value is one
// look at a bit mask, whatever combination of type, format, nullable and
// x-kubernetes-int-or-string a schema declares; patterns are automata; formats
// are functions; bounds are converted to the type that they are compared in.
//
// # Semantics
//
// [Node.Valid] covers all value validations, under junctors too, and the
// uniqueness that x-kubernetes-list-type demands. What a value is allowed to
// be is what kube-apiserver allows, its peculiarities included; each is
// explained where it is implemented:
//
//   - null is subject to type and enum, and to nothing else;
//   - a string with a format may be an array ([Type]);
//   - bounds of integers lose their fraction, and bounds that do not fit the
//     declared type refuse every number ([Number]);
//   - numbers are converted before they are compared with an enum ([Enum]);
//   - elements of sets are compared by identity of Go values, composite ones
//     by their JSON text ([List]).
//
// What [Node.Valid] refuses, package validation explains by walking the same
// tree, which is why the fields of Node are exported. They are read only.
//
// # Differences from Kubernetes
//
// Values are what JSON decodes to: nil, bool, int64, float64, string, []any
// and map[string]any. A value of another Go type has no JSON type and is
// refused wherever a schema declares one.
//
// # Concurrency and ownership
//
// A Node is immutable and safe for concurrent use. Equal schema nodes become
// one Node. No method changes or keeps the value that it looks at.
package leafcheck
