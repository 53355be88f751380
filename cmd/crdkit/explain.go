package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/kube/kubectl"
	"github.com/crdkit/crdkit/internal/names/nearname"
	"github.com/crdkit/crdkit/serving/openapi"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/versionsort"
)

const explainHelp = `explain [-c CRD]... [PATH]
Describe a kind or one of its fields, as kubectl explain does

Describe a kind or one of its fields, as kubectl explain does for a cluster that
has the definitions.

PATH is a resource and the path of a field: crontabs.spec.replicas. The resource is its
plural, singular or short name, or its kind. Elements of arrays and maps have no step in
the path. The group may follow the resource: crontabs.stable.example.com.spec. It must if
two definitions have the same name.

Without PATH, the kind of the only definition is described. The version is the preferred
one, unless --api-version names another.

The exit code is 0, or 2 if the resource or the field does not exist.

Examples:
  crdkit explain -c crd.yaml crontabs
  crdkit explain -c crds/ crontabs.spec -R
  crdkit explain -c crds/ crontabs.spec.replicas --api-version stable.example.com/v1beta1`

type explainer struct {
	session
	apiVersion      string
	recursiveFields bool // -R
	maxDepth        int
}

func newExplain() *cobra.Command {
	e := &explainer{}
	f := e.definitionCommand(explainHelp, 1, e.run).Flags()
	e.cmd.ValidArgsFunction = completePaths
	f.StringVar(&e.apiVersion, "api-version", "", "group and version to describe: GROUP/VERSION")
	f.BoolVarP(&e.recursiveFields, "recursive", "R", false, "print the names of all fields below, without descriptions")
	f.IntVar(&e.maxDepth, "max-depth", 0, "levels of fields with --recursive, 0 for all")
	return e.cmd
}

func (e *explainer) run(ctx context.Context, args []string) error {
	crds, err := e.allDefinitions(ctx)
	if err != nil {
		return err
	}
	names := mapped(crds, func(crd *apiextensionsv1.CustomResourceDefinition) string { return crd.Name })
	switch {
	case len(args) == 0 && len(names) != 1:
		return fmt.Errorf("name a resource: %s", strings.Join(names, ", "))
	case e.maxDepth < 0:
		return errors.New("--max-depth must be non-negative")
	case e.maxDepth > 0 && !e.recursiveFields:
		return errors.New("--max-depth requires --recursive")
	}
	request, err := e.find(crds, append(args, names...)[0])
	if err != nil {
		return err
	}
	request.Recursive, request.MaxDepth = e.recursiveFields, e.maxDepth
	text, err := kubectl.Explain(request)
	if err != nil {
		return withNearestField(err, request)
	}
	_, err = io.WriteString(textWriter{e.out}, text)
	return err
}

