package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const definitionKind = "CustomResourceDefinition"

// definitions are the definitions of a command by kind. Any goroutine may use a definition.
// The first use parses and compiles it. After the first use, no definition may be added.
type definitions struct {
	reader        *manifest.Reader
	webhook       webhookFlag
	alwaysWebhook bool // use the webhook of the flags for every definition
	catalog       *crdkit.Catalog
	byKind        map[schema.GroupKind]*knownDefinition
}

type knownDefinition struct {
	object *manifest.Object // without the text of its document
	crd    *apiextensionsv1.CustomResourceDefinition
	err    error // why it cannot be served
	load   sync.Once
	given  bool // by -c
}

// load adds the definitions of files and directories. It reports errors and goes on.
func (d *definitions) load(ctx context.Context, names []string, report func(error)) {
	for o := range namedDefinitions(ctx, d.reader, names...) {
		err := o.Err
		if err == nil {
			err = d.add(o)
		}
		if k := d.byKind[o.Defines]; k != nil {
			k.given = true
		}
		if err != nil {
			report(locate(o, err))
		}
	}
}

// add adds a definition. It returns an error if the kind already has a definition.
func (d *definitions) add(o *manifest.Object) error {
	if o.Defines.Empty() {
		_, err := definition.Parse(o.Text)
		if err == nil {
			err = errors.New("spec.group or spec.names.kind is missing")
		}
		return err
	}
	if other := d.byKind[o.Defines]; other != nil {
		if bytes.Equal(other.object.Text, o.Text) {
			return nil
		}
		return fmt.Errorf("%s is already defined in %s", o.Defines, other.object.Location())
	}
	k := &knownDefinition{object: withoutText(o)}
	k.object.Text = o.Text
	d.byKind[o.Defines] = k
	return nil
}

func (d *definitions) has(gvk schema.GroupVersionKind) bool { return d.byKind[gvk.GroupKind()] != nil }

// ofList returns the definition whose list kind is gvk, nil if there is none.
func (d *definitions) ofList(ctx context.Context, gvk schema.GroupVersionKind) *knownDefinition {
	var found *knownDefinition
	for kind, k := range d.byKind {
		if kind.Group == gvk.Group && d.ensure(ctx, k) == nil && listKindOf(k.crd) == gvk.Kind && (found == nil || k.crd.Name < found.crd.Name) {
			found = k
		}
	}
	return found
}

func listKindOf(crd *apiextensionsv1.CustomResourceDefinition) string {
	if kind := crd.Spec.Names.ListKind; kind != "" {
		return kind
	}
	return crd.Spec.Names.Kind + "List"
}

// A definitionError is the error of an object whose definition cannot be served.
type definitionError struct {
	location string                                    // of the definition
	crd      *apiextensionsv1.CustomResourceDefinition // nil if it cannot be read
	err      error
}

func (e *definitionError) Error() string {
	return fmt.Sprintf("the definition in %s cannot be served: %v", e.location, e.err)
}

func (e *definitionError) Unwrap() error { return e.err }

func (d *definitions) version(ctx context.Context, gvk schema.GroupVersionKind) (*crdkit.Version, error) {
	k := d.byKind[gvk.GroupKind()]
	if k == nil {
		return nil, noMatch{gvk: gvk}
	}
	if err := d.ensure(ctx, k); err != nil {
		return nil, err
	}
	of, _ := d.catalog.Definition(k.crd.Name)
	if v, ok := of.Version(gvk.Version); !ok || !v.Served() {
		return nil, noMatch{gvk, k.crd.Name}
	}
	v, err := d.catalog.Version(gvk)
	if err != nil {
		return nil, &definitionError{k.object.Location(), k.crd, err}
	}
	return v, nil
}

// declared returns the definition of a kind for which [definitions.version] has succeeded.
func (d *definitions) declared(kind schema.GroupKind) *apiextensionsv1.CustomResourceDefinition {
	return d.byKind[kind].crd
}

type objectKey struct {
	kind            schema.GroupKind
	namespace, name string
}

// key returns the key of an object. A namespaced object without a namespace is in "default".
func (d *definitions) key(ctx context.Context, kind schema.GroupKind, namespace, name string) objectKey {
	if k := d.byKind[kind]; k != nil && d.ensure(ctx, k) == nil {
		switch {
		case k.crd.Spec.Scope != apiextensionsv1.NamespaceScoped:
			namespace = ""
		case namespace == "":
			namespace = "default"
		}
	}
	return objectKey{kind, namespace, name}
}

// ensure parses a definition and adds it to the catalog, once.
func (d *definitions) ensure(ctx context.Context, k *knownDefinition) error {
	k.load.Do(func() {
		var err error
		k.crd, err = definition.Parse(k.object.Text)
		if err == nil {
			if is := (schema.GroupKind{Group: k.crd.Spec.Group, Kind: k.crd.Spec.Names.Kind}); is != k.object.Defines {
				k.crd, err = nil, fmt.Errorf("it defines %s, but its text looks as if it defined %s", is, k.object.Defines)
			}
		}
		if err == nil {
			if k.err = d.webhook.apply(ctx, k.crd, d.alwaysWebhook); k.err != nil {
				return // the flags are wrong, not the definition
			}
			err = d.catalog.Add(k.crd)
		}
		if err != nil {
			k.err = &definitionError{k.object.Location(), k.crd, err}
		}
	})
	return k.err
}

