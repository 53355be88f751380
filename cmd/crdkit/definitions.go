package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const definitionKind = "CustomResourceDefinition"

var errNoDefinition = errors.New("no CustomResourceDefinition in it")

// definitions are the definitions of a command by the kind that they define. They
// are parsed and compiled when they are asked for, by several goroutines if need be; none
// may be added then.
type definitions struct {
	reader  *manifest.Reader // of definitions
	webhook webhookFlag
	// alwaysWebhook makes the webhook of the flags convert objects of every definition, not
	// only of those that declare one.
	alwaysWebhook bool
	catalog       *crdkit.Catalog
	byKind        map[schema.GroupKind]*knownDefinition
}

// A knownDefinition is a definition whose kind is known.
type knownDefinition struct {
	object *manifest.Object // without the text of its document
	crd    *apiextensionsv1.CustomResourceDefinition
	err    error // of a definition that cannot be served
	load   sync.Once
	given  bool // by -c
}

func newDefinitions(r *manifest.Reader, opts ...crdkit.Option) *definitions {
	return &definitions{
		reader:  r.Separate(),
		catalog: crdkit.NewCatalog(opts...),
		byKind:  map[schema.GroupKind]*knownDefinition{},
	}
}

// addDefinitionFlag adds the flag that names definitions.
func addDefinitionFlag(cmd *cobra.Command, names *[]string) {
	cmd.Flags().StringArrayVarP(names, "crd", "c", nil, "file or directory with CustomResourceDefinitions; may be repeated (default: definitions of "+configName+")")
}

// oneDefinitionFlag is for commands that take no files but those of -c: a shell that
// expands a pattern after -c makes arguments of all but the first file.
func oneDefinitionFlag(most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > most {
			return fmt.Errorf("unexpected argument %q; to give several files of definitions, repeat -c or name their directory", args[most])
		}
		return nil
	}
}

