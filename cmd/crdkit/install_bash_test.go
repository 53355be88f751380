//go:build bash

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// sourcesOf returns a directory with what .ci/install needs of the sources, whose changelog
// begins with a section.
func sourcesOf(t *testing.T, section string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".ci"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ci", "install"), []byte(atRoot(t, ".ci/install")), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "go.mod", "module example.com\n")
	writeFile(t, dir, "CHANGELOG.md", "# Changelog\n\n## "+section+"\n\n- new\n\n## v0.0.1 (2026-01-02)\n\n- old\n")
	return dir
}

// A fakeRelease is the files of version 0.1.0, and those that were asked for.
type fakeRelease struct {
	files map[string][]byte
	asked []string
}

// newFakeRelease makes a release for this platform. Its program is a script that prints its
// arguments.
func newFakeRelease(t *testing.T) *fakeRelease {
	t.Helper()
	config := readReleaseConfig(t)
	name := strings.NewReplacer("{{ .ProjectName }}", "crdkit", "{{ .Version }}", "0.1.0", "{{ .Os }}", runtime.GOOS, "{{ .Arch }}", runtime.GOARCH).
		Replace(config.Archives[0].NameTemplate) + ".tar.gz"
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	files := tar.NewWriter(zipped)
	for name, text := range map[string]string{"LICENSE": "", "crdkit": "#!/bin/sh\necho released: $*\n"} {
		if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(files.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	sums := fmt.Sprintf("%x  crdkit_0.1.0_plan9_386.tar.gz\n%x  %s\n%x  %[3]s.sbom.json\n", sha256.Sum256(nil), sha256.Sum256(archive.Bytes()), name, sha256.Sum256(nil))
	return &fakeRelease{files: map[string][]byte{"/v0.1.0/" + config.Checksum.NameTemplate: []byte(sums), "/v0.1.0/" + name: archive.Bytes()}}
}

func (r *fakeRelease) archive() string {
	for name := range r.files {
		if strings.HasSuffix(name, ".tar.gz") {
			return name
		}
	}
	return ""
}

func (r *fakeRelease) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.asked = append(r.asked, request.URL.Path)
	if data, ok := r.files[request.URL.Path]; ok {
		_, _ = w.Write(data)
		return
	}
	http.NotFound(w, request)
}

// TestActionInstall runs .ci/install over a server of releases, as the action and the hooks
// do. "compiled" stands for the answer of the program that is compiled.
func TestActionInstall(t *testing.T) {
	const compiled = "crdkit version "
	for _, tt := range []struct {
		name, section string
		change        func(r *fakeRelease)
		code          int
		want          string // a part of the output
		asked         int    // files that are downloaded
	}{
		{"release", "v0.1.0 (2026-11-28)", nil, 0, "released: --version\n", 2},
		{"wrong checksum", "v0.1.0 (2026-11-28)", func(r *fakeRelease) { r.files[r.archive()] = []byte("else") }, 1, "refused: crdkit_0.1.0_", 2},
		{"no release yet", "v0.2.0 (2026-11-28)", nil, 0, compiled, 1},
		{"no archive", "v0.1.0 (2026-11-28)", func(r *fakeRelease) { delete(r.files, r.archive()) }, 0, compiled, 2},
		{"other platforms only", "v0.1.0 (2026-11-28)", func(r *fakeRelease) { r.files["/v0.1.0/checksums.txt"] = []byte("00  crdkit_0.1.0_plan9_386.tar.gz\n") }, 0, compiled, 1},
		{"between releases", "Unreleased", nil, 0, compiled, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			release := newFakeRelease(t)
			if tt.change != nil {
				tt.change(release)
			}
			server := httptest.NewServer(release)
			defer server.Close()
			source, env := sourcesOf(t, tt.section), append(withFakeGo(t), "CRDKIT_RELEASES="+server.URL)
			check := func(what string, code int, out string) {
				t.Helper()
				if code != tt.code || !strings.Contains(out, tt.want) || strings.Contains(out, compiled) != (tt.want == compiled) {
					t.Errorf("%s: exit code %d, want %d; want %q in\n%s", what, code, tt.code, tt.want, out)
				}
				if len(release.asked) != tt.asked {
					t.Errorf("%s: asked for %v, want %d files", what, release.asked, tt.asked)
				}
			}

			cmd := exec.CommandContext(t.Context(), filepath.Join(source, ".ci", "install"), "run", "--version")
			// As in a hook of git.
			cmd.Dir, cmd.Env = t.TempDir(), append(append(os.Environ(), env...), "GIT_INDEX_FILE=.git/index")
			text, _ := cmd.CombinedOutput()
			check("hook", cmd.ProcessState.ExitCode(), string(text))
			if left, err := filepath.Glob(filepath.Join(source, ".crdkit", "new.*")); err != nil || len(left) > 0 {
				t.Errorf("the script leaves %v, %v", left, err)
			}

			if tt.code == 0 {
				// The second run needs nothing but the program.
				cmd = exec.CommandContext(t.Context(), filepath.Join(source, ".ci", "install"), "run", "--version")
				cmd.Env = append(os.Environ(), env[1:]...)
				text, _ = cmd.CombinedOutput()
				check("second run", cmd.ProcessState.ExitCode(), string(text))
			}

			release.asked = nil
			code, out := runAction(t, source, t.TempDir(), map[string]string{"command": "completion", "output": "text", "args": "--version"}, env...)
			if tt.want == "released: --version\n" {
				tt.want = "released: completion -o text --version\n"
			}
			if tt.want == compiled {
				tt.code, tt.want = code, out // TestActionScript runs it
				if !strings.Contains(out, "compiling "+source) {
					t.Errorf("the action compiles nothing:\n%s", out)
				}
			}
			check("action", code, out)
		})
	}
}
