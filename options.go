package crdkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/requestopt"
	"github.com/crdkit/crdkit/internal/test/testopt"
)

// An Option changes how [Compile] prepares a definition. Without options a
// definition behaves exactly as in kube-apiserver 1.37. A later option wins over
// an earlier one, and a nil Option changes nothing.
type Option interface{ applyCompile(*config) }

type config struct {
	converter conversion.Converter
	reference bool              // tests only: requests take the pipeline, cel-go evaluates rules
	version   string            // Kubernetes version; "" for the default
	ctx       context.Context   // context of Compile; nil never ends
	limit     *errorlimit.Limit // limits the errors of Compile; nil for no limit
}

func (c config) minor() int {
	v, _ := kubeversion.Parse(c.version) // Compile refuses wrong versions
	return int(v)
}

type compileOption func(*config)

func (f compileOption) applyCompile(cfg *config) { f(cfg) }

func configOf(opts []Option) config {
	var cfg config
	for _, opt := range opts {
		if opt != nil {
			opt.applyCompile(&cfg)
		}
	}
	return cfg
}

// WithConverter makes the definition convert objects with c instead of the converter that
// spec.conversion declares. c may run in this process (see [conversion.Local]), or call the webhook
// with other settings:
//
//	converter, err := conversion.New(crd, conversion.Timeout(time.Second))
//
// If c is nil, the definition uses the converter that it declares.
func WithConverter(c conversion.Converter) Option {
	return compileOption(func(cfg *config) { cfg.converter = c })
}

// WithContext makes [Compile] end when ctx ends, within some tens of milliseconds, except
// while it compiles a single rule. Compile then returns an error that wraps the error of ctx.
// The definition does not keep ctx: each request has its own. A [Catalog] ignores the option,
// because requests share what it compiles. A nil ctx never ends.
func WithContext(ctx context.Context) Option {
	return compileOption(func(cfg *config) { cfg.ctx = ctx })
}

// KubernetesVersion sets the server version to emulate, from 1.29 to 1.37, such as "1.33",
// "v1.33.4" or "v1.33.4-eks-1". The patch version is ignored. The version decides which
// functions rules may use and which string formats are known. Everything else follows 1.37.
// An empty version means 1.37. [Compile] returns an error for any other text.
//
// See https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries.
func KubernetesVersion(version string) Option {
	return compileOption(func(cfg *config) { cfg.version = version })
}

func unknownVersion(version string) error {
	if _, err := kubeversion.Parse(version); err != nil {
		return fmt.Errorf("crdkit: %w", err)
	}
	return nil
}

// A JSONOption changes one request on JSON, such as [Version.CreateJSON]. Without options a request
// has no query parameters. A later option wins over an earlier one. A nil option changes nothing. A
// request with an invalid option returns an error.
type JSONOption interface {
	// JSONOption seals the interface: only this module implements it.
	JSONOption(testopt.Sealed)
}

// A RequestOption changes one request that writes an object, on JSON or not.
type RequestOption interface {
	JSONOption
	// RequestOption seals the interface.
	RequestOption(testopt.Sealed)
}

// A ReadOption changes one request of any kind.
type ReadOption interface {
	RequestOption
	// ReadOption seals the interface.
	ReadOption(testopt.Sealed)
}

type requestOptions struct {
	fields    FieldValidation
	report    bool
	namespace string
	mutate    func(context.Context, *unstructured.Unstructured) error
	memory    uint64 // limit for one evaluation of a rule, in bytes
	maxErrors int    // 0: DefaultMaxErrors

	origin          origin
	patchComplaints []string // complaints about the patch itself

	yaml   bool
	buffer []byte // the output is appended to it
}

type (
	jsonOption    func(*requestOptions)
	requestOption struct{ jsonOption }
	readOption    struct{ requestOption }
)

func (jsonOption) JSONOption(testopt.Sealed) {}

func (requestOption) RequestOption(testopt.Sealed) {}

func (readOption) ReadOption(testopt.Sealed) {}

func (o *requestOptions) apply(opt any) {
	switch opt := opt.(type) {
	case jsonOption:
		opt(o)
	case requestOption:
		opt.jsonOption(o)
	case readOption:
		opt.jsonOption(o)
	case FieldValidation:
		o.fields = cmp.Or(opt, Warn)
	case requestopt.Patched:
		o.origin, o.patchComplaints = fromPatch, opt.Complaints
	case requestopt.Merged:
		o.origin = fromMerge
	}
}

