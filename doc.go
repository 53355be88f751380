// Package crdkit gives a program the behaviour of CustomResourceDefinitions in kube-apiserver 1.37,
// without the server: the same objects, the same verdicts, the same words.
//
//	crd, err := definition.Parse(data)
//	def, err := crdkit.Compile(crd)       // once
//	v, err := def.VersionFor(obj)         // the version that obj names
//	result, err := v.Create(ctx, obj)     // changes obj as the server does
//	if err == nil {
//		err = result.Err()            // the refusal of the server, nil if it admits obj
//	}
//
// A program that serves many definitions keeps them in a [Catalog], which compiles a
// version when it is first needed.
//
// # Packages
//
//   - crdkit: objects of a definition, whole requests. Start here.
//   - definition: read and judge a definition as the server does.
//   - migration: change the storage version.
//   - compat: compare two definitions of a kind.
//   - patch: JSON patches and merge patches, as requests.
//   - apply: server-side apply, and who owns which field.
//   - explanation: why a rule is false, and which name was probably meant.
//   - crdtest: tests of definitions in go test.
//   - schema: the schema tree; structural rules.
//   - pruning: remove the fields that a schema does not declare.
//   - defaulting: drop nulls, set defaults.
//   - validation: values, list types, embedded resources, ratcheting.
//   - validation/cel: x-kubernetes-validations.
//   - conversion: convert objects between versions.
//   - conversion/conversiontest: tests of conversions.
//   - serving/discovery, serving/openapi, serving/scale: what a server publishes
//     about a definition.
//   - serving/table: the rows that kubectl get prints.
//   - serving/selection: field and label selectors.
//   - serving/jsonschema: JSON Schema for editors and other validators.
//   - versionsort: the order of version names.
//
// A program links only the packages that it needs: pruning does not link CEL. A definition becomes
// one schema tree per version, each engine compiles the tree into something immutable, and this
// package passes objects through the engines in the order of the server.
//
// # Semantics
//
// [Version.Create] is the server's POST. Its steps are, in this order:
//
//   - decode the object, and find unknown and duplicate fields (see [FieldValidation])
//   - coerce metadata, prune, drop nulls, coerce the metadata of embedded resources
//   - set defaults
//   - let the caller mutate the object ([Mutate])
//   - reset the fields that clients cannot set
//   - validate
//   - run the rules, unless an error makes the values unfit for them
//
// [Version.Update] and [Version.UpdateStatus] are the server's PUT over an old object, with
// ratcheting and transition rules. [Version.Read] returns a stored object as a GET does, and
// [Version.Store] returns the object that the server writes to storage. Without options a request
// is as on a server with default settings. [KubernetesVersion] selects the CEL functions and string
// formats of an older server.
//
// The methods with JSON in their names take and return bytes, the same bytes that the server
// writes. [AppendTo] reuses memory, and [Version.ValidJSON] returns only the verdict.
//
// There are three kinds of failure:
//
//   - The definition is wrong: [Compile] returns an error. definition.Check returns the
//     errors of the server.
//   - The object is wrong: [Result.Err] returns the answer of the server. The method itself
//     returns no error.
//   - There is no verdict, for example because the context ended: the method returns an
//     error.
//
// Objects consist of the types to which apimachinery decodes JSON: map[string]any, []any, string,
// int64, float64, bool and nil. [ToUnstructured] makes valid objects of Go structs, and of objects
// with other types such as int and []string. If a request would be refused because of a value of
// another type, the request returns an error that names the value. Otherwise the value stays, and
// equals only values of its own type.
//
// Requests omit what only a running server can do: metadata.uid, creationTimestamp,
// resourceVersion, managedFields (which package apply records), generated names, admission
// by others, and everything about users.
//
// [Compile] is safe without definition.Check before it. It accepts rules that the server refuses
// because they may cost too much: stored definitions have such rules. The work of compiling a rule
// is bounded. An evaluation has limits of cost, memory and time, and ends before it exceeds a
// limit.
//
// # Differences from Kubernetes
//
// docs/DIFFERENCES.md lists all differences, with reasons. Errors come sorted by field, type and
// detail, where the server's order is often random.
//
// # Concurrency and ownership
//
// A [Definition] and its parts never change. They and a [Catalog] are safe for concurrent use. A
// request changes only the object that it is given. Nothing else may use the object meanwhile.
// Results belong to the caller. The functions that take JSON never change their input.
package crdkit
