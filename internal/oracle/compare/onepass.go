package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/testkit"
)

// The operations of this file run no rules. The operation on maps also excludes
// metadata and the other steps of a request.

// planOf returns the plan of a case.
func planOf(c *testCase) (*fastpath.Plan, error) {
	cfg := fastpath.Config{APIVersion: c.up.Kind.GroupVersion().String(), Kind: c.up.Kind.Kind}
	plan := fastpath.Compile(c.ours.Schema(), cfg)
	if plan == nil {
		return nil, fmt.Errorf("%s: no plan", c.name)
	}
	return plan, nil
}

// steps runs the steps of a plan with upstream.
func (c *testCase) steps(obj map[string]any) bool {
	c.up.Prune(obj)
	c.up.DropNulls(obj)
	c.up.Default(obj)
	return len(c.up.Schema(obj)) == 0
}

func prepareOnepass(c *testCase) (*pair, error) {
	if c.rules {
		return nil, nil
	}
	plan, err := planOf(c)
	if err != nil {
		return nil, err
	}
	a, b := testkit.Clone(c.object), testkit.Clone(c.object)
	_, ok := plan.Map(b, fastpath.MapRequest{})
	if !c.steps(a) || !ok || !plan.Admits(b) || !bytes.Equal(testkit.Encode(a), testkit.Encode(b)) {
		return nil, errDiffer
	}
	return &pair{
		upstream: func(in any) { c.steps(in.(map[string]any)) },
		ours: func(in any) {
			obj := in.(map[string]any)
			if _, ok := plan.Map(obj, fastpath.MapRequest{}); !ok || !plan.Admits(obj) {
				panic("refused")
			}
		},
		fresh:         func() any { return testkit.Clone(c.object) },
		size:          weigh(c.object),
		yardstick:     func(in any) { runtime.KeepAlive(visit(in)) },
		yardstickName: "bare range",
	}, nil
}

// withoutRules returns a copy of a definition without rules.
func withoutRules(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := crd.DeepCopy()
	for i := range out.Spec.Versions {
		if s := out.Spec.Versions[i].Schema; s != nil {
			dropRules(s.OpenAPIV3Schema)
		}
	}
	return out
}

func dropRules(p *apiextensionsv1.JSONSchemaProps) {
	if p == nil {
		return
	}
	p.XValidations = nil
	for name, child := range p.Properties {
		dropRules(&child)
		p.Properties[name] = child
	}
	if p.Items != nil {
		dropRules(p.Items.Schema)
	}
	if p.AdditionalProperties != nil {
		dropRules(p.AdditionalProperties.Schema)
	}
}

func prepareBytes(splice bool) func(*testCase) (*pair, error) {
	compiled := map[*apiextensionsv1.CustomResourceDefinition]*sides{}
	return func(c *testCase) (*pair, error) {
		if c.rules {
			return nil, nil
		}
		if compiled[c.crd] == nil {
			s, err := compileBoth(withoutRules(c.crd))
			if err != nil {
				return nil, err
			}
			compiled[c.crd] = s
		}
		s := compiled[c.crd]
		return bytesPair(s.up.Version(c.up.Name), testkit.Must(s.ours.Version(c.up.Name)), testkit.Encode(c.object), splice)
	}
}

func bytesPair(v *upstream.Version, w *crdkit.Version, raw []byte, splice bool) (*pair, error) {
	up := func() []byte {
		out := v.Create(upstream.Body{Data: raw, Fields: "Warn"})
		stored, err := json.Marshal(out.Object)
		if err != nil || len(out.Errors) > 0 {
			return nil
		}
		return stored
	}
	ctx, how := context.Background(), crdkit.Canonical()
	if splice {
		how = crdkit.Splice()
	}
	var buf []byte
	ours := func() {
		out, _, err := w.CreateJSON(ctx, raw, how, crdkit.AppendTo(buf[:0]))
		if err != nil {
			panic(err)
		}
		buf = out
	}
	ours()
	mine := buf
	if splice {
		var obj any
		if err := kjson.UnmarshalCaseSensitivePreserveInts(buf, &obj); err != nil {
			return nil, err
		}
		mine, _ = json.Marshal(obj)
	}
	if !bytes.Equal(up(), mine) {
		return nil, errDiffer
	}
	return &pair{
		upstream:      func(any) { up() },
		ours:          func(any) { ours() },
		yardstick:     func(any) { json.Valid(raw) },
		yardstickName: "json.Valid",
		more: []yardstick{{"decode+encode", func(any) {
			var obj map[string]any
			if kjson.UnmarshalCaseSensitivePreserveInts(raw, &obj) == nil {
				_, _ = json.Marshal(obj)
			}
		}}},
	}, nil
}

// santhosh returns the validation of a case by a library for JSON Schema, which does
// not know the extensions of Kubernetes.
func santhosh(c *testCase) func(any) {
	text, err := json.Marshal(c.declared())
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4)
	if err := compiler.AddResource("case.json", doc); err != nil {
		panic(err)
	}
	schema, err := compiler.Compile("case.json")
	if err != nil {
		panic(err)
	}
	if err := schema.Validate(c.stored); err != nil {
		panic(err)
	}
	return func(any) { _ = schema.Validate(c.stored) }
}

// declared returns the schema of a case.
func (c *testCase) declared() *apiextensionsv1.JSONSchemaProps {
	for _, v := range c.crd.Spec.Versions {
		if v.Name == c.up.Name {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}
