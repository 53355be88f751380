package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/gittree"
	"github.com/crdkit/crdkit/internal/manifest"
)

// A givenDefinition is a definition with its place.
type givenDefinition struct {
	crd    *apiextensionsv1.CustomResourceDefinition
	object *manifest.Object
	source *definition.Source
}

// position returns the line and the column of a pointer into the definition, 0 if it has
// no positions.
func (g *givenDefinition) position(pointer string) (line, column int) {
	p := g.source.Position(g.object.Within + pointer)
	return p.Line, p.Column
}

// A definitionPair is a definition of both sides, or of one of them.
type definitionPair struct {
	old, crd *givenDefinition // nil if there is none
	failed   *manifest.Object // of --new that cannot be read
	err      error            // why
}

// at returns the place of the pair: that of the new definition if there is one.
func (p *definitionPair) at() *manifest.Object {
	switch {
	case p.failed != nil:
		return p.failed
	case p.crd != nil:
		return p.crd.object
	}
	return p.old.object
}

// describe returns the pair as a report names it, without its verdict.
func (p *definitionPair) describe() comparedDefinition {
	var d comparedDefinition
	if p.old != nil {
		d.Name, d.Old = p.old.crd.Name, p.old.object.Location()
	}
	if p.crd != nil {
		d.Name = p.crd.crd.Name
	}
	at := p.at()
	d.File, d.Document = at.File, at.Number
	return d
}

// pairs reads the definitions of both sides and pairs them by name: in the order of the
// new ones, then those that only the old side has.
func (c *comparer) pairs(ctx context.Context) ([]*definitionPair, error) {
	olds := map[string]*givenDefinition{}
	var names []string
	for o, err := range c.definitionsOf(ctx, c.old, c.crd) {
		g, err := given(o, err)
		if err != nil {
			return nil, fmt.Errorf("--old %w", locate(o, err))
		}
		if other := olds[g.crd.Name]; other != nil {
			return nil, fmt.Errorf("--old %w", locate(o, fmt.Errorf("%s is already in %s", g.crd.Name, other.object.Location())))
		}
		olds[g.crd.Name] = g
		names = append(names, g.crd.Name)
	}
	var pairs []*definitionPair
	seen := map[string]*manifest.Object{}
	for o, err := range c.definitionsOf(ctx, c.crd, c.old) {
		g, err := given(o, err)
		if err == nil && seen[g.crd.Name] != nil {
			err = fmt.Errorf("%s is already in %s", g.crd.Name, seen[g.crd.Name].Location())
		}
		if err != nil && o.Name == "" {
			// It may be any definition, so nothing is known to be removed.
			return nil, fmt.Errorf("--new %w", locate(o, err))
		}
		seen[o.Name] = o
		if err != nil {
			pairs = append(pairs, &definitionPair{old: olds[o.Name], failed: withoutText(o), err: err})
			continue
		}
		pairs = append(pairs, &definitionPair{old: olds[g.crd.Name], crd: g})
	}
	for _, name := range names {
		if seen[name] == nil {
			pairs = append(pairs, &definitionPair{old: olds[name]})
		}
	}
	return pairs, ctx.Err()
}

// given parses a definition.
func given(o *manifest.Object, err error) (*givenDefinition, error) {
	if err != nil {
		return nil, err
	}
	crd, err := definition.Parse(o.Text)
	if err != nil {
		return nil, err
	}
	return &givenDefinition{crd: crd, object: o, source: definition.NewSource(o.Document.Text, positionOf(o))}, nil
}

