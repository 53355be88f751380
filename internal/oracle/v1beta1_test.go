package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/hidden"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A betaForm is a definition of v1beta1.
type betaForm struct {
	path string
	crd  *apiextensionsv1beta1.CustomResourceDefinition
}

// betaFiles returns the definitions of v1beta1 in testdata and in the corpus.
func betaFiles(t *testing.T) []betaForm {
	t.Helper()
	root, err := testkit.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(root, "testdata", "legacy", "crd.yaml")}
	if dir, ok := testkit.CorpusDir(); ok {
		found, err := filepath.Glob(filepath.Join(dir, "crds-v1beta1", "*", "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var out []betaForm
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crd := &apiextensionsv1beta1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(data, crd); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if crd.APIVersion == apiextensionsv1beta1.SchemeGroupVersion.String() {
			out = append(out, betaForm{filepath.Base(file), crd})
		}
	}
	return out
}

// beta returns a definition as a client of v1beta1 sees it.
func (s *definitionServer) beta(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1beta1.CustomResourceDefinition {
	t.Helper()
	internal, err := s.internal(crd)
	if err != nil {
		t.Fatal(err)
	}
	out := &apiextensionsv1beta1.CustomResourceDefinition{}
	if err := s.Scheme.Convert(internal, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// fromBeta returns a definition of v1beta1 as the server decodes it.
func (s *definitionServer) fromBeta(crd *apiextensionsv1beta1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	crd = crd.DeepCopy()
	s.Scheme.Default(crd)
	out := &apiextensions.CustomResourceDefinition{}
	return out, s.Scheme.Convert(crd, out, nil)
}

// v1 returns a definition as a client of v1 sees it.
func (s *definitionServer) v1(in *apiextensions.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	out := &apiextensionsv1.CustomResourceDefinition{}
	return out, s.Scheme.Convert(in.DeepCopy(), out, nil)
}

// sentBeta returns the JSON of a definition, and the definition that this JSON decodes to.
// It returns nil for a definition that cannot be sent.
func sentBeta(crd *apiextensionsv1beta1.CustomResourceDefinition) ([]byte, *apiextensionsv1beta1.CustomResourceDefinition) {
	crd.APIVersion, crd.Kind = apiextensionsv1beta1.SchemeGroupVersion.String(), "CustomResourceDefinition"
	data, err := json.Marshal(crd)
	if err != nil {
		return nil, nil
	}
	out := &apiextensionsv1beta1.CustomResourceDefinition{}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, nil
	}
	return data, out
}

// asAny returns v encoded to JSON and decoded again.
func asAny(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A betaTally collects differences and counts comparisons.
type betaTally struct {
	definitionTally
	contradictory int
	lenient       int // accepted by v1beta1 and not by v1
}

// compareBeta compares the result of Parse for a definition, and the reports of
// Check on it with and without the rules of v1beta1.
func (l *betaTally) compareBeta(t *testing.T, s *definitionServer, what string, crd *apiextensionsv1beta1.CustomResourceDefinition) {
	data, crd := sentBeta(crd)
	if data == nil {
		return
	}
	internal, err := s.fromBeta(crd)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	want, err := s.v1(internal)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	got, err := definition.Parse(data)
	if err != nil {
		l.contradiction(t, s, what, internal, err)
		return
	}
	again, err := s.internal(got)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	stored, err := s.v1(again)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if !reflect.DeepEqual(asAny(t, stored), asAny(t, want)) {
		l.differ(what, fmt.Sprintf("Parse makes it\n%s\nupstream\n%s", testkit.Encode(asAny(t, stored)), testkit.Encode(asAny(t, want))))
		return
	}
	l.create(t, s, what, want)
	l.compare("v1beta1: "+what, func() reply { return s.createLenient(t, got) }, func() reply {
		r := definition.Check(got, definition.V1beta1Rules())
		if r.Accepted() && !definition.Check(got).Accepted() {
			l.mu.Lock()
			l.lenient++
			l.mu.Unlock()
			if _, err := crdkit.Compile(got); err != nil && len(crd.Name)%4 == 0 {
				l.differ(what, "Check accepts what Compile does not: "+err.Error())
			}
		}
		return newVerdict(r.Errors, warningTexts(r))
	})
}

// contradiction compares the error of Parse with the server's errors for the definition.
func (l *betaTally) contradiction(t *testing.T, s *definitionServer, what string, internal *apiextensions.CustomResourceDefinition, err error) {
	l.mu.Lock()
	l.contradictory++
	l.mu.Unlock()
	ctx := context.Background()
	theirs := catching(func() reply {
		obj := internal.DeepCopy()
		s.Strategy.PrepareForCreate(ctx, obj)
		return reply{errors: errorTexts(rest.ValidateCreate(ctx, obj, s.Strategy))}
	})
	if theirs.panicked != "" {
		return
	}
	_, list, _ := strings.Cut(err.Error(), ": definition "+internal.Name+": ")
	for text := range strings.SplitSeq(strings.Trim(list, "[]"), ", spec.") {
		text = "spec." + strings.TrimPrefix(text, "spec.")
		if strings.HasPrefix(text, "spec.selectableFields: ") || strings.HasPrefix(text, "spec.versions: Required value: there is no version") {
			continue // upstream drops a part silently
		}
		if !slices.Contains(theirs.errors, text) {
			l.differ(what, "Parse fails with "+text+", upstream says\n"+strings.Join(theirs.errors, "\n"))
		}
	}
}

func errorTexts(errs field.ErrorList) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}

// createLenient returns upstream's answer for a definition with the options that servers
// up to 1.21 had for v1beta1.
func (s *definitionServer) createLenient(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) reply {
	obj, err := s.internal(crd)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	created := s.create(t, crd)
	return catching(func() reply {
		s.Strategy.PrepareForCreate(ctx, obj)
		found := definitionErrors(hidden.ValidateV1beta1(ctx, obj))
		for _, line := range created.errors {
			_, rest, _ := strings.Cut(line, " | ") // type, field and detail
			if strings.HasPrefix(rest, "metadata") && !strings.Contains(line, "api-approved.kubernetes.io] | protected groups") {
				found = append(found, line)
			}
		}
		slices.Sort(found)
		return reply{errors: found, warnings: created.warnings}
	})
}

// TestV1beta1 compares the reading of definitions of v1beta1, and the reports of Check,
// with upstream: existing definitions, definitions of v1 converted to v1beta1, and broken
// ones.
func TestV1beta1(t *testing.T) {
	server := newDefinitionServer()
	tally := &betaTally{definitionTally: definitionTally{fields: map[string]int{}}}
	forms := betaFiles(t)
	files := len(forms)
	list, _ := definitions(t)
	small := bases(t)
	for _, crd := range small {
		forms = append(forms, betaForm{crd.Name, server.beta(t, crd)})
	}
	sources, first := slices.Clone(forms), len(forms)-len(small)
	if testing.Short() {
		list = list[:min(len(list), 40)]
	}
	for _, d := range list {
		if d.CRD.Size() < 400_000 {
			forms = append(forms, betaForm{d.Path, server.beta(t, d.CRD)})
		}
	}
	forms = slices.DeleteFunc(forms, func(f betaForm) bool { return !strings.Contains(f.path, *only) })
	inParallel(len(forms), func(i int) { tally.compareBeta(t, server, forms[i].path, forms[i].crd) })

	n := *mutants / 8
	if testing.Short() {
		n = min(n, 500)
	}
	own := sources[first:]
	sources = slices.DeleteFunc(slices.Clone(sources), func(f betaForm) bool { return f.crd.Size() > 12_000 })
	fields := fieldsOf(reflect.TypeFor[apiextensionsv1beta1.CustomResourceDefinition]())
	inParallel(n, func(i int) { tally.compareBetaMutant(t, server, own, sources, fields, i) })

	var missed []string
	for _, f := range fields {
		if tally.fields[f.String()] == 0 {
			missed = append(missed, f.String())
		}
	}
	if len(missed) > 0 && n >= 15*len(fields) {
		t.Errorf("fields that were never changed: %s", strings.Join(missed, ", "))
	}
	for _, text := range tally.shown {
		t.Errorf("%s", text)
	}
	fmt.Printf("oracle: v1beta1 definitions %d (%d files), mutants %d, %d differences (%d of %d fields changed, %d contradictory, %d accepted by v1beta1 only, %d refused, %d panics of upstream)\n",
		len(forms), files, n, tally.found, len(fields)-len(missed), len(fields), tally.contradictory, tally.lenient, tally.refused, tally.panics)
}

func (l *betaTally) compareBetaMutant(t *testing.T, server *definitionServer, own, sources []betaForm, fields []typeField, i int) {
	rng := seeded("v1beta1", i)
	base := own[i/len(fields)%len(own)]
	if rng.IntN(3) == 0 {
		base = sources[rng.IntN(len(sources))]
	}
	m := &definitionMutator{t: t, rng: rng, donor: reflect.ValueOf(sources[rng.IntN(len(sources))].crd).Elem()}
	crd := base.crd.DeepCopy()
	faults := 1
	if rng.IntN(3) == 0 {
		faults += 1 + rng.IntN(3)
	}
	for k := range faults {
		f := fields[i%len(fields)]
		if k > 0 {
			f = m.interesting(fields)
		}
		changed := m.mutate(reflect.ValueOf(crd).Elem(), f)
		for next := 0; k == 0 && !changed && next < len(own); next++ { // a definition that has the struct of the field
			base, crd = own[next], own[next].crd.DeepCopy()
			changed = m.mutate(reflect.ValueOf(crd).Elem(), f)
		}
		if changed {
			l.mu.Lock()
			l.fields[f.String()]++
			l.mu.Unlock()
		}
	}
	l.compareBeta(t, server, fmt.Sprintf("mutant %d of %s", i, base.path), crd)
}
