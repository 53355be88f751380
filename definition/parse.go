package definition

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/text/document"
)

// crdKind is the kind of a definition.
const crdKind = "CustomResourceDefinition"

// Parse reads one CustomResourceDefinition from YAML or JSON. It is as strict as kubectl:
// unknown fields and duplicate fields are errors, and the error names all of them, unless
// [Tolerant] is given. Parse does not judge the definition; [Check] does. An error that
// stands for a refusal of the server is [ErrRefused].
//
// A definition of apiextensions.k8s.io/v1 is returned as it is written. A definition of
// v1beta1, which servers up to 1.21 read, is returned as such a server serves it at v1:
// defaults are set, among them preserveUnknownFields: true and the scope Namespaced. What
// it says of all versions is repeated for each; the versions share the pointers. A
// definition that says something both of all versions and of single ones cannot be
// expressed at v1 and is an error with the server's text. [V1beta1Rules] judges a
// definition as those servers did.
//
// Several documents or a list of definitions are an error. NewYAMLReader of
// k8s.io/apimachinery/pkg/util/yaml splits documents.
//
// A text that is longer than [DefaultMaxSize], or nested deeper than [DefaultMaxNesting],
// is an error before it is decoded. [MaxSize] and [MaxNesting] set other limits.
//
// The input is neither kept nor changed.
func Parse(data []byte, opts ...ParseOption) (*apiextensionsv1.CustomResourceDefinition, error) {
	cfg := parseConfigOf(opts)
	if len(data) > cfg.size {
		return nil, fmt.Errorf("crdkit: reading a definition: the text has %d bytes, and may have %d", len(data), cfg.size)
	}
	if cfg.nesting >= document.MaxDepth {
		if crd := document.ReadDefinition(data); crd != nil {
			return crd, nil
		}
	}
	return parseInFull(data, cfg)
}

// parseInFull is Parse with the libraries of the server.
func parseInFull(data []byte, cfg *parseConfig) (*apiextensionsv1.CustomResourceDefinition, error) {
	converted, duplicates, err := toJSON(data)
	if err != nil {
		return nil, fmt.Errorf("crdkit: reading a definition: %w", err)
	}
	if document.NestedDeeper(converted, cfg.nesting) {
		return nil, fmt.Errorf("crdkit: reading a definition: objects and lists are nested more than %d levels deep", cfg.nesting)
	}
	apiVersion, err := expectDefinition(converted)
	if err != nil {
		return nil, err
	}
	if apiVersion == apiVersionV1beta1 {
		return parseV1beta1(converted, duplicates, cfg)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := cfg.decode(converted, duplicates, crd, &crd.ObjectMeta); err != nil {
		return nil, err
	}
	return crd, nil
}

// decode decodes JSON into a definition whose metadata is meta. duplicates are errors of
// strict decoding that were found before.
func (c *parseConfig) decode(data []byte, duplicates []error, into any, meta *metav1.ObjectMeta) error {
	strict, err := kjson.UnmarshalStrict(data, into)
	if err != nil {
		return refusedText{fmt.Errorf("crdkit: reading a definition: %w", err)}
	}
	if strict = append(duplicates, strict...); c.tolerate(strict) {
		return nil
	}
	return refusedText{fmt.Errorf("crdkit: %s: %w", titleOf(meta.Name), errors.Join(strict...))}
}

// toJSON converts one document of YAML or JSON to JSON. Several documents are an error.
// duplicates has an error if a mapping of YAML has a key twice, and is empty otherwise.
func toJSON(data []byte) (converted []byte, duplicates []error, err error) {
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return trimmed, nil, nil
	}
	var doc []byte
	for documents := document.Split(data); ; {
		next, _, err := documents.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if document.Blank(next) {
			continue
		}
		if doc != nil {
			return nil, nil, errors.New("several documents where one is expected")
		}
		doc = next
	}
	if doc == nil {
		return nil, nil, errors.New("no document where one is expected")
	}
	if err := document.CheckAliases(doc); err != nil {
		return nil, nil, err
	}
	converted, strict := yaml.YAMLToJSONStrict(doc)
	if strict == nil || !strings.Contains(strict.Error(), "already set in map") {
		return converted, nil, strict
	}
	if converted, err = yaml.YAMLToJSON(doc); err != nil {
		return nil, nil, err
	}
	return converted, []error{strict}, nil
}

type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// jsonType returns the type of valid JSON, which its first byte determines.
func jsonType(data []byte) string {
	switch first := bytes.TrimLeft(data, " \t\r\n"); {
	case len(first) == 0:
		return "empty"
	case first[0] == '{':
		return "an object"
	case first[0] == '[':
		return "a list"
	case first[0] == '"':
		return "a string"
	case first[0] == 'n':
		return "null"
	case first[0] == 't' || first[0] == 'f':
		return "a boolean"
	default:
		return "a number"
	}
}

func titleOf(name string) string {
	if name == "" {
		return "definition without a name"
	}
	return "definition " + name
}

// expectDefinition returns the apiVersion of a definition, or an error for anything else.
func expectDefinition(data []byte) (string, error) {
	if is := jsonType(data); is != "an object" {
		return "", fmt.Errorf("crdkit: not a definition: the document is %s, want an object", is)
	}
	var head head
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &head); err != nil {
		return "", fmt.Errorf("crdkit: reading a definition: %w", err)
	}
	if head.Kind != crdKind {
		return "", fmt.Errorf("crdkit: not a definition: kind is %q, want %q", head.Kind, crdKind)
	}
	if want := apiextensionsv1.SchemeGroupVersion.String(); head.APIVersion != want && head.APIVersion != apiVersionV1beta1 {
		return "", fmt.Errorf("crdkit: definition has apiVersion %q, want %q or %q", head.APIVersion, want, apiVersionV1beta1)
	}
	return head.APIVersion, nil
}
