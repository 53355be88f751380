// Package compat judges a change of a CustomResourceDefinition: do the clients and the stored
// objects of the old definition survive the new one?
//
// This package is experimental.
//
//	report, err := compat.Compare(ctx, old, new) // both from definition.Parse
//	if err != nil {
//		return err // different kinds, or a definition does not compile
//	}
//	for _, f := range report.Findings {
//		fmt.Println(f.Verdict, f.Role, f.Version, f.Field, f.Text, len(f.Also))
//	}
//
// # Semantics
//
// [Compare] asks a question for each role, at each version that both definitions have:
//
//   - Writers create objects. Does the new definition admit and keep what the old one admitted?
//   - Stored objects are read and updated without a change. Do they survive?
//   - Readers are clients of the old definition. Can they read what the new one admits? Only
//     types, null, required fields and enums count for them.
//
// Each [Finding] has a [Verdict]:
//
//   - Compatible is proven for all objects.
//   - Incompatible comes with a [Witness]: an object or an update for which the two definitions
//     differ. Compare gives each witness to both compiled definitions.
//   - Unknown names the part of the schema or the rule that could not be decided.
//
// If several fields or roles have the same finding, the report has one of them, with the others in
// Also. Each of them has its own proof or witness. [Split] returns all in one list.
//
// Compare considers an object if
//
//   - the old definition admits it without dropping a field;
//   - its whole numbers have no fraction: the server stores 3.0 as 3, and checks 3 differently;
//   - it has no list where the schema has a string with a format. Without a rule, the server
//     admits such a list.
//
// [Objects] also checks stored objects that do not meet these conditions. If a version has the
// status subresource, Compare writes the status through it.
//
// # How it decides
//
// Compare walks both schemas. For each keyword that only the new schema has, it searches for a
// value that breaks the keyword, and that the old schema and its rules admit. Bounds, lengths,
// patterns, enums, presence, the sizes and the elements of lists and maps, allOf, anyOf, oneOf and
// not are decided together. If there is no such value, the change of the keyword is proven
// compatible. If there is one, Compare builds the smallest object around it and gives it to both
// definitions.
//
// In rules, Compare decides
//
//   - comparisons of a field with a constant or with another field;
//   - has, size, startsWith, endsWith, contains, matches, and in with constants;
//   - all and exists over lists;
//   - !, &&, || and the conditional operator.
//
// A part of a rule that is not in this list is decided if an old rule has the same part. In a rule
// like self.all(a, self.exists_one(b, ...)), exists_one is decided if an old rule has one whose
// body holds for the same a and b. If a rule stays undecided, Compare searches for a witness among
// variations of objects with the constants of the rule. For a transition rule it considers the old
// and the new value together.
//
// The steps of the decision procedure are bounded, and [TimeLimit] bounds a comparison. What is not
// decided within these limits is unknown.
//
// # Differences from Kubernetes
//
// kube-apiserver itself compares no schemas. The verdicts on witnesses come from package crdkit, so
// they are the server's.
//
// # Concurrency and ownership
//
// Compare does not keep or change the definitions, and may be called from several goroutines.
// Reports and witnesses belong to the caller. The same definitions and options give the same
// report, unless a time limit ends the comparison.
package compat
