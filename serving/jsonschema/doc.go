// Package jsonschema exports the schema of a CustomResourceDefinition as JSON Schema,
// draft 2020-12 or draft-07, for editors and validators that do not know Kubernetes.
//
// This package is experimental.
//
//	data, err := jsonschema.Export(crd, "v1")
//	if err != nil {
//		return err // no such version, or its schema is not structural
//	}
//	err = os.WriteFile("crontab-v1.json", data, 0o666)
//
//	data, err = jsonschema.Export(crd, "v1", jsonschema.Draft07(), jsonschema.Strict())
//
// # Semantics
//
// The exported schema accepts every object that the server accepts on creation. It may accept more,
// because JSON Schema cannot express every constraint; docs/json-schema.md lists the constraints
// that are left out. The schema describes an object before the server prunes it and sets defaults:
//
//   - unknown fields are accepted, because the server prunes them;
//   - a field with a default is never required;
//   - null is accepted where the server drops it or replaces it by a default: everywhere except
//     in arrays and in required fields;
//   - status is not checked if it is a subresource.
//
// If a constraint would refuse an object that the server repairs and accepts, the constraint is
// widened or left out: oneOf may become anyOf, and the keyword not may be left out.
//
// x-kubernetes-int-or-string becomes a choice of types. An embedded resource requires apiVersion
// and kind. x-kubernetes-preserve-unknown-fields only has an effect with [Strict]. A list of type
// set has unique items if they are strings or booleans. [KeepExtensions] keeps the keywords
// x-kubernetes-* of the definition.
//
// A schema with [Strict] is for authors of objects. It may refuse objects that the server accepts.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
// and https://json-schema.org/specification.
//
// # Differences from Kubernetes
//
// The server has no such export. The schema refuses two kinds of values that the server
// accepts: an array where the definition declares a string with a format, and numbers
// that 64 bits cannot tell apart.
//
// # Concurrency and ownership
//
// [Export] does not change or keep the definition and may be called from several
// goroutines. The same definition gives the same bytes.
package jsonschema
