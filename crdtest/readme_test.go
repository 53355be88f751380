package crdtest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

func TestCronTab(t *testing.T) {
	set := crdtest.Load(t, "../testdata/crontab/crd.yaml")
	valid := `{metadata: {name: a}, spec: {cronSpec: "0 3 * * *", image: backup}}`
	crdtest.Mutations(t, set, valid,
		crdtest.Put("/spec/replicas", 100),
		crdtest.Put("/spec/replicas", 101).Wants(crdtest.Refused("spec.replicas", "less than or equal to 100")),
		crdtest.Put("/spec/suspend", true).Wants(crdtest.RefusedBy("!self.suspend || self.replicas == 0")),
		crdtest.Delete("/spec/image").Wants(crdtest.Errors("spec.image: Required value")),
	)
}

// TestReadme checks that README.md contains TestCronTab.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, test, _ := strings.Cut(string(source), "\nfunc TestCronTab")
	test, _, _ = strings.Cut("func TestCronTab"+test, "\n}\n")
	block := strings.ReplaceAll("    "+test+"\n    }", "\n\t", "\n    \t")
	if !strings.Contains(string(readme), block) {
		t.Errorf("README.md does not show this block:\n%s", block)
	}
}
