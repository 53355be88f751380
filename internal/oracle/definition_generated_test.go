package oracle

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/definition"
)

// TestDefinitionGeneratedName compares the errors of definitions without a name
// that ask for a generated one. The names differ; no generated name is the one that
// a definition must have.
func TestDefinitionGeneratedName(t *testing.T) {
	server := newDefinitionServer()
	base := bases(t)[0].DeepCopy()
	base.Name = ""
	want := base.Spec.Names.Plural + "." + base.Spec.Group
	for _, prefix := range []string{"", "x-", want, want[:len(want)-5], "A_", "a-", strings.Repeat("a", 58), strings.Repeat("b.", 60)} {
		crd := base.DeepCopy()
		crd.GenerateName = prefix
		reference := server.create(t, crd)
		report := definition.Check(crd)
		got := newVerdict(report.Errors, reference.warnings)
		if !got.equal(reference) || report.Accepted() {
			t.Errorf("generateName %q:\n%s", prefix, reference.diff(got))
		}
		if crd.Name != "" {
			t.Errorf("generateName %q: Check named the definition %q", prefix, crd.Name)
		}
	}

	// The definition must not have the generated name of the stand-in rule.
	crd := base.DeepCopy()
	crd.Spec.Group += "00000"
	crd.GenerateName = want
	if definition.Check(crd).Accepted() {
		t.Error("Check accepts a definition whose name the server would have to guess")
	}
}
