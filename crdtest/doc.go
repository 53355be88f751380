// Package crdtest tests definitions in go test, without an API server: the schema, the rules, the
// defaults, and the effect of a changed definition on objects.
//
//	func TestCronTab(t *testing.T) {
//		set := crdtest.Load(t, "config/crd/bases")
//		valid := &v1.CronTab{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: v1.CronTabSpec{Schedule: "* * * * *"}}
//		created := set.Create(t, valid, crdtest.Admitted())
//		bad := valid.DeepCopy()
//		bad.Spec.Replicas = -1
//		set.Create(t, bad, crdtest.Refused("spec.replicas", "greater than or equal to 0"))
//		bad.Spec.Replicas, bad.Spec.Suspend = 1, true
//		set.Update(t, created, bad, crdtest.RefusedBy("!self.suspend || self.replicas == 0"))
//	}
//
// # Semantics
//
// A [Set] has the definitions of files, of an [embed.FS] or of a program. Its requests are the
// requests of package crdkit and have the verdicts of kube-apiserver 1.37. A test gives objects as
// Go structs, as YAML or JSON text, or as unstructured objects. It says what it expects:
// [Admitted], [Refused], [RefusedBy], [Errors], [Exactly], [Warned], [Stored]. A request without
// expectations must be admitted. [Set.Patch] takes JSON patches and merge patches.
//
// If a test fails, it reports the unmet expectations and the unexpected errors and warnings. Each
// has its line and column in the object. An error of a rule also has the rule's position in the
// definition and the part that decided.
//
// [Mutations] tests a table of changes of one valid object. [Golden] compares the answers for a
// directory of samples with stored answers. With CRDTEST_UPDATE=1 in the environment, it writes the
// stored answers.
//
// [Main] measures which rules, terms of rules, branches, enum values, bounds and fields the tests
// of one or more packages exercise. It writes a page with the text of the definitions in colors.
// Without the flag -crdtest.cover it costs nothing.
//
// [Objects] generates objects that a version admits, for tests of controllers and as seeds of fuzz
// tests. [Broken] finds, for each rule and keyword of [Targets], a request that breaks it and
// nothing else. If it finds none, it says why.
//
// [Load] refuses a definition that the server would refuse to create; [New] does not. A test with
// ginkgo passes GinkgoTB() as [testing.TB].
//
// # Differences from Kubernetes
//
// There is no storage: a test passes the old object of an update. metadata.uid, creationTimestamp
// and resourceVersion are not set.
//
// # Concurrency and ownership
//
// A [Set] is safe for concurrent use and may serve all tests of a package. A [Response] belongs to
// the caller. Requests do not change the objects of a test.
package crdtest
