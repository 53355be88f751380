// Package gittree reads the files of a revision of a git repository without a
// checkout. It runs the git command, which must be in the PATH.
//
//	tree, root, err := gittree.Read(ctx, ".", "origin/main", "config/crd", wanted)
//	if err != nil {
//		return err // no repository, an unknown revision, no such path
//	}
//	r := manifest.NewReader(nil, true)
//	r.FS = tree
//	for obj := range r.Objects(ctx, root) {
//		use(obj.Text)
//	}
//
// # What it runs
//
// Only git rev-parse, git ls-tree and git cat-file, which read objects of the
// repository. They change nothing, run no hooks and apply no filters: the files
// have the bytes of the commit. Git may not use the network: in a partial clone, a
// file that is not there is an error.
//
// A path follows the convention of git: it is relative to the root of the
// repository, or, if it begins with ./ or ../, to the directory. Symbolic links and
// submodules are passed over.
//
// # Limits
//
// The files of a tree are in memory. More than [MaxBytes] are an error.
//
// # Concurrency
//
// The functions may be called from several goroutines. A tree is immutable and safe
// for concurrent use.
package gittree
