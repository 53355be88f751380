package testkit

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// A Corpus is a set of definitions with objects for them.
type Corpus struct {
	Dir         string
	Definitions []*Definition // in increasing order of path
}

// A Definition is one CRD of a corpus.
type Definition struct {
	Path    string // relative to the corpus, with forward slashes
	CRD     *apiextensionsv1.CustomResourceDefinition
	Samples []Sample // in increasing order of path
}

// A Sample is an object written for a definition. It may be invalid, and its
// version may not exist.
type Sample struct {
	Path   string // relative to the corpus, with forward slashes
	Object map[string]any
}

// Version returns the version that the sample's apiVersion names.
func (s Sample) Version() string {
	apiVersion, _ := s.Object["apiVersion"].(string)
	_, version, _ := strings.Cut(apiVersion, "/")
	return version
}

// Find returns the definition of this CRD name, nil if there is none.
func (c *Corpus) Find(name string) *Definition {
	for _, d := range c.Definitions {
		if d.CRD.Name == name {
			return d
		}
	}
	return nil
}

// Version returns the version with this name, nil if there is none.
func (d *Definition) Version(name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	for i := range d.CRD.Spec.Versions {
		if d.CRD.Spec.Versions[i].Name == name {
			return &d.CRD.Spec.Versions[i]
		}
	}
	return nil
}

const module = "module github.com/crdkit/crdkit"

// ModuleRoot returns the directory of the go.mod of this module. It searches
// upwards from the working directory and skips the nested module of the oracle.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && slices.Contains(strings.Split(string(data), "\n"), module) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod of github.com/crdkit/crdkit above the working directory")
		}
		dir = parent
	}
}

// CorpusDir returns the directory of the corpus and reports whether it exists.
func CorpusDir() (string, bool) {
	dir := os.Getenv("CRDKIT_CORPUS")
	if dir == "" {
		root, err := ModuleRoot()
		if err != nil {
			return "", false
		}
		dir = filepath.Join(root, "..", "shared", "corpus")
	}
	info, err := os.Stat(filepath.Join(dir, "crds"))
	return dir, err == nil && info.IsDir()
}

// DefaultCorpus reports whether tests use the corpus beside the module. Some
// tests require shares that were measured with it; with another corpus they
// only log theirs.
func DefaultCorpus() bool { return os.Getenv("CRDKIT_CORPUS") == "" }

// shortShare is the share of short tests: they load one of shortShare
// definitions.
const shortShare = 8

// FindCorpus loads the corpus for a test. It skips the test if there is no
// corpus. A short test gets one of shortShare definitions and logs that:
// decoding all of them takes most of the time of many tests, especially with
// the race detector.
func FindCorpus(t testing.TB) *Corpus {
	t.Helper()
	dir, ok := CorpusDir()
	if !ok {
		t.Skipf("no corpus in %q; set CRDKIT_CORPUS to a directory with crds and samples", dir)
	}
	share := 1
	if testing.Short() {
		share = shortShare
		t.Logf("short: one in %d definitions of the corpus", share)
	}
	load, _ := loads.LoadOrStore(dir, sync.OnceValues(func() (*Corpus, error) { return loadCorpus(dir, share) }))
	c, err := load.(func() (*Corpus, error))()
	if err != nil {
		t.Fatal(err)
	}
	return c.clone()
}

// loads has a function that loads the corpus for each directory: several tests of a program
// need it.
var loads sync.Map

// clone returns a corpus that a test may change.
func (c *Corpus) clone() *Corpus {
	out := &Corpus{Dir: c.Dir}
	for _, d := range c.Definitions {
		copied := &Definition{Path: d.Path, CRD: d.CRD.DeepCopy()}
		for _, s := range d.Samples {
			copied.Samples = append(copied.Samples, Sample{s.Path, Clone(s.Object)})
		}
		out.Definitions = append(out.Definitions, copied)
	}
	return out
}

// LoadCorpus reads the corpus in dir.
func LoadCorpus(dir string) (*Corpus, error) { return loadCorpus(dir, 1) }

// loadCorpus reads one of share definitions, and the objects for them.
func loadCorpus(dir string, share int) (*Corpus, error) {
	c := &Corpus{Dir: dir}
	seen := 0
	err := eachYAML(dir, "crds", func(path string, data []byte) error {
		seen++
		if seen%share != 0 {
			return nil
		}
		crd, err := decodeDefinition(data)
		c.Definitions = append(c.Definitions, &Definition{Path: path, CRD: crd})
		return err
	})
	if err != nil {
		return nil, err
	}
	owners := c.owners()
	err = eachYAML(dir, "samples", func(path string, data []byte) error {
		obj, err := Decode(data)
		owners.add(path, obj)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return c, err
}

// LoadTestdata reads dir. Each directory in it has a definition, crd.yaml, and
// its objects in all other files that end in .yaml. It skips definitions of
// v1beta1, objects without a definition, and documents that do not decode.
func LoadTestdata(dir string) (*Corpus, error) {
	c := &Corpus{Dir: dir}
	objects := map[string][]byte{}
	err := eachYAML(dir, ".", func(path string, data []byte) error {
		if filepath.Base(path) != "crd.yaml" {
			objects[path] = data
			return nil
		}
		crd, err := decodeDefinition(data)
		if errors.Is(err, errOtherVersion) {
			return nil
		}
		c.Definitions = append(c.Definitions, &Definition{Path: path, CRD: crd})
		return err
	})
	if err != nil {
		return nil, err
	}
	owners := c.owners()
	for _, path := range slices.Sorted(maps.Keys(objects)) {
		for _, doc := range strings.Split(string(objects[path]), "\n---") {
			if obj, err := Decode([]byte(doc)); err == nil {
				owners.add(path, obj)
			}
		}
	}
	return c, nil
}

// owners maps group and kind to definitions.
type owners map[[2]string]*Definition

func (c *Corpus) owners() owners {
	o := owners{}
	for _, d := range c.Definitions {
		o[[2]string{d.CRD.Spec.Group, d.CRD.Spec.Names.Kind}] = d
	}
	return o
}

func (o owners) add(path string, obj map[string]any) {
	apiVersion, _ := obj["apiVersion"].(string)
	group, _, _ := strings.Cut(apiVersion, "/")
	kind, _ := obj["kind"].(string)
	if d := o[[2]string{group, kind}]; d != nil {
		d.Samples = append(d.Samples, Sample{Path: path, Object: obj})
	}
}

var errOtherVersion = errors.New("not a definition of apiextensions.k8s.io/v1")

func decodeDefinition(data []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(data, crd); err != nil {
		return nil, err
	}
	if crd.Kind != "CustomResourceDefinition" || crd.APIVersion != "apiextensions.k8s.io/v1" {
		return nil, fmt.Errorf("is a %s of %s: %w", crd.Kind, crd.APIVersion, errOtherVersion)
	}
	return crd, nil
}

func eachYAML(dir, sub string, visit func(path string, data []byte) error) error {
	return filepath.WalkDir(filepath.Join(dir, sub), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if err := visit(filepath.ToSlash(rel), data); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}
