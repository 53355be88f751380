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
//   - X.yaml beside X.yaml.err, which has the text of the refusal; X.pre.yaml, which X.post.yaml
//     updates; X.post.yaml.tx_err, which has the text of the refused update. If a directory has
//     such files, its other objects must be admitted.
//   - Objects in a file or below a directory with the word valid or invalid in its name. The server
//     must admit or refuse all of them. The member _err of an object has the text of its refusal.
//   - Definitions, in any other file. Files may have variants of a definition; docs/testing.md says
//     which of them a case uses. Other objects are skipped.
//
// The text of a refusal must be a part of the server's text. The values in it are not compared,
// because minor versions of Kubernetes show values in different forms.
//
// Cases are safe for concurrent use. A [Suites] belongs to the caller.
package suite
