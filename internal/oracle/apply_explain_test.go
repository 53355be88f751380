package oracle

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// explainEach is how many applies of a definition share one comparison of Explain and
// Preview, which needs two more requests of upstream.
const explainEach = 4

// explain compares Explain and Preview for the configuration of a step with dry runs of
// upstream, for some steps. It returns the differences. The step is not made yet.
func (s *applySide) explain(v *crdkit.Version, step applyStep) (diff string, compared bool) {
	r := step.request
	if r.Type != types.ApplyYAMLPatchType || r.Subresource != "" || s.unexplained {
		return "", false
	}
	if s.applies++; s.applies%explainEach != 1 {
		return "", false
	}
	config := &unstructured.Unstructured{}
	if config.UnmarshalJSON(r.Body) != nil || config.GetName() != r.Name {
		return "", false // the functions take an object, whose name is that of the request
	}
	step.request.Body = testkit.Encode(config.Object) // without repeated keys
	return s.compareExplain(v, step, config) + s.comparePreview(v, step, config), true
}

// dryRun returns the object that upstream would make of a request, nil for a refusal.
func (s *applySide) dryRun(r server.Request, force bool) (*unstructured.Unstructured, server.Answer) {
	r.DryRun, r.Force = true, force
	answer := s.server.Do(r)
	if answer.Panic != "" || answer.Code >= 300 {
		return nil, answer
	}
	obj, err := answer.Object()
	if err != nil {
		return nil, server.Answer{Panic: err.Error()}
	}
	return obj, answer
}

func (s *applySide) compareExplain(v *crdkit.Version, step applyStep, config *unstructured.Unstructured) string {
	r := step.request
	x, err := s.appliers[v.Name()].Explain(context.Background(), apply.Request{Live: step.live, Config: config.DeepCopy(), Manager: r.Manager}, inNamespace(v, r.Namespace))
	if err != nil {
		return fmt.Sprintf("Explain: %v", err)
	}
	after, answer := s.dryRun(r, false)
	if answer.Panic != "" {
		return ""
	}
	forced := after
	if answer.Code == http.StatusConflict {
		forced, _ = s.dryRun(r, true)
	}
	if (after == nil) != (x.Result.Err() != nil) {
		return fmt.Sprintf("Explain: the result is %v, that of upstream %v", x.Result.Err(), answer)
	}
	if after == nil {
		after = step.live
	}
	out := ""
	if diff := cmp.Diff(ownersText(after), fieldsText(x.Fields)); diff != "" {
		out += "Explain, owners (-upstream +ours):\n" + diff
	}
	if step.live == nil || forced == nil {
		forced = nil
	}
	if diff := cmp.Diff(droppedText(step.live, forced, r.Manager), dropsText(x.Dropped)); diff != "" {
		out += "Explain, dropped (-upstream +ours):\n" + diff
	}
	return out
}

// comparePreview compares a preview of one configuration, twice: the second step sees what
// the first has made.
func (s *applySide) comparePreview(v *crdkit.Version, step applyStep, config *unstructured.Unstructured) string {
	r := step.request
	var live []*unstructured.Unstructured
	if step.live != nil {
		live = append(live, step.live)
	}
	steps, err := s.appliers[v.Name()].Preview(context.Background(), live, []*unstructured.Unstructured{config, config}, r.Manager, r.Force, inNamespace(v, r.Namespace))
	if err != nil || len(steps) != 2 {
		return fmt.Sprintf("Preview: %d steps, %v", len(steps), err)
	}
	obj, answer := s.dryRun(r, r.Force)
	if answer.Panic != "" {
		return ""
	}
	want := map[bool]string{true: "created", false: "changed"}[step.live == nil]
	switch {
	case answer.Code == http.StatusConflict && step.live != nil && len(steps[0].Result.Conflicts) > 0:
		want = "conflict"
	case obj == nil:
		want = "refused"
	}
	got := steps[0].Action()
	if got == "unchanged" {
		got = "changed" // the step itself compares this
	}
	if got != want {
		return fmt.Sprintf("Preview: the action is %s, want %s for %v", got, want, answer)
	}
	if obj == nil {
		return ""
	}
	served, err := throughStore(v, steps[0].Result.Object)
	if err != nil {
		return fmt.Sprintf("Preview: %v", err)
	}
	out := ""
	if diff := cmp.Diff(managedText(obj, step.live == nil), managedText(served, step.live == nil)); diff != "" {
		out = "Preview (-upstream +ours):\n" + diff
	}
	if again := steps[1]; again.Live != steps[0].Result.Object || again.Result.Created {
		out += "Preview: the second step does not see what the first has made\n"
	}
	return out
}

