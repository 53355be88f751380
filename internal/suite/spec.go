package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	sigsjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/coverage"
	"github.com/crdkit/crdkit/internal/names/nearname"
	"github.com/crdkit/crdkit/internal/text/document"
)

// A spec is a suite in the format of openshift/api, whose runner ignores apiVersion. crdkit adds
// expectedErrors, expectedWarnings and onConvert to the format.
type spec struct {
	APIVersion   string   `json:"apiVersion"`
	Name         string   `json:"name"`
	Version      string   `json:"version"`
	CRDName      string   `json:"crdName"`
	FeatureGates []string `json:"featureGates"`
	FeatureGate  string   `json:"featureGate"`
	Tests        struct {
		OnCreate  []creation   `json:"onCreate"`
		OnUpdate  []update     `json:"onUpdate"`
		OnConvert []conversion `json:"onConvert"`
	} `json:"tests"`
}

// An outcome has the fields that all cases may have.
type outcome struct {
	Name     string `json:"name"`
	Expected string `json:"expected"`
	// ExpectedError is a part of the text of the refusal.
	ExpectedError string `json:"expectedError"`
}

// An expectation has the fields that requests may have.
type expectation struct {
	outcome
	// ExpectedErrors are the whole texts of all errors, in any order.
	ExpectedErrors []string `json:"expectedErrors"`
	// ExpectedWarnings are the whole texts of all warnings. Nil means any.
	ExpectedWarnings []string `json:"expectedWarnings"`
}

type creation struct {
	expectation
	Initial string `json:"initial"`
}

type update struct {
	expectation
	Initial             string          `json:"initial"`
	Updated             string          `json:"updated"`
	ExpectedStatusError string          `json:"expectedStatusError"`
	InitialCRDPatches   json.RawMessage `json:"initialCRDPatches"`
}

// A conversion creates an object and reads it at another version.
type conversion struct {
	outcome
	Initial string `json:"initial"`
	To      string `json:"to"`
}

func (s *Suites) addSpecs(name string, data []byte) error {
	for parts := document.Split(data); ; {
		part, line, err := parts.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case document.Blank(part):
			continue
		}
		// With the blank lines, the part has the line numbers of the file.
		if err := s.addSpec(name, append(bytes.Repeat([]byte("\n"), line-1), part...)); err != nil {
			return err
		}
	}
}

// addSpec adds the cases of a suite. For unknown and repeated keys it adds cases that cannot be
// run.
func (s *Suites) addSpec(name string, text []byte) error {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return err
	}
	s.addRepeatedKeys(name, text)
	var f spec
	if err := json.Unmarshal(data, &f); err != nil { // ignores the case of keys, like openshift's runner
		return err
	}
	unknown, err := sigsjson.UnmarshalStrict(data, &spec{}, sigsjson.DisallowUnknownFields)
	if err != nil {
		return err
	}
	source := definition.NewSource(text, definition.Position{})
	if f.CRDName == "" {
		return errors.New("the suite has no crdName")
	}
	for _, err := range unknown {
		s.addUnknownKey(name, strings.TrimSuffix(strings.TrimPrefix(err.Error(), `unknown field "`), `"`), source)
	}
	want := f.FeatureGates
	if f.FeatureGate != "" {
		want = append(want, f.FeatureGate)
	}
	r := &specRunner{suites: s, file: name, source: source, name: f.CRDName, gates: want}
	for i, c := range f.Tests.OnCreate {
		r.add("onCreate", i, c.Name, func(ctx context.Context, d *Definition) (string, error) { return s.onCreate(ctx, d, &c) })
	}
	for i, c := range f.Tests.OnUpdate {
		r.add("onUpdate", i, c.Name, func(ctx context.Context, d *Definition) (string, error) { return s.onUpdate(ctx, d, &c) })
	}
	for i, c := range f.Tests.OnConvert {
		r.add("onConvert", i, c.Name, func(ctx context.Context, d *Definition) (string, error) { return s.onConvert(ctx, d, &c) })
	}
	return nil
}

func (s *Suites) add(file, name string, line int, run func(context.Context) (string, error)) {
	s.Cases = append(s.Cases, &Case{File: file, Name: name, Line: line, run: run})
}

type specRunner struct {
	suites *Suites
	file   string
	source *definition.Source
	name   string // of the definition
	gates  []string
}

func (r *specRunner) add(list string, i int, name string, run func(context.Context, *Definition) (string, error)) {
	at := r.source.Position(fmt.Sprintf("/tests/%s/%d", list, i))
	r.suites.add(r.file, name, at.Line, r.each(run))
}

// each returns a function that runs a case against each variant of the definition and returns the
// first difference. If the suite does not say which variant it tests, one without a difference is
// enough.
func (r *specRunner) each(run func(context.Context, *Definition) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		variants, unknown, err := r.suites.variants(r.file, r.name, r.gates)
		if err != nil {
			return "", err
		}
		first := ""
		for _, d := range variants {
			problem, err := run(ctx, d)
			if err != nil || unknown && problem == "" {
				return "", err
			}
			if problem != "" && len(variants) > 1 {
				problem = "with " + path.Base(filepath.ToSlash(d.File)) + ": " + problem
			}
			if first == "" {
				first = problem
			}
			if problem != "" && !unknown {
				return problem, nil
			}
		}
		return first, nil
	}
}

func (s *Suites) onCreate(ctx context.Context, d *Definition, c *creation) (string, error) {
	obj, err := objectOf(c.Initial)
	if err != nil {
		return "", err
	}
	got, err := s.create(ctx, d, obj)
	if err != nil {
		return "", err
	}
	if problem := got.compare(&c.expectation); problem != "" || got.refused() {
		return problem, nil
	}
	return compareObject(got.object, c.Expected, c.Initial)
}

