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
// A [New] environment offers more: a dynamic client over the same objects, a
// [rest.Config] for any other client and for managers, and options. [Start] serves
// TestMain, where envtest was started before.
//
// # Semantics
//
// Objects of the definitions go through the wire format of the server and through package
// crdkit: unknown fields are pruned with warnings, defaults set, values and rules
// validated, generations counted, status and the rest of an object kept apart, and
// objects converted between versions. The environment adds what needs a store: resource
// versions and conflicts, UIDs, generated names, finalizers and deletion times, field
// selectors, and watches. Errors have the texts and the status of the server.
//
// Objects of all other kinds go to the fake clients of controller-runtime and client-go,
// which know no definitions. [RefuseUnknown] refuses them instead. [Environment.Config]
// serves the kinds of the definitions only: a controller in a manager that uses other
// kinds takes [Environment.Client] instead of the client of the manager. The manager
// cannot watch other kinds.
//
// The objects that a test starts with must be valid. They keep the status, the UID, the
// times and the generation that they have.
//
// # Differences from Kubernetes
//
// DIFFERENCES.md in the directory of this module lists them, and the tests of
// controller-runtime's fake client that do not pass. There are no controllers: nobody
// collects garbage or creates namespaces, as in envtest.
//
// # Concurrency and ownership
//
// An [Environment] and its clients are safe for concurrent use.
package controllertest
