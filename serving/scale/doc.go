// Package scale reads and writes the scale subresource of custom resources: an
// object as an autoscaling/v1 Scale, which is all that kubectl scale and the
// HorizontalPodAutoscaler know about it.
//
//	s, err := scale.New(version.Subresources.Scale)
//	current, err := s.Read(obj)   // GET .../NAME/scale
//	err = s.Update(obj, change)   // PUT and PATCH .../NAME/scale
//	errs := s.Validate(obj.Object) // on every write of the object itself
//
// # Semantics
//
// A definition names three fields of its objects: the wanted number of replicas
// (specReplicasPath), the observed one (statusReplicasPath) and, if it likes, the
// label selector of what is counted as text (labelSelectorPath). A Scale has
// these, the name, namespace, UID, resource version and creation time of the
// object, and nothing more.
//
// To read a Scale the wanted number must be there; an observed number that is
// absent is 0, and a selector that is absent is empty. A value that is there must
// be an integer, or text for the selector: null is not absent. Numbers that do
// not fit into 32 bits lose their upper half, as on the server; they cannot get
// into an object, for [Scaler.Validate] refuses them.
//
// A write changes the wanted number, and the resource version of the object if
// the Scale has one, so that the store can tell a conflict. Objects in which the
// field is missing get it. What was wrong with the object before keeps a write
// from happening. The object that results has still to be admitted as any other
// update, with crdkit's Version.Update.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource.
//
// # Differences from Kubernetes
//
// Errors are those of the server, with its status: values that do not fit are
// plain errors, which it answers with 500, a number that is missing when read is
// an internal error, and a write without a number is a bad request.
//
//   - metadata.managedFields stays as it is. The server moves the ownership of the
//     wanted number between the entries of the object and those of the Scale.
//   - The server sorts the errors of Validate among all others of the object. Here
//     they are in the order wanted number, observed number, selector.
//
// # Concurrency and ownership
//
// A [Scaler] never changes and is safe for concurrent use. Update changes the
// object that it is given; a Scale shares no memory with it.
package scale