// An owned path is a path in the fields of a manager.
type ownedPath struct {
	path  fieldpath.Path
	entry metav1.ManagedFieldsEntry
}

// ownedPaths returns the paths that managers own, read from managedFields alone.
func ownedPaths(obj *unstructured.Unstructured) []ownedPath {
	var out []ownedPath
	if obj == nil {
		return nil
	}
	for _, e := range obj.GetManagedFields() {
		set := &fieldpath.Set{}
		if e.FieldsV1 == nil || set.FromJSON(bytes.NewReader(e.FieldsV1.GetRawBytes())) != nil {
			continue
		}
		set.Iterate(func(p fieldpath.Path) { out = append(out, ownedPath{p.Copy(), e}) })
	}
	return out
}

// ownersText returns a line for each path and owner.
func ownersText(obj *unstructured.Unstructured) []string {
	var out []string
	for _, o := range ownedPaths(obj) {
		out = append(out, fmt.Sprintf("%s: %s %s %s %s", o.path, o.entry.Manager, o.entry.Operation, o.entry.Subresource, o.entry.APIVersion))
	}
	slices.Sort(out)
	return out
}

func fieldsText(fields []apply.Field) []string {
	var out []string
	for _, f := range fields {
		for _, o := range f.Owners {
			out = append(out, fmt.Sprintf("%s: %s %s %s %s", f.Path, o.Manager, o.Operation, o.Subresource, o.APIVersion))
		}
	}
	slices.Sort(out)
	return out
}

// droppedText returns the uppermost fields of live that a manager has applied and no longer
// applies in obj, and whether obj has them.
func droppedText(live, obj *unstructured.Unstructured, manager string) []string {
	if live == nil || obj == nil {
		return nil
	}
	applied := func(u *unstructured.Unstructured) map[string]fieldpath.Path {
		out := map[string]fieldpath.Path{}
		for _, o := range ownedPaths(u) {
			if o.entry.Manager == manager && o.entry.Operation == metav1.ManagedFieldsOperationApply && o.entry.Subresource == "" {
				out[o.path.String()] = o.path
			}
		}
		return out
	}
	before, after := applied(live), applied(obj)
	dropped := map[string]bool{}
	for text, path := range before {
		if _, still := after[text]; !still && valueAt(live.Object, path) != nil {
			dropped[text] = true
		}
	}
	var out []string
	for text := range dropped {
		path, below := before[text], false
		for i := 1; i < len(path); i++ {
			below = below || dropped[path[:i].String()]
		}
		if !below {
			_, there := valueOf(obj.Object, path)
			out = append(out, fmt.Sprintf("%s removed %v", text, !there))
		}
	}
	slices.Sort(out)
	return out
}

func dropsText(drops []apply.Drop) []string {
	var out []string
	for _, d := range drops {
		if d.Removed != strings.Contains(d.String(), "is removed") || d.Why == "" {
			out = append(out, fmt.Sprintf("the text %q", d))
		}
		out = append(out, fmt.Sprintf("%s removed %v", d.Path, d.Removed))
	}
	slices.Sort(out)
	return out
}

func valueAt(v any, path fieldpath.Path) any {
	out, _ := valueOf(v, path)
	return out
}

// valueOf returns the value at a path.
func valueOf(v any, path fieldpath.Path) (any, bool) {
	for _, e := range path {
		found := false
		switch {
		case e.FieldName != nil:
			m, _ := v.(map[string]any)
			v, found = m[*e.FieldName]
		default:
			list, _ := v.([]any)
			i := slices.IndexFunc(list, func(item any) bool { return denotes(e, item) })
			if e.Index != nil {
				i = *e.Index
			}
			if found = 0 <= i && i < len(list); found {
				v = list[i]
			}
		}
		if !found {
			return nil, false
		}
	}
	return v, true
}

// denotes reports whether an element of a path denotes an item of a list.
func denotes(e fieldpath.PathElement, item any) bool {
	if e.Value != nil {
		return fmt.Sprint((*e.Value).Unstructured()) == fmt.Sprint(item)
	}
	m, ok := item.(map[string]any)
	if !ok || e.Key == nil {
		return false
	}
	for _, f := range *e.Key {
		if v, found := m[f.Name]; !found || fmt.Sprint(f.Value.Unstructured()) != fmt.Sprint(v) {
			return false
		}
	}
	return true
}
