package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// streams are the standard streams of a command, and its worst exit code so far.
type streams struct {
	in          io.Reader
	out, errOut io.Writer
	worst       int
}

func streamsOf(cmd *cobra.Command) streams {
	return streams{in: cmd.InOrStdin(), out: cmd.OutOrStdout(), errOut: cmd.ErrOrStderr()}
}

// undecided prints an error that prevents a verdict.
func (s *streams) undecided(err error) {
	s.worst = exitUndecided
	fmt.Fprintf(s.errOut, "error: %v\n", err)
}

func (s *streams) warn(err error) { fmt.Fprintf(s.errOut, "Warning: %v\n", err) }

// exit returns the exit code as an error, nil if it is 0.
func (s *streams) exit() error {
	if s.worst != exitOK {
		return exitCode(s.worst)
	}
	return nil
}

// How commands treat kinds without a definition.
const (
	unknownError = "error"
	unknownWarn  = "warn"
	unknownSkip  = "skip"
)

func unknownKindsValues() []string { return []string{unknownError, unknownWarn, unknownSkip} }

// inputs are the streams and flags of a command that reads objects and their definitions,
// and what the flags load.
type inputs struct {
	streams
	definitions        []string
	noInputDefinitions bool
	recursive          bool
	unknownKinds       string
	skipKinds          []string
	webhook            webhookFlag

	reader  *manifest.Reader
	kinds   *definitions
	skipped kindCounts
	failed  kindCounts // with errors that all objects of the kind have
}

func (n *inputs) addTo(cmd *cobra.Command) {
	addDefinitionFlag(cmd, &n.definitions)
	f := cmd.Flags()
	f.BoolVar(&n.noInputDefinitions, "no-input-definitions", false, "use only the definitions of -c, and none that are among the objects")
	addRecursive(cmd, &n.recursive)
	addChoice(cmd, &n.unknownKinds, "unknown-kinds", "", "kinds without a definition", unknownKindsValues()...)
	f.StringArrayVar(&n.skipKinds, "skip-kind", nil, "GROUP/KIND of objects to pass over, such as apps/Deployment, apps/* or /ConfigMap; may be repeated")
}

func (n *inputs) checkFlags() error {
	for _, kind := range n.skipKinds {
		if group, name, ok := strings.Cut(kind, "/"); !ok || name == "" || strings.Contains(name, "/") {
			return fmt.Errorf("invalid --skip-kind %q; it is GROUP/KIND, with an empty GROUP for the core group: /%s", kind, group)
		}
	}
	return nil
}

// load finds the definitions of -c and those among the objects of files. A
// definition of -c wins over one among the objects, and of those the first one.
func (n *inputs) load(ctx context.Context, files []string, opts ...crdkit.Option) {
	n.reader = manifest.NewReader(n.in, n.recursive)
	n.kinds = newDefinitions(n.reader, opts...)
	n.kinds.webhook = n.webhook
	n.kinds.load(ctx, n.definitions, n.undecided)
	n.reader.IsKind = n.kinds.has
	if n.noInputDefinitions {
		return
	}
	for o := range n.reader.Mentioning(definitionKind).Objects(ctx, files...) {
		if o.Err != nil || o.Defines.Empty() {
			continue // what is wrong with it is said when its turn comes
		}
		if n.kinds.given(o.Defines) {
			continue
		}
		if err := n.kinds.add(o); err != nil {
			n.warn(locate(o, fmt.Errorf("%w, which is used", err)))
		}
	}
}

// skips reports whether an object is to be passed over, and counts it.
func (n *inputs) skips(o *manifest.Object) bool {
	if !n.passesOver(o) {
		return false
	}
	n.skipped.add(o, nil)
	return true
}

// passesOver reports whether an object is to be passed over.
func (n *inputs) passesOver(o *manifest.Object) bool {
	return o.Err == nil && (o.IsDefinition() && !n.noInputDefinitions || n.wantsSkipped(o.GroupKind()))
}

func (n *inputs) wantsSkipped(kind schema.GroupKind) bool {
	for _, skip := range n.skipKinds {
		if group, name, _ := strings.Cut(skip, "/"); group == kind.Group && (name == kind.Kind || name == "*") {
			return true
		}
	}
	return false
}

// setAside counts an object whose kind has no definition, if such kinds are passed over.
func (n *inputs) setAside(o *manifest.Object, err error) bool {
	if n.unknownKinds == unknownError || !isUnknownKind(err) {
		return false
	}
	n.skipped.add(o, nil)
	return true
}

// fail reports the error of an object, at the end if all objects of the kind have it.
func (n *inputs) fail(o *manifest.Object, err error) {
	switch {
	case n.setAside(o, err):
	case isOfKind(err):
		n.failed.add(o, err)
	default:
		n.undecided(locate(o, err))
	}
}

// end reports the errors of kinds and what was passed over. It returns the exit code of the
// command as an error.
func (n *inputs) end() error {
	n.failed.report(n.undecided)
	return n.finish()
}

// finish is end after the errors of kinds were reported.
func (n *inputs) finish() error {
	if slices.ContainsFunc(n.failed.list, func(k *kindCount) bool { return isUnknownKind(k.err) }) {
		fmt.Fprintln(n.errOut, unknownKindsHint)
	}
	n.warnUnknown()
	n.reportPassedOver()
	return n.exit()
}