type parsedDefinition struct {
	*manifest.Object
	crd *apiextensionsv1.CustomResourceDefinition
}

func parsed(o *manifest.Object) (*parsedDefinition, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	crd, err := definition.Parse(o.Text)
	return &parsedDefinition{o, crd}, err
}

// A definitionPair has the old and the new definition of one name.
type definitionPair struct {
	old, new *parsedDefinition // nil if there is none
	err      error             // why new cannot be read
}

func (p *definitionPair) at() *parsedDefinition { return cmp.Or(p.new, p.old) }

// pairDefinitions pairs definitions by name, in the order of the new ones. Old definitions
// without a new one are last. Errors begin with the prefix of their side.
func pairDefinitions(ctx context.Context, olds, news iter.Seq[*manifest.Object], oldPrefix, newPrefix string) ([]*definitionPair, error) {
	old, crd := map[string]*parsedDefinition{}, map[string]*parsedDefinition{}
	read := func(side map[string]*parsedDefinition, o *manifest.Object) (*parsedDefinition, error) {
		d, err := parsed(o)
		if err != nil {
			return nil, err
		}
		if other := side[o.Name]; other != nil {
			return nil, fmt.Errorf("%s is already in %s", o.Name, other.Location())
		}
		side[o.Name] = d
		return d, nil
	}
	var names []string // of old definitions
	for o := range olds {
		if _, err := read(old, o); err != nil {
			return nil, fmt.Errorf("%s%w", oldPrefix, locate(o, err))
		}
		names = append(names, o.Name)
	}
	var pairs []*definitionPair
	for o := range news {
		d, err := read(crd, o)
		if err != nil && o.Name == "" {
			// This definition has no name, so it is unknown which old definition it replaces.
			return nil, fmt.Errorf("%s%w", newPrefix, locate(o, err))
		}
		if err != nil {
			d = &parsedDefinition{Object: withoutText(o)}
			crd[o.Name] = cmp.Or(crd[o.Name], d)
		}
		pairs = append(pairs, &definitionPair{old[o.Name], d, err})
	}
	for _, name := range names {
		if crd[name] == nil {
			pairs = append(pairs, &definitionPair{old: old[name]})
		}
	}
	return pairs, ctx.Err()
}

// kindCounts counts objects by kind and version, in the order of their first object.
type kindCounts struct {
	list  []*kindCount
	byGVK map[schema.GroupVersionKind]*kindCount
}

type kindCount struct {
	gvk      schema.GroupVersionKind
	first    *manifest.Object    // without its text
	position definition.Position // of the first object, if known
	n        int
	err      error // the error of all these objects, or nil
}

func (c *kindCounts) add(o *manifest.Object, err error) *kindCount {
	k := c.byGVK[o.GroupVersionKind]
	if k == nil {
		k = &kindCount{gvk: o.GroupVersionKind, first: withoutText(o)}
		if c.byGVK == nil {
			c.byGVK = map[schema.GroupVersionKind]*kindCount{}
		}
		c.byGVK[o.GroupVersionKind] = k
		c.list = append(c.list, k)
	}
	k.n++
	k.err = err
	return k
}

func (c *kindCounts) report(print func(error)) {
	for _, k := range c.list {
		print(locate(k.first, k.problem()))
	}
}

// problem returns the error with the number of objects that have it.
func (k *kindCount) problem() error {
	if k.n == 1 {
		return fmt.Errorf("%w: 1 object", k.err)
	}
	return fmt.Errorf("%w: %d objects, of which this is the first", k.err, k.n)
}

// objects returns the number of objects in words, with the location of the first one.
func (k *kindCount) objects() string {
	if k.n == 1 {
		return "1 object in " + k.first.Location()
	}
	return fmt.Sprintf("%d objects, the first in %s", k.n, k.first.Location())
}

// How commands treat kinds without a definition.
const (
	unknownError = "error"
	unknownWarn  = "warn"
	unknownSkip  = "skip"
)

func unknownKindsValues() []string { return []string{unknownError, unknownWarn, unknownSkip} }

// A noMatch is the error of an object whose kind is not defined, or whose version is not
// served.
type noMatch struct {
	gvk        schema.GroupVersionKind
	definition string // the definition of the kind, "" if there is none
}

func (e noMatch) Error() string {
	reason := "no given definition has it"
	if e.definition != "" {
		reason = e.definition + " does not serve it"
	}
	return fmt.Sprintf("no matches for kind %q in version %q: %s", e.gvk.Kind, e.gvk.GroupVersion(), reason)
}

func isUnknownKind(err error) bool {
	e, ok := errors.AsType[noMatch](err)
	return ok && e.definition == ""
}

func isOfKind(err error) bool {
	_, ok := errors.AsType[noMatch](err)
	return ok || errors.Is(err, errNeedsWebhook)
}