// withNearestField adds two names to an error: the missing field, and the field that was
// probably meant.
func withNearestField(err error, r kubectl.ExplainRequest) error {
	for i, name := range r.Fields {
		above := r
		above.Fields = r.Fields[:i]
		known := mapped(kubectl.FieldsBelow(above), func(f kubectl.Field) string { return f.Name })
		if slices.Contains(known, name) {
			continue
		}
		if i < len(r.Fields)-1 {
			err = fmt.Errorf("%w: there is no %q above it", err, name)
		}
		if near, ok := nearname.Nearest(name, slices.Values(known)); ok {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
		break
	}
	return err
}

// find returns the request for a path: a resource and the path of a field.
func (e *explainer) find(crds []*apiextensionsv1.CustomResourceDefinition, path string) (r kubectl.ExplainRequest, err error) {
	crd, fields, err := findResource(crds, path)
	if err != nil {
		return r, err
	}
	version, err := e.version(crd)
	if err != nil {
		return r, err
	}
	d, err := openapi.VersionV3(crd, version)
	if err != nil {
		return r, err
	}
	data, err := d.MarshalJSON()
	if err != nil {
		return r, err
	}
	r = kubectl.ExplainRequest{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind, Fields: fields}
	err = json.Unmarshal(data, &r.Document)
	return r, err
}

// version returns the version of --api-version, or the preferred version.
func (e *explainer) version(crd *apiextensionsv1.CustomResourceDefinition) (string, error) {
	served := servedVersions(crd)
	if e.apiVersion == "" {
		if len(served) == 0 {
			return "", fmt.Errorf("%s serves no version", crd.Name)
		}
		return served[0], nil
	}
	group, version, _ := strings.Cut(e.apiVersion, "/")
	if group != crd.Spec.Group || !slices.Contains(served, version) {
		return "", fmt.Errorf("%s does not serve %q", crd.Name, e.apiVersion)
	}
	return version, nil
}

func servedVersions(crd *apiextensionsv1.CustomResourceDefinition) []string {
	var served []string
	for _, v := range crd.Spec.Versions {
		if v.Served {
			served = append(served, v.Name)
		}
	}
	versionsort.Sort(served)
	return served
}

// findResource returns the definition that a path begins with, and the fields after it.
func findResource(crds []*apiextensionsv1.CustomResourceDefinition, path string) (*apiextensionsv1.CustomResourceDefinition, []string, error) {
	path = strings.TrimSuffix(path, ".")
	name, rest, _ := strings.Cut(path, ".")
	var found []*apiextensionsv1.CustomResourceDefinition
	var known []string
	for _, crd := range crds {
		known = append(known, crd.Spec.Names.Plural)
		if !matchesResource(crd, name) {
			continue
		}
		if after, ok := strings.CutPrefix(rest+".", crd.Spec.Group+"."); ok {
			return crd, steps(after), nil
		}
		found = append(found, crd)
	}
	switch len(found) {
	case 0:
		err := fmt.Errorf("no definition has the resource %q", name)
		if _, problem := os.Stat(path); problem == nil {
			return nil, nil, fmt.Errorf("%w, and %s is a file; to give several files of definitions, repeat -c or name their directory", err, path)
		}
		if near, ok := nearname.Nearest(name, slices.Values(known)); ok {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
		return nil, nil, err
	case 1:
		return found[0], steps(rest), nil
	default:
		return nil, nil, fmt.Errorf("%s and %s both have the resource %q; add the group", found[0].Name, found[1].Name, name)
	}
}

func steps(path string) []string {
	path = strings.TrimSuffix(path, ".")
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// matchesResource reports whether name is a name of the resource, as in kubectl. Only short
// names are case-sensitive.
func matchesResource(crd *apiextensionsv1.CustomResourceDefinition, name string) bool {
	n := crd.Spec.Names
	if name == "" {
		return false
	}
	switch strings.ToLower(name) {
	case n.Plural, n.Singular, strings.ToLower(n.Kind):
		return true
	}
	return slices.Contains(n.ShortNames, name)
}

// At most maxExplained errors of an object are explained, because an explanation may evaluate
// a rule again.
const maxExplained = 100

// explain explains the errors of a refused object. It repeats the request.
func (a *admitter) explain(ctx context.Context, v *verdict, version *crdkit.Version) {
	errs := v.result.Errors
	if !a.explains || len(errs) == 0 {
		return
	}
	obj, old, err := a.replay(ctx, v, version)
	if err != nil {
		v.notes = append(v.notes, fmt.Sprintf("the errors are not explained: %v", err))
		return
	}
	v.why = map[*validation.Error]*explanation.Explanation{}
	for _, e := range errs[:min(len(errs), maxExplained)] {
		switch why, err := v.explainer.Error(ctx, e, obj, old); {
		case ctx.Err() != nil:
			return
		case err != nil:
			v.notes = append(v.notes, fmt.Sprintf("an error is not explained: %v", err))
		case why != nil:
			v.why[e] = why
		}
	}
	if len(errs) > maxExplained {
		v.notes = append(v.notes, fmt.Sprintf("only the first %d errors are explained", maxExplained))
	}
}

// replay repeats the request of a verdict. It returns the object after the request, and the
// replaced object or nil.
func (a *admitter) replay(ctx context.Context, v *verdict, version *crdkit.Version) (obj, old *unstructured.Unstructured, err error) {
	if obj, err = objectOf(v.doc); err != nil {
		return nil, nil, err
	}
	if old, err = a.oldOf(ctx, version, v.doc); err != nil {
		return nil, nil, err
	}
	switch {
	case a.subresource != "":
		_, err = version.UpdateStatus(ctx, obj, old)
	case old != nil:
		_, err = version.Update(ctx, obj, old)
	default:
		_, err = version.Create(ctx, obj)
	}
	return obj, old, err
}

// explainDefinition explains an error about a definition. It returns nil if there is no
// explanation.
func explainDefinition(crd *apiextensionsv1.CustomResourceDefinition, err error) *explanation.Explanation {
	list := []error{err}
	if all, ok := errors.AsType[utilerrors.Aggregate](err); ok {
		list = all.Errors()
	}
	for _, err := range list {
		if e, ok := errors.AsType[*field.Error](err); ok {
			if why := explanation.Definition(crd, e); why != nil {
				return why
			}
		}
	}
	return nil
}

// A lineExplanation is "explanation" in an entry of "errors" in a line of JSON.
type lineExplanation struct {
	Text       string        `json:"text"`
	Decided    string        `json:"decided,omitempty"`
	Operands   []lineOperand `json:"operands,omitempty"`
	Branches   *lineBranches `json:"branches,omitempty"`
	Suggestion string        `json:"suggestion,omitempty"`
}

type lineOperand struct {
	Expression string `json:"expression"`
	Value      string `json:"value,omitempty"`
}

// lineBranches are validation.Branches as JSON.
type lineBranches struct {
	Keyword string   `json:"keyword"`
	Count   int      `json:"count"`
	Valid   []int    `json:"valid"`
	Closest *int     `json:"closest,omitempty"`
	Errors  []string `json:"errors,omitempty"` // of the closest branch
}

func (i *issue) explanationLine() *lineExplanation {
	if i.why == nil {
		return nil
	}
	line := &lineExplanation{Text: i.why.Text, Decided: i.why.Decided, Suggestion: i.why.Suggestion}
	line.Operands = mapped(i.why.Operands, func(o explanation.Operand) lineOperand { return lineOperand(o) })
	if b := i.why.Branches; b != nil {
		line.Branches = &lineBranches{Keyword: b.Keyword, Count: b.Len, Valid: append([]int{}, b.Valid...)}
		if b.Closest >= 0 {
			line.Branches.Closest = &b.Closest
		}
		for _, e := range b.Errors {
			if i.hide != nil {
				e = i.hide(e)
			}
			line.Branches.Errors = append(line.Branches.Errors, e.Error())
		}
	}
	return line
}
