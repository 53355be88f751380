package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/util/webhook"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/hidden"
)

// reconciled returns the reconciled status of upstream's controllers. Each runs until it
// changes nothing.
func reconciled(t *testing.T, s *definitionServer, crd *apiextensionsv1.CustomResourceDefinition, others []*apiextensionsv1.CustomResourceDefinition) apiextensionsv1.CustomResourceDefinitionStatus {
	t.Helper()
	crd = crd.DeepCopy()
	s.Scheme.Default(crd)
	all := []*apiextensionsv1.CustomResourceDefinition{crd}
	for _, other := range others {
		if other.Name == crd.Name {
			continue
		}
		other = other.DeepCopy()
		s.Scheme.Default(other)
		if len(other.Status.Conditions) == 0 && reflect.ValueOf(other.Status.AcceptedNames).IsZero() {
			other.Status.AcceptedNames = other.Spec.Names // a file has no status
		}
		all = append(all, other)
	}
	for syncNames(t, crd, all) {
	}
	establish(crd)
	if c := hidden.NonStructural(crd); c != nil {
		apihelpers.SetCRDCondition(crd, *c)
	} else {
		apihelpers.RemoveCRDCondition(crd, apiextensionsv1.NonStructuralSchema)
	}
	if c := hidden.Approval(crd); c != nil {
		apihelpers.SetCRDCondition(crd, *c)
	}
	return crd.Status
}

// syncNames runs the naming controller, and reports whether it changed the status.
func syncNames(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition, all []*apiextensionsv1.CustomResourceDefinition) bool {
	t.Helper()
	if equality.Semantic.DeepEqual(crd.Spec.Names, crd.Status.AcceptedNames) {
		return false
	}
	names, accepted, established, err := hidden.AcceptNames(crd, all)
	if err != nil {
		t.Fatal(err)
	}
	before := apihelpers.FindCRDCondition(crd, apiextensionsv1.NamesAccepted)
	if reflect.DeepEqual(names, crd.Status.AcceptedNames) && apihelpers.IsCRDConditionEquivalent(&accepted, before) {
		return false
	}
	crd.Status.AcceptedNames = names
	apihelpers.SetCRDCondition(crd, accepted)
	apihelpers.SetCRDCondition(crd, established)
	return true
}

// establish runs the establishing controller.
func establish(crd *apiextensionsv1.CustomResourceDefinition) {
	if !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.NamesAccepted) || apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
		return
	}
	c := apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue,
		Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"}
	if conv := crd.Spec.Conversion; conv != nil && conv.Webhook != nil && conv.Webhook.ClientConfig != nil &&
		len(webhook.ValidateCABundle(field.NewPath(""), conv.Webhook.ClientConfig.CABundle)) > 0 {
		c.Status, c.Reason, c.Message = apiextensionsv1.ConditionFalse, "InvalidCABundle", "The conversion webhook CABundle is invalid"
	}
	apihelpers.SetCRDCondition(crd, c)
}

// timeless returns a status as text, without the times of conditions.
func timeless(s apiextensionsv1.CustomResourceDefinitionStatus) string {
	s = *s.DeepCopy()
	for i := range s.Conditions {
		s.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	if len(s.Conditions) == 0 {
		s.Conditions = nil
	}
	return inJSON(s)
}

func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// named gives a definition names that other definitions may have, and a status that may
// be outdated.
func named(rng *rand.Rand, crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	any := func() apiextensionsv1.CustomResourceDefinitionNames {
		n := apiextensionsv1.CustomResourceDefinitionNames{
			Plural: pick("as", "bs", "cs"), Singular: pick("a", "b", "as", ""), Kind: pick("A", "B", "C"), ListKind: pick("AList", "BList", "B", ""),
			Categories: [][]string{nil, {}, {"all"}}[rng.IntN(3)],
		}
		for range rng.IntN(4) {
			n.ShortNames = append(n.ShortNames, pick("x", "y", "z", "as", "b"))
		}
		return n
	}
	crd = crd.DeepCopy()
	crd.Spec.Names = any()
	crd.Spec.Group = pick("example.com", "example.com", "example.com", "x.k8s.io")
	crd.Name = fmt.Sprintf("%s%d.%s", crd.Spec.Names.Plural, rng.IntN(1000), crd.Spec.Group)
	if text := pick("", "", "unapproved, x", "https://example.com/1", "odd"); text != "" {
		crd.Annotations = map[string]string{apiextensionsv1.KubeAPIApprovedAnnotation: text}
	}
	if rng.IntN(6) == 0 {
		crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig: &apiextensionsv1.WebhookClientConfig{CABundle: []byte(pick("", "x"))}}}
	}
	if rng.IntN(3) > 0 {
		crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{AcceptedNames: any(), StoredVersions: []string{"v0"}}
		if rng.IntN(3) == 0 {
			crd.Status.AcceptedNames = *crd.Spec.Names.DeepCopy()
		}
		status := func() apiextensionsv1.ConditionStatus {
			return []apiextensionsv1.ConditionStatus{apiextensionsv1.ConditionTrue, apiextensionsv1.ConditionFalse}[rng.IntN(2)]
		}
		for _, typ := range []apiextensionsv1.CustomResourceDefinitionConditionType{
			apiextensionsv1.NamesAccepted, apiextensionsv1.Established, apiextensionsv1.NonStructuralSchema, apiextensionsv1.KubernetesAPIApprovalPolicyConformant,
		} {
			if rng.IntN(3) > 0 {
				crd.Status.Conditions = append(crd.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{Type: typ, Status: status(), Reason: "Old", Message: "old"})
			}
		}
	}
	return crd
}

