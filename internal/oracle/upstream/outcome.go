package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/warning"
)

// An Outcome is the result of a step or of a request.
type Outcome struct {
	Object    map[string]any  // as it was left; nil if nothing could be decoded
	Errors    field.ErrorList // verdict of validation
	Refusal   string          // answer other than a list of errors, "" if none
	Warnings  []string
	Cost      int64  // spent by rules
	Exhausted bool   // rules spent the whole budget
	Panic     string // of upstream, "" if none
}

// Catch runs f and turns a panic of upstream into an outcome.
func Catch(f func() Outcome) (out Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = Outcome{Panic: fmt.Sprint(p)}
		}
	}()
	return f()
}

// recorder collects the warnings of a request. The server sends each text once.
type recorder struct {
	mu    sync.Mutex
	texts []string
}

func (r *recorder) AddWarning(_, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, text)
}

func (r *recorder) attach(ctx context.Context) context.Context {
	return warning.WithWarningRecorder(ctx, r)
}

// typeName matches the name that upstream generates for the root type of rules.
var typeName = regexp.MustCompile(`selfType\d+`)

// Normal replaces the parts of a text that differ between runs of upstream.
func Normal(text string) string { return typeName.ReplaceAllString(text, "selfType") }

// Lines returns a sorted list with one line of comparable text for each error.
func Lines(errs field.ErrorList) []string {
	lines := make([]string, len(errs))
	for i, e := range errs {
		value, err := json.Marshal(e.BadValue)
		if err != nil {
			value = fmt.Appendf(nil, "%#v", e.BadValue)
		}
		lines[i] = Normal(fmt.Sprintf("%s %s | %s | %s | %s", e.Type, e.Field, e.Detail, value, e.ErrorBody()))
	}
	slices.Sort(lines)
	return lines
}

// SameErrors reports whether two lists hold the same errors, in any order.
func SameErrors(a, b field.ErrorList) bool {
	return len(a) == len(b) && slices.Equal(Lines(a), Lines(b))
}

// Diff describes the lines that only one of two sorted lists has.
func Diff(upstream, ours []string) string {
	var b strings.Builder
	only := func(sign string, list, other []string) {
		rest := slices.Clone(other)
		for _, line := range list {
			if i := slices.Index(rest, line); i >= 0 {
				rest = slices.Delete(rest, i, i+1)
				continue
			}
			fmt.Fprintf(&b, "  %s %s\n", sign, line)
		}
	}
	only("-upstream", upstream, ours)
	only("+ours    ", ours, upstream)
	return b.String()
}
