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
// [Compare] answers for each version that both definitions have and each role:
//
//   - Writers create objects. Does the new definition admit and keep what the old one admitted?
//   - Stored objects are read and updated without a change. Do they survive?
//   - Readers are clients of the old definition. Can they read what the new one admits? Only
//     types, null, required fields and enums count for them.
//
// Each [Finding] has a [Verdict]. Compatible is proven for all objects. Incompatible comes with a
// [Witness]: an object or an update for which the two definitions differ. Compare gives each
// witness to both compiled definitions. Unknown names the part of the schema or the rule that could
// not be decided.
//
// If several fields or roles have the same finding, the report has one of them, with the others in
// Also. Each of them has its own proof or witness. [Split] returns all in one list.
//
// Compare considers objects that the old definition admits without dropping a field, and
//
//   - whose whole numbers have no fraction: the server admits 3.0 and stores it as 3, to which
//     other rules apply;
//   - that have no list where the schema has a string with a format. Without a rule, the server
//     admits one.
//
// [Objects] finds what happens to other objects. If a version has the status subresource, the
// status is written through it.
//
// # How it decides
//
// Compare walks both schemas. For each keyword of the new schema that the old one does not have, it
// asks for a value that the old schema and its rules admit and that breaks the keyword. Bounds,
// lengths, patterns, enums, presence, the sizes and the elements of lists and maps, allOf, anyOf,
// oneOf and not are decided together. If there is no such value, the change of the keyword is
// proven compatible. If there is one, Compare builds the smallest object around it and gives it to
// both definitions.
//
// In rules, Compare decides
//
//   - comparisons of a field with a constant or with another field;
//   - has, size, startsWith, endsWith, contains, matches, and in with constants;
//   - all and exists over lists;
//   - !, &&, || and the conditional operator.
//
// Other parts of a rule are decided only if an old rule has an equal part. An exists_one is decided
// if one of an old rule agrees with it on every pair of elements. If that decides nothing, Compare
// searches for a witness among variations of objects with the constants of the rule. For transition
// rules the old and the new value are considered together.
//
// The steps of the decision procedure are bounded, and [TimeLimit] bounds a comparison. What is not
// decided within these limits is unknown.
//
// # Differences from Kubernetes
//
// kube-apiserver itself compares no schemas. The verdicts on witnesses come from package
// crdkit, so they are the server's.
//
// # Concurrency and ownership
//
// Compare does not keep or change the definitions, and may be called from several goroutines.
// Reports and witnesses belong to the caller. The same definitions and options give the same
// report, unless a time limit ends the comparison.
package compat
