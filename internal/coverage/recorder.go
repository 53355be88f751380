package coverage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A Source is a definition that tests load.
type Source struct {
	CRD  *apiextensionsv1.CustomResourceDefinition
	File string // "" if it is not from a file
	Line int    // line of the text in the file, from 1
	Text []byte // YAML or JSON
}

// A Request is a request of a test.
type Request struct {
	// Object and Old are the objects that are validated. Old is nil unless the request is an
	// update.
	Object, Old map[string]any
	Rules       bool
}

type Recorder struct {
	mu       sync.Mutex
	recorded map[definitionKey]*definitionRecord
}

// A definitionKey is the same in all tests that load the same file.
type definitionKey struct{ name, text string }

type definitionRecord struct {
	source   Source
	versions map[string]*version
}

// A version records the requests of one version. mu guards all fields.
type version struct {
	mu       sync.Mutex
	index    int // in spec.versions
	root     *location
	rules    *ruleSet
	requests int
}

func NewRecorder() *Recorder {
	return &Recorder{recorded: map[definitionKey]*definitionRecord{}}
}

// Observe records a request. It returns an error if the version has no schema or its rules cannot
// be observed.
func (r *Recorder) Observe(ctx context.Context, s Source, name string, req Request) error {
	v, err := r.version(s, name)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.requests++
	v.root.visit(req.Object)
	if v.rules != nil && req.Rules {
		v.rules.visit(ctx, req.Object, req.Old)
	}
	return ctx.Err()
}

func (r *Recorder) version(s Source, name string) (*version, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := definitionKey{s.CRD.Name, string(s.Text)}
	d := r.recorded[key]
	if d == nil {
		d = &definitionRecord{source: s, versions: map[string]*version{}}
		r.recorded[key] = d
	}
	if v := d.versions[name]; v != nil {
		return v, nil
	}
	for i := range s.CRD.Spec.Versions {
		if declared := &s.CRD.Spec.Versions[i]; declared.Name == name && declared.Schema != nil && declared.Schema.OpenAPIV3Schema != nil {
			rules, err := newRuleSet(declared.Schema.OpenAPIV3Schema)
			d.versions[name] = &version{index: i, root: newLocation(declared.Schema.OpenAPIV3Schema, ""), rules: rules}
			return d.versions[name], err
		}
	}
	return nil, fmt.Errorf("coverage: definition %s has no version %q with a schema", s.CRD.Name, name)
}

// Profile returns the record. It belongs to the caller.
func (r *Recorder) Profile() *Profile {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &Profile{}
	for _, d := range r.recorded {
		out := &Definition{Name: d.source.CRD.Name, File: d.source.File, Line: d.source.Line, Text: string(d.source.Text)}
		for _, name := range slices.Sorted(maps.Keys(d.versions)) {
			out.Versions = append(out.Versions, d.versions[name].profile(name))
		}
		p.Definitions = append(p.Definitions, out)
	}
	p.sort()
	return p
}

func (v *version) profile(name string) *Version {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := &Version{Name: name, Index: v.index, Requests: v.requests}
	if v.rules != nil {
		for _, p := range v.rules.points {
			out.Points = append(out.Points, p.clone())
		}
		out.Unread = slices.Clone(v.rules.unread)
	}
	out.Points = v.root.points(out.Points)
	return out
}

// lockTimeout is how long a process waits for other processes that write the same record.
const lockTimeout = 30 * time.Second

// Save adds the record to the profile in a .json file, and writes a .txt and a .html file. The
// paths are file with its extension replaced.
func (r *Recorder) Save(file string) error {
	base := strings.TrimSuffix(file, filepath.Ext(file))
	unlock, err := lock(base + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	profile, err := Read(base + ".json")
	if err != nil {
		return err
	}
	profile.Merge(r.Profile())
	var record, text, page bytes.Buffer
	if err := errors.Join(profile.WriteJSON(&record), profile.WriteText(&text), profile.WriteHTML(&page)); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(base+".json", record.Bytes(), 0o644),
		os.WriteFile(base+".txt", text.Bytes(), 0o644),
		os.WriteFile(base+".html", page.Bytes(), 0o644),
	)
}

// lock creates a file, and returns a function that removes it. It waits while the file exists.
func lock(name string) (unlock func(), err error) {
	for deadline := time.Now().Add(lockTimeout); ; {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o644)
		switch {
		case err == nil:
			f.Close()
			return func() { os.Remove(name) }, nil
		case !errors.Is(err, os.ErrExist):
			return nil, err
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%s exists: another run writes the record, or was ended while it did; then remove it", name)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
