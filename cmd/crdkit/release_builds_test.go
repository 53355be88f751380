//go:build bash && release && unix

package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReleaseBuilds builds the program for each platform of .goreleaser.yaml.
func TestReleaseBuilds(t *testing.T) {
	for _, b := range releaseBuilds(t) {
		binary := filepath.Join(t.TempDir(), "crdkit")
		start := time.Now()
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", binary}, b.args...)...)
		cmd.Dir = filepath.Join("..", "..")
		cmd.Env = append(append(os.Environ(), "GOOS="+b.os, "GOARCH="+b.arch), b.env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s/%s: %v\n%s", b.os, b.arch, err, out)
			continue
		}
		info, err := os.Stat(binary)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s/%s: %.1f MB in %.0f s", b.os, b.arch, float64(info.Size())/1e6, time.Since(start).Seconds())
	}
}

// TestReleaseImage runs the command of the Dockerfile that builds the program, and checks
// that the program needs no library.
func TestReleaseImage(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "crdkit")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(imageBuild(t), " /crdkit ", " "+binary+" ", 1))
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, program := range file.Progs {
		if program.Type == elf.PT_INTERP || program.Type == elf.PT_DYNAMIC {
			t.Errorf("the program has a segment %v: it is not static", program.Type)
		}
	}
	version, err := exec.CommandContext(t.Context(), binary, "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(version), "crdkit version ") {
		t.Errorf("--version: %v\n%s", err, version)
	}
	t.Logf("%s", version)
}

// TestReleaseAction runs the scripts of the action with the go command, and no release.
func TestReleaseAction(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "crd.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
	writeFile(t, dir, "object.yaml", widget+"list: [b]\n")
	code, out := runAction(t, repositoryRoot(t), dir, nil, "CRDKIT_RELEASES=file://"+t.TempDir())
	if want := "::error file=object.yaml,line=5,col=8,"; code != exitRefused || !strings.Contains(out, want) {
		t.Errorf("exit code %d, want %d; want %q in\n%s", code, exitRefused, want, out)
	}
}
