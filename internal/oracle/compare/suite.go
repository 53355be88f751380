package main

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/oracle/jsonsuite"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// compareSuite measures the validation of the JSON Schema Test Suite as far as its schemas
// are structural: one row for each file, of all values with all errors.
func compareSuite(o operation, _ string, set settings) error {
	t := newTable(o)
	for _, draft := range jsonsuite.Drafts {
		schemas, _, err := jsonsuite.Load(draft)
		if err != nil {
			return err
		}
		var files []string
		rows := map[string]*suiteRow{}
		for _, s := range schemas {
			if rows[s.File] == nil {
				rows[s.File] = &suiteRow{}
				files = append(files, s.File)
			}
			if err := rows[s.File].add(s); err != nil {
				return fmt.Errorf("%s, %s: %w", s.File, s.Name, err)
			}
		}
		for _, file := range files {
			if r := rows[file]; r.values > 0 {
				p := r.pair()
				if err := t.measure(draft+" "+file, p, set); err != nil {
					return err
				}
			}
		}
	}
	return t.end()
}

// A suiteRow has the values of one file.
type suiteRow struct {
	upstream, ours []func()
	values, wrong  int
}

func (r *suiteRow) add(s jsonsuite.Schema) error {
	n, errs := schema.Compile(s.CRD.Spec.Versions[0].Schema.OpenAPIV3Schema)
	if len(errs) > 0 {
		return nil // not structural
	}
	d, err := upstream.Compile(s.CRD)
	if err != nil {
		return err
	}
	up, v := d.Version("v1"), validation.New(n)
	for _, o := range s.Objects {
		want := up.Schema(o.Object)
		if !upstream.SameErrors(want, v.Validate(o.Object).Field()) {
			return errDiffer
		}
		r.upstream = append(r.upstream, func() { up.Schema(o.Object) })
		r.ours = append(r.ours, func() { v.Validate(o.Object) })
		if r.values++; len(want) > 0 {
			r.wrong++
		}
	}
	return nil
}

func (r *suiteRow) pair() *pair {
	all := func(list []func()) func(any) {
		return func(any) {
			for _, f := range list {
				f()
			}
		}
	}
	return &pair{upstream: all(r.upstream), ours: all(r.ours), note: fmt.Sprintf("%d values, %d wrong", r.values, r.wrong)}
}
