// Package compat judges a change of a CustomResourceDefinition: do the clients
// and the stored objects of the old definition survive the new one?
//
//	report, err := compat.Compare(ctx, old, new) // both from definition.Parse
//	if err != nil {
//		return err // no comparison: another kind, or a definition does not compile
//	}
//	for _, f := range report.Findings {
//		fmt.Println(f.Verdict, f.Role, f.Version, f.Field, f.Text)
//	}
//
// # Semantics
//
// [Compare] answers for each version that both definitions have and each role.
// Writers create objects: does the new definition admit and keep what the old one
// admitted? Stored objects are read and updated without a change. Readers are
// clients of the old definition: can they read what the new definition admits?
//
// Each [Finding] has a [Verdict]. Compatible is proven for all objects.
// Incompatible comes with a [Witness], an object or an update for which the two
// definitions differ. Each witness has been given to both compiled definitions
// before it is reported. Unknown names the part of the schema or the rule that
// could not be decided.
//
// An object counts if the old definition admits it and drops no field of it.
//
// # Limits
//
// [WorkLimit] and [TimeLimit] bound a comparison. What is not decided within them
// is unknown. The default of the first is [DefaultWorkLimit]; the second has none.
//
// # Differences from Kubernetes
//
// kube-apiserver does not compare schemas: it accepts an update of a definition
// that breaks every client. The verdicts on witnesses are those of package crdkit,
// so they are the server's.
//
// # Concurrency and ownership
//
// Compare keeps and changes neither definition, and may be called from several
// goroutines. Reports and witnesses belong to the caller. The same definitions and
// options give the same report, unless a time limit ends the comparison.
package compat
