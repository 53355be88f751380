// Package controllertest gives tests of controllers a client that admits custom resources
// as kube-apiserver does, in milliseconds and without a server.
//
//	func TestReconcile(t *testing.T) {
//		set := crdtest.Load(t, "../config/crd/bases")
//		c := controllertest.NewClient(t, set, &examplev1.CronTab{ObjectMeta: meta, Spec: spec})
//		reconciler := &CronTabReconciler{Client: c}
//		if _, err := reconciler.Reconcile(t.Context(), request); err != nil {
//			t.Fatal(err)
//		}
//	}
//
// [New] takes options, and returns an environment: a client, a dynamic client over the same
// objects, and a [rest.Config] for any other client and for managers. [Start] is for TestMain, in
// place of envtest.
//
// # Semantics
//
// Objects of the definitions pass through the wire format of the server and through package crdkit:
//
//   - Unknown fields are pruned with warnings, and defaults are set.
//   - Values and rules are validated.
//   - Generations are counted, and the status is written separately.
//   - Objects are converted between versions.
//
// The environment adds what needs a store: resource versions and conflicts, UIDs, generated names,
// finalizers and deletion times, field selectors, and watches. Errors have the texts and the status
// of the server.
//
// Objects of all other kinds go to the fake clients of controller-runtime and client-go, which know
// no definitions. [RefuseUnknown] refuses them instead. [Environment.Config] only serves the kinds
// of the definitions, so a manager cannot watch other kinds. A controller that uses other kinds
// needs [Environment.Client] instead of the manager's client.
//
// The objects at the start of a test must be valid. They keep their status, UID, times and
// generation.
//
// # Differences from Kubernetes
//
// DIFFERENCES.md in the directory of this module lists the differences, and the tests of
// controller-runtime's fake client that do not pass. As in envtest, there are no controllers:
// garbage is not collected, and namespaces are not created.
//
// # Concurrency and ownership
//
// An [Environment] and its clients are safe for concurrent use.
package controllertest
