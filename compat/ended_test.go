package compat

import (
	"context"
	"os"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestEndedProvesNothingMore ends the comparison of each change after one poll of the
// context, after eight, and so on, and with little work. Neither proves what the whole
// comparison does not, or refutes what it proves.
func TestEndedProvesNothingMore(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	ended, kept, limited := 0, 0, 0
	for name, p := range testdataPairs(t) {
		whole := verdictsOf(comparisonOf(p, context.Background(), workLimit).schemaFindings())
		check := func(what string, n int, found []Finding) {
			for role, verdict := range verdictsOf(found) {
				if verdict != VerdictUnknown && verdict != whole[role] {
					t.Errorf("%s: %s %d: %s are %s, and in the whole comparison %s", name, what, n, role, verdict, whole[role])
				}
				if verdict == VerdictCompatible {
					kept++
				}
			}
		}
		for n := 1; ; n *= 16 {
			ctx := testkit.EndingContext(n)
			check("polls", n, comparisonOf(p, ctx, workLimit).schemaFindings())
			if ctx.Polls() <= n {
				break
			}
			ended++
		}
		for n := 1; n < 5000; n *= 64 {
			check("work", n, comparisonOf(p, context.Background(), n).schemaFindings())
			limited++
		}
		all, some := comparisonOf(p, context.Background(), workLimit).listFindings(), comparisonOf(p, testkit.EndingContext(0), workLimit).listFindings()
		if !slices.EqualFunc(all, some, func(a, b Finding) bool { return a.Code == b.Code && a.Field == b.Field }) {
			t.Errorf("%s: an ended comparison finds %d changes of lists and maps, want %d", name, len(some), len(all))
		}
	}
	t.Logf("%d comparisons ended early, %d had little work; they proved %d roles", ended, limited, kept)
	if ended < 500 || kept < 500 {
		t.Error("too few comparisons ended early")
	}
}

func comparisonOf(p *pair, ctx context.Context, work int) *comparison {
	return &comparison{pair: p, versionPair: &p.versions[0], ctx: ctx, work: work}
}

// verdictsOf returns the worst verdict of each role about objects.
func verdictsOf(found []Finding) map[Role]Verdict {
	out := map[Role]Verdict{}
	for _, verdict := range []Verdict{VerdictCompatible, VerdictUnknown, VerdictIncompatible} {
		for i := range found {
			f := &found[i]
			if f.Verdict == verdict && slices.Contains([]Role{RoleWriters, RoleStored, RoleReaders}, f.Role) && (f.Code == CodeProved || verdict != VerdictCompatible) {
				out[f.Role] = verdict
			}
		}
	}
	return out
}

// testdataPairs returns the changes of testdata.
func testdataPairs(t *testing.T) map[string]*pair {
	t.Helper()
	out := map[string]*pair{}
	for _, file := range []string{"changes", "rules"} {
		text, err := os.ReadFile("testdata/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct {
			Name     string
			Root     bool
			Old, New apiextensionsv1.JSONSchemaProps
		}
		if err := yaml.UnmarshalStrict(text, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			definition := func(props apiextensionsv1.JSONSchemaProps) *apiextensionsv1.CustomResourceDefinition {
				crd := guarded(t, "{}")
				root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
				if c.Root {
					props.Type = "object"
					*root = props
				} else {
					root.Properties["x"] = props
				}
				return crd
			}
			p, err := newPair(context.Background(), definition(c.Old), definition(c.New))
			if err != nil {
				t.Fatal(err)
			}
			out[file+"/"+c.Name] = p
		}
	}
	return out
}
