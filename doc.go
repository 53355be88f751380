// Package crdkit gives a program the behaviour of CustomResourceDefinitions in
// kube-apiserver 1.37, without the server: the same objects, the same verdicts,
// the same words.
//
//	crd, err := definition.Parse(data)
//	def, err := crdkit.Compile(crd)       // once
//	v, err := def.VersionFor(obj)         // the version that obj names
//	result, err := v.Create(ctx, obj)     // changes obj as the server does
//	if err == nil {
//		err = result.Err()            // the refusal of the server, if there is one
//	}
//
// A program that serves many definitions keeps them in a [Catalog], which compiles a
// version when it is first needed.
//
// A definition goes in at the top and becomes one schema tree per version (package
// schema). Each engine compiles the tree into something immutable. Objects pass
// through the engines in the order of the server. This package knows that order, and
// no other package does.
//
// # Which package for what
//
//   - crdkit: objects of a definition, whole requests. Start here.
//   - definition: read and judge a definition as the server does.
//   - migration: change the storage version.
//   - schema: is a schema structural, and what does it declare.
//   - pruning: remove the fields that a schema does not declare.
//   - defaulting: drop nulls, set defaults.
//   - validation: values, list types, embedded resources, ratcheting.
//   - validation/cel: x-kubernetes-validations.
//   - conversion: objects of one version at another.
//   - conversion/conversiontest: does a conversion lose anything.
//   - serving/discovery, serving/openapi, serving/scale: what a server publishes
//     of a definition.
//   - serving/table: the rows that kubectl get prints.
//   - serving/selection: field and label selectors.
//   - serving/jsonschema: JSON Schema for editors and other validators.
//   - versionsort: which version goes first.
//
// Each of them stands alone: a program that only prunes links no CEL.
//
// # Semantics
//
// [Version.Create] does what the server does with a POST: read strictly or
// not, bring metadata into form, prune, drop nulls, bring embedded metadata into
// form, set defaults, let the caller mutate, reset what clients cannot set,
// validate, and run the rules unless an error makes the values unfit for them.
// [Version.Update] and [Version.UpdateStatus] are PUTs over an old object, with
// ratcheting and transition rules; [Version.Read] is what a GET of a stored
// object gives; [Version.Store] is what is written to storage. Without options
// everything is as in a server with default settings; fields that the schema
// does not know are dropped with a warning, see [FieldValidation].
//
// [KubernetesVersion] follows an older server in the functions that rules may use
// and the formats that are known.
//
// The forms with JSON in their names go from bytes to bytes and make hardly any
// maps in between. [Canonical] output is what the server encodes, [Splice] keeps
// the spelling of the input, [AppendTo] uses memory again, and
// [Version.ValidJSON] gives nothing but the verdict.
//
// Objects of a definition with preserveUnknownFields: true, the default of
// apiextensions.k8s.io/v1beta1, keep fields that the schema does not declare.
//
// There are three ways to fail, and each has a place of its own. The definition
// is wrong: [Compile] says so, and definition.Check in the words of the server. The object
// is wrong: [Result] has the errors, which are a verdict and not an error. There
// can be no verdict, as when the context ends: the error.
//
// Objects consist of what apimachinery decodes JSON to: map[string]any, []any,
// string, int64, float64, bool and nil. Other Go types, such as int and []string,
// are for the caller to avoid in objects made by hand. Where one would make a
// request be refused, the request ends with an error that names it; elsewhere it
// stays where it is, equal only to a value of its own type. [ToUnstructured] makes
// objects of Go structs, and of objects made by hand.
//
// What only a running server can give is left out: metadata.uid,
// creationTimestamp, resourceVersion, managedFields, generated names, admission
// by others, and everything about users.
//
// # Differences from Kubernetes
//
// docs/DIFFERENCES.md lists them, each with its reason. Errors come sorted by
// field, type and detail, where the server's order is often random.
//
// # Concurrency and ownership
//
// A [Definition] and its parts never change and are safe for concurrent use. A
// [Catalog] changes, and is safe for concurrent use too.
// Requests change the object that they are given, and no other; the object must
// not be used elsewhere meanwhile. Results belong to the caller. The functions
// that take JSON never change their input.
package crdkit
