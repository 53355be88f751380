package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/manifest"
)

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
	skipped skippedKinds
	failed  kindErrors
}

func (n *inputs) addTo(cmd *cobra.Command) {
	addDefinitionFlag(cmd, &n.definitions)
	f := cmd.Flags()
	f.BoolVar(&n.noInputDefinitions, "no-input-definitions", false, "use only the definitions of -c, and none that are among the objects")
	f.BoolVarP(&n.recursive, "recursive", "R", false, "read directories below the directories that are named")
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
	n.skipped.add(o)
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
	n.skipped.add(o)
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
	if n.failed.unknown {
		fmt.Fprintln(n.errOut, unknownKindsHint)
	}
	n.warnUnknown()
	n.reportPassedOver()
	return n.exit()
}

// warnUnknown warns of each kind without a definition, with --unknown-kinds=warn.
func (n *inputs) warnUnknown() {
	for _, k := range n.skipped.kinds {
		if n.unknownKinds == unknownWarn && !n.kinds.has(k.gvk) && !n.wantsSkipped(k.gvk.GroupKind()) && k.gvk.Kind != definitionKind {
			n.warn(fmt.Errorf("%w: %s", errUnknownKind(k.gvk), k.objects()))
		}
	}
}

// skippedKinds counts objects by kind, in the order of their first object.
type skippedKinds struct {
	kinds  []*skippedKind
	byKind map[schema.GroupVersionKind]*skippedKind
}

type skippedKind struct {
	gvk   schema.GroupVersionKind
	first *manifest.Object // without its text
	n     int
}

func (s *skippedKinds) add(o *manifest.Object) {
	k := s.byKind[o.GroupVersionKind]
	if k == nil {
		k = &skippedKind{gvk: o.GroupVersionKind, first: withoutText(o)}
		if s.byKind == nil {
			s.byKind = map[schema.GroupVersionKind]*skippedKind{}
		}
		s.byKind[o.GroupVersionKind] = k
		s.kinds = append(s.kinds, k)
	}
	k.n++
}

// count returns the number of objects of the kind as words, for a message that has the
// location of the first one.
func (k *skippedKind) count() string {
	if k.n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects, of which this is the first", k.n)
}

// objects returns the number of objects of the kind as words, with the location of the
// first one.
func (k *skippedKind) objects() string {
	if k.n == 1 {
		return "1 object in " + k.first.Location()
	}
	return fmt.Sprintf("%d objects, the first in %s", k.n, k.first.Location())
}

// reportPassedOver prints what was neither judged nor reported.
func (n *inputs) reportPassedOver() {
	var parts []string
	for _, k := range n.skipped.kinds {
		parts = append(parts, fmt.Sprintf("%d %s", k.n, k.gvk.GroupKind()))
	}
	if files := n.reader.PassedOver().String(); files != "" {
		parts = append(parts, files)
	}
	if len(parts) > 0 {
		fmt.Fprintf(n.errOut, "passed over: %s\n", strings.Join(parts, ", "))
	}
}
