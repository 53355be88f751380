// Package cel compiles, runs and checks the rules of a schema: its
// x-kubernetes-validations, which are written in CEL.
//
// To run rules, compile them once and evaluate each object:
//
//	node, errs := schema.Compile(version.Schema.OpenAPIV3Schema)
//	// handle errs
//	program, ruleErrs := cel.Compile(node)
//	// handle ruleErrs: rules that do not compile
//	if invalid := validation.New(node).Validate(obj); invalid.BlocksRules() {
//		return invalid.Err() // rules rely on types
//	}
//	result := program.Eval(ctx, obj, cel.Old(old)) // old is nil on create
//	for _, err := range result.Errors {
//		fmt.Println(err)
//	}
//
// [Check] judges the rules of a definition that is created or updated, and
// [Estimate] reports what they may cost.
//
// # Semantics
//
// Rules are in the language of kube-apiserver 1.37 for stored definitions: CEL
// with cross-type comparison of numbers, optionals, and the libraries for
// strings, lists, sets, two-variable loops, regular expressions, URLs, IP
// addresses and CIDRs, quantities, formats and semantic versions. The functions
// for authorization are declared, but no variable has their types.
//
// A rule refers to its value as self. Property names that are not identifiers are escaped
// (self.a__dash__b). A null field is absent. The root of a resource has apiVersion, kind,
// metadata.name and metadata.generateName, declared or not. Lists of type set and map
// compare without order, and + merges them. Rules do not see values without a schema.
//
// Rules run from the outside in: the rules of a value in their order, then those
// of list elements by index, of map entries by key, and of fields by name. A null
// value has no rules.
//
//   - A rule that is false is an error. Its message, messageExpression, reason
//     and fieldPath determine the error.
//   - A rule without a result, because of a missing key or a division by zero, is
//     an error too, and the next rule runs.
//   - Every evaluation costs units; see [DefaultBudget] and
//     [DefaultPerCallLimit]. The evaluation that exceeds a limit is an error, and
//     no rule runs after it.
//   - With [Old], oldSelf is the old value. A rule that mentions oldSelf is a
//     transition rule: it runs only if there is an old value, or if it declares
//     optionalOldSelf, which makes oldSelf an optional. Values correspond by
//     field, by map key, and by the keys of a list of type map.
//   - With Old, the errors of unchanged values are ratcheted: they are in
//     [Result.Ratcheted], unless the rule is a transition rule or had no result.
//
// # Checking rules
//
// [Check] returns the errors of the server for the rules of a definition that is created or
// updated: rules that do not compile, rules that refer to oldSelf where there is none, and
// rules that may cost too much. New rules may only use the functions that the previous
// version of Kubernetes knows too, as the server refuses what it could not be rolled back
// with. The server estimates the cost of an expression from the sizes that the schema
// allows, and multiplies it by how often the value can occur.
//
// [Estimate] returns these estimates. For a rule near or over its limit it adds
// the bounds of the schema that the cost depends on, each with the largest value
// that makes the rule fit. It has estimated the rule with these values.
//
// [KubernetesVersion] selects the functions of another version, from 1.29 to
// 1.37. Costs are those of 1.37.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
// and, for the libraries, https://kubernetes.io/docs/reference/using-api/cel/.
//
// # Differences from Kubernetes
//
// Verdicts, texts and costs are the same, including what looks like mistakes; the files of
// testdata/behaviour with quirk in their names show those. The differences are:
//
//   - The order. The server visits fields and keys in the random order of Go
//     maps, so it changes from run to run which values are left out when the
//     budget is spent. Here the order is fixed, also that of loops over maps
//     within a rule.
//   - What a rule makes is limited: see [DefaultMemory].
//   - A rule that compiles to a very large expression or type is refused.
//   - A run ends when its context does. The server runs the rules that have no
//     loops.
//   - Error texts call the type of self selfType. The server uses a random name.
//   - A fieldPath that continues below a value without a schema is ignored, and
//     refused by [Check]. It makes the server panic.
//   - [Compile] refuses rules that do not compile, as the server does when a
//     definition is written. [Stored] turns that off.
//
// # Rules of strangers
//
// A program of rules that nobody checked is safe to run. [Compile] accepts rules that
// [Check] refuses because they may cost too much, as definitions that are stored already
// have such rules. The limits hold while rules run, whatever Compile accepted: an
// evaluation ends when it exceeds [DefaultPerCallLimit], [DefaultMemory] or the time of its
// context, before it does the work that exceeds the limit. Where cel-go evaluates a rule,
// it ends after the call that exceeds the limit of cost.
//
// Compile and Check bound what one rule takes: its text has at most 100,000 code
// points and 250 levels, as in the server, and macros and types that would expand
// it further are errors.
//
// # Concurrency and ownership
//
// A [Program] is safe for concurrent use. What it compiles lazily is compiled once,
// while other goroutines wait. A program keeps no reference to objects and changes
// none; errors may refer to parts of them. Programs share the CEL environment,
// which is built when the first schema with rules is compiled.
package cel
