package crdtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/coverage"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// A Set holds definitions. It answers requests on objects like a server with these definitions. It
// is safe for concurrent use, as in parallel tests.
type Set struct {
	catalog *crdkit.Catalog
	byName  map[string]*source // by the definition's name
	request []crdkit.RequestOption
	only    *crdkit.Version // the version of [Set.Kind], or nil
}

type source struct {
	coverage.Source
	positions *definition.Source
}

// String returns the names of the definitions.
func (s *Set) String() string {
	text := "set of " + strings.Join(slices.Sorted(maps.Keys(s.byName)), ", ")
	if s.only != nil {
		text += " for " + kindOf(s.only)
	}
	return text
}

func kindOf(v *crdkit.Version) string {
	gvk := v.GroupVersionKind()
	return gvk.GroupVersion().String() + " " + gvk.Kind
}

// Load returns the set of the definitions in files and directories. From a directory it takes the
// .yaml, .yml, .json, .jsonl and .ndjson files, but no files in subdirectories. Objects of other
// kinds are skipped.
//
// Load ends the test if a file cannot be read, if there is no definition, if two definitions have
// the same name, or if the server would refuse a definition.
func Load(t testing.TB, paths ...string) *Set {
	t.Helper()
	return load(t, nil, paths)
}

func load(t testing.TB, files fs.FS, paths []string) *Set {
	t.Helper()
	s, err := Read(t.Context(), files, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// LoadFS is [Load] for a file system, such as an [embed.FS].
func LoadFS(t testing.TB, files fs.FS, paths ...string) *Set {
	t.Helper()
	if files == nil {
		t.Fatal("crdtest: the file system is nil")
	}
	return load(t, files, paths)
}

// Read is [Load] for callers without a test, such as TestMain. It returns an error in the cases in
// which Load ends the test. If files is nil, it reads the files of the operating system.
func Read(ctx context.Context, files fs.FS, paths ...string) (*Set, error) {
	if len(paths) == 0 {
		return nil, errors.New("crdtest: no files or directories are given")
	}
	r := manifest.NewReader(nil, false)
	r.FS = files
	byName := map[string]*source{}
	var errs []error
	for o := range r.Objects(ctx, paths...) {
		if o.Err == nil && !o.IsDefinition() {
			continue
		}
		if err := addSource(byName, o); err != nil {
			errs = append(errs, fmt.Errorf("crdtest: %s: %w", o.Location(), err))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(errs) == 0 && len(byName) == 0 {
		errs = append(errs, fmt.Errorf("crdtest: no definition in %q", paths))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return newSet(byName, nil)
}

// New returns the set of definitions that a program has in memory. It does not check whether the
// server would accept them. The set keeps them, so the caller must not change them. New ends the
// test if a definition does not compile, or if two of them have the same name.
func New(t testing.TB, crds []*apiextensionsv1.CustomResourceDefinition, opts ...crdkit.Option) *Set {
	t.Helper()
	byName := map[string]*source{}
	for _, crd := range crds {
		if crd == nil {
			t.Fatal("crdtest: a definition is nil")
		}
		text, err := yaml.Marshal(crd)
		if err != nil {
			t.Fatalf("crdtest: definition %s: %v", crd.Name, err)
		}
		if byName[crd.Name] != nil {
			t.Fatalf("crdtest: there are two definitions %s", crd.Name)
		}
		byName[crd.Name] = &source{coverage.Source{CRD: crd, Text: text}, definition.NewSource(text, definition.Position{})}
	}
	s, err := newSet(byName, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newSet returns a set, or the errors of all versions that do not compile.
func newSet(byName map[string]*source, opts []crdkit.Option) (*Set, error) {
	s := &Set{catalog: crdkit.NewCatalog(opts...), byName: byName}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if err := s.catalog.Add(byName[name].CRD); err != nil {
			errs = append(errs, err)
		}
	}
	return s, errors.Join(errs...)
}

func addSource(byName map[string]*source, o *manifest.Object) error {
	if o.Err != nil {
		return o.Err
	}
	crd, err := definition.Parse(o.Text)
	if err != nil {
		return err
	}
	start := definition.Position{Line: o.Line, Column: o.Column}
	if o.Within != "" { // in a list: positions in o.Text are not positions in the file
		start = definition.Position{}
	}
	s := &source{coverage.Source{CRD: crd, File: o.File, Line: start.Line, Text: o.Text}, definition.NewSource(o.Text, start)}
	if other := byName[crd.Name]; other != nil {
		return fmt.Errorf("definition %s is also in %s", crd.Name, other.File)
	}
	byName[crd.Name] = s
	return s.check()
}

// check returns the server's errors about the definition, with positions, as one error.
func (s *source) check() error {
	report := definition.Check(s.CRD)
	if report.Undecided != nil {
		return report.Undecided
	}
	var errs []error
	for _, e := range report.Errors {
		errs = append(errs, fmt.Errorf("%s: %w", s.positions.Position(e.Pointer), e))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("the server refuses definition %s:\n%w", s.CRD.Name, errors.Join(errs...))
}

// WithOptions returns a set of the same definitions compiled with options, such as
// [crdkit.KubernetesVersion]. It ends the test if an option is invalid.
func (s *Set) WithOptions(t testing.TB, opts ...crdkit.Option) *Set {
	t.Helper()
	other, err := newSet(s.byName, opts)
	if err != nil {
		t.Fatal(err)
	}
	other.request = s.request
	if s.only != nil {
		other.only = other.version(t, s.only.GroupVersionKind())
	}
	return other
}

// WithRequestOptions returns a set that makes all requests with options, such as [crdkit.Strict].
// kubectl makes strict requests.
func (s *Set) WithRequestOptions(opts ...crdkit.RequestOption) *Set {
	other := *s
	other.request = slices.Concat(s.request, opts)
	return &other
}

// Kind returns a set for the objects of one version. Its methods take only objects of that version;
// apiVersion and kind may be missing. Kind ends the test if the set does not serve the version.
func (s *Set) Kind(t testing.TB, apiVersion, kind string) *Set {
	t.Helper()
	other := *s
	other.only = s.Version(t, apiVersion, kind)
	return &other
}

// Version returns the compiled version of a kind. It ends the test if the set does not serve the
// version, or if the version does not compile.
func (s *Set) Version(t testing.TB, apiVersion, kind string) *crdkit.Version {
	t.Helper()
	gv, err := runtimeschema.ParseGroupVersion(apiVersion)
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	return s.version(t, gv.WithKind(kind))
}

func (s *Set) version(t testing.TB, gvk runtimeschema.GroupVersionKind) *crdkit.Version {
	t.Helper()
	v, err := s.catalog.Version(gvk)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Catalog returns the compiled definitions. The caller must not add or remove any.
func (s *Set) Catalog() *crdkit.Catalog { return s.catalog }

// CRDs returns the definitions in increasing order of name. The slice belongs to the caller. The
// definitions must not be changed.
func (s *Set) CRDs() []*apiextensionsv1.CustomResourceDefinition {
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		crds = append(crds, s.byName[name].CRD)
	}
	return crds
}
