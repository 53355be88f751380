package crdkit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/kubeversion"
)

// An Option changes how [Compile] prepares a definition. Without options a
// definition behaves exactly as in kube-apiserver 1.37. A later option wins over
// an earlier one, and a nil Option changes nothing.
type Option interface{ applyCompile(*config) }

type config struct {
	converter conversion.Converter
	plain     bool
	version   string // of Kubernetes, "" for that which is followed by default
}

// minor returns the minor version of Kubernetes.
func (c config) minor() int {
	v, _ := kubeversion.Parse(c.version) // Compile refuses wrong versions
	return int(v)
}

type compileOption func(*config)

func (f compileOption) applyCompile(c *config) { f(c) }

// WithConverter makes the definition convert objects with c, whatever its
// spec.conversion says: with another strategy, in this process (see
// [conversion.Local]), or with its webhook called in another way than the
// server's, as in
//
//	converter, err := conversion.New(crd, conversion.Timeout(time.Second))
func WithConverter(c conversion.Converter) Option {
	return compileOption(func(cfg *config) { cfg.converter = c })
}

// PlainOnly switches every shortcut of the engines off. Results are the same;
// tests compare the two.
func PlainOnly() Option {
	return compileOption(func(cfg *config) { cfg.plain = true })
}

// KubernetesVersion follows the server of a version, such as "1.33" or "1.33.4",
// in what changes from one version to the next with regard to objects: which
// functions rules may use, from 1.29 to 1.37, and which formats of text are
// known. Everything else is that of 1.37. An empty version means 1.37. [Compile]
// returns an error for any other text.
//
// See https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries.
func KubernetesVersion(version string) Option {
	return compileOption(func(cfg *config) { cfg.version = version })
}

// unknownVersion returns the error of a text that is not a known version of
// Kubernetes.
func unknownVersion(version string) error {
	if _, err := kubeversion.Parse(version); err != nil {
		return fmt.Errorf("crdkit: %w", err)
	}
	return nil
}

// A RequestOption changes one request. Without options a request is what
// kube-apiserver does with one that sets no query parameters. A later option
// wins over an earlier one, and a nil RequestOption changes nothing.
type RequestOption interface{ applyRequest(*request) }

type requestOption func(*request)

func (f requestOption) applyRequest(r *request) { f(r) }

// A FieldValidation says what becomes of fields that the schema does not know
// and of fields that are given twice.
//
// See https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation.
type FieldValidation string

// Any other value than these, and "", which means Warn, is an error of the
// request.
const (
	// Warn drops the fields and reports each as a warning. It is the default.
	Warn FieldValidation = "Warn"
	// Ignore drops the fields silently.
	Ignore FieldValidation = "Ignore"
	// Strict refuses the request.
	Strict FieldValidation = "Strict"
)

func (f FieldValidation) applyRequest(r *request) {
	r.fields = cmp.Or(f, Warn)
	r.wrong = nil
	if !slices.Contains([]FieldValidation{Warn, Ignore, Strict}, r.fields) {
		r.wrong = fmt.Errorf("crdkit: field validation is %q, want %q, %q or %q", f, Warn, Ignore, Strict)
	}
}

// ReportChanges makes the result list what the server changed in the object.
func ReportChanges() RequestOption {
	return requestOption(func(r *request) { r.report = true })
}

// InNamespace sets the namespace that the request is made in. An object that
// names another is refused. Without this option the request is made in the
// namespace that the object names, or in "default" if it names none, as kubectl
// does. It has no effect on cluster-scoped resources.
func InNamespace(namespace string) RequestOption {
	return requestOption(func(r *request) { r.namespace = namespace })
}

// Mutate runs f on the decoded, pruned and defaulted object, as mutating
// admission would, and sets defaults again afterwards. The server neither
// prunes nor drops nulls after it. An error of f ends the request without a
// verdict.
func Mutate(f func(ctx context.Context, obj *unstructured.Unstructured) error) RequestOption {
	return requestOption(func(r *request) { r.mutate = f })
}

// YAML makes CreateJSON, UpdateJSON and UpdateStatusJSON read their input as
// application/yaml. The output is JSON all the same.
func YAML() RequestOption {
	return requestOption(func(r *request) { r.yaml = true })
}

// Canonical makes CreateJSON, UpdateJSON and UpdateStatusJSON return objects as
// the server encodes them: without white space, with sorted keys, and with
// strings and numbers spelled in one way. It is the default.
func Canonical() RequestOption {
	return requestOption(func(r *request) { r.splice = false })
}

// Splice makes CreateJSON and UpdateJSON keep the order, the white space and the
// spelling of the input wherever it need not change: what goes is cut out, and
// what comes, such as defaults, is put in. The value is that of [Canonical], the
// bytes are not. An object that needs no change at all is returned as the very
// slice that was passed, unless [AppendTo] is given.
//
// Objects that are out of the ordinary, such as those with repeated keys, with
// keys that are spelled with escapes or with whole numbers spelled as 1.0, come
// out canonical, as does everything with [YAML], [Mutate] and [ReportChanges],
// and from UpdateStatusJSON.
func Splice() RequestOption {
	return requestOption(func(r *request) { r.splice = true })
}

// AppendTo makes CreateJSON, UpdateJSON and UpdateStatusJSON append the object
// to buf and return the extended slice, so that memory can be used again. buf
// must not overlap the input. It is not changed if there is no output.
func AppendTo(buf []byte) RequestOption {
	return requestOption(func(r *request) { r.buffer, r.appends = buf, true })
}