// load adds the definitions of files and directories, and reports what cannot be
// read. Other objects in them are passed over.
func (d *definitions) load(ctx context.Context, names []string, report func(error)) {
	for o, err := range namedDefinitions(ctx, d.reader, names) {
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

func atFile(name string) *manifest.Object {
	return &manifest.Object{Document: &manifest.Document{File: name}}
}

// add adds a definition. It returns an error if a different definition of the
// kind is there already.
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

// has reports whether a kind is defined.
func (d *definitions) has(gvk schema.GroupVersionKind) bool { return d.byKind[gvk.GroupKind()] != nil }

// ofList returns the definition whose lists have a kind, nil if none does.
func (d *definitions) ofList(ctx context.Context, gvk schema.GroupVersionKind) *knownDefinition {
	usual := d.byKind[schema.GroupKind{Group: gvk.Group, Kind: strings.TrimSuffix(gvk.Kind, "List")}]
	if usual != nil && d.ensure(ctx, usual) == nil && listKindOf(usual.crd) == gvk.Kind {
		return usual
	}
	var found *knownDefinition
	for kind, k := range d.byKind {
		if kind.Group == gvk.Group && d.ensure(ctx, k) == nil && listKindOf(k.crd) == gvk.Kind && (found == nil || k.crd.Name < found.crd.Name) {
			found = k
		}
	}
	return found
}

// listKindOf returns the kind of the lists of a definition.
func listKindOf(crd *apiextensionsv1.CustomResourceDefinition) string {
	if kind := crd.Spec.Names.ListKind; kind != "" {
		return kind
	}
	return crd.Spec.Names.Kind + "List"
}

// given reports whether -c has a definition of a kind.
func (d *definitions) given(kind schema.GroupKind) bool {
	k := d.byKind[kind]
	return k != nil && k.given
}

// A definitionError is the error of a definition that an object needs.
type definitionError struct {
	location string                                    // of the definition
	crd      *apiextensionsv1.CustomResourceDefinition // nil if it cannot be read
	err      error
}

func (e *definitionError) Error() string {
	return fmt.Sprintf("the definition in %s cannot be served: %v", e.location, e.err)
}

func (e *definitionError) Unwrap() error { return e.err }

// version returns the served version of a kind.
func (d *definitions) version(ctx context.Context, gvk schema.GroupVersionKind) (*crdkit.Version, error) {
	k := d.byKind[gvk.GroupKind()]
	if k == nil {
		return nil, errUnknownKind(gvk)
	}
	if err := d.ensure(ctx, k); err != nil {
		return nil, err
	}
	of, _ := d.catalog.Definition(k.crd.Name)
	if v, ok := of.Version(gvk.Version); !ok || !v.Served() {
		return nil, &errUnserved{gvk, k.crd.Name}
	}
	v, err := d.catalog.Version(gvk)
	if err != nil {
		return nil, &definitionError{k.object.Location(), k.crd, err}
	}
	return v, nil
}

// declared returns the definition of a kind that version has found.
func (d *definitions) declared(kind schema.GroupKind) *apiextensionsv1.CustomResourceDefinition {
	return d.byKind[kind].crd
}

// namespaced reports whether objects of a kind have namespaces, and whether that
// is known.
func (d *definitions) namespaced(ctx context.Context, kind schema.GroupKind) (namespaced, known bool) {
	k := d.byKind[kind]
	if k == nil || d.ensure(ctx, k) != nil {
		return false, false
	}
	return k.crd.Spec.Scope == apiextensionsv1.NamespaceScoped, true
}

// An objectKey identifies an object of a cluster.
type objectKey struct {
	kind            schema.GroupKind
	namespace, name string
}

// key returns the key of an object. A namespaced object without a namespace is
// in "default".
func (d *definitions) key(ctx context.Context, kind schema.GroupKind, namespace, name string) objectKey {
	switch namespaced, known := d.namespaced(ctx, kind); {
	case !known:
	case !namespaced:
		namespace = ""
	case namespace == "":
		namespace = "default"
	}
	return objectKey{kind, namespace, name}
}

// ensure parses a definition and adds it to the catalog, once.
func (d *definitions) ensure(ctx context.Context, k *knownDefinition) error {
	k.load.Do(func() {
		var err error
		if k.crd, err = parseKnown(k.object); err == nil {
			if k.err = d.webhook.apply(ctx, k.crd, d.alwaysWebhook); k.err != nil {
				return // an error of the flags
			}
			err = d.catalog.Add(k.crd)
		}
		if err != nil {
			k.err = &definitionError{k.object.Location(), k.crd, err}
		}
	})
	return k.err
}

func parseKnown(o *manifest.Object) (*apiextensionsv1.CustomResourceDefinition, error) {
	crd, err := definition.Parse(o.Text)
	if err != nil {
		return nil, err
	}
	if is := (schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}); is != o.Defines {
		return nil, fmt.Errorf("it defines %s, but its text looks as if it defined %s", is, o.Defines)
	}
	return crd, nil
}

// A parsedDefinition is a definition with its place.
type parsedDefinition struct {
	*manifest.Object
	crd *apiextensionsv1.CustomResourceDefinition
}

// parsed parses the definition in an object, unless err is about it.
func parsed(o *manifest.Object, err error) (*parsedDefinition, error) {
	if err != nil {
		return nil, err
	}
	crd, err := definition.Parse(o.Text)
	return &parsedDefinition{o, crd}, err
}

// readDefinitions parses the definitions of files and directories. It returns the errors
// of those that cannot be read.
func readDefinitions(ctx context.Context, r *manifest.Reader, names []string) (crds []*apiextensionsv1.CustomResourceDefinition, errs []error) {
	for o, err := range namedDefinitions(ctx, r, names) {
		if d, err := parsed(o, err); err != nil {
			errs = append(errs, locate(o, err))
		} else {
			crds = append(crds, d.crd)
		}
	}
	return crds, errs
}

// definitionInputs are the streams and flags of a command that reads definitions only.
type definitionInputs struct {
	streams
	definitions []string
	recursive   bool
}

func (n *definitionInputs) addTo(cmd *cobra.Command) {
	addDefinitionFlag(cmd, &n.definitions)
	addRecursive(cmd, &n.recursive)
}

// start takes the streams of a command, and the definitions of the configuration file if the
// command line has none. One of the two must have some.
func (n *definitionInputs) start(cmd *cobra.Command) error {
	n.streams = streamsOf(cmd)
	if cmd.Flags().Changed("crd") {
		return nil
	}
	c, err := readConfig()
	if err != nil {
		return err
	}
	if len(c.Definitions) == 0 {
		return fmt.Errorf("name definitions with -c, or in %s", configName)
	}
	n.definitions = c.Definitions
	return nil
}

func (n *definitionInputs) reader() *manifest.Reader { return manifest.NewReader(n.in, n.recursive) }

// all returns all definitions. If one cannot be read, it prints the errors and returns an
// exit code.
func (n *definitionInputs) all(ctx context.Context) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	crds, errs := readDefinitions(ctx, n.reader(), n.definitions)
	for _, err := range errs {
		n.undecided(err)
	}
	return crds, n.exit()
}

// each calls use for each definition. If a definition cannot be read, or use returns an
// error, each prints the error and continues with the next definition.
func (n *definitionInputs) each(ctx context.Context, use func(*parsedDefinition) error) error {
	for o, err := range namedDefinitions(ctx, n.reader(), n.definitions) {
		d, err := parsed(o, err)
		if err == nil {
			err = use(d)
		}
		if err != nil {
			n.undecided(locate(o, err))
		}
	}
	return ctx.Err()
}

// namedDefinitions yields the definitions of files and directories, and an
// error for each name without a definition.
func namedDefinitions(ctx context.Context, r *manifest.Reader, names []string) iter.Seq2[*manifest.Object, error] {
	return func(yield func(*manifest.Object, error) bool) {
		for _, name := range names {
			found := false
			for o := range r.Objects(ctx, name) {
				if !o.IsDefinition() && (o.Err == nil || errors.Is(o.Err, manifest.ErrNotObject)) {
					continue
				}
				found = true
				if !yield(o, o.Err) {
					return
				}
			}
			if !found && ctx.Err() == nil && !yield(atFile(name), errNoDefinition) {
				return
			}
		}
	}
}

// locate adds the location of an object to an error. Lines that the YAML library names are
// those of the file then.
func locate(o *manifest.Object, err error) error {
	return fmt.Errorf("%s: %w", o.Location(), errorInFile{err, o.Line})
}

// An errorInFile is an error about a document that begins at the line first of its file.
type errorInFile struct {
	err   error
	first int
}

func (e errorInFile) Error() string { return inFile(e.err.Error(), e.first) }

func (e errorInFile) Unwrap() error { return e.err }
