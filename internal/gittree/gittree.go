// Package gittree reads the files of a revision of a git repository without a checkout. It runs the
// git command, which must be in the PATH.
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
// It runs git rev-parse, git ls-tree and git cat-file, which read objects of the repository. They
// change nothing, run no hooks and apply no filters: the files have the bytes of the commit. Git
// may not use the network. So in a partial clone, a missing file is an error.
//
// Paths are written as in git: relative to the root of the repository, or to parameter dir of
// [Read] if they begin with ./ or ../. Symbolic links and submodules are skipped.
//
// The files of a tree are in memory, at most [MaxBytes].
package gittree

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

// MaxBytes is the maximum size of all files of a tree.
const MaxBytes = 256 << 20

type blob struct {
	hash string
	name string // relative to the root of the repository
	size int64
}

// Read returns the files at and below name, a path in a revision. "" is the root. wanted selects
// files by their base names; if name is the path of a file, that file is always selected. root is
// name relative to the root of the repository, and so are all paths in tree. dir is a directory of
// the working tree.
func Read(ctx context.Context, dir, revision, name string, wanted func(base string) bool) (tree fs.FS, root string, err error) {
	g := repository{dir: dir}
	if root, err = g.resolve(ctx, name); err != nil {
		return nil, "", err
	}
	commit, err := g.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{tree}")
	if err != nil {
		return nil, "", cmp.Or(ctx.Err(), fmt.Errorf("unknown revision %q", revision))
	}
	blobs, err := g.list(ctx, strings.TrimSpace(string(commit)), root)
	if err != nil {
		return nil, "", err
	}
	if len(blobs) == 0 {
		return nil, "", fmt.Errorf("%s has no file at %q%s", revision, root, g.relativeHint(ctx, name, root))
	}
	blobs = slices.DeleteFunc(blobs, func(b blob) bool { return b.name != root && !wanted(path.Base(b.name)) })
	var total int64
	for _, b := range blobs {
		total += b.size
	}
	if total > MaxBytes {
		return nil, "", fmt.Errorf("the files at %q of %s are larger than %d bytes; name a directory with fewer files", root, revision, MaxBytes)
	}
	tree, err = g.contents(ctx, blobs)
	return tree, root, err
}

// PathOf returns the path of a file or directory relative to the root of its repository.
func PathOf(ctx context.Context, name string) (string, error) {
	dir, base := name, ""
	if info, err := os.Stat(name); err != nil {
		return "", err
	} else if !info.IsDir() {
		dir, base = path.Split(name)
	}
	return repository{dir: cmp.Or(dir, ".")}.resolve(ctx, "./"+base)
}

type repository struct{ dir string }

// resolve returns name relative to the root of the repository, "." for the root.
func (g repository) resolve(ctx context.Context, name string) (string, error) {
	prefix, err := g.run(ctx, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	if relative := name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../"); relative {
		name = path.Join(strings.TrimSuffix(string(prefix), "\n"), name)
	}
	if name = path.Clean(name); !fs.ValidPath(name) {
		return "", fmt.Errorf("%q is not a path in the repository", name)
	}
	return name, nil
}

// relativeHint explains the notation of relative paths. It returns "" if ./name and name are one
// path.
func (g repository) relativeHint(ctx context.Context, name, root string) string {
	here := "./" + name
	if resolved, err := g.resolve(ctx, here); err != nil || resolved == root {
		return ""
	}
	return fmt.Sprintf(" from the root of the repository; write %s for the path in the working directory", here)
}

// list returns the regular files of a tree at and below a path.
func (g repository) list(ctx context.Context, tree, root string) ([]blob, error) {
	args := []string{"ls-tree", "-r", "-z", "-l", "--full-tree", tree}
	if root != "." {
		args = append(args, "--", root)
	}
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var blobs []blob
	for entry := range strings.SplitSeq(string(out), "\x00") {
		head, name, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 || fields[1] != "blob" || fields[0] == "120000" {
			continue
		}
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git ls-tree: unexpected size %q", fields[3])
		}
		blobs = append(blobs, blob{hash: fields[2], name: name, size: size})
	}
	return blobs, nil
}

// contents reads files into a file system in memory.
func (g repository) contents(ctx context.Context, blobs []blob) (fs.FS, error) {
	var hashes bytes.Buffer
	for _, b := range blobs {
		hashes.WriteString(b.hash + "\n")
	}
	out, err := g.run(ctx, &hashes, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, b := range blobs {
		head := fmt.Sprintf("%s blob %d\n", b.hash, b.size)
		text, ok := bytes.CutPrefix(out, []byte(head))
		if !ok || int64(len(text)) <= b.size {
			return nil, fmt.Errorf("git cat-file: %s: unexpected answer", b.name)
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: b.name, Method: zip.Store})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(text[:b.size]); err != nil {
			return nil, err
		}
		out = text[b.size+1:] // a line feed follows the file
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
}

func (g repository) run(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	var out, errOut bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = g.dir, in, &out, &errOut
	// No network, locks or prompts, and messages in English.
	cmd.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("the git command is not in the PATH")
	case err != nil:
		if text := strings.TrimSpace(errOut.String()); text != "" {
			return nil, fmt.Errorf("git %s: %s", args[0], text)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}
