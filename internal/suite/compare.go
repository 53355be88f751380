package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/jsondiff"
)

// compareVerdict returns the difference between an error and the recorded text, "" for
// none. The recorded text is "" if there was no error.
func compareVerdict(err error, want string) string {
	switch {
	case want == "" && err == nil:
		return ""
	case want == "":
		return fmt.Sprintf("refused: %v", err)
	case err == nil:
		return fmt.Sprintf("admitted, want %q", want)
	case strings.Contains(err.Error(), want):
		return ""
	}
	got := withoutValues(err.Error())
	// The order of errors differs: crdkit sorts them.
	for _, part := range strings.Split(want, ", <nil>") {
		part = strings.ReplaceAll(strings.TrimSuffix(part, "]"), "is invalid: [", "is invalid: ")
		before, rest, isInvalid := strings.Cut(part, "is invalid: ")
		if !isInvalid {
			rest = before
		}
		if !strings.Contains(got, withoutValues(rest)) || isInvalid && !strings.Contains(got, "is invalid: ") {
			return fmt.Sprintf("refused with %q, want %q", err, want)
		}
	}
	return ""
}

var shown = regexp.MustCompile(`(Invalid value|Duplicate value|Unsupported value): (map\[string\]interface \{\}\{[^}]*\}?|\{[^}]*\}|"(?:[^"\\]|\\.)*"|-?[0-9][-0-9.e+]*|true|false|null)(: )?`)

// typeFirst is the end of a text that shows a type for the value.
var typeFirst = regexp.MustCompile(`^"(string|object|array|integer)": `)

// withoutValues removes the values from the texts of errors.
func withoutValues(text string) string {
	text = typeFirst.ReplaceAllString(text, "")
	return strings.TrimSpace(shown.ReplaceAllString(text, "$1: "))
}

// compareObject returns the difference between a stored object and the expected one, by
// default the object of the request. Of the metadata, it compares what a client sets.
func compareObject(obj *unstructured.Unstructured, expected, request string) (string, error) {
	if strings.TrimSpace(expected) == "" {
		expected = request
	}
	want, err := objectOf(expected)
	if err != nil {
		return "", fmt.Errorf("the expected object: %w", err)
	}
	diff, err := differences(comparable(want.Object), comparable(obj.Object))
	if diff == "" {
		return "", err
	}
	return "object (-want +got):" + diff, err
}

// differences has a line for each value that only one of two objects has.
func differences(want, got map[string]any) (string, error) {
	var b strings.Builder
	for _, d := range jsondiff.Of(want, got) {
		before, err := json.Marshal(d.Before)
		if err != nil {
			return "", err
		}
		after, err := json.Marshal(d.After)
		if err != nil {
			return "", err
		}
		if d.Kind != jsondiff.Added {
			fmt.Fprintf(&b, "\n- %s: %s", d.Path, before)
		}
		if d.Kind != jsondiff.Removed {
			fmt.Fprintf(&b, "\n+ %s: %s", d.Path, after)
		}
	}
	return b.String(), nil
}

// clientMetadata are the fields of metadata that a client sets and a server keeps.
var clientMetadata = []string{"labels", "annotations", "finalizers", "ownerReferences"}

func comparable(obj map[string]any) map[string]any {
	out := maps.Clone(obj)
	meta, _ := obj["metadata"].(map[string]any)
	kept := map[string]any{}
	for name, value := range meta {
		if slices.Contains(clientMetadata, name) {
			kept[name] = value
		}
	}
	out["metadata"] = kept
	return out
}
