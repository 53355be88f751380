// Package explanation adds to errors what kube-apiserver does not say: why a rule was false, which
// branch of a oneOf came closest, which field was probably meant.
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
// [Explainer.UnknownField] explains a complaint about an unknown field, and [Explainer.Pruned] the
// path of a pruned field. [Definition] explains errors about rules that do not compile, and
// [DefinitionField] an unknown field of a definition.
//
// # Semantics
//
// If a rule is false, cel-go evaluates it again. The text has the parts that decided, with the
// values of their operands:
//
//	&&        the first false term
//	||        all terms
//	?:        the condition and the taken branch
//	all()     the first element that fails
//	exists()  the first element (the condition is false for all elements)
//
// If a rule ends with an error, the text has the innermost part that ends with it. Entries of maps
// are visited in the order of their keys.
//
// If no branch of an anyOf or a oneOf is satisfied, the text has the errors of the branch with the
// fewest errors. The server adds the errors of the branch in which most checks passed. That may be
// another branch. If several branches of a oneOf are satisfied, the text has these branches and the
// fields that they require.
//
// For an unknown field, and for a value that is not in an enum, the suggestion is the nearest known
// name: the same name in another case or with other separators, or a name with few edits. A wrong
// name may have one edit for every three bytes, and at most three edits.
//
// A value is cut after 80 characters. [WithoutValues] leaves values out, and [Explainer.HideValues]
// removes them from the errors themselves. The same input has the same explanation. Texts may
// change between releases.
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
