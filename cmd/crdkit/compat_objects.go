package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/manifest"
)

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
	log := worklogOf(ctx)
	for r := range inOrder(ctx, c.objectChecks(ctx, reader, kinds)) {
		log.judged.Add(1)
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
	}
	if files := reader.PassedOver().String(); files != "" {
		fmt.Fprintf(c.errOut, "passed over: %s\n", files)
	}
	return ctx.Err()
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

// objectChecks yields a function for each object, which checks it.
func (c *comparer) objectChecks(ctx context.Context, reader *manifest.Reader, kinds map[schema.GroupKind]*kindCheck) iter.Seq2[*manifest.Object, func() checkedObject] {
	positions := &sources{}
	return func(yield func(*manifest.Object, func() checkedObject) bool) {
		for o := range reader.Objects(ctx, c.objects) {
			kind := kinds[o.GroupKind()]
			check := func() checkedObject { return kind.check(ctx, o, positions) }
			switch {
			case o.Err != nil:
				check = func() checkedObject { return unreadable(o, o.Err) }
			case kind == nil:
				check = func() checkedObject { return checkedObject{passed: o.GroupKind().String()} }
			}
			if !yield(o, check) {
				return
			}
		}
	}
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