// A FieldValidation says how a request treats unknown fields (fields that the schema does not
// declare) and duplicate fields. Its values are options: pass [Strict] to a request. The zero
// value means [Warn].
//
// See https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation.
type FieldValidation string

const (
	// Warn drops unknown and duplicate fields, and adds a warning for each. It is the default.
	Warn FieldValidation = "Warn"
	// Ignore drops unknown and duplicate fields.
	Ignore FieldValidation = "Ignore"
	// Strict refuses a request with unknown or duplicate fields.
	Strict FieldValidation = "Strict"
)

// JSONOption makes a FieldValidation an option.
func (FieldValidation) JSONOption(testopt.Sealed) {}

// RequestOption makes a FieldValidation an option.
func (FieldValidation) RequestOption(testopt.Sealed) {}

// ReportChanges makes the result list what the server changed in the object.
func ReportChanges() ReadOption {
	return readOption{requestOption{func(o *requestOptions) { o.report = true }}}
}

// InNamespace sets the namespace of the request. The server refuses an object that names another
// namespace. By default the request is made in the namespace of the object, or in "default" if the
// object names none, as kubectl does. The option is an error for a cluster-scoped definition. The
// empty string sets no namespace.
func InNamespace(namespace string) RequestOption {
	return requestOption{func(o *requestOptions) { o.namespace = namespace }}
}

// Mutate runs f on the object as mutating admission would: after the object was decoded,
// pruned and defaulted, and before it is validated. Defaults are set again after f; nothing
// is pruned and no null is dropped. What f sets in metadata stays, such as a uid, also in the
// bytes that [Version.CreateJSON] returns. In an update of the status, as in the server, only
// the status that f sets stays.
//
// Duplicate owner references are dropped before and after f, but in a PATCH (package patch) only
// after f. If f returns an error, the request returns it and has no verdict. f must not be nil.
func Mutate(f func(ctx context.Context, obj *unstructured.Unstructured) error) RequestOption {
	if f == nil {
		f = func(context.Context, *unstructured.Unstructured) error { return errors.New("the function is nil") }
	}
	return requestOption{func(o *requestOptions) { o.mutate = f }}
}

// RuleMemory limits the memory of one evaluation of a rule, in bytes, as [cel.Memory] does. The
// default is [cel.DefaultMemory]; 0 means the default. [math.MaxUint64] lifts the limit.
func RuleMemory(bytes uint64) RequestOption {
	return requestOption{func(o *requestOptions) { o.memory = bytes }}
}

// DefaultMaxErrors is the most errors that a result has without [MaxErrors].
const DefaultMaxErrors = errorlimit.Default

// MaxErrors limits [Result.Errors] and [Result.Ratcheted] to n errors each. [Result.Omitted] counts
// the other errors. The same input always has the same errors in the lists. They need not be the
// first of all errors. 0 means [DefaultMaxErrors], and [math.MaxInt] no limit. A request with a
// negative n returns an error.
func MaxErrors(n int) RequestOption {
	return requestOption{func(o *requestOptions) { o.maxErrors = n }}
}

// YAML makes the request read its input as application/yaml. As in the server, only
// the first document counts. The output is JSON.
func YAML() JSONOption {
	return jsonOption(func(o *requestOptions) { o.yaml = true })
}

// AppendTo makes the request append the object to buf and return the extended slice. buf must
// not overlap the input. If the object is refused, the request returns nil and does not
// change buf, so keep buf in a variable of its own.
func AppendTo(buf []byte) JSONOption {
	return jsonOption(func(o *requestOptions) { o.buffer = buf })
}

func (o *requestOptions) check(v *Version) error {
	if err := requestopt.Check(o.fields); err != nil {
		return err
	}
	if o.maxErrors < 0 {
		return fmt.Errorf("crdkit: the limit of errors is %d, want a number of errors, or 0 for the default", o.maxErrors)
	}
	if o.namespace != "" && !v.def.namespaced {
		return fmt.Errorf("crdkit: the request is in namespace %q, but a %s has no namespace", o.namespace, v.def.kind)
	}
	return nil
}
