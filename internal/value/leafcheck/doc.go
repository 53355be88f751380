// Package leafcheck checks whether a value is valid under a schema. It returns only a verdict: no
// error texts, no paths, no allocation.
//
// A [Compiler] compiles a schema into a tree of [Node]. The tree holds everything that depends only
// on the schema. One test of a bit mask checks the type of a value, for any combination of type,
// format, nullable and x-kubernetes-int-or-string. Patterns are automata, formats are functions,
// and bounds are converted to the type in which they are compared.
//
//	c := leafcheck.NewCompiler(leafcheck.Config{Minor: 37})
//	valid := c.Node(node).Valid(value)
//
// # Semantics
//
// [Node.Valid] covers all value validations, also below allOf, anyOf, oneOf and not, and the
// uniqueness that x-kubernetes-list-type requires. It admits what kube-apiserver admits, even where
// that is unexpected:
//
//   - only type and enum apply to null;
//   - an array is valid where a string with a format is declared ([Type]);
//   - bounds of integers lose their fraction, and bounds outside the range of
//     the declared type refuse every number ([Number]);
//   - numbers are converted before they are compared with an enum ([Enum]);
//   - scalar elements of sets are compared as Go values, objects and lists by
//     their JSON text ([List]).
//
// Package validation walks the same tree to explain why a value is not valid, so the fields of Node
// are exported. They must not be changed.
//
// Values must have the types to which JSON is decoded. A value of another Go type has no JSON type:
// it is refused if the schema declares a type.
//
// A Node is immutable and safe for concurrent use. No method changes or keeps a value.
package leafcheck
