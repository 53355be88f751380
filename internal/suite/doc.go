// Package suite reads and runs recorded cases: objects with the verdict that a server must
// give. Package crdtest and the command run them.
//
//	s, err := suite.Read(ctx, nil, nil, "config/crd", "tests")
//	for _, c := range s.Cases {
//		outcome, err := c.Run(ctx)
//	}
//
// A file is one of these, by its content and its name:
//
//   - A suite of openshift/api: YAML with crdName and tests, which has onCreate and onUpdate.
//     docs/testing.md has the keys. Unknown and repeated keys are cases that cannot be run.
//   - X.yaml beside X.yaml.err, which has the text of the refusal; X.pre.yaml, which
//     X.post.yaml updates, and X.post.yaml.tx_err with the text of that refusal. In a
//     directory with such files, all other objects must be admitted.
//   - Objects in a file or below a directory whose name is valid or invalid, or ends or
//     begins with that word. The server must admit or refuse all of them. The member
//     _err of an object has the text of its refusal.
//   - Definitions, in any other file. Files may have variants of a definition; see
//     docs/testing.md for which of them a case runs against. Other objects are passed over.
//
// A text of a refusal must be a part of that of the server. The value in a text is left out of
// the comparison: minor versions of Kubernetes show it in other forms.
//
// Cases are safe for concurrent use. A [Suites] belongs to the caller.
package suite