// onUpdate does the same as openshift/api's runner: create, write the status, update, and write the
// status again.
func (s *Suites) onUpdate(ctx context.Context, d *Definition, c *update) (string, error) {
	first, err := d.patched(c.InitialCRDPatches)
	if err != nil {
		return "", err
	}
	initial, err := objectOf(c.Initial)
	if err != nil {
		return "", err
	}
	got, err := s.create(ctx, first, initial)
	if err != nil || got.refused() {
		return got.problem("creating the first object"), err
	}
	if got, err = s.writeStatus(ctx, first, got, initial); err != nil || got.refused() {
		return got.problem("writing the first status"), err
	}
	next, err := objectOf(c.Updated)
	if err != nil {
		return "", err
	}
	if got, err = s.update(ctx, d, next, got.object, false); err != nil {
		return "", err
	}
	if problem := got.compare(&c.expectation); problem != "" || got.refused() {
		return problem, nil
	}
	if got, err = s.writeStatus(ctx, d, got, next); err != nil {
		return "", err
	}
	if problem := got.compare(&expectation{outcome: outcome{ExpectedError: c.ExpectedStatusError}}); problem != "" || got.refused() {
		return problem, nil
	}
	return compareObject(got.object, c.Expected, c.Updated)
}

// writeStatus sends the object of an answer with the status of another object, and returns the new
// answer.
func (s *Suites) writeStatus(ctx context.Context, d *Definition, got *answer, from *unstructured.Unstructured) (*answer, error) {
	status, ok := from.Object["status"]
	if !ok || !d.hasStatus(from) {
		return &answer{object: got.object, result: got.result, accepted: true}, nil
	}
	obj := got.object.DeepCopy()
	obj.Object["status"] = status
	return s.update(ctx, d, obj, got.object, true)
}

func (s *Suites) onConvert(ctx context.Context, d *Definition, c *conversion) (string, error) {
	obj, err := objectOf(c.Initial)
	if err != nil {
		return "", err
	}
	got, err := s.create(ctx, d, obj)
	if err != nil || got.refused() {
		return got.problem("creating the object"), err
	}
	def, err := d.compile()
	if err != nil {
		return "", err
	}
	to, ok := def.Version(c.To)
	if !ok {
		return "", fmt.Errorf("%s has no version %q", d.CRD.Name, c.To)
	}
	read, _, err := to.Read(ctx, got.object)
	switch {
	case err != nil && c.ExpectedError != "" && strings.Contains(err.Error(), c.ExpectedError):
		return "", nil
	case err != nil:
		return fmt.Sprintf("converting: %v", err), nil
	case c.ExpectedError != "":
		return fmt.Sprintf("converted, want %q", c.ExpectedError), nil
	}
	return compareObject(read, c.Expected, c.Initial)
}

// patched returns the definition with JSON patches. Without patches it returns d.
func (d *Definition) patched(patches json.RawMessage) (*Definition, error) {
	if len(patches) == 0 {
		return d, nil
	}
	operations, err := jsonpatch.DecodePatch(patches)
	if err != nil {
		return nil, fmt.Errorf("initialCRDPatches: %w", err)
	}
	text, err := yaml.YAMLToJSON(d.Text)
	if err != nil {
		return nil, err
	}
	if text, err = operations.Apply(text); err != nil {
		return nil, fmt.Errorf("initialCRDPatches: %w", err)
	}
	crd, err := definition.Parse(text)
	if err != nil {
		return nil, err
	}
	return &Definition{Source: coverage.Source{CRD: crd, Text: text}, isPatched: true}, nil
}

func (d *Definition) hasStatus(obj *unstructured.Unstructured) bool {
	def, err := d.compile()
	if err != nil {
		return false
	}
	v, ok := def.Version(obj.GroupVersionKind().Version)
	return ok && v.HasStatus()
}

// addUnknownKey adds a case that cannot be run, because the value of an unknown key would be
// ignored.
func (s *Suites) addUnknownKey(name, path string, source *definition.Source) {
	line := source.Position(source.FieldPointer(path)).Line
	text := fmt.Sprintf("line %d: a suite has no such key", line)
	known := map[string]bool{}
	addKeys(known, reflect.TypeFor[spec]())
	if near, _ := nearname.Nearest(path[strings.LastIndexByte(path, '.')+1:], maps.Keys(known)); near != "" {
		text += fmt.Sprintf("; the nearest one is %q", near)
	}
	s.add(name, fmt.Sprintf("unknown key %q", path), line, func(context.Context) (string, error) { return "", errors.New(text) })
}

func addKeys(to map[string]bool, t reflect.Type) {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for _, field := range reflect.VisibleFields(t) {
		if key := field.Tag.Get("json"); key != "" {
			to[key] = true
			addKeys(to, field.Type)
		}
	}
}

// addRepeatedKeys adds a case that cannot be run if a suite repeats a key. YAML takes the last
// value.
func (s *Suites) addRepeatedKeys(name string, text []byte) {
	_, err := yaml.YAMLToJSONStrict(text)
	if err == nil {
		return
	}
	err = errors.New(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "\n  ", ", "))
	line := 0
	if found := lineNumber.FindStringSubmatch(err.Error()); found != nil {
		line, _ = strconv.Atoi(found[1])
	}
	s.add(name, "repeated keys", line, func(context.Context) (string, error) { return "", err })
}

var lineNumber = regexp.MustCompile(`^line (\d+): `)
