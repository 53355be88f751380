package apply

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// decodeConfig reads the body of an apply request. unique is true if no key is repeated.
func decodeConfig(body []byte) (config *unstructured.Unstructured, unique bool, refused error) {
	if len(body) > crdkit.MaxRequestBytes {
		return nil, false, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", crdkit.MaxRequestBytes))
	}
	if object, ok := decodeCanonical(string(body)); ok {
		return &unstructured.Unstructured{Object: object}, true, nil
	}
	if _, err := yaml.ToJSON(body); err != nil {
		return nil, false, apierrors.NewBadRequest(fmt.Sprintf("error encoding patch: %v", err))
	}
	config = &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(body, &config.Object); err != nil {
		return nil, false, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	return config, false, nil
}

// repeatedWarnings returns the warnings of the server for a complaint, one for each key.
func repeatedWarnings(complaint error) []string {
	if complaint == nil {
		return nil
	}
	_, list, found := strings.Cut(complaint.Error(), "yaml: unmarshal errors:\n")
	if !found {
		return []string{complaint.Error()}
	}
	lines := strings.Split(list, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// decodeCanonical reads JSON as the server's YAML decoder would. It declines what the two
// may read differently, and what encoding/json does not write.
func decodeCanonical(s string) (map[string]any, bool) {
	s = strings.TrimSuffix(s, "\n")
	v, _ := jsonscan.Decode(s)
	object, ok := v.(map[string]any)
	if !ok || !sameInYAML(object) {
		return nil, false
	}
	text, ok := jsonscan.Append(make([]byte, 0, len(s)), object)
	return object, ok && string(text) == s
}

const (
	maxYAMLKey = 150 // a key in YAML has less than 1024 characters, and may be spelled with escapes
	// maxYAMLFraction is the length of a fraction that no decoder rounds.
	maxYAMLFraction = 16
)

// sameInYAML reports whether a value is certainly the same in YAML: printable ASCII and
// line breaks, integers and short fractions.
func sameInYAML(v any) bool {
	switch v := v.(type) {
	case string:
		return isPlain(v)
	case float64:
		text := string(jsonscan.AppendFloat(nil, v))
		return len(text) <= maxYAMLFraction && strings.Contains(text, ".") && !strings.Contains(text, "e")
	case []any:
		for _, item := range v {
			if !sameInYAML(item) {
				return false
			}
		}
	case map[string]any:
		for key, member := range v {
			if len(key) > maxYAMLKey || key == "<<" || !isPlain(key) || !sameInYAML(member) {
				return false
			}
		}
	}
	return true
}

func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}
