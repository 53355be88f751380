// Package migration plans changes of the storage version of a
// CustomResourceDefinition and tries them on stored objects.
//
// This package is experimental.
//
//	plan := migration.NewPlan(old, crd) // both from definition.Parse
//	for _, step := range plan.Steps {
//		fmt.Println(step)
//	}
//	def, err := crdkit.Compile(crd)
//	for rewrite, err := range migration.DryRun(ctx, def, migration.Objects(objs...)) {
//		if err != nil {
//			return err // no verdict on this object
//		}
//		fmt.Println(rewrite.Object.GetName(), rewrite.Outcome(), rewrite.Lost)
//	}
//
// # Semantics
//
// An object stays stored at the version at which it was last written. status.storedVersions lists
// every version at which objects may be stored. The server refuses to drop these versions from
// spec.versions.
//
// [NewPlan] compares two definitions. For each version it lists what keeps it in spec.versions
// ([Blocker]). It also lists the steps until only the new storage version is in use ([Step]), and
// the errors with which the server refuses the change.
//
// [DryRun] reads each object as the new definition serves it and writes it back, as a storage
// migration does, but in memory. Each [Rewrite] says whether the object can be rewritten, what
// changes and what is lost for good.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version.
//
// # Differences from Kubernetes
//
// The errors of a plan and the verdicts of a dry run are the server's. The blocker [IsServed] is
// not the server's: the server would drop a version that is served.
//
// # Concurrency and ownership
//
// Plans and rewrites belong to the caller. [Rewrite.Object] is the given object, not a copy.
// Definitions and objects are not changed. A sequence from DryRun runs in the goroutine that ranges
// over it. It can be ranged over as often as its sequence of objects.
package migration
