// Package cel compiles, runs and checks the rules of a schema: its
// x-kubernetes-validations, which are written in CEL.
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
// [Check] judges the rules of a definition that is created or updated. [Estimate] reports
// what rules may cost.
//
// # Semantics
//
// Rules have the language of kube-apiserver 1.37 for stored definitions: CEL with
// cross-type comparison of numbers, optionals, and the libraries for strings, lists, sets,
// two-variable loops, regular expressions, URLs, IP addresses and CIDRs, quantities, formats
// and semantic versions. The functions for authorization are declared, but no variable has
// their types. [KubernetesVersion] selects the functions of another version, from 1.29 to
// 1.37. Costs are those of 1.37.
//
// A rule refers to its value as self. Property names that are not identifiers are escaped
// (self.a__dash__b). A null field is absent. The root of a resource has apiVersion, kind,
// metadata.name and metadata.generateName, declared or not. Lists of type set and map
// compare without order, and + merges them. Rules do not see values without a schema.
//
// The rules of a value run in their order, then those of list elements by index, of map
// entries by key, and of fields by name. A null value has no rules.
//
//   - A rule that is false is an error, as message, messageExpression, reason and
//     fieldPath say.
//   - A rule without a result, because of a missing key or a division by zero, is
//     an error too, and the next rule runs.
//   - Every evaluation costs units; see [DefaultBudget] and [DefaultPerCallLimit].
//     The evaluation that exceeds a limit is an error, and no rule runs after it.
//   - A rule that mentions oldSelf is a transition rule: it runs only if [Old] gives
//     an old value, or if it declares optionalOldSelf, which makes oldSelf an
//     optional. Values correspond by field, by map key, and by the keys of a list of
//     type map.
//   - With Old, the errors of unchanged values are ratcheted: they are in
//     [Result.Ratcheted], unless the rule is a transition rule or had no result.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
// and, for the libraries, https://kubernetes.io/docs/reference/using-api/cel/.
//
// # Differences from Kubernetes
//
// Verdicts, texts and costs are the same, including what looks like mistakes; the files of
// testdata/behaviour with quirk in their names show those. docs/DIFFERENCES.md lists the
// differences, under names that begin with cel/. The important ones:
//
//   - Fields and keys are visited in a fixed order. The server's order is random, so
//     it varies which values are left out when the budget is spent.
//   - What a rule makes is limited: see [DefaultMemory].
//   - A run ends when its context does.
//   - [Compile] refuses rules that do not compile, as the server does when a
//     definition is written.
//
// # Rules of strangers
//
// A program of unchecked rules is safe to run. [Compile] accepts rules that [Check] refuses
// because they may cost too much, as stored definitions have such rules. An evaluation ends
// before it does the work that exceeds [DefaultPerCallLimit], [DefaultMemory] or the time of
// its context. Where cel-go evaluates a rule, it ends after the call that exceeds the limit
// of cost. The text of a rule has at most 100,000 code points and 250 levels, as in the
// server, and expressions and types that would expand it further are errors.
//
// # Concurrency and ownership
//
// A [Program] is safe for concurrent use. It keeps no reference to objects and changes none;
// errors may refer to parts of them.
package cel
