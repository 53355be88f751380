package celrules

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	upstreamcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// compareCompiling compares the compile errors of the rules of a schema. Our
// errors include rules that upstream's validator never visits. Upstream must
// refuse those in a definition, with the same text.
func compareCompiling(t testing.TB, name string, props *apiextensionsv1.JSONSchemaProps, n *schema.Node, s *structuralschema.Structural) {
	t.Helper()
	_, errs := cel.Compile(n)
	_, referenceErrs := cel.Compile(n, testopt.Reference{})
	if a, b := upstream.Lines(errs), upstream.Lines(referenceErrs); !slices.Equal(a, b) {
		t.Errorf("%s: compiling for the fast and for the reference side:\n%s", name, upstream.Diff(b, a))
	}
	theirs, panicked := upstreamCompileLines(s)
	ours := compileLines(errs)
	if panicked || slices.Equal(theirs, ours) {
		return
	}
	if extra, ok := without(ours, theirs); ok {
		if missing, _ := without(extra, definitionLines(t, props)); len(missing) == 0 {
			return
		}
	}
	t.Errorf("%s: compiling:\n%s", name, upstream.Diff(theirs, ours))
}

// without returns the lines of list that are not in remove, one for one. It is
// not ok if a line of remove is not in list.
func without(list, remove []string) (rest []string, ok bool) {
	rest, ok = slices.Clone(list), true
	for _, line := range remove {
		if i := slices.Index(rest, line); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			ok = false
		}
	}
	return rest, ok
}

// definitionLines returns upstream's errors about the rules of a definition with a
// schema, in the form of compileLines.
func definitionLines(t testing.TB, props *apiextensionsv1.JSONSchemaProps) []string {
	t.Helper()
	widgets, err := upstream.Widgets(props)
	if err != nil {
		t.Fatal(err)
	}
	errs := apivalidation.ValidateCustomResourceDefinition(context.Background(), widgets)
	for _, e := range errs {
		_, e.Field, _ = strings.Cut(e.Field, ".openAPIV3Schema.")
	}
	return compileLines(errs)
}

// compileLines returns the compile errors of rules as sorted lines. It leaves
// out rules of schemas without a declared type: upstream's validator skips
// them, and package oracle compares what the server reports when they are
// written.
func compileLines(errs field.ErrorList) []string {
	var lines []string
	for _, e := range errs {
		if e.Type != field.ErrorTypeInternal {
			lines = append(lines, upstream.Normal(e.Field+" | "+e.Detail))
		}
	}
	slices.Sort(lines)
	return lines
}

var upstreamLanguage = sync.OnceValue(func() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
})

// upstreamCompileLines returns upstream's compile errors of rules as sorted
// lines. Upstream keeps them in its validator and reports them for every
// object. Upstream may panic because of a fieldPath.
func upstreamCompileLines(s *structuralschema.Structural) (lines []string, panicked bool) {
	defer func() { panicked = recover() != nil }()
	compileLevel(s, model.SchemaDeclType(s, true), nil, &lines)
	slices.Sort(lines)
	return lines, false
}

// compileLevel visits the schemas that upstream's validator visits.
func compileLevel(s *structuralschema.Structural, typ *apiservercel.DeclType, path *field.Path, lines *[]string) {
	if len(s.XValidations) > 0 && typ != nil {
		results, err := upstreamcel.Compile(s, typ, celconfig.PerCallLimit, upstreamLanguage(), upstreamcel.StoredExpressionsEnvLoader())
		if err != nil {
			*lines = append(*lines, fmt.Sprintf("%s | %v", path, err))
		}
		for i, r := range results {
			p := path.Child("x-kubernetes-validations").Index(i)
			if r.Error != nil {
				*lines = append(*lines, upstream.Normal(p.Child("rule").String()+" | "+r.Error.Detail))
			}
			if r.MessageExpressionError != nil {
				*lines = append(*lines, upstream.Normal(p.Child("messageExpression").String()+" | "+r.MessageExpressionError.Detail))
			}
		}
	}
	var elem *apiservercel.DeclType
	if typ != nil {
		elem = typ.ElemType
	}
	if s.Items != nil {
		compileLevel(s.Items, elem, path.Child("items"), lines)
	}
	for name, child := range s.Properties {
		if t := propertyType(typ, name, &child); t != nil {
			compileLevel(&child, t, path.Child("properties").Key(name), lines)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		compileLevel(s.AdditionalProperties.Structural, elem, path.Child("additionalProperties"), lines)
	}
}

func propertyType(parent *apiservercel.DeclType, name string, s *structuralschema.Structural) *apiservercel.DeclType {
	escaped, ok := apiservercel.Escape(name)
	if !ok {
		return model.SchemaDeclType(s, s.XEmbeddedResource)
	}
	if parent == nil || parent.Fields[escaped] == nil {
		return nil
	}
	return parent.Fields[escaped].Type
}
