// Package crdkit gives a program the behaviour of CustomResourceDefinitions in
// kube-apiserver 1.37, without the server: the same objects, the same verdicts,
// the same words.
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
//   - explanation: which part of a rule decided, and which name was meant.
//   - crdtest: tests of definitions in go test.
//   - schema: the schema tree; structural rules.
//   - pruning: remove the fields that a schema does not declare.
//   - defaulting: drop nulls, set defaults.
//   - validation: values, list types, embedded resources, ratcheting.
//   - validation/cel: x-kubernetes-validations.
//   - conversion: objects of one version at another.
//   - conversion/conversiontest: tests of conversions.
//   - serving/discovery, serving/openapi, serving/scale: what a server publishes
//     about a definition.
//   - serving/table: the rows that kubectl get prints.
//   - serving/selection: field and label selectors.
//   - serving/jsonschema: JSON Schema for editors and other validators.
//   - versionsort: the order of version names.
//
// Each of them stands alone: a program that only prunes links no CEL. A definition becomes
// one schema tree per version, each engine compiles the tree into something immutable, and
// this package passes objects through the engines in the order of the server.
//
// # Semantics
//
// [Version.Create] follows the server's POST: read strictly or not, coerce metadata, prune,
// drop nulls, coerce embedded metadata, set defaults, let the caller mutate, reset the
// fields that clients cannot set, validate, and run the rules unless an error makes the
// values unfit for them. [Version.Update] and [Version.UpdateStatus] are PUTs over an old
// object, with ratcheting and transition rules. [Version.Read] returns the object of a GET
// of a stored object, and [Version.Store] the object that is written to storage. Without
// options everything is as in a server with default settings; unknown fields are dropped
// with a warning, see [FieldValidation]. [KubernetesVersion] follows an older server in the
// functions of rules and in formats.
//
// The methods with JSON in their names go from bytes to bytes, with the bytes that the
// server writes. [AppendTo] uses memory again, and [Version.ValidJSON] returns only the
// verdict.
//
// If a definition is wrong, [Compile] returns errors; definition.Check returns those of the
// server. If an object is wrong, the [Result] has the errors and the method returns no
// error. If there is no verdict, for example because the context ended, the method returns
// an error.
//
// Objects consist of the types to which apimachinery decodes JSON: map[string]any, []any,
// string, int64, float64, bool and nil. [ToUnstructured] makes valid objects of Go structs,
// and of objects with other types such as int and []string. If such a value would make a
// request be refused, the request returns an error that names it. Otherwise the value
// stays, and equals only values of its own type.
//
// Requests omit what only a running server can do: metadata.uid, creationTimestamp,
// resourceVersion, managedFields (which package apply records), generated names, admission
// by others, and everything about users.
//
// [Compile] needs no definition.Check before it to be safe. It accepts rules that the
// server refuses because they may cost too much, as stored definitions have such rules.
// Compile bounds the work for a rule. An evaluation has limits of cost, memory and time, and
// ends before it does the work that exceeds one.
//
// # Differences from Kubernetes
//
// docs/DIFFERENCES.md lists them, each with its reason. Errors come sorted by field, type
// and detail, where the server's order is often random.
//
// # Concurrency and ownership
//
// A [Definition] and its parts never change. They and a [Catalog] are safe for concurrent
// use. Requests change the object that they are given, and no other; the object must not be
// used elsewhere meanwhile. Results belong to the caller. The functions that take JSON never
// change their input.
package crdkit
