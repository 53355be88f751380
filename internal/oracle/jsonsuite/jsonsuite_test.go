package jsonsuite_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/oracle/jsonsuite"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// TestSuite compares the errors of both sides for each value of the suite whose schema is
// structural, and counts the verdicts that are not those of JSON Schema.
func TestSuite(t *testing.T) {
	for _, draft := range jsonsuite.Drafts {
		schemas, others, err := jsonsuite.Load(draft)
		if err != nil {
			t.Fatal(err)
		}
		structural, values, otherVerdicts := 0, 0, 0
		for _, s := range schemas {
			props := s.CRD.Spec.Versions[0].Schema.OpenAPIV3Schema
			path := field.NewPath("schema")
			n, errs := schema.Compile(props, schema.AtPath(path))
			if want := upstream.StructuralErrors(props, path); !upstream.SameErrors(want, errs) {
				t.Errorf("%s, %s: %s", s.File, s.Name, upstream.Diff(upstream.Lines(want), upstream.Lines(errs)))
			}
			if len(errs) > 0 {
				continue
			}
			up, err := upstream.Compile(s.CRD)
			if err != nil {
				t.Fatalf("%s, %s: %v", s.File, s.Name, err)
			}
			structural++
			v := validation.New(n)
			for _, o := range s.Objects {
				values++
				want, got := up.Version("v1").Schema(testkit.Clone(o.Object)), v.Validate(o.Object)
				if !upstream.SameErrors(want, got.Field()) {
					t.Errorf("%s, %s, %s: %s", s.File, s.Name, o.Name, upstream.Diff(upstream.Lines(want), upstream.Lines(got.Field())))
				}
				if v.Valid(o.Object) != (len(got) == 0) {
					t.Errorf("%s, %s, %s: Valid is %t with the errors %v", s.File, s.Name, o.Name, len(got) > 0, field.ErrorList(got.Field()))
				}
				if o.Valid != (len(want) == 0) {
					otherVerdicts++
				}
			}
		}
		t.Logf("%s: %d schemas, %d of them structural, %d not in definitions; %d values compared, %d with another verdict than JSON Schema",
			draft, len(schemas)+others, structural, others, values, otherVerdicts)
		const least = 100
		if values < least {
			t.Errorf("%s: only %d values were compared", draft, values)
		}
	}
}
