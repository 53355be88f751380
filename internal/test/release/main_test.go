package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

var day = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func TestChangelog(t *testing.T) {
	const head = "# Changelog\n\nVersions.\n\n"
	released, following, err := changelog(head+"## Unreleased\n\n- new\n\n## v0.1.0 (2026-01-02)\n\n- old\n", "v0.2.0", day)
	if err != nil {
		t.Fatal(err)
	}
	want := head + "## v0.2.0 (2026-11-28)\n\n- new\n\n## v0.1.0 (2026-01-02)\n\n- old\n"
	if diff := cmp.Diff(want, released); diff != "" {
		t.Errorf("at the release (-want +got):\n%s", diff)
	}
	want = head + "## Unreleased\n\n" + strings.TrimPrefix(want, head)
	if diff := cmp.Diff(want, following); diff != "" {
		t.Errorf("after the release (-want +got):\n%s", diff)
	}
	for name, text := range map[string]string{
		"empty":  "## Unreleased\n\n## v0.1.0 (2026-01-02)\n\n- old\n",
		"absent": "## v0.1.0 (2026-01-02)\n\n- old\n",
		"second": "## v0.1.0 (2026-01-02)\n\n- old\n\n## Unreleased\n\n- new\n",
	} {
		if _, _, err := changelog(head+text, "v0.2.0", day); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestChangelogHasUnreleased checks the file of the repository. The first section of a
// release is the section of its version.
func TestChangelogHasUnreleased(t *testing.T) {
	text, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## ")
	heading, _, _ := strings.Cut(rest, "\n")
	if version, _, _ := strings.Cut(heading, " "); heading != "Unreleased" {
		if _, err := parseVersion(version); err != nil {
			t.Errorf("the first section of CHANGELOG.md is %q: %v", heading, err)
		}
	}
}

// TestCheck checks what stops a release of a repository at v0.1.0.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- new\n")
	testkit.Commit(t, dir, "v0.1.0")
	repository := command{dir: dir}
	for version, want := range map[string]string{
		"v0.1.1": "", "v0.2.0-rc.1": "", "v1.0.0": "",
		"v0.1.0":   "not greater than v0.1.0",
		"v0.0.9":   "not greater than v0.1.0",
		"v0.1.0-a": "not greater than v0.1.0",
		"0.2.0":    "not a semantic version",
		"v0.2":     "not a semantic version",
		"v02.0.0":  "not a semantic version",
		"":         "not a semantic version",
		"v2.0.0":   "versions 0 and 1",
		"v0.2.0+b": "without build metadata",
	} {
		if got := errorText(check(t.Context(), repository, version, day)); !strings.Contains(got, want) || got != "" && want == "" {
			t.Errorf("version %q: %q, want %q", version, got, want)
		}
	}
	expect := func(want string) {
		t.Helper()
		if got := errorText(check(t.Context(), repository, "v0.2.0", day)); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	write("new", "")
	expect("not clean:\n?? new")
	if err := os.Remove(filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		if err := repository.run(t.Context(), "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	git("checkout", "--quiet", "-b", "other")
	expect("the branch is other")
	git("checkout", "--quiet", "main")
	origin := t.TempDir()
	git("clone", "--quiet", "--bare", dir, origin)
	git("remote", "add", "origin", origin)
	if err := check(t.Context(), repository, "v0.2.0", day); err != nil {
		t.Error(err)
	}
	git("push", "--quiet", "origin", "main:refs/tags/v0.3.0")
	expect("not greater than v0.3.0")
	write("new", "")
	testkit.Commit(t, dir, "other")
	expect("not the tip of main at origin")
}

// TestMakeRelease releases three modules. The second one, in the order of names, requires the third.
func TestMakeRelease(t *testing.T) {
	const root = "github.com/example/example"
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- new\n")
	write("go.mod", "module "+root+"\n\ngo 1.26\n")
	write("p.go", "package example\n")
	write("internal/oracle/go.mod", "module "+root+"/internal/oracle\n\ngo 1.26\n")
	const require = "\n\ngo 1.26\n\nrequire "
	write("server/go.mod", "module "+root+"/server"+require+root+" v0.0.0-1\n\nreplace "+root+" => ..\n")
	write("server/go.sum", "")
	write("server/p.go", "package server\n\nimport _ \""+root+"\"\n")
	client := "module " + root + "/client" + require + "(\n\t" + root + " v0.0.0-1\n\t" + root + "/server v0.0.0-1\n)\n"
	write("client/go.mod", client+"\nreplace (\n\t"+root+" => ..\n\t"+root+"/server => ../server\n)\n")
	write("client/go.sum", "github.com/z/z v1.0.0 h1:\n")
	write("client/p.go", "package client\n\nimport _ \""+root+"/server\"\n")
	testkit.Commit(t, dir, "v0.1.0")
	repository := command{dir: dir}
	git := func(args ...string) string {
		t.Helper()
		out, err := repository.output(t.Context(), "git", args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	git("config", "user.name", "test")
	git("config", "user.email", "test@example.com")

	var out strings.Builder
	if err := makeRelease(t.Context(), repository, "v0.2.0", day, &out); err != nil {
		t.Fatal(err)
	}
	want := "client/v0.2.0\nserver/v0.2.0\nv0.1.0\nv0.2.0"
	if diff := cmp.Diff(want, git("tag")); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if want := "    git push --atomic origin main v0.2.0\n    git push origin server/v0.2.0\n    git push origin client/v0.2.0\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("the output does not end with\n%s\n%s", want, &out)
	}
	want = strings.TrimSuffix(strings.ReplaceAll(client, "v0.0.0-1", "v0.2.0"), "\n")
	if diff := cmp.Diff(want, git("show", "client/v0.2.0:client/go.mod")); diff != "" {
		t.Errorf("go.mod of the client (-want +got):\n%s", diff)
	}
	var sums []string
	for line := range strings.Lines(git("show", "client/v0.2.0:client/go.sum")) {
		sums = append(sums, strings.Join(strings.Fields(line)[:2], " "))
	}
	if diff := cmp.Diff([]string{root + " v0.2.0", root + " v0.2.0/go.mod", root + "/server v0.2.0", root + "/server v0.2.0/go.mod", "github.com/z/z v1.0.0"}, sums); diff != "" {
		t.Errorf("go.sum of the client (-want +got):\n%s", diff)
	}

	// A release that fails leaves nothing.
	write("server/go.mod", "module "+root+"/server"+require+"(\n\t"+root+" v0.0.0-1\n\t"+root+"/client v0.0.0-1\n)\n")
	write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- newer\n")
	testkit.Commit(t, dir, "v0.2.1")
	before := git("show-ref")
	if got := errorText(makeRelease(t.Context(), repository, "v0.3.0", day, &out)); !strings.Contains(got, "in a circle") {
		t.Errorf("error %q", got)
	}
	if diff := cmp.Diff(before, git("show-ref")); diff != "" {
		t.Errorf("references (-before +after):\n%s", diff)
	}
	if trees := git("worktree", "list"); strings.Contains(trees, "\n") {
		t.Errorf("work trees:\n%s", trees)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
