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
// The patch is applied to the JSON of the live object, as [crdkit.Version.Read] returns it
// at the version of the request. The result is then handled like the body of an update: it
// is pruned, defaulted, validated with ratcheting, and its rules are evaluated.
//
// The server answers a wrong request with
//
//	415  the patch has another type, such as a strategic merge patch. For server-side
//	     apply see package apply
//	413  the patch has more than 3 MiB or, if a JSON patch, more than 10,000 operations
//	400  the patch is not JSON, or not a patch
//	422  an operation of a JSON patch fails, or its copies have more than 3 MiB
//	422  for the field "patch": the result cannot be decoded, or strict decoding refuses it
//	409  the result has another resourceVersion than the live object
//	422  the result is invalid
//
// The server does not say why an operation fails. [crdkit.Refusal.Details] says it.
//
// A patch changes metadata.managedFields only if it names them. Package apply also makes
// patches that update them.
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
// A [Patcher] never changes and is safe for concurrent use. It neither changes nor keeps
// patches and live objects. A [crdkit.Mutate] step runs on the patched object, before
// validation.
package patch
