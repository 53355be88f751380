package apply

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// decodeConfig reads the body of an apply request. unique is true if no key is repeated;
// otherwise there may be repeated keys.
func decodeConfig(body []byte) (config *unstructured.Unstructured, unique bool, refused error) {
	if len(body) > crdkit.MaxRequestBytes {
		return nil, false, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", crdkit.MaxRequestBytes))
	}
	if object, ok := decodeCompact(string(body)); ok {
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

// decodeCompact reads JSON as a decoder of YAML does, which the server uses for the bodies
// of all applies. It declines a text for which the two formats could differ, and a text
// with white space, as clients do not send it.
func decodeCompact(s string) (map[string]any, bool) {
	s = strings.TrimSuffix(s, "\n")
	if !isCompact(s) {
		return nil, false
	}
	v, ok := jsonscan.Decode(s)
	object, isObject := v.(map[string]any)
	return object, ok && isObject
}

const (
	maxCompactDepth  = 200
	maxCompactKey    = 900 // a key in YAML has less than 1024 characters
	maxCompactDigits = 18  // of an integer, which always fits an int64
	// maxCompactFraction is the length of a fraction that no decoder rounds.
	maxCompactFraction = 16
)

// isCompact reports whether s, if it is JSON, means the same in YAML: its strings have
// printable ASCII and the escapes of both formats, and its numbers are integers or short
// fractions.
func isCompact(s string) bool {
	if s == "" || s[0] != '{' {
		return false
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			end := compactString(s, i+1)
			if end < 0 {
				return false
			}
			if isKey := end+1 < len(s) && s[end+1] == ':'; isKey && (end-i > maxCompactKey || s[i+1:end] == "<<") {
				return false
			}
			i = end
		case c == '-' || '0' <= c && c <= '9':
			end := compactNumber(s, i)
			if end < 0 {
				return false
			}
			i = end - 1
		case c == '{' || c == '[':
			if depth++; depth > maxCompactDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		case c <= ' ' || c > '~':
			return false
		}
	}
	return true
}

// compactNumber returns the index after the number at s[i], -1 if the number is neither an
// integer nor a short fraction. A number such as 1.0 is an integer in YAML only.
func compactNumber(s string, i int) int {
	end := digits(s, i+1)
	if end-i > maxCompactDigits || s[i:end] == "-0" && (end == len(s) || s[end] != '.') {
		return -1
	}
	after := end
	if end < len(s) && s[end] == '.' {
		after = digits(s, end+1)
		if after-i > maxCompactFraction || strings.Trim(s[end:after], ".0") == "" {
			return -1
		}
	}
	if after < len(s) && (s[after] == 'e' || s[after] == 'E') {
		return -1
	}
	return after
}

// digits returns the index of the first byte of s[i:] that is no digit.
func digits(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// compactString returns the index of the quote that ends the string at s[i], -1 if the
// string has other characters or escapes.
func compactString(s string, i int) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i
		case c == '\\':
			if i++; i == len(s) || strings.IndexByte(`"\nrt`, s[i]) < 0 {
				return -1
			}
		case c < ' ' || c > '~':
			return -1
		}
	}
	return -1
}
