// Command release makes a release of the modules of this repository:
//
//	go run ./internal/test/release -check v0.1.0
//	go run ./internal/test/release v0.1.0
//
// With -check it only checks that the version can be released. .ci/release runs both, and
// the tests of releases in between. It must be run at the root of a clean clone, at the tip
// of the branch main. It makes these commits and tags, and pushes nothing:
//
//	main ── "release: v0.1.0", tag v0.1.0 ── "changelog: begin the next version", main
//	                        └── "controllertest: require v0.1.0", tag controllertest/v0.1.0
//
// The first commit names the section Unreleased of CHANGELOG.md after the version. From it
// .ci/install knows that the tree belongs to a release.
//
// Each other module of the repository has a commit of its own, which is not on main: in it,
// go.mod requires the released versions and replaces none, and go.sum has their hashes. On
// main a module keeps its replacements, so that its tests use the sources beside it. A
// module is a go.mod outside internal and testdata.
//
// If a step fails, the repository has no new commit on main and no new tag.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
)

const branch = "main"

func main() {
	only := flag.Bool("check", false, "check that the version can be released, and change nothing")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: release [-check] VERSION")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	now := time.Now()
	err := check(ctx, command{dir: "."}, flag.Arg(0), now)
	if err == nil && !*only {
		err = makeRelease(ctx, command{dir: "."}, flag.Arg(0), now, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// makeRelease releases a repository. The caller has called check. It prints to out
// the tags, their commits, and the commands that publish the release.
func makeRelease(ctx context.Context, repository command, version string, now time.Time, out io.Writer) (err error) {
	scratch, err := os.MkdirTemp("", "crdkit-release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(scratch)) }()
	tree := command{dir: filepath.Join(scratch, "tree")}
	if err := repository.run(ctx, "git", "worktree", "add", "--quiet", "--detach", tree.dir); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, repository.run(context.WithoutCancel(ctx), "git", "worktree", "remove", "--force", tree.dir))
	}()

	r := &release{version: version, tree: tree, out: out, source: filepath.Join(scratch, "source.git")}
	if r.modules, err = findModules(ctx, tree); err != nil {
		return err
	}
	if err := repository.run(ctx, "git", "init", "--quiet", "--bare", r.source); err != nil {
		return err
	}
	if r.env, err = goEnv(ctx, repository, r.source, r.modules[0].path, filepath.Join(scratch, "modules")); err != nil {
		return err
	}
	root, next, err := r.commitChangelog(ctx, now)
	if err != nil {
		return err
	}
	if err := r.tag(ctx, r.modules[0], root); err != nil {
		return err
	}
	if err := r.releaseOthers(ctx); err != nil {
		return err
	}
	return r.publish(ctx, repository, next)
}

// check returns an error unless version can be the next release of the repository.
func check(ctx context.Context, repository command, version string, now time.Time) error {
	v, err := parseVersion(version)
	if err != nil {
		return err
	}
	if changed, err := repository.output(ctx, "git", "status", "--porcelain"); err != nil {
		return err
	} else if changed != "" {
		return fmt.Errorf("the tree is not clean:\n%s", changed)
	}
	text, err := os.ReadFile(filepath.Join(repository.dir, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if _, _, err := changelog(string(text), version, now); err != nil {
		return err
	}
	current, err := repository.output(ctx, "git", "rev-parse", "--abbrev-ref", "HEAD")
	if err != nil {
		return err
	}
	if current != branch {
		return fmt.Errorf("the branch is %s: check out %s", current, branch)
	}
	refs, err := repository.output(ctx, "git", "show-ref", "--tags", "--head")
	if err != nil {
		return err
	}
	if remotes, err := repository.output(ctx, "git", "remote"); err != nil {
		return err
	} else if slices.Contains(strings.Fields(remotes), "origin") {
		published, err := repository.output(ctx, "git", "ls-remote", "origin", "refs/heads/"+branch, "refs/tags/*")
		if err != nil {
			return err
		}
		head, _, _ := strings.Cut(refs, " ")
		if !strings.Contains(published+"\n", head+"\trefs/heads/"+branch+"\n") {
			return fmt.Errorf("HEAD is not the tip of %s at origin: pull or push", branch)
		}
		refs += "\n" + published
	}
	for _, tag := range regexp.MustCompile(`(?m)refs/tags/(v[^\s^]+)`).FindAllStringSubmatch(refs, -1) {
		if last, err := parseVersion(tag[1]); err == nil && !v.GT(last) {
			return fmt.Errorf("%s is not greater than %s, which is released", version, tag[1])
		}
	}
	return nil
}

// parseVersion parses the version of a module, such as v0.1.0 or v0.2.0-rc.1.
func parseVersion(text string) (semver.Version, error) {
	v, err := semver.Parse(strings.TrimPrefix(text, "v"))
	switch {
	case err != nil || text != "v"+v.String():
		return v, fmt.Errorf("%q is not a semantic version such as v0.1.0", text)
	case v.Major > 1 || len(v.Build) > 0:
		return v, fmt.Errorf("version %s: the module paths admit versions 0 and 1, without build metadata", text)
	}
	return v, nil
}

// A module is a go.mod of the repository.
type module struct {
	dir  string // "." is the root
	path string
}

// tag returns the name of the tag of a version.
func (m module) tag(version string) string { return path.Join(m.dir, version) }

// findModules returns the modules that others can import, the root first.
func findModules(ctx context.Context, tree command) ([]module, error) {
	files, err := tree.output(ctx, "git", "ls-files", "go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	var modules []module
	for file := range strings.FieldsSeq(files) {
		dir := path.Dir(file)
		elements := strings.Split(dir, "/")
		if slices.Contains(elements, "internal") || slices.Contains(elements, "testdata") {
			continue
		}
		f, err := readModFile(ctx, tree, file)
		if err != nil {
			return nil, err
		}
		modules = append(modules, module{dir: dir, path: f.Module.Path})
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	if len(modules) == 0 || modules[0].dir != "." {
		return nil, errors.New("there is no go.mod at the root")
	}
	for _, m := range modules {
		if m.path != path.Join(modules[0].path, m.dir) {
			return nil, fmt.Errorf("module %s is in the directory %s", m.path, m.dir)
		}
	}
	return modules, nil
}

// A modFile is what `go mod edit -json` prints.
type modFile struct {
	Module  struct{ Path string }
	Require []struct{ Path string }
	Replace []struct{ Old struct{ Path string } }
}

func readModFile(ctx context.Context, c command, file string) (*modFile, error) {
	text, err := c.output(ctx, "go", "mod", "edit", "-json", file)
	if err != nil {
		return nil, err
	}
	f := new(modFile)
	return f, json.Unmarshal([]byte(text), f)
}

// A release is one that is being made.
type release struct {
	version string
	modules []module
	tree    command // a work tree at the release
	source  string  // a repository that has the tags, for the go command
	env     []string
	out     io.Writer
	tags    []tagged
}

type tagged struct {
	module
	name, commit string
	sums         string // lines of go.sum
}

// commitChangelog returns the commit of the release and the one after it.
func (r *release) commitChangelog(ctx context.Context, now time.Time) (root, next string, err error) {
	file := filepath.Join(r.tree.dir, "CHANGELOG.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	released, following, err := changelog(string(text), r.version, now)
	if err != nil {
		return "", "", err
	}
	if root, err = r.commit(ctx, file, released, "release: "+r.version); err != nil {
		return "", "", err
	}
	if next, err = r.commit(ctx, file, following, "changelog: begin the next version"); err != nil {
		return "", "", err
	}
	return root, next, r.tree.run(ctx, "git", "checkout", "--quiet", root)
}

// changelog returns the text of CHANGELOG.md at the release and after it.
func changelog(text, version string, now time.Time) (released, following string, err error) {
	const heading = "## Unreleased\n"
	before, rest, found := strings.Cut(text, "\n"+heading)
	section, _, _ := strings.Cut(rest, "\n## ")
	switch {
	case !found || strings.Contains(before, "\n## "):
		return "", "", errors.New(`the first section of CHANGELOG.md is not "## Unreleased"`)
	case strings.TrimSpace(section) == "":
		return "", "", errors.New(`CHANGELOG.md: the section "Unreleased" is empty`)
	}
	section = fmt.Sprintf("## %s (%s)\n", version, now.UTC().Format(time.DateOnly))
	return before + "\n" + section + rest, before + "\n" + heading + "\n" + section + rest, nil
}

// commit writes a file and commits all changes of the tree.
func (r *release) commit(ctx context.Context, file, text, message string) (string, error) {
	if file != "" {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	if err := r.tree.run(ctx, "git", "commit", "--quiet", "--all", "--allow-empty", "--message="+message); err != nil {
		return "", err
	}
	return r.tree.output(ctx, "git", "rev-parse", "HEAD")
}

// tag records the tag of a module, and lets the go command work out the hashes of the module.
func (r *release) tag(ctx context.Context, m module, commit string) error {
	name := m.tag(r.version)
	if err := r.tree.run(ctx, "git", "push", "--quiet", r.source, commit+":refs/tags/"+name); err != nil {
		return err
	}
	c := command{dir: filepath.Dir(r.source), env: r.env}
	text, err := c.output(ctx, "go", "mod", "download", "-json", m.path+"@"+r.version)
	if err != nil {
		return err
	}
	var downloaded struct{ Sum, GoModSum string }
	if err := json.Unmarshal([]byte(text), &downloaded); err != nil {
		return err
	}
	sums := fmt.Sprintf("%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", m.path, r.version, downloaded.Sum, downloaded.GoModSum)
	fmt.Fprintf(r.out, "%s %s\n", name, commit)
	r.tags = append(r.tags, tagged{module: m, name: name, commit: commit, sums: sums})
	return nil
}

// releaseOthers commits and tags each module beside the root. A module comes after those
// that it requires.
func (r *release) releaseOthers(ctx context.Context) error {
	for len(r.tags) < len(r.modules) {
		count := len(r.tags)
		for _, m := range r.modules {
			if r.isTagged(m.path) {
				continue
			}
			ready, err := r.require(ctx, m)
			if err != nil {
				return fmt.Errorf("module %s: %w", m.path, err)
			}
			if !ready {
				continue
			}
			commit, err := r.commit(ctx, "", "", m.dir+": require "+r.version)
			if err != nil {
				return err
			}
			if err := r.tag(ctx, m, commit); err != nil {
				return err
			}
		}
		if len(r.tags) == count {
			return errors.New("the modules require one another in a circle")
		}
	}
	return nil
}

func (r *release) isTagged(path string) bool {
	return slices.ContainsFunc(r.tags, func(t tagged) bool { return t.path == path })
}

// require makes a module require the tagged versions of the modules of the repository, in
// go.mod and in the files for -modfile beside it. It returns false if it requires one that
// has no tag yet.
func (r *release) require(ctx context.Context, m module) (bool, error) {
	c := command{dir: filepath.Join(r.tree.dir, m.dir), env: r.env}
	files, err := filepath.Glob(filepath.Join(c.dir, "*.mod"))
	if err != nil {
		return false, err
	}
	edits := map[string][]string{}
	for _, file := range files {
		f, err := readModFile(ctx, c, file)
		if err != nil {
			return false, err
		}
		for _, required := range f.Require {
			if !slices.ContainsFunc(r.modules, func(m module) bool { return m.path == required.Path }) {
				continue
			}
			if !r.isTagged(required.Path) {
				return false, nil
			}
			edits[file] = append(edits[file], "-require="+required.Path+"@"+r.version)
		}
		for _, replaced := range f.Replace {
			edits[file] = append(edits[file], "-dropreplace="+replaced.Old.Path)
		}
	}
	for file, edit := range edits {
		if err := c.run(ctx, "go", append(append([]string{"mod", "edit"}, edit...), file)...); err != nil {
			return false, err
		}
		if err := r.addSums(strings.TrimSuffix(file, ".mod")+".sum", edit); err != nil {
			return false, err
		}
	}
	// It fails if go.mod or go.sum lack anything.
	return true, c.run(ctx, "go", "list", "-deps", "-test", "./...")
}

// addSums adds the hashes of the required modules to a go.sum.
func (r *release) addSums(file string, edit []string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := slices.Collect(strings.Lines(string(text)))
	for _, t := range r.tags {
		if !slices.Contains(edit, "-require="+t.path+"@"+r.version) {
			continue
		}
		// The go command sorts by path, and then by version.
		i := slices.IndexFunc(lines, func(line string) bool { return line > t.path+" " })
		if i < 0 {
			i = len(lines)
		}
		lines = slices.Insert(lines, i, t.sums)
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "")), 0o666)
}

// publish makes the tags in the repository, moves its branch to the commit next, and prints
// the commands that push both.
func (r *release) publish(ctx context.Context, repository command, next string) (err error) {
	for i, t := range r.tags {
		if err := repository.run(ctx, "git", "tag", "--annotate", "--message="+t.path+" "+r.version, t.name, t.commit); err != nil {
			return errors.Join(err, r.untag(repository, r.tags[:i]))
		}
	}
	if err := repository.run(ctx, "git", "merge", "--quiet", "--ff-only", next); err != nil {
		return errors.Join(err, r.untag(repository, r.tags))
	}
	fmt.Fprintf(r.out, "\nNothing is published yet. These commands publish the release, in this order:\n\n")
	fmt.Fprintf(r.out, "    git push --atomic origin %s %s\n", branch, r.tags[0].name)
	for _, t := range r.tags[1:] {
		fmt.Fprintf(r.out, "    git push origin %s\n", t.name)
	}
	return nil
}

func (r *release) untag(repository command, tags []tagged) error {
	var err error
	for _, t := range tags {
		err = errors.Join(err, repository.run(context.Background(), "git", "tag", "--delete", t.name))
	}
	return err
}

// goEnv returns environment variables with which the go command takes the modules below a
// path from the git repository source, and all others from the module cache or the proxies
// in use. It keeps them in the directory cache: a hash of a release that was given up must
// not reach the module cache. With -trimpath, compiled packages are found whatever the
// directory is.
func goEnv(ctx context.Context, c command, source, modulePath, cache string) ([]string, error) {
	text, err := c.output(ctx, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	source, err = filepath.Abs(source)
	if err != nil {
		return nil, err
	}
	downloads, proxies, _ := strings.Cut(text, "\n")
	return []string{
		"GOWORK=off", "GOFLAGS=-trimpath -buildvcs=false", "CGO_ENABLED=0",
		"GOMODCACHE=" + cache,
		"GOPROXY=file://" + filepath.ToSlash(filepath.Join(downloads, "cache", "download")) + "," + proxies,
		"GONOPROXY=" + modulePath, "GONOSUMDB=" + modulePath,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + filepath.ToSlash(source) + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + modulePath,
	}, nil
}

// A command runs programs in a directory.
type command struct {
	dir string
	env []string // in addition to the environment of this process
}

func (c command) run(ctx context.Context, name string, args ...string) error {
	_, err := c.output(ctx, name, args...)
	return err
}

// output returns what a program prints, without the spaces around it. The error has what it
// prints to standard error.
func (c command) output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

// removeAll removes a directory. The go command makes module caches read-only.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(name, 0o777)
		}
		return err
	})
	return os.RemoveAll(dir)
}
