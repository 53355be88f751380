// Package compat judges a change of a CustomResourceDefinition: do the clients
// and the stored objects of the old definition survive the new one?
//
// This package is experimental.
//
//	report, err := compat.Compare(ctx, old, new) // both from definition.Parse
//	if err != nil {
//		return err // no comparison: another kind, or a definition does not compile
//	}
//	for _, f := range report.Findings {
//		fmt.Println(f.Verdict, f.Role, f.Version, f.Field, f.Text, len(f.Also))
//	}
//
// # Semantics
//
// [Compare] answers for each version that both definitions have and each role.
// Writers create objects: does the new definition admit and keep what the old one
// admitted? Stored objects are read and updated without a change. Readers are
// clients of the old definition: can they read what the new definition admits? They are
// asked about types, null, required fields and enums only.
//
// Each [Finding] has a [Verdict]. Compatible is proven for all objects. Incompatible comes
// with a [Witness], an object or an update for which the two definitions differ. Each
// witness has been given to both compiled definitions. Unknown names the part of the schema
// or the rule that could not be decided.
//
// What is the same for several fields or roles is one finding with the others in Also. Each
// of them is proved, or has a witness, on its own. [Split] returns all of them in one list.
//
// An object counts if the old definition admits it and drops no field of it. Its whole
// numbers are written without a fraction: the server admits 3.0, stores it as 3, and judges
// 3 by other rules. It has no list where the schema has a string with a format, which the
// server admits if there is no rule. [Objects] finds what happens to such an object. The
// status of a version with the status subresource is written through that.
//
// # How it decides
//
// Compare walks both schemas. For each keyword of the new schema that the old one does not
// have, it asks for a value that the old schema and its rules admit and that breaks the
// keyword. Bounds, lengths, patterns, enums, presence, the sizes and the elements of lists
// and maps, allOf, anyOf, oneOf and not are decided together. If there is no such value,
// the change of the keyword is proven compatible. If there is one, Compare builds the
// smallest object around it and gives it to both definitions.
//
// Of rules it decides comparisons of a field with a constant or with another field,
// has, size, startsWith, endsWith, contains, matches, in with constants, all and
// exists over lists, and !, &&, || and the conditional operator. Other parts of a rule only
// cancel out against equal parts of an old rule, and an exists_one against one that agrees
// with it on every pair of elements. If that decides nothing, Compare searches a witness
// among variations of objects with the constants of the rule. Transition rules are decided
// over the old and the new value together.
//
// The steps of the decision procedure are bounded, and [TimeLimit] bounds a comparison.
// What is not decided within them is unknown.
//
// # Differences from Kubernetes
//
// kube-apiserver itself compares no schemas. The verdicts on witnesses come from package
// crdkit, so they are the server's.
//
// # Concurrency and ownership
//
// Compare keeps and changes neither definition, and may be called from several
// goroutines. Reports and witnesses belong to the caller. The same definitions and
// options give the same report, unless a time limit ends the comparison.
package compat