// definitionsOf yields the definitions of one side, and an error if it has none. other is
// the other side.
func (c *comparer) definitionsOf(ctx context.Context, name, other string) func(func(*manifest.Object, error) bool) {
	at, ok := parseRevision(name)
	if !ok {
		return namedDefinitions(ctx, c.reader, []string{name})
	}
	return func(yield func(*manifest.Object, error) bool) {
		r, root, err := c.revision(ctx, at, other)
		if err != nil {
			yield(atFile(name), err)
			return
		}
		for o, err := range namedDefinitions(ctx, r, []string{root}) {
			if prefix := "git:" + at.revision + ":"; !strings.HasPrefix(o.File, prefix) {
				o.Document.File = prefix + o.File
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

// A revision is what git:REF or git:REF:PATH names.
type revision struct {
	revision, path string
	hasPath        bool
}

func parseRevision(name string) (revision, bool) {
	rest, ok := strings.CutPrefix(name, "git:")
	if !ok {
		return revision{}, false
	}
	var r revision
	r.revision, r.path, r.hasPath = strings.Cut(rest, ":")
	return r, true
}

// revision returns a reader of the files of a revision, and the name of its path there.
// Without a path, it is that of the other side.
func (c *comparer) revision(ctx context.Context, at revision, other string) (*manifest.Reader, string, error) {
	dir, name := ".", at.path
	if !at.hasPath {
		var err error
		if dir, name, err = pathOfOther(ctx, other); err != nil {
			return nil, "", fmt.Errorf("no path of the other side to read at %q; name it, as in git:%s:config/crd: %w", at.revision, at.revision, err)
		}
	}
	tree, root, err := gittree.Read(ctx, dir, at.revision, name, func(base string) bool {
		return base == "Chart.yaml" || slices.Contains(manifest.Extensions(), path.Ext(base))
	})
	if err != nil {
		return nil, "", err
	}
	r := manifest.NewReader(nil, c.recursive)
	r.FS = tree
	return r, root, nil
}

// pathOfOther returns the path of the other side in its repository, and a directory of the
// repository.
func pathOfOther(ctx context.Context, other string) (dir, name string, err error) {
	if at, ok := parseRevision(other); ok {
		if !at.hasPath {
			return "", "", fmt.Errorf("%s has none either", other)
		}
		return ".", at.path, nil
	}
	if name, err = gittree.PathOf(ctx, other); err != nil {
		return "", "", err
	}
	return filepath.Dir(other), name, nil
}

// A shard is a part of the files of --objects. The zero value is all of them.
type shard struct{ part, of int }

func (s *shard) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.part, s.of)
}

// Type returns the name of the value in the help.
func (s *shard) Type() string { return "I/N" }

func (s *shard) Set(text string) error {
	before, after, ok := strings.Cut(text, "/")
	part, err := strconv.Atoi(before)
	of, err2 := strconv.Atoi(after)
	if !ok || err != nil || err2 != nil || part < 0 || part >= of {
		return errors.New("must be I/N with 0 <= I < N, such as 0/16")
	}
	s.part, s.of = part, of
	return nil
}

// A checkedObject is the result of checking one object.
type checkedObject struct {
	findings []compatFinding
	unread   *unreadObject
	passed   string // the kind of an object that is passed over
}

// checkObjects checks the objects of --objects, as many at a time as there are processors,
// and adds the results to the report in the order of the objects.
func (c *comparer) checkObjects(ctx context.Context, pairs []*definitionPair, report *compatReport) error {
	kinds, err := objectKinds(ctx, pairs)
	if err != nil {
		return err
	}
	report.Shard = c.shard.String()
	report.Objects = &objectCounts{Unreadable: []unreadObject{}, PassedOver: map[string]int{}}
	reader := c.reader.Separate()
	reader.Part, reader.Parts = c.shard.part, c.shard.of
	positions := &sources{}
	check := func(o *manifest.Object) checkedObject {
		switch kind := kinds[o.GroupKind()]; {
		case o.Err != nil:
			return unreadable(o, o.Err)
		case kind == nil:
			return checkedObject{passed: o.GroupKind().String()}
		default:
			return kind.check(ctx, o, positions)
		}
	}
	err = eachInOrder(ctx, reader, []string{c.objects}, check, func(r checkedObject) error {
		switch {
		case r.unread != nil:
			report.Objects.Unreadable = append(report.Objects.Unreadable, *r.unread)
		case r.passed != "":
			report.Objects.PassedOver[r.passed]++
		default:
			report.Objects.Checked++
			if len(r.findings) > 0 {
				report.Objects.Incompatible++
			}
			report.Findings = append(report.Findings, r.findings...)
		}
		return nil
	})
	if files := reader.PassedOver().String(); files != "" {
		fmt.Fprintf(c.errOut, "passed over: %s\n", files)
	}
	return err
}

// objectKinds prepares the checks of the kinds whose definitions can be compared.
func objectKinds(ctx context.Context, pairs []*definitionPair) (map[schema.GroupKind]*kindCheck, error) {
	kinds := map[schema.GroupKind]*kindCheck{}
	for _, p := range pairs {
		if p.old == nil || p.crd == nil || p.err != nil {
			continue
		}
		objects, err := compat.NewObjects(ctx, p.old.crd, p.crd.crd)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			continue // the report has the error
		}
		spec := p.old.crd.Spec
		kinds[schema.GroupKind{Group: spec.Group, Kind: spec.Names.Kind}] = &kindCheck{p.old.crd.Name, objects}
	}
	return kinds, nil
}

// A kindCheck checks the objects of one definition.
type kindCheck struct {
	name    string // of the definition
	objects *compat.Objects
}

func unreadable(o *manifest.Object, err error) checkedObject {
	return checkedObject{unread: &unreadObject{File: o.File, Document: o.Number, Within: o.Within, Error: err.Error()}}
}

// check checks one object.
func (k *kindCheck) check(ctx context.Context, o *manifest.Object, positions *sources) checkedObject {
	obj, err := objectOf(o)
	if err != nil {
		return unreadable(o, err)
	}
	found, err := k.objects.Check(ctx, obj)
	if err != nil {
		return unreadable(o, err)
	}
	var r checkedObject
	name := &objectName{Kind: o.Kind, Namespace: obj.GetNamespace(), Name: obj.GetName(), Within: o.Within}
	for _, f := range found {
		at := positions.of(o).Position(o.Within + f.Pointer)
		f.Line, f.Column = at.Line, at.Column
		r.findings = append(r.findings, compatFinding{Definition: k.name, File: o.File, Document: o.Number, Object: name, Finding: f})
	}
	return r
}
