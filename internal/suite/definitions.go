package suite

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/coverage"
)

// A Definition is compiled at its first use.
type Definition struct {
	coverage.Source
	isPatched bool // CRD has patches that the text lacks

	once     sync.Once
	compiled *crdkit.Definition
	err      error
}

func (d *Definition) compile() (*crdkit.Definition, error) {
	d.once.Do(func() { d.compiled, d.err = crdkit.Compile(d.CRD) })
	return d.compiled, d.err
}

func (s *Suites) addDefinitions(ctx context.Context, name string) error {
	objects, err := s.objects(ctx, name)
	if err != nil {
		return nil // some files are templates, which are not YAML
	}
	for _, o := range objects {
		switch {
		case o.Kind == "FeatureGate":
			if err := s.addGates(o.Text); err != nil {
				return err
			}
		case o.IsDefinition():
			crd, err := definition.Parse(o.Text)
			if err != nil {
				return err
			}
			s.definitions = append(s.definitions, &Definition{Source: coverage.Source{CRD: crd, File: name, Line: o.Line, Text: o.Text}})
		}
	}
	return nil
}

// definitionOf returns the definition of an object, the nearest to file if there are several.
func (s *Suites) definitionOf(obj *unstructured.Unstructured, file string) (*Definition, error) {
	kind := obj.GroupVersionKind().GroupKind()
	near := s.nearest(file, func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		return crd.Spec.Group == kind.Group && crd.Spec.Names.Kind == kind.Kind
	})
	if len(near) == 0 {
		return nil, fmt.Errorf("no definition of %s", kind)
	}
	return near[0], nil
}

// nearest returns the definitions whose files are nearest to a case: they share the most
// directories with its path. The words between the dots of its file name count as directories.
func (s *Suites) nearest(file string, wanted func(*apiextensionsv1.CustomResourceDefinition) bool) []*Definition {
	var near []*Definition
	most := 0
	for _, d := range s.definitions {
		if !wanted(d.CRD) {
			continue
		}
		n := common(directories(d.File), slices.Concat(directories(file), dotted(file)))
		if n > most {
			near, most = nil, n
		}
		if n == most {
			near = append(near, d)
		}
	}
	return near
}

func common(a, b []string) int {
	n := 0
	for _, name := range a {
		if slices.Contains(b, name) {
			n++
		}
	}
	return n
}

func directories(file string) []string {
	return strings.Split(path.Dir(filepath.ToSlash(file)), "/")
}

func dotted(file string) []string {
	parts := strings.Split(path.Base(filepath.ToSlash(file)), ".")
	return parts[1:max(1, len(parts)-1)]
}

// The annotations of definitions and of feature gates in openshift/api.
const (
	featureSetAnnotation = "release.openshift.io/feature-set"
	profilePrefix        = "include.release.openshift.io/"
	allFeatures          = "CustomNoUpgrade"
	defaultFeatures      = "Default"
)

// gates has a FeatureGate object. Its gates apply to definitions of its profiles and feature sets.
type gates struct {
	profiles, sets []string
	enabled        map[string]bool
}

func (s *Suites) addGates(text []byte) error {
	var obj struct {
		Metadata struct{ Annotations map[string]string }
		Status   struct {
			FeatureGates []struct{ Enabled, Disabled []struct{ Name string } }
		}
	}
	if err := yaml.Unmarshal(text, &obj); err != nil {
		return err
	}
	if len(obj.Status.FeatureGates) == 0 {
		return nil
	}
	g := gates{enabled: map[string]bool{}}
	g.profiles, g.sets = profilesOf(obj.Metadata.Annotations), featureSets(obj.Metadata.Annotations)
	for _, gate := range obj.Status.FeatureGates[0].Enabled {
		g.enabled[gate.Name] = true
	}
	for _, gate := range obj.Status.FeatureGates[0].Disabled {
		g.enabled[gate.Name] = false
	}
	s.gates = append(s.gates, g)
	return nil
}

func profilesOf(annotations map[string]string) []string {
	var profiles []string
	for name := range annotations {
		if strings.HasPrefix(name, profilePrefix) {
			profiles = append(profiles, name)
		}
	}
	slices.Sort(profiles)
	return profiles
}

func featureSets(annotations map[string]string) []string {
	if text := annotations[featureSetAnnotation]; text != "" {
		return strings.Split(text, ",")
	}
	return nil
}

// variants returns the definitions of this name nearest to file that have the wanted feature gates.
// A gate in want with a minus sign must be disabled. If none fits and there is no FeatureGate,
// variants returns all, and unknown is true.
func (s *Suites) variants(file, name string, want []string) (fitting []*Definition, unknown bool, err error) {
	all := s.nearest(file, func(crd *apiextensionsv1.CustomResourceDefinition) bool { return crd.Name == name })
	for _, d := range all {
		if s.fits(d, want) {
			fitting = append(fitting, d)
		}
	}
	switch {
	case len(all) == 0:
		return nil, false, fmt.Errorf("no definition %s", name)
	case len(fitting) > 0:
		return fitting, false, nil
	case len(s.gates) > 0:
		return nil, false, fmt.Errorf("no variant of the definition %s has the feature gates %q", name, want)
	default:
		return all, true, nil
	}
}

// fits reports whether a definition has the wanted gates. CustomNoUpgrade has all gates. Without a
// FeatureGate, other feature sets have none.
func (s *Suites) fits(d *Definition, want []string) bool {
	sets, profiles := featureSets(d.CRD.Annotations), profilesOf(d.CRD.Annotations)
	if !slices.Contains(sets, allFeatures) && len(profiles) == 0 {
		return true
	}
	if len(sets) == 0 {
		sets = []string{defaultFeatures}
	}
	for _, gate := range want {
		name, disabled := strings.CutPrefix(gate, "-")
		if s.enabled(name, profiles, sets) == disabled {
			return false
		}
	}
	return true
}

func (s *Suites) enabled(gate string, profiles, sets []string) bool {
	if slices.Contains(sets, allFeatures) {
		return true
	}
	for _, g := range s.gates {
		if len(profiles) > 0 && slices.Contains(g.profiles, profiles[0]) && intersect(g.sets, sets) {
			return g.enabled[gate]
		}
	}
	return false
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// Definitions returns the definitions of the files, and the definitions given to [Read].
func (s *Suites) Definitions() []*Definition { return slices.Clone(s.definitions) }
