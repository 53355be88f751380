//go:build release

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

const released = "v0.1.0"

// TestReleaseModules releases the sources in a new repository, and uses the modules of the
// release as a stranger does: with go get, from a proxy that has the tagged modules.
func TestReleaseModules(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	t.Cleanup(func() {
		// The module caches are read-only.
		if err := removeAll(dir); err != nil {
			t.Error(err)
		}
	})
	sources, repository := command{dir: "../../.."}, command{dir: filepath.Join(dir, "repository")}
	copySources(t, sources, repository.dir)
	testkit.Commit(t, repository.dir, "v0.0.1")
	for _, config := range []string{"user.name test", "user.email test@example.com"} {
		run(t, repository, "git", append([]string{"config"}, strings.Fields(config)...)...)
	}

	start := time.Now()
	if err := check(ctx, repository, released, day); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := makeRelease(ctx, repository, released, day, &out); err != nil {
		t.Fatal(err)
	}
	t.Logf("released in %.0f s:\n%s", time.Since(start).Seconds(), &out)
	modules, err := findModules(ctx, repository)
	if err != nil {
		t.Fatal(err)
	}
	checkTags(t, repository, modules)

	// The proxy is what the go command has downloaded from the repository.
	root := modules[0].path
	proxy := filepath.Join(dir, "proxy")
	env, err := goEnv(ctx, repository, filepath.Join(repository.dir, ".git"), root, proxy)
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, m := range modules {
		wanted = append(wanted, m.path+"@"+released)
	}
	run(t, command{dir: dir, env: env}, "go", append([]string{"mod", "download"}, wanted...)...)

	start = time.Now()
	stranger := command{dir: filepath.Join(dir, "stranger"), env: strangersEnv(env, proxy, filepath.Join(dir, "modules"))}
	if err := os.CopyFS(stranger.dir, os.DirFS("testdata/stranger")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"go", "mod", "init", "stranger"},
		append([]string{"go", "get"}, wanted...),
		{"go", "mod", "tidy"},
		{"go", "run", "."},
		{"go", "test", "-count=1", "."},
	} {
		t.Logf("$ %s\n%s", strings.Join(args, " "), run(t, stranger, args[0], args[1:]...))
	}
	mod, err := os.ReadFile(filepath.Join(stranger.dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		if !strings.Contains(string(mod), "\t"+m.path+" "+released+"\n") || strings.Contains(string(mod), "replace") {
			t.Errorf("the stranger's go.mod does not require %s %s:\n%s", m.path, released, mod)
		}
	}
	t.Logf("the stranger needed %.0f s", time.Since(start).Seconds())
	if got, want := run(t, stranger, "go", "run", "."), "crdkit: Widget.example.com \"a\" is invalid: spec: Invalid value: large widgets are red\n"+
		"controllertest: map[color:blue size:1]"; got != want {
		t.Errorf("the program prints\n%s\nwant\n%s", got, want)
	}
}

// copySources copies the files that git has or would add.
func copySources(t *testing.T, sources command, to string) {
	t.Helper()
	files, err := sources.output(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		t.Skipf("the sources are in no git repository: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(sources.dir, name))
		if os.IsNotExist(err) {
			continue // removed, and not committed
		} else if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(sources.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// checkTags checks that the tagged modules require released versions only, that main still
// has the replacements, and that main and the root tag have their changelogs.
func checkTags(t *testing.T, repository command, modules []module) {
	t.Helper()
	for _, m := range modules {
		mod := run(t, repository, "git", "show", m.tag(released)+":./"+filepath.ToSlash(filepath.Join(m.dir, "go.mod")))
		if strings.Contains(mod, "replace ") || strings.Contains(mod, " v0.0.0-00010101000000-") {
			t.Errorf("go.mod at %s:\n%s", m.tag(released), mod)
		}
		t.Logf("%s changes:\n%s", m.tag(released), run(t, repository, "git", "show", "--stat", "--format=%s", m.tag(released)+"^{commit}"))
	}
	for revision, want := range map[string]string{
		released: "\n## " + released + " (2026-11-28)\n", modules[len(modules)-1].tag(released): "\n## " + released + " (2026-11-28)\n",
		"main": "\n## Unreleased\n\n## " + released + " (2026-11-28)\n",
	} {
		if text := run(t, repository, "git", "show", revision+":CHANGELOG.md"); !strings.Contains(text, want) {
			t.Errorf("CHANGELOG.md at %s lacks %q", revision, want)
		}
	}
	if diff := run(t, repository, "git", "diff", "--stat", "v0.0.1", "main", "--", "*go.mod", "*go.sum"); diff != "" {
		t.Errorf("main changes\n%s", diff)
	}
	if status := run(t, repository, "git", "status", "--porcelain", "--branch"); status != "## main" {
		t.Errorf("status after the release:\n%s", status)
	}
	if trees := run(t, repository, "git", "worktree", "list"); strings.Contains(trees, "\n") {
		t.Errorf("work trees after the release:\n%s", trees)
	}
}

// strangersEnv returns env with a proxy that has the released modules, instead of their
// repository, and with another module cache.
func strangersEnv(env []string, proxy, cache string) []string {
	var result []string
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "GOPROXY":
			v = "GOPROXY=file://" + filepath.ToSlash(filepath.Join(proxy, "cache", "download")) + "," + value
		case "GONOPROXY":
			v = "GONOPROXY=none"
		case "GOMODCACHE":
			v = "GOMODCACHE=" + cache
		case "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0":
			continue
		}
		result = append(result, v)
	}
	return result
}

func run(t *testing.T, c command, name string, args ...string) string {
	t.Helper()
	out, err := c.output(t.Context(), name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