// warnUnknown warns of each kind without a definition, with --unknown-kinds=warn.
func (n *inputs) warnUnknown() {
	for _, k := range n.skipped.list {
		if n.unknownKinds == unknownWarn && !n.kinds.has(k.gvk) && !n.wantsSkipped(k.gvk.GroupKind()) && k.gvk.Kind != definitionKind {
			n.warn(fmt.Errorf("%w: %s", errUnknownKind(k.gvk), k.objects()))
		}
	}
}

// kindCounts counts objects by kind and version, in the order of their first object.
type kindCounts struct {
	list  []*kindCount
	byGVK map[schema.GroupVersionKind]*kindCount
}

type kindCount struct {
	gvk      schema.GroupVersionKind
	first    *manifest.Object    // without its text
	position definition.Position // of the first one, if it is known
	n        int
	err      error // that all of them have, if any
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

// report calls print with the error of each kind.
func (c *kindCounts) report(print func(error)) {
	for _, k := range c.list {
		print(locate(k.first, k.problem()))
	}
}

// problem returns the error of the kind with the number of its objects, for a message that
// has the location of the first one.
func (k *kindCount) problem() error {
	if k.n == 1 {
		return fmt.Errorf("%w: 1 object", k.err)
	}
	return fmt.Errorf("%w: %d objects, of which this is the first", k.err, k.n)
}

// objects returns the number of objects of the kind as words, with the location of the
// first one.
func (k *kindCount) objects() string {
	if k.n == 1 {
		return "1 object in " + k.first.Location()
	}
	return fmt.Sprintf("%d objects, the first in %s", k.n, k.first.Location())
}

// reportPassedOver prints what was neither judged nor reported.
func (n *inputs) reportPassedOver() {
	var parts []string
	for _, k := range n.skipped.list {
		parts = append(parts, fmt.Sprintf("%d %s", k.n, k.gvk.GroupKind()))
	}
	if files := n.reader.PassedOver().String(); files != "" {
		parts = append(parts, files)
	}
	if len(parts) > 0 {
		fmt.Fprintf(n.errOut, "passed over: %s\n", strings.Join(parts, ", "))
	}
}

// errUnknownKind is the error of an object whose kind has no definition.
type errUnknownKind schema.GroupVersionKind

func (e errUnknownKind) Error() string {
	gvk := schema.GroupVersionKind(e)
	return fmt.Sprintf("no matches for kind %q in version %q: no given definition has it", gvk.Kind, gvk.GroupVersion())
}

// errUnserved is the error of an object at a version that its definition does not serve.
type errUnserved struct {
	gvk        schema.GroupVersionKind
	definition string
}

func (e *errUnserved) Error() string {
	return fmt.Sprintf("no matches for kind %q in version %q: %s does not serve it", e.gvk.Kind, e.gvk.GroupVersion(), e.definition)
}

func isUnknownKind(err error) bool {
	_, ok := errors.AsType[errUnknownKind](err)
	return ok
}

// isOfKind reports whether all objects of a kind and version have an error.
func isOfKind(err error) bool {
	_, unserved := errors.AsType[*errUnserved](err)
	return unserved || isUnknownKind(err) || errors.Is(err, errNeedsWebhook)
}

// unknownKindsHint follows the errors of kinds without a definition.
const unknownKindsHint = "hint: crdkit judges kinds that have a definition. Name more definitions with -c, or pass over other kinds with --skip-kind GROUP/KIND or --unknown-kinds skip"

// maxLocated is the size of the largest document in which positions are found. The reasons
// in a larger one have its own position: the tree of a document is many times as large.
const maxLocated = 16 << 20

// sources finds the positions in documents. It keeps the positions of the last document,
// because a document may be a list of many objects. It may be used from several goroutines.
type sources struct {
	mu     sync.Mutex
	doc    *manifest.Document
	source *definition.Source
}

// of returns the positions of the document of an object.
func (s *sources) of(o *manifest.Object) *definition.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doc != o.Document {
		text := o.Document.Text
		if len(text) > maxLocated {
			text = nil
		}
		s.doc, s.source = o.Document, definition.NewSource(text, positionOf(o))
	}
	return s.source
}

// positionOf returns the position of the document of an object.
func positionOf(o *manifest.Object) definition.Position {
	return definition.Position{Line: o.Line, Column: o.Column}
}

// objectTitle returns the kind of an object and its name with the namespace, such as
// "Widget team/a". It leaves out what the object does not say.
func objectTitle(kind, namespace, name string) string {
	if namespace != "" && name != "" {
		name = namespace + "/" + name
	}
	if kind == "" || name == "" {
		return kind + name
	}
	return kind + " " + name
}

// withoutText returns an object that keeps neither its text nor the text of its document.
func withoutText(o *manifest.Object) *manifest.Object {
	slim, doc := *o, *o.Document
	slim.Document, slim.Text, doc.Text = &doc, nil, nil
	return &slim
}

// objectOf decodes the text of an object.
func objectOf(o *manifest.Object) (*unstructured.Unstructured, error) {
	data := o.Text
	if o.YAML {
		var err error
		if data, err = yaml.YAMLToJSON(data); err != nil {
			return nil, err
		}
	}
	var object map[string]any
	if err := utiljson.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("not an object: %w", err)
	}
	if object == nil {
		return nil, errors.New("not an object: null")
	}
	return &unstructured.Unstructured{Object: object}, nil
}
