// Package patch makes PATCH requests on custom resources, with the results of
// kube-apiserver: JSON patches (RFC 6902) and JSON merge patches (RFC 7386).
//
//	p := patch.New(version)
//	res, err := p.Patch(ctx, live, types.MergePatchType, []byte(`{"spec":{"replicas":3}}`))
//	if err != nil {
//		return err // no verdict
//	}
//	if err := res.Err(); err != nil {
//		return err // the answer of the server, as an *apierrors.StatusError
//	}
//	store(res.Object)
//
// [Patcher.PatchStatus] patches the status subresource, and [Patcher.PatchJSON] and
// [Patcher.PatchStatusJSON] take and return JSON. Package apply patches the scale.
//
// # Semantics
//
// The patch is applied to the JSON of the live object at the version of the request. The
// server decodes the result like the body of an update: it prunes, sets defaults, enters
// the namespace, restores what clients cannot set, validates with ratcheting and evaluates
// rules. A live object is as [crdkit.Version.Read] returns it. It never changes.
//
// The server answers a wrong request with
//
//	415  the type of the patch is neither of the two; strategic merge patch is refused,
//	     and so is server-side apply, which package apply makes
//	413  the patch has more than 3 MiB or, if a JSON patch, more than 10,000 operations
//	400  the patch is no JSON, or it is no patch
//	422  an operation of a JSON patch fails, or its copies have more than 3 MiB
//	422  the field "patch": the result cannot be decoded, or strict decoding refuses it
//	409  the result has another resourceVersion than the live object
//	422  the result is invalid
//
// The server does not say why an operation fails. Refusal.Details does.
//
// A patch does not change metadata.managedFields unless it names them; those of package
// apply do.
//
// See https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply.
//
// # Differences from Kubernetes
//
//   - A JSON patch that makes the server panic, such as a replace of the whole object
//     without a value, is refused with 422.
//
// # Concurrency and ownership
//
// A [Patcher] does not change and is safe for concurrent use. Patches and live objects are
// not changed and not kept. A [crdkit.Mutate] step of the caller runs on the patched
// object, before validation.
package patch
