package celrules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// uncalled are the overloads that no rule can call, with the reasons.
var uncalled = map[string]string{
	"__not_strictly_false__": "the condition of loops; its name is @not_strictly_false now",
}

// TestFunctions checks that the synthetic rules call every overload of every
// function and macro of the server's language.
func TestFunctions(t *testing.T) {
	called := map[string]bool{}
	list := synthetics(t)
	for _, s := range list {
		if r := s.props.XValidations; len(r) == 1 && len(s.props.Properties) > 0 {
			for overload := range overloads(t, s) {
				called[overload] = true
			}
		}
	}
	known := 0
	var missing []string
	for _, f := range upstreamLanguage().StoredExpressionsEnv().Functions() {
		for _, o := range f.OverloadDecls() {
			if known++; !called[o.ID()] && uncalled[o.ID()] == "" {
				missing = append(missing, f.Name()+" "+o.ID())
			}
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("%d overloads that no synthetic rule calls:\n%s", len(missing), strings.Join(missing, "\n"))
	}
	for _, name := range slices.Sorted(maps.Keys(uncalled)) {
		if called[name] {
			t.Errorf("a rule calls %s, although the table says that no rule can", name)
		}
	}
	fmt.Printf("cel functions: %d overloads, %d of them called by synthetic rules, %d that no rule can call\n", known, known-len(missing)-len(uncalled), len(uncalled))
}

// overloads returns the overloads that the rule at the root of s calls. It
// returns nil if the rule does not compile.
func overloads(t *testing.T, s *synthetic) map[string]bool {
	t.Helper()
	in, err := structural(s.props)
	if err != nil {
		t.Fatal(err)
	}
	self := model.SchemaDeclType(in, true).MaybeAssignTypeName("selfType")
	old := self.CelType()
	if r := in.XValidations[0]; r.OptionalOldSelf != nil && *r.OptionalOldSelf {
		old = cel.OptionalType(old)
	}
	set, err := upstreamLanguage().Extend(environment.VersionedOptions{
		IntroducedVersion: utilversion.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", self.CelType()), cel.Variable("oldSelf", old)},
		DeclTypes:         []*apiservercel.DeclType{self},
	})
	if err != nil {
		t.Fatal(err)
	}
	checked, issues := set.StoredExpressionsEnv().Compile(in.XValidations[0].Rule)
	if issues != nil {
		return nil
	}
	found := map[string]bool{}
	for _, ref := range checked.NativeRep().ReferenceMap() {
		for _, id := range ref.OverloadIDs {
			found[id] = true
		}
	}
	return found
}
