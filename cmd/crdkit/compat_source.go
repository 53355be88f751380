package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/gittree"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// definitionsOf yields the definitions of one side, and an error if it has none. other is
// the other side.
func (c *comparer) definitionsOf(ctx context.Context, name, other string) iter.Seq[*manifest.Object] {
	at, ok := parseRevision(name)
	if !ok {
		return namedDefinitions(ctx, c.reader, name)
	}
	return func(yield func(*manifest.Object) bool) {
		r, root, err := c.revision(ctx, at, other)
		if err != nil {
			yield(failed(name, err))
			return
		}
		for o := range namedDefinitions(ctx, r, root) {
			if prefix := "git:" + at.revision + ":"; !strings.HasPrefix(o.File, prefix) {
				o.Document.File = prefix + o.File
			}
			if !yield(o) {
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

func parseRevision(name string) (r revision, ok bool) {
	rest, ok := strings.CutPrefix(name, "git:")
	r.revision, r.path, r.hasPath = strings.Cut(rest, ":")
	return r, ok
}

// revision returns a reader of the files of a revision, and the name of its path there.
// Without a path, it is that of the other side.
func (c *comparer) revision(ctx context.Context, at revision, other string) (*manifest.Reader, string, error) {
	dir, name := ".", at.path
	if !at.hasPath {
		var err error
		if there, ok := parseRevision(other); !ok {
			dir = filepath.Dir(other)
			name, err = gittree.PathOf(ctx, other)
		} else if name = there.path; !there.hasPath {
			err = fmt.Errorf("%s has none either", other)
		}
		if err != nil {
			return nil, "", fmt.Errorf("no path of the other side to read at %q; name it, as in git:%s:config/crd: %w", at.revision, at.revision, err)
		}
	}
	tree, root, err := gittree.Read(ctx, dir, at.revision, name, func(base string) bool {
		return base == "Chart.yaml" || slices.Contains(manifest.Extensions(), path.Ext(base))
	})
	r := manifest.NewReader(nil, c.recursive)
	r.FS = tree
	return r, root, err
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
	err = inOrder(ctx, reader.Objects(ctx, c.objects), check, func(r checkedObject) error {
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
