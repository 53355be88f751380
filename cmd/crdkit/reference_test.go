package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

const referenceFile = "../../docs/REFERENCE.md"

// TestReference checks that docs/REFERENCE.md has the help of every command. With -update it
// writes the page.
func TestReference(t *testing.T) {
	got := reference()
	if testkit.Update() {
		if err := os.WriteFile(referenceFile, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/REFERENCE.md is not current; run go test ./cmd/crdkit -run TestReference -update (-page +commands):\n%s", diff)
	}
}

// reference returns the page.
func reference() string {
	root := newRoot()
	root.InitDefaultCompletionCmd()
	var b strings.Builder
	b.WriteString("# Reference of the command\n\n" +
		"<!-- Written by go test ./cmd/crdkit -run TestReference -update. Do not edit. -->\n\n" +
		"This page has what `crdkit COMMAND --help` prints.\n\n")
	for _, cmd := range root.Commands() {
		fmt.Fprintf(&b, "- [crdkit %s](#crdkit-%s): %s\n", cmd.Name(), cmd.Name(), cmd.Short)
	}
	b.WriteString("\n`crdkit --version` prints the version of crdkit, the version of Kubernetes that it follows\n" +
		"and the revision of its sources.\n")
	for _, cmd := range root.Commands() {
		describeCommand(&b, cmd)
	}
	return b.String()
}

func describeCommand(b *strings.Builder, cmd *cobra.Command) {
	sentence := cmd.Short
	if !strings.HasSuffix(sentence, "?") {
		sentence += "."
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n", cmd.CommandPath(), sentence)
	cmd.InitDefaultHelpFlag()
	use := cmd.UseLine()
	for _, sub := range cmd.Commands() {
		use += "\n" + sub.UseLine()
	}
	fence(b, "sh", use)
	fence(b, "text", cmd.Long)
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n")
		fence(b, "sh", cmd.Example)
	}
	b.WriteString("\nFlags:\n")
	fence(b, "text", cmd.LocalFlags().FlagUsages())
}

func fence(b *strings.Builder, language, text string) {
	fmt.Fprintf(b, "\n```%s\n%s\n```\n", language, strings.Trim(text, "\n"))
}
