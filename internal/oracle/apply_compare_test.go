package oracle

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
)

// step makes one request on both sides. It reports whether the sequence can go on.
func (n *applyTally) step(t *testing.T, s *applySide, v *crdkit.Version, step applyStep, history string) bool {
	namespace, name := step.request.Namespace, step.request.Name
	if step.request.Method == "POST" {
		name = nameOfBody(step.request.Body)
	}
	n.tellStep(s, step)
	if step.request.Method == "DELETE" {
		answer := s.server.Do(step.request)
		return answer.Panic == "" && answer.Code < 300
	}
	before := step.live.DeepCopy()
	exact, gone := false, false
	if stored, err := s.server.Stored(namespace, name); err == nil && stored != nil {
		again, err := v.Store(context.Background(), step.live)
		exact = err == nil && cmp.Equal(stored.Object, again.Object)
	}
	if diff, compared := s.explain(v, step); diff != "" {
		t.Errorf("%s: %s\n%s", s.def.Path, diff, history)
		return false
	} else if compared {
		n.tell("explained")
	}
	res, err := step.ours()
	if err != nil {
		t.Errorf("%s: %v\n%s", s.def.Path, err, history)
		return false
	}
	if step.live != nil && !cmp.Equal(before.Object, step.live.Object) {
		t.Errorf("%s: the live object changed: %s\n%s", s.def.Path, cmp.Diff(before.Object, step.live.Object), history)
		return false
	}
	if wrong := wrongConflict(step, res); wrong != "" {
		t.Errorf("%s: %s\n%s", s.def.Path, wrong, history)
		return false
	}
	if step.live != nil && len(step.live.GetManagedFields()) == 0 && len(res.Conflicts) > 0 {
		n.tell("conflict without managers")
	}
	answer := s.server.Do(step.request)
	want, got := "", ""
	if answer.Code < 300 && answer.Panic == "" {
		stored, err := s.server.Stored(namespace, name)
		if err == nil && stored == nil {
			// The request has removed the last finalizer of an object that is deleted. The
			// answer has not been in the store.
			gone = true
			if stored, err = answer.Object(); err == nil {
				stored, err = v.Store(context.Background(), stored)
			}
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", s.def.Path, err, history)
			return false
		}
		served, _, err := v.Read(context.Background(), stored)
		if err != nil {
			t.Errorf("%s: %v", s.def.Path, err)
			return false
		}
		want = managedText(served, step.live == nil) + sortedWarnings(answer.Warnings)
		if same := !gone && step.live != nil && stored.GetResourceVersion() == step.live.GetResourceVersion(); same != res.Unchanged {
			if !gone && (exact || same) {
				want += fmt.Sprintf("\nunchanged %v", same)
			} else if !gone {
				n.tell("hidden change") // docs/DIFFERENCES.md, apply/hidden_change
			}
		}
	}
	if answer.Panic != "" {
		return false
	}
	if res.Err() != nil {
		got = sortLines(oursText(v, nil, res.Result))
	} else if served, err := throughStore(v, res.Object); err != nil {
		got = err.Error()
	} else {
		got = managedText(served, step.live == nil) + sortedWarnings(res.Warnings)
	}
	if answer.Code >= 300 {
		want = s.refusal(step.request, answer, got, allAnswers())
		if text, _ := theirs(answer); typeErrors.MatchString(text) && strings.Contains(got, "is not a scalar") {
			n.tell("structured key")
			return s.age(namespace, name) // the server writes the key in random order
		}
	}
	n.count(res, want == got)
	if want != got {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.differences <= 8 {
			live := "none"
			if before != nil {
				live = encodeText(before.Object)
			}
			t.Errorf("%s\n%s\nlive %s\n(-upstream +ours):\n%s", s.def.Path, history, live, cmp.Diff(want, got))
		}
		return false
	}
	return s.age(namespace, name)
}

// allAnswers returns a function that describes an answer of the server. Each call with the
// errors of typed values adds those of the calls before: the server visits the members of an
// object in random order, and stops at the first that the schema does not declare.
func allAnswers() func(server.Answer) string {
	all := map[string]bool{}
	return func(a server.Answer) string {
		text, _ := theirs(a)
		if !typeErrors.MatchString(text) {
			return sortLines(text)
		}
		for _, line := range strings.Split(sortLines(text), "\n") {
			all[line] = true
		}
		return strings.Join(slices.Sorted(maps.Keys(all)), "\n")
	}
}

// typeErrors matches the beginning of the errors of a typed value: what failed, and the first
// error if there is only one.
var typeErrors = regexp.MustCompile(`(?m)^(\d+ \S* (?:failed to .*?: )?)(?:errors:\n|(\..*)$)`)

// sortLines sorts the lines of an answer: upstream lists the errors of typed values in
// random order.
func sortLines(text string) string {
	text = strings.ReplaceAll(typeErrors.ReplaceAllString(text, "$1\n$2"), "\n  ", "\n")
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// sortedWarnings describes warnings, which upstream finds in random order.
func sortedWarnings(texts []string) string { return warningText(slices.Sorted(slices.Values(texts))) }

func nameOfBody(body []byte) string {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(body); err != nil {
		return ""
	}
	return u.GetName()
}

// tell counts something that the sequences have had.
func (n *applyTally) tell(features ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range features {
		n.features[name]++
	}
}

func (n *applyTally) count(res *apply.Result, same bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.steps++
	switch {
	case res.Err() == nil:
		n.admitted++
		if res.Unchanged {
			n.unchanged++
		}
	case len(res.Conflicts) > 0:
		n.conflicts++
	default:
		n.refused++
	}
	if !same {
		n.differences++
	}
}

// managedText describes an object. Recent times are equal, and so are the fields that a
// server sets in a new object.
func managedText(u *unstructured.Unstructured, created bool) string {
	u = u.DeepCopy()
	eachTime(u, func(at time.Time, entry map[string]any) {
		if at.Year() > 2024 {
			entry["time"] = "now"
		}
	})
	if created {
		unstructured.RemoveNestedField(u.Object, "metadata", "uid")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	}
	return objectText(u)
}

func eachTime(u *unstructured.Unstructured, f func(time.Time, map[string]any)) {
	list, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields")
	entries, _ := list.([]any)
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			if at, err := time.Parse(time.RFC3339, fmt.Sprint(entry["time"])); err == nil {
				f(at, entry)
			}
		}
	}
}

// age makes the times that the last request has set older than those of the next one.
func (s *applySide) age(namespace, name string) bool {
	stored, err := s.server.Stored(namespace, name)
	if err != nil || stored == nil {
		return err == nil
	}
	s.tick++
	changed := false
	eachTime(stored, func(at time.Time, entry map[string]any) {
		if at.Year() > 2024 {
			entry["time"] = time.Date(2020, 1, 1, 0, 0, s.tick, 0, time.UTC).Format(time.RFC3339)
			changed = true
		}
	})
	if !changed {
		return true
	}
	return s.server.Put(stored.Object) == nil
}