// TestReconciledStatus compares the reconciled status of definitions with the status that
// upstream's controllers write. It reconciles every definition among all others, and
// mutants among others of similar names.
func TestReconciledStatus(t *testing.T) {
	server := newDefinitionServer()
	tally := &definitionTally{fields: map[string]int{}}
	list, _ := definitions(t)
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, d := range list {
		all = append(all, d.CRD)
	}
	var mu sync.Mutex
	reasons := map[string]int{}
	compare := func(what string, crd *apiextensionsv1.CustomResourceDefinition, others []*apiextensionsv1.CustomResourceDefinition) {
		got := definition.ReconciledStatus(crd, others...)
		mu.Lock()
		for _, c := range got.Conditions {
			reasons[fmt.Sprintf("%s=%s/%s", c.Type, c.Status, c.Reason)]++
		}
		tally.compared++
		mu.Unlock()
		for i := range Reruns { // the first unsupported keyword is random
			want := reconciled(t, server, crd, others)
			if timeless(got) == timeless(want) {
				return
			}
			if i == Reruns-1 {
				tally.differ(what, fmt.Sprintf("-upstream %s\n+ours     %s", timeless(want), timeless(got)))
			}
		}
	}
	inParallel(len(all), func(i int) {
		others := all[max(0, i-20):min(len(all), i+20)]
		if i%40 == 0 {
			others = all
		}
		compare(list[i].Path, all[i], others)
	})
	small := bases(t)
	fields := definitionFields()
	n := *mutants / 10
	if testing.Short() {
		n = min(n, 400)
	}
	inParallel(n, func(i int) {
		rng := seeded("status", i)
		m := &definitionMutator{t: t, rng: rng, donor: reflect.ValueOf(small[rng.IntN(len(small))]).Elem()}
		crd := m.mutant(tally, small[i/len(fields)%len(small)], fields, i)
		if crd == nil {
			return
		}
		var others []*apiextensionsv1.CustomResourceDefinition
		for range rng.IntN(4) {
			others = append(others, named(rng, small[0]))
		}
		compare(fmt.Sprintf("mutant %d", i), named(rng, crd), others)
	})
	for _, text := range tally.shown {
		t.Errorf("%s", text)
	}
	for _, reason := range []string{"NoConflicts", "PluralConflict", "SingularConflict", "ShortNamesConflict", "KindConflict", "ListKindConflict",
		"NotAccepted", "InitialNamesAccepted", "InvalidCABundle", "Violations", "StructuralError",
		"MissingAnnotation", "InvalidAnnotation", "ApprovedAnnotation", "UnapprovedAnnotation"} {
		if n >= 1000 && !slices.ContainsFunc(sortedNames(reasons), func(s string) bool { return strings.HasSuffix(s, "/"+reason) }) {
			t.Errorf("no status has the reason %s", reason)
		}
	}
	fmt.Printf("oracle: reconciled statuses %d, %d differences, conditions %v\n", tally.compared, tally.found, reasons)
}

func sortedNames(m map[string]int) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
