// Package definition judges one CustomResourceDefinition as kube-apiserver 1.37
// does: it reads the text, says whether the server accepts the definition, and
// returns what the server stores.
//
//	crd, err := definition.Parse(text)
//	if err != nil {
//		return err // not a definition, or a field that definitions do not have
//	}
//	report := definition.Check(crd, definition.WithNotes())
//	source := definition.NewSource(text, definition.Position{})
//	for _, e := range report.Errors {
//		fmt.Printf("crd.yaml:%v: %v\n", source.Position(e.Pointer), e.FieldError())
//	}
//	if report.Accepted() {
//		stored, err := definition.StoredDefinition(crd, nil)
//		...
//	}
//
// To serve objects of a definition, see package crdkit. For the storage versions
// that a change of the definition affects, see package migration.
//
// # Semantics
//
// [Parse] reads YAML or JSON as strictly as kubectl does. It also reads definitions of
// apiextensions.k8s.io/v1beta1 and returns them as the server serves them at v1.
//
// [Check], [CheckUpdate] and [CheckStatus] judge what a client sends to create the definition, to
// replace it, or to write its status. The [Report] has the server's errors and warnings.
// [WithNotes] adds advice that the server does not give. [KubernetesVersion] and [V1beta1Rules]
// judge as older servers do. An update may keep most faults of the old definition: the server then
// skips the broken rule for the whole definition.
//
// The server sets defaults ([SetDefaults]) and judges the internal form of the definition. In that
// form, a schema that all versions share belongs to the whole definition, and so do shared
// subresources, printer columns and selectable fields. The fields of conversion.webhook are in
// conversion itself. The fields of errors name locations in the internal form. The pointers of
// errors lead into the given definition, and a [Source] finds their lines in the text.
//
// [StoredDefinition] and [StoredStatus] return what the server stores after an accepted write.
// [StoredVersions] returns the server's record of storage versions. [ReconciledStatus] returns the
// status after the server's controllers have run.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
//
// # Differences from Kubernetes
//
// docs/DIFFERENCES.md lists them:
//
//   - Where kube-apiserver panics, there are errors.
//   - The value of an error is a part of the given definition, not of the internal form.
//   - A schema that is too deep or too large for package schema is refused before the other checks.
//   - A placeholder is judged instead of a name that the server generates.
//   - Errors are sorted by field, type and detail.
//
// [Parse] bounds the size and the nesting of a text, see [MaxSize] and [MaxNesting].
// [WithContext] ends a check early. docs/LIMITS.md lists all limits.
//
// # Concurrency and ownership
//
// All functions may be called from several goroutines, also with the same definition. [SetDefaults]
// changes its argument; no other function does. Reports belong to the caller, but the values of
// errors may be parts of the definition. Stored forms and statuses share no memory with the
// arguments. A nil definition never panics: it is an error in the report, or an error value.
package definition
