package conversiontest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/pruning"
)

// A Tester converts objects of one definition to other versions and back. It is immutable. It is
// safe for concurrent use if the conversion is.
type Tester struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	def      *crdkit.Definition
	cfg      config
	versions map[string]*version
	compare  comparison
}

// A version has the steps that the server applies to converted objects.
type version struct {
	*crdkit.Version
	objects   *search.Space   // generates objects
	pruner    *pruning.Pruner // nil if nothing is pruned
	defaulter *defaulting.Defaulter
}

// New returns a tester of the conversion in the options. The default is the conversion of the
// definition's strategy. New copies the definition.
//
// It returns an error if the server could not serve the definition, if the options have two
// conversions or a nil conversion, if a count is not positive, or if [Ignore] has a wrong pointer.
func New(crd *apiextensionsv1.CustomResourceDefinition, opts ...Option) (*Tester, error) {
	if crd == nil {
		return nil, errors.New("conversiontest: the definition is nil")
	}
	t := &Tester{crd: crd.DeepCopy(), cfg: config{count: DefaultCount}, versions: map[string]*version{}}
	for _, opt := range opts {
		if opt != nil {
			opt.applyNew(&t.cfg)
		}
	}
	converter, err := t.converter()
	if err == nil {
		t.compare, err = newComparison(t.cfg.emptyIsAbsent, t.cfg.ignored)
	}
	if err != nil {
		return nil, fmt.Errorf("conversiontest: %w", err)
	}
	if t.def, err = crdkit.Compile(t.crd, crdkit.WithConverter(converter)); err != nil {
		return nil, err
	}
	for i := range t.crd.Spec.Versions {
		t.addVersion(&t.crd.Spec.Versions[i])
	}
	return t, nil
}

func (t *Tester) converter() (conversion.Converter, error) {
	switch {
	case t.cfg.count <= 0:
		return nil, fmt.Errorf("a count of %d, want a positive number", t.cfg.count)
	case t.cfg.converter != nil && t.cfg.convert != nil:
		return nil, errors.New("the options Converter and Func exclude one another")
	case t.cfg.converter != nil && *t.cfg.converter == nil:
		return nil, errors.New("the converter is nil")
	case t.cfg.convert != nil && *t.cfg.convert == nil:
		return nil, errors.New("the conversion function is nil")
	case t.cfg.converter != nil:
		return *t.cfg.converter, nil
	case t.cfg.convert != nil:
		return conversion.Local(t.crd, *t.cfg.convert), nil
	default:
		return conversion.New(t.crd)
	}
}

func (t *Tester) addVersion(declared *apiextensionsv1.CustomResourceDefinitionVersion) {
	compiled, _ := t.def.Version(declared.Name)
	gvk := compiled.GroupVersionKind()
	head := search.Head{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Namespaced: t.def.Namespaced()}
	v := &version{Version: compiled, objects: search.New(compiled.Schema(), head, nil)}
	v.objects.Learn(t.cfg.samples...)
	if !t.crd.Spec.PreserveUnknownFields {
		v.pruner, v.defaulter = pruning.New(v.Schema()), defaulting.New(v.Schema())
	}
	t.versions[declared.Name] = v
}

// A Report is the result of a round trip of many objects.
type Report struct {
	// Objects is the number of objects that were converted.
	Objects int
	// Refused is the number of generated objects that the server would refuse.
	Refused int
	// Failures has one failure for each cause, with a minimal object, sorted by path. It is empty
	// if all objects survived.
	Failures []*Failure
	// Omitted is the number of causes beyond [MaxFailures].
	Omitted int
}

// Err returns nil if all objects survived. Otherwise the error has the text of every failure, and
// how many objects failed with the same cause.
func (r Report) Err() error {
	var errs []error
	for _, f := range r.Failures {
		errs = append(errs, fmt.Errorf("%d of %d objects: %w", f.Count, r.Objects, f))
	}
	if r.Omitted > 0 {
		errs = append(errs, fmt.Errorf("%d further failures of other causes", r.Omitted))
	}
	return errors.Join(errs...)
}

// RoundTrip generates objects of one version and converts each to another and back. [Count] sets
// the number of objects.
//
// It returns an error if a version does not exist, if the context ends, or if the server would
// refuse every generated object. In the last case, [Samples] may help.
func (t *Tester) RoundTrip(ctx context.Context, from, to string) (Report, error) {
	var report Report
	route, err := t.route(from, to)
	if err != nil {
		return report, err
	}
	run := &run{route: route, byCause: map[cause]*Failure{}, omitted: map[cause]bool{}}
	rng := newSource(t.cfg.seed)
	for tries := 0; report.Objects < t.cfg.count && tries < attempts*t.cfg.count; tries++ {
		obj, err := route.object(ctx, rng, tries%2 == 1)
		if err != nil {
			return report, err
		}
		if obj == nil {
			report.Refused++
			continue
		}
		report.Objects++
		run.add(route.roundTrip(ctx, obj))
		if err := ctx.Err(); err != nil {
			return report, err
		}
	}
	if report.Objects == 0 {
		return report, fmt.Errorf("%w: none of %d at version %s", ErrNoObject, report.Refused, from)
	}
	report.Failures, report.Omitted = run.failures(ctx), len(run.omitted)
	return report, ctx.Err()
}

