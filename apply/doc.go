// Package apply makes server-side apply requests on custom resources, and records which
// manager owns which field, with the results of kube-apiserver.
//
//	applier, err := apply.New(version, crd)
//	if err != nil {
//		return err
//	}
//	request := apply.Request{Live: live, Config: config, Manager: "deployer"} // Live is nil for a new object
//	res, err := applier.Apply(ctx, request)
//	if err != nil {
//		return err // no verdict
//	}
//	if err := res.Err(); err != nil {
//		return fmt.Errorf("%w: %v", err, res.Conflicts)
//	}
//	store(res.Object)
//
// [Applier.Create], [Applier.Update], [Applier.UpdateScale] and [Applier.Patch] make the other
// requests of a manager. [Request.Subresource] selects the status or the scale. [Owners] lists who
// owns the fields of an object, [Applier.Explain] says what an apply would remove and why,
// [Applier.Preview] applies many configurations and lists what changes, [Migrate] prepares an
// object that was managed with client-side apply, and [Applier.ApplyAsKubectl] makes all requests
// of kubectl apply --server-side.
//
// # Semantics
//
// The package uses the field manager of k8s.io/apimachinery and the library structured-merge-diff,
// configured as in the server. The typed schemas come from the documents of package
// serving/openapi. An apply
//
//   - merges the configuration into the live object: lists of type map item by item,
//     atomic values as a whole;
//   - removes the fields that the manager applied before, that the configuration no longer
//     has, and that nobody else owns;
//   - conflicts with the other managers of a field that it would change, unless it is forced;
//   - does not own what the request cannot set: the status, or metadata and spec for the
//     subresource status.
//
// Then package crdkit validates the merged object. The times in managedFields come from [Clock]. If
// a request would change only these times, the object stays as it is.
//
// A live object must be as [crdkit.Version.Read] returns it at the version of the Applier. The live
// object is not changed. Fields that a manager wrote at another version are compared at that
// version, after conversion.
//
// See https://kubernetes.io/docs/reference/using-api/server-side-apply/.
//
// # Differences from Kubernetes
//
//   - If a request names no manager, the server uses the beginning of the User-Agent. Here the
//     manager of an update is then "unknown".
//   - A live object without uid counts as stored.
//   - If a patch changes the kind of a Scale, the error names another line of Go code
//     (apply/scale_kinds in docs/DIFFERENCES.md).
//
// # Concurrency and ownership
//
// An [Applier] does not change. [Applier] and [Schemas] are safe for concurrent use. The package
// does not keep objects. [Applier.Create] and [Applier.Update] change their object in place, as in
// package crdkit. Results belong to the caller. Their objects share no memory with live objects and
// configurations, but the values in conflicts, explanations and steps do.
package apply
