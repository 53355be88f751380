package main

import (
	"context"
	"embed"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/validation/cel"
)

//go:embed forms/*.yaml
var formFiles embed.FS

// forms are schemas with rules that few definitions have.
var forms = []struct{ name, file string }{
	{"messageExpression of 9 broken rules", "messages"},
	{"optMap, sortBy, transformMap and so on", "forms"},
	{"quantities", "quantities"},
	{"addresses and URLs", "addresses"},
	{"split, join, formats, versions", "texts"},
	{"absent fields in filter and map", "absent"},
}

// compareForms measures the rules of forms, of objects that need not be valid.
func compareForms(o operation, _ string, set settings) error {
	t := newTable(o)
	for _, s := range forms {
		p, err := prepareForm(s.file)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := t.measure(s.name, p, set); err != nil {
			return err
		}
	}
	return t.end()
}

func prepareForm(file string) (*pair, error) {
	data, err := formFiles.ReadFile("forms/" + file + ".yaml")
	if err != nil {
		return nil, err
	}
	var f shapeFile
	if err := yaml.UnmarshalStrict(data, &f); err != nil {
		return nil, err
	}
	whole, err := testkit.Decode(data) // with integers
	if err != nil {
		return nil, err
	}
	sides, err := compileBoth(shapeDefinition(&f.Schema))
	if err != nil {
		return nil, err
	}
	up := sides.up.Version("v1")
	program, errs := cel.Compile(testkit.Must(sides.ours.Version("v1")).Schema())
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	obj, ctx := whole["object"].(map[string]any), context.Background()
	theirs, mine := up.Rules(obj, nil), program.Eval(ctx, obj)
	if theirs.Cost != int64(mine.Cost) || !upstream.SameErrors(theirs.Errors, mine.Errors.Field()) {
		return nil, errDiffer
	}
	return &pair{
		upstream: func(any) { up.Rules(obj, nil) },
		ours:     func(any) { program.Eval(ctx, obj) },
		note:     fmt.Sprintf("%d cost units, %d errors", theirs.Cost, len(theirs.Errors)),
	}, nil
}
