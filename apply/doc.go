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
// [Applier.Create], [Applier.Update], [Applier.UpdateScale] and [Applier.Patch] are the
// other requests, for a manager. [Request.Subresource] names the status or the scale.
// [Owners] lists who owns the fields of an object, [Applier.Explain] says what an apply
// would remove and why, [Applier.Preview] applies many configurations and lists what
// changes, [Migrate] prepares an object that was managed with client-side apply, and
// [Applier.ApplyAsKubectl] makes all requests of kubectl apply --server-side.
//
// # Semantics
//
// The package uses the field manager of k8s.io/apimachinery and the library
// structured-merge-diff in the configuration of the server, with typed schemas from the
// documents of package serving/openapi. An apply
//
//   - merges the configuration into the live object: lists of type map item by item,
//     atomic values as a whole;
//   - removes the fields that the manager applied before, that the configuration no longer
//     has, and that nobody else owns;
//   - conflicts with other managers that own a field which it would change, unless it is
//     forced;
//   - does not own what the request cannot set: the status, or everything else for
//     the subresource status.
//
// The result then goes through the steps of an update of package crdkit, from the metadata
// on. The times of entries come from [Clock]. A request that changes nothing else keeps
// them, and its result is unchanged.
//
// Live objects are as [crdkit.Version.Read] returns them at the version of the Applier,
// and never change. Fields of managers at other versions are compared after conversion.
//
// See https://kubernetes.io/docs/reference/using-api/server-side-apply/.
//
// # Differences from Kubernetes
//
//   - Without a manager, the server takes the beginning of the User-Agent. The manager of
//     such an update is here "unknown".
//   - A live object without uid counts as stored.
//   - The text about a Scale that a patch gives another kind names other code.
//
// # Concurrency and ownership
//
// An [Applier] does not change and is safe for concurrent use, and so is [Schemas].
// Objects are not kept. [Applier.Create] and [Applier.Update] change their object in
// place, as in package crdkit. Results belong to the caller. The objects in them share
// no memory with live objects and configurations; the values in conflicts, explanations
// and steps do.
package apply
