//go:build bash

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bashCompletes is a script that prints the completions of bash for the words in its
// arguments. Its _init_completion replaces the function of the package bash-completion. It
// does not split words.
const bashCompletes = `
_init_completion() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
compopt() { :; }
source <(crdkit completion bash)
COMP_WORDS=(crdkit "$@") COMP_CWORD=$# COMP_LINE="crdkit $*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
__start_crdkit
printf '%s\n' "${COMPREPLY[@]}"
`

// TestBash checks that bash loads the script of the command and completes with it.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "crdkit")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "crd.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
	for line, want := range map[string]string{
		"exp":                            "explain\n",
		"convert -c crd.yaml --to ''":    "v1\n",
		"explain -c crd.yaml widgets.l":  "widgets.list\n",
		"admit --unknown-kinds s":        "skip\n",
		"jsonschema -c crd.yaml --draf":  "--draft\n",
		"cost -c crd.yaml -o t":          "table\n",
		"check --kubernetes-version 1.3": "1.37\n1.36\n1.35\n1.34\n1.33\n1.32\n1.31\n1.30\n",
	} {
		cmd := exec.CommandContext(t.Context(), bash, append([]string{"-c", bashCompletes, "bash"}, arguments(line)...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), beCommand+"=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("crdkit %s: %v\n%s", line, err, out)
		}
		if diff := cmp.Diff(want, string(out)); diff != "" {
			t.Errorf("crdkit %s (-want +got):\n%s", line, diff)
		}
	}
}
