package main

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

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

func prepareBytes() func(*testCase) (*pair, error) {
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
		return bytesPair(s.up.Version(c.up.Name), testkit.Must(s.ours.Version(c.up.Name)), testkit.Encode(c.object))
	}
}

func bytesPair(v *upstream.Version, w *crdkit.Version, raw []byte) (*pair, error) {
	up := func() []byte {
		out := v.Create(upstream.Body{Data: raw, Fields: "Warn"})
		stored, err := json.Marshal(out.Object)
		if err != nil || len(out.Errors) > 0 {
			return nil
		}
		return stored
	}
	ctx := context.Background()
	var buf []byte
	ours := func() {
		out, _, err := w.CreateJSON(ctx, raw, crdkit.AppendTo(buf[:0]))
		if err != nil {
			panic(err)
		}
		buf = out
	}
	ours()
	if !bytes.Equal(up(), buf) {
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
