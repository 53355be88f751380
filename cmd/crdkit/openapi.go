package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/serving/openapi"
)

const openapiHelp = `openapi [-c CRD]...
Print the OpenAPI document that the server publishes for definitions

Print the OpenAPI document that kube-apiserver publishes for definitions.

The document has OpenAPI version 3, as below /openapi/v3. The server has a document for
each group and version there. crdkit joins them, unless --group-version selects one.
With --v2 the document is the part of /openapi/v2 that the definitions add. Only served
versions are published.

CRD is a file, a directory, or - for standard input. The exit code is 0, or 2 if a
definition cannot be read or published. Then only the error is printed.

Examples:
  crdkit openapi -c crd.yaml
  crdkit openapi -c crds/ -R --v2
  crdkit openapi -c crds/ --group-version stable.example.com/v1`

type publisher struct {
	session
	v2           bool
	groupVersion string
}

func newOpenAPI() *cobra.Command {
	p := &publisher{}
	cmd := p.definitionCommand(openapiHelp, 0, p.run)
	p.addRecursive()
	f := cmd.Flags()
	f.BoolVar(&p.v2, "v2", false, "print the document of OpenAPI version 2")
	f.StringVar(&p.groupVersion, "group-version", "", "print the document of one group and version only: GROUP/VERSION")
	cmd.MarkFlagsMutuallyExclusive("v2", "group-version")
	return cmd
}

func (p *publisher) run(ctx context.Context, _ []string) error {
	crds, err := p.allDefinitions(ctx)
	if err != nil {
		return err
	}
	d, err := p.document(crds)
	if err != nil {
		return err
	}
	data, err := d.MarshalJSON()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, append(data, '\n'), "", "  "); err != nil {
		return err
	}
	_, err = b.WriteTo(p.out)
	return err
}

func (p *publisher) document(crds []*apiextensionsv1.CustomResourceDefinition) (*openapi.Document, error) {
	if p.v2 {
		return openapi.V2(crds)
	}
	docs, err := openapi.V3(crds)
	if err != nil {
		return nil, err
	}
	paths := slices.Sorted(maps.Keys(docs))
	if p.groupVersion != "" {
		if d := docs["apis/"+p.groupVersion]; d != nil {
			return d, nil
		}
		return nil, fmt.Errorf("no definition serves %q; there is %s", p.groupVersion, strings.ReplaceAll(strings.Join(paths, ", "), "apis/", ""))
	}
	if len(paths) == 0 {
		return nil, errors.New("no definition serves a version")
	}
	var all []*openapi.Document
	for _, path := range paths {
		all = append(all, docs[path])
	}
	return openapi.Merge(all...)
}
