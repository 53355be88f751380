// Package explanation says about errors what kube-apiserver does not: why a rule was
// false, which branch of a oneOf came closest, which field was probably meant.
//
// This package is experimental.
//
//	x := explanation.New(version)
//	result, err := version.Create(ctx, obj)
//	...
//	for _, e := range result.Errors {
//		fmt.Println(e)
//		if why, err := x.Error(ctx, e, obj, nil); err == nil && why != nil {
//			fmt.Println("  because", why.Text) // self.minReplicas (5) <= self.maxReplicas (3) is false
//		}
//	}
//
// [Explainer.UnknownField] explains a complaint about an unknown field,
// [Explainer.Pruned] the path of a pruned one. [Definition] explains errors about rules
// that do not compile, [DefinitionField] an unknown field of a definition.
//
// # Semantics
//
// For a failed rule, the text has the parts that decided, with the values of their
// operands: of && the first false term, of || all terms, of ?: the taken branch and the
// condition, of all() the first element that fails, of exists() the first element, which
// fails like all others. cel-go evaluates the rule again. For a rule that ends with an
// error, the text has the innermost part with the error. Entries of maps are visited in the
// order of their keys.
//
// For an anyOf or a oneOf without a satisfied branch, the text has the errors of the
// branch that has the fewest. The server adds the errors of the branch in which most
// checks passed, which may be another. For several satisfied branches of a oneOf, it
// has the branches and the fields that they require.
//
// For an unknown field and for a value that is not in an enum, the suggestion is the
// nearest name that is known: the same one in another case or with other separators, or
// one that is at most one edit for each three bytes away, and never more than three.
//
// A value is cut after 80 characters. [WithoutValues] leaves values out, and
// [Explainer.HideValues] leaves them out of the errors themselves. The same input has the
// same explanation. Texts may change between releases.
//
// # Differences from Kubernetes
//
// The server has no explanations. Errors and verdicts stay as they are.
//
// # Concurrency and ownership
//
// An [Explainer] is safe for concurrent use, as long as nobody changes the objects. It
// keeps no reference to objects and errors. Explanations belong to the caller, but the
// errors of [Explanation.Branches] may refer to parts of the object.
package explanation
