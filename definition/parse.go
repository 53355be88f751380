package definition

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/text/document"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const crdKind = "CustomResourceDefinition"

// Parse reads one CustomResourceDefinition from YAML or JSON. Like kubectl, it refuses unknown and
// duplicate fields, and the error names all of them; [Tolerant] accepts them. Parse does not judge
// the definition; [Check] does. If the server would refuse the text, the error is [ErrRefused].
//
// A definition of apiextensions.k8s.io/v1 is returned as it is written. Servers up to 1.21 also
// read v1beta1. A definition of v1beta1 is returned as those servers serve it at v1: defaults are
// set, including preserveUnknownFields: true and the scope Namespaced, and each version gets the
// parts that belong to all versions. If a field is set both for all versions and for single
// versions, v1 cannot express it: Parse returns an error with the server's text. [V1beta1Rules]
// judges a definition as those servers did.
//
// Several documents or a list of definitions are an error; [ParseAll] reads them.
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

// ParseAll reads the CustomResourceDefinitions in a stream of YAML documents or JSON values, and in
// the items of lists, in their order. Objects of other kinds are ignored. The error joins all
// errors, each with its document. The limits apply to each document. The input is neither kept nor
// changed.
func ParseAll(data []byte, opts ...ParseOption) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	return parseObjects(manifest.NewReader(bytes.NewReader(data), false), opts, "-")
}

// Read reads the CustomResourceDefinitions in files and directories, as [ParseAll] reads
// each file. A directory stands for the .yaml, .yml, .json, .jsonl and .ndjson files in it,
// not below it. files may be an [embed.FS]; nil means the files of the operating system. It is
// an error if there is no definition.
func Read(files fs.FS, paths ...string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	r := manifest.NewReader(nil, false)
	r.FS = files
	out, err := parseObjects(r, nil, paths...)
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("crdkit: no definition in %q", paths)
	}
	return out, err
}

func parseObjects(r *manifest.Reader, opts []ParseOption, paths ...string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var out []*apiextensionsv1.CustomResourceDefinition
	var errs []error
	for o := range r.Objects(context.Background(), paths...) {
		if o.Err == nil && !o.IsDefinition() {
			continue
		}
		crd, err := (*apiextensionsv1.CustomResourceDefinition)(nil), o.Err
		if err == nil {
			crd, err = Parse(o.Text, opts...)
		}
		if err != nil {
			place := o.Location()
			if rest, ok := strings.CutPrefix(place, "-"); ok {
				place = "definitions" + rest
			}
			errs = append(errs, fmt.Errorf("%s: %w", place, err))
		}
		out = append(out, crd)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
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

// decode decodes JSON into a definition. duplicates are the errors from toJSON.
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

// toJSON converts one document to JSON. duplicates has an error about repeated keys of YAML.
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

func jsonType(data []byte) string {
	switch first := bytes.TrimLeft(data, " \t\r\n"); {
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

// The limits of [Parse] without options. Definitions of the public catalogs reach less than a tenth
// of them.
const (
	// DefaultMaxSize is the largest text in bytes. It is ten times the size of a request (3 MiB),
	// because YAML is longer than JSON. Parse takes memory in proportion to the text.
	DefaultMaxSize = 32 << 20
	// DefaultMaxNesting is the deepest nesting of objects and lists. The decoder's time grows with
	// the square of the nesting. A kube-apiserver reads up to 10,000 levels.
	DefaultMaxNesting = 1_000
)

// A ParseOption changes what [Parse] accepts. A later option wins over an earlier one, and a nil
// ParseOption changes nothing.
type ParseOption interface{ apply(*parseConfig) }

type parseOption func(*parseConfig)

func (o parseOption) apply(c *parseConfig) { o(c) }

type parseConfig struct {
	size, nesting int
	tolerant      bool
	found         func(error) // may be nil
}

func parseConfigOf(opts []ParseOption) *parseConfig {
	cfg := &parseConfig{size: DefaultMaxSize, nesting: DefaultMaxNesting}
	for _, opt := range opts {
		if opt != nil {
			opt.apply(cfg)
		}
	}
	return cfg
}

// tolerate passes the errors of strict decoding to the function of [Tolerant]. It returns whether
// Parse goes on.
func (c *parseConfig) tolerate(strict []error) bool {
	if len(strict) > 0 && !c.tolerant {
		return false
	}
	for _, err := range strict {
		if c.found != nil {
			c.found(err)
		}
	}
	return true
}

// MaxSize makes [Parse] refuse a text of more than size bytes. If size is negative, it refuses
// every text. The default is [DefaultMaxSize].
func MaxSize(size int) ParseOption {
	return parseOption(func(c *parseConfig) { c.size = size })
}

// MaxNesting makes [Parse] refuse a text whose objects and lists are nested more than levels deep.
// If levels is not positive, it refuses every text. The decoder reads at most 10,000 levels,
// whatever the option says. The default is [DefaultMaxNesting].
func MaxNesting(levels int) ParseOption {
	return parseOption(func(c *parseConfig) { c.nesting = levels })
}

// Tolerant makes [Parse] drop unknown fields and take the last of duplicate fields, like a server
// without strict field validation. If found is not nil, Parse calls it with the errors: one for all
// duplicate keys of a YAML text, and one for each other field.
func Tolerant(found func(error)) ParseOption {
	return parseOption(func(c *parseConfig) { c.tolerant, c.found = true, found })
}

// ErrRefused matches, with [errors.Is], errors of [Parse] about definitions that the server
// refuses: unknown and duplicate fields, values of a wrong type, and v1beta1 fields that v1 cannot
// express. Other errors are about a text that cannot be read or is not a definition.
var ErrRefused = errors.New("the server refuses the definition")

type refusedText struct{ error }

func (r refusedText) Is(target error) bool { return target == ErrRefused }

func (r refusedText) Unwrap() error { return r.error }