// attempts is how many objects are generated at most until the server admits one.
const attempts = 20

// ErrNoObject reports that the server would refuse every generated object.
var ErrNoObject = errors.New("conversiontest: no admitted object")

// Seeded generates an object of one version, and converts it to another and back. It returns the
// first failure, or nil if the object survives. The object only depends on seed. Use Seeded in fuzz
// tests:
//
//	f.Fuzz(func(t *testing.T, seed uint64) {
//		failure, err := tester.Seeded(ctx, seed, "v1beta1", "v1")
//		...
//
// If the server would refuse every object of the seed, the error is [ErrNoObject]. A test can skip
// such a seed.
func (t *Tester) Seeded(ctx context.Context, seed uint64, from, to string) (*Failure, error) {
	route, err := t.route(from, to)
	if err != nil {
		return nil, err
	}
	rng := newSource(seed)
	for i := range attempts {
		obj, err := route.object(ctx, rng, i%2 == 1)
		if err != nil {
			return nil, err
		}
		if obj == nil {
			continue
		}
		failures := route.roundTrip(ctx, obj)
		if len(failures) == 0 {
			return nil, ctx.Err()
		}
		return route.minimize(ctx, failures[0]), ctx.Err()
	}
	return nil, ErrNoObject
}

// Object converts one object to another version and back. It does not change or validate the
// object. It returns the first failure, or nil if the object survives. Fields are compared in the
// order of their names. The failure has the object itself, not a minimal one.
func (t *Tester) Object(ctx context.Context, obj *unstructured.Unstructured, to string) (*Failure, error) {
	if obj == nil || obj.Object == nil {
		return nil, errors.New("conversiontest: the object is nil")
	}
	route, err := t.route(obj.GroupVersionKind().Version, to)
	if err != nil {
		return nil, err
	}
	failures := route.roundTrip(ctx, clone(obj))
	if len(failures) == 0 {
		return nil, ctx.Err()
	}
	return failures[0], ctx.Err()
}

func newSource(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func (t *Tester) route(from, to string) (*route, error) {
	r := &route{def: t.def, from: t.versions[from], to: t.versions[to], compare: &t.compare}
	switch {
	case r.from == nil:
		return nil, fmt.Errorf("conversiontest: %s has no version %q", t.crd.Name, from)
	case r.to == nil:
		return nil, fmt.Errorf("conversiontest: %s has no version %q", t.crd.Name, to)
	case from == to:
		return nil, fmt.Errorf("conversiontest: there is nothing to convert from %s to %s", from, to)
	}
	return r, nil
}

// An Option selects the conversion that [New] tests and the objects of the test. A later option
// wins over an earlier one, and a nil Option changes nothing.
type Option interface{ applyNew(*config) }

type config struct {
	converter     *conversion.Converter   // nil without the option
	convert       *conversion.ConvertFunc // nil without the option
	seed          uint64
	count         int
	samples       []map[string]any
	emptyIsAbsent bool
	ignored       []string
}

type option func(*config)

func (f option) applyNew(c *config) { f(c) }

// DefaultCount is the number of objects of a round trip without [Count].
const DefaultCount = 200

// Converter tests c, such as a client of a webhook. If c is nil, New returns an error.
func Converter(c conversion.Converter) Option {
	return option(func(cfg *config) { cfg.converter = &c })
}

// Func tests the function convert. Its results must follow the server's rules for responses of
// webhooks; see [conversion.Local]. If convert is nil, New returns an error.
func Func(convert conversion.ConvertFunc) Option {
	return option(func(cfg *config) { cfg.convert = &convert })
}

// Seed sets the seed of the random objects. The default is 0.
func Seed(seed uint64) Option {
	return option(func(cfg *config) { cfg.seed = seed })
}

// Count sets the number of objects that [Tester.RoundTrip] converts. If n is not positive, New
// returns an error.
func Count(n int) Option {
	return option(func(cfg *config) { cfg.count = n })
}

// Samples adds objects whose values are used in generated objects. It helps if random values rarely
// satisfy the rules or patterns of a schema. Each object is for the version in its apiVersion. The
// tester keeps the objects and does not change them; the caller must not change them either.
func Samples(objects ...map[string]any) Option {
	return option(func(cfg *config) { cfg.samples = append(cfg.samples, objects...) })
}

// EmptyIsAbsent makes a null, an empty string, an empty list and an empty object equal to an absent
// field. Go structs with omitempty do not keep the difference. Elements of lists, 0 and false still
// count. An object with only empty fields is empty.
func EmptyIsAbsent() Option {
	return option(func(cfg *config) { cfg.emptyIsAbsent = true })
}

// Ignore ignores differences at and below JSON pointers (RFC 6901), such as
// "/metadata/annotations". The step * stands for all fields of an object or all elements of a list.
// If a text is not a pointer, New returns an error.
func Ignore(pointers ...string) Option {
	return option(func(cfg *config) { cfg.ignored = append(cfg.ignored, pointers...) })
}
