// Package cel compiles, runs and checks the rules of a schema: its
// x-kubernetes-validations, which are written in CEL.
//
//	node, errs := schema.Compile(version.Schema.OpenAPIV3Schema)
//	// handle errs
//	program, ruleErrs := cel.Compile(node)
//	// handle ruleErrs: rules that do not compile
//	if invalid := validation.New(node).Validate(obj); invalid.BlocksRules() {
//		return invalid.Err() // rules need valid types
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
// and semantic versions. The functions for authorization are declared, but rules have no
// authorizer to call them on. [KubernetesVersion] selects the functions of another version,
// from 1.29 to 1.37. Costs are always the costs of 1.37.
//
// A rule refers to its value as self. Property names that are not identifiers are escaped
// (self.a__dash__b). A null field is absent. The root of a resource always has apiVersion,
// kind, metadata.name and metadata.generateName. Lists of type set and map are compared
// without order, and + merges them. Rules cannot read values without a schema.
//
// The rules of a value run in the order of the schema. Then the rules below it run: for list
// elements by index, map entries by key, and fields by name. The rules of a null do not run.
//
//   - A rule that is false is an error. Its text and field come from message,
//     messageExpression, reason and fieldPath.
//   - A rule that fails, because of a missing key or a division by zero, is an
//     error too. The next rule still runs.
//   - Every evaluation costs units; see [DefaultBudget] and [DefaultPerCallLimit].
//     An evaluation that exceeds a limit is an error, and no rule runs after it.
//   - A rule that mentions oldSelf is a transition rule. It runs only if there is an
//     old value, from [Old]. With optionalOldSelf it always runs, and oldSelf is an
//     optional. The old value is found by field, by map key, and by the keys of a
//     list of type map.
//   - With Old, the errors of unchanged values are in [Result.Ratcheted], unless the
//     rule is a transition rule or fails.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
// and, for the libraries, https://kubernetes.io/docs/reference/using-api/cel/.
//
// # Differences from Kubernetes
//
// Verdicts, texts and costs are the server's, even where they seem wrong. The files
// of testdata/behaviour with quirk in their names show these cases. docs/DIFFERENCES.md
// lists the differences, under names that begin with cel/. The important ones:
//
//   - Fields and keys are visited in a fixed order. The server's order is random, so
//     the server visits different values before the budget is used up.
//   - The memory of an evaluation is limited; see [DefaultMemory].
//   - A run ends when its context does.
//   - [Compile] refuses rules that do not compile, as the server does when a
//     definition is written.
//
// # Rules of strangers
//
// It is safe to run rules of strangers. [Compile] accepts rules that [Check] refuses because
// of their cost, because stored definitions can have them. But an evaluation ends before it
// exceeds [DefaultPerCallLimit], [DefaultMemory] or the time of its context. If cel-go
// evaluates the rule, the evaluation ends after the call that exceeds the cost limit. The
// text of a rule may have at most 100,000 code points and 250 levels, as in the server.
// Rules beyond the limits of cel/expansion in docs/DIFFERENCES.md do not compile.
//
// # Concurrency and ownership
//
// A [Program] is safe for concurrent use. It neither keeps nor changes objects. Errors may
// refer to parts of objects.
package cel
