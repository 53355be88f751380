package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestEveryFlagCompletes checks that the value of each flag has a function that completes
// it. Without one, a shell offers files.
func TestEveryFlagCompletes(t *testing.T) {
	root := newRoot()
	addCompletion(root)
	flags := 0
	for _, cmd := range root.Commands() {
		if cmd.ValidArgsFunction == nil {
			t.Errorf("%s: no function completes the arguments", cmd.Name())
		}
		// Usages are lines such as "  -o, --output string   what to print".
		for line := range strings.Lines(cmd.LocalFlags().FlagUsages()) {
			_, rest, ok := strings.Cut(line, "--")
			if !ok {
				continue
			}
			name := strings.Fields(rest)[0]
			if f := cmd.Flags().Lookup(name); f == nil || f.Value.Type() == "bool" {
				continue
			}
			flags++
			if _, ok := cmd.GetFlagCompletionFunc(name); !ok {
				t.Errorf("%s: nothing completes --%s; see completions", cmd.Name(), name)
			}
		}
	}
	if flags < 20 {
		t.Errorf("%d flags with values, want at least 20", flags)
	}
}

// TestCompletionScripts checks that each shell gets a script that asks this command.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var out, errOut bytes.Buffer
		code := run(context.Background(), []string{"completion", shell}, strings.NewReader(""), &out, &errOut)
		if code != exitOK || errOut.Len() > 0 {
			t.Errorf("completion %s: exit code %d, %s", shell, code, errOut.String())
		}
		if !strings.Contains(out.String(), cobra.ShellCompRequestCmd) || !strings.Contains(out.String(), "crdkit") {
			t.Errorf("completion %s prints %q", shell, out.String())
		}
	}
}
