package oracle

import (
	"fmt"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/definition"
)

func (l *definitionTally) status(t *testing.T, s *definitionServer, what string, crd, old *apiextensionsv1.CustomResourceDefinition) {
	l.compare(what, func() reply { return s.status(t, crd, old) }, func() reply {
		r := definition.CheckStatus(crd, old)
		return newVerdict(r.Errors, warningTexts(r))
	})
}

// reconciledBase returns a definition with every field of metadata and of a status.
func reconciledBase(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	crd = crd.DeepCopy()
	crd.UID, crd.ResourceVersion, crd.Generation = "7", "12", 3
	yes := true
	crd.Labels, crd.Annotations, crd.Finalizers = map[string]string{"a": "b"}, map[string]string{"a": "b"}, []string{"example.com/x"}
	crd.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "A", Name: "a", UID: "1"}, {APIVersion: "v1", Kind: "A", Name: "b", UID: "2", Controller: &yes}}
	crd.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", Operation: "Update", APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{}`)}}}
	crd.Status = definition.ReconciledStatus(crd)
	crd.Status.AcceptedNames.ShortNames, crd.Status.AcceptedNames.Categories = []string{"x", "y"}, []string{"all"}
	crd.Status.StoredVersions = append(crd.Status.StoredVersions, "v0")
	return crd
}

// TestCheckStatus compares the answers for writes to the status of definitions.
func TestCheckStatus(t *testing.T) {
	server := newDefinitionServer()
	tally := &definitionTally{fields: map[string]int{}}
	all := definitionFields()
	fields := append(fieldsOf(reflect.TypeFor[metav1.ObjectMeta]()), fieldsOf(reflect.TypeFor[apiextensionsv1.CustomResourceDefinitionStatus]())...)
	small := bases(t)
	for i := range small {
		small[i] = reconciledBase(small[i])
		tally.status(t, server, "whole "+small[i].Name, small[i], small[i])
	}
	n := *mutants
	if testing.Short() {
		n = min(n, 500)
	}
	inParallel(n, func(i int) {
		rng := seeded("write status", i)
		m := &definitionMutator{t: t, rng: rng, donor: reflect.ValueOf(small[rng.IntN(len(small))]).Elem()}
		base, of := small[i/len(fields)%len(small)], fields
		if rng.IntN(8) == 0 {
			of = all // of the spec, too, which does not count
		}
		broken := m.mutant(tally, base, of, i)
		if broken == nil {
			return
		}
		what := fmt.Sprintf("mutant %d of %s", i, base.Name)
		switch rng.IntN(4) {
		case 0:
			tally.status(t, server, "from "+what, base, broken)
		case 1:
			if other := m.mutant(tally, broken, fields, rng.IntN(len(fields))); other != nil {
				tally.status(t, server, "again from "+what, other, broken)
			}
		default:
			tally.status(t, server, what, broken, base)
		}
	})
	for _, text := range tally.shown {
		t.Errorf("%s", text)
	}
	for _, f := range fields {
		if n >= 50*len(fields) && tally.fields[f.String()] == 0 {
			t.Errorf("%s was never changed", f)
		}
	}
	if tally.refused*10 < tally.compared {
		t.Errorf("%d of %d are refused", tally.refused, tally.compared)
	}
	fmt.Printf("oracle: statuses written %d, %d differences (%d refused, %d with warnings)\n", tally.compared, tally.found, tally.refused, tally.warned)
}
