// Package jsonschema exports the schema of a CustomResourceDefinition as JSON
// Schema, draft 2020-12 or draft-07, for editors and validators that know
// nothing of Kubernetes.
//
//	data, err := jsonschema.Export(crd, "v1")
//	data, err = jsonschema.Export(crd, "v1", jsonschema.Draft07(), jsonschema.Strict())
//
// # Semantics
//
// What the server accepts when an object is created, the exported schema
// accepts. The reverse does not hold: JSON Schema cannot say everything, and
// docs/JSON-SCHEMA.md lists what is left out. The schema is about an object as
// it is written, before the server prunes it and sets defaults, so that
//
//   - unknown fields are accepted, for they are pruned;
//   - a field with a default is never required;
//   - null is accepted wherever the server drops it or puts a default in its
//     place, which is everywhere but in arrays and where a field is required;
//   - status is not looked at if it is a subresource.
//
// Where a constraint would refuse an object as it is written that the server
// accepts in the end, it is left out or widened: oneOf becomes anyOf, and not
// is dropped, if what is below them is not exactly what the server checks.
//
// x-kubernetes-int-or-string is a choice of types. An embedded resource needs
// apiVersion and kind. x-kubernetes-preserve-unknown-fields has nothing to say,
// except to [Strict]. A list of type set has unique items if they are strings or
// booleans.
//
// With [Strict] the schema is for people who write: it refuses unknown fields,
// nulls that are not meant, texts that are not of the format that JSON Schema
// has under the name, and statuses that do not fit. It may refuse what the server
// accepts.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
// and https://json-schema.org/specification.
//
// # Differences from Kubernetes
//
// The server has no such export. Two of its quirks are not followed, although
// the schema then refuses what it accepts: an array where a string with a
// format is declared, and numbers that are too close together for 64 bits.
//
// # Concurrency and ownership
//
// [Export] may be called from any number of goroutines as long as nobody changes
// the definition, which is neither changed nor kept. The same definition gives
// the same bytes.
package jsonschema
