// Package scale reads and writes the scale subresource of custom resources: the
// autoscaling/v1 Scale of an object, which kubectl scale and the HorizontalPodAutoscaler use.
//
// This package is experimental.
//
//	s, err := scale.New(version.Subresources.Scale)
//	if err != nil {
//		return err // the version has no scale subresource
//	}
//	current, err := s.Read(obj) // GET .../NAME/scale
//	err = s.Update(obj, func(current *autoscalingv1.Scale) error { // PUT, PATCH
//		current.Spec.Replicas = 3
//		return nil
//	})
//	errs := s.Validate(obj.Object) // on every write of the object itself
//
// # Semantics
//
// A definition names three fields of its objects: the desired number of replicas
// (specReplicasPath), the observed number (statusReplicasPath) and, optionally, the label selector
// of the replicas as text (labelSelectorPath). A Scale has these values and the identity of the
// object.
//
// A read requires the desired number of replicas. An absent observed number is 0, and an absent
// selector is empty. A present value must be an integer, or a string for the selector; null is an
// error. As on the server, numbers of more than 32 bits are truncated to the lower 32 bits.
// [Scaler.Validate] keeps such numbers out of objects.
//
// A write sets the desired number, also if the object had none. If the Scale has a resource
// version, the write sets it too, so that the store detects a conflict. A write fails if a
// field that the definition names has a wrong type. The caller must admit the resulting object like
// any other update, with crdkit's Version.Update.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource.
//
// # Differences from Kubernetes
//
// Errors have the texts and statuses of the server.
//
//   - Writes leave metadata.managedFields unchanged. UpdateScale of package apply moves
//     the ownership of the desired number, as the server does.
//   - Validate returns its errors in the order desired number, observed number,
//     selector. The server sorts them among all other errors of the object.
//
// # Concurrency and ownership
//
// A [Scaler] does not change and is safe for concurrent use. Update changes the object
// in place. A Scale shares no memory with the object.
package scale
