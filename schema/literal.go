package schema

import (
	"fmt"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// decodeLiteral decodes a literal of the schema as objects are decoded. It
// returns nil for null. It sets c.stop when the watch ends.
func (c *compiler) decodeLiteral(j *apiextensionsv1.JSON, watch *interrupt.Watch) any {
	if isNull(j) {
		return nil
	}
	if v, ok := decodeSimpleLiteral(j.Raw); ok {
		return v
	}
	v, ok := jsonscan.Decode(string(j.Raw))
	if ok {
		return v
	}
	if err := watch.Err(); err != nil {
		c.stop = field.InternalError(c.measurer.at.Path(), err)
		return nil
	}
	if err := json.Unmarshal(j.Raw, &v); err != nil && c.err == nil {
		c.err = fmt.Errorf("a value in the schema is not JSON: %w", err)
	}
	return v
}

// isNull reports whether a literal is null or missing.
func isNull(j *apiextensionsv1.JSON) bool {
	return j == nil || len(j.Raw) == 0 || string(j.Raw) == "null"
}

// decodeSimpleLiteral decodes true, false, and strings of ASCII without
// escapes, which are most literals. It reports whether raw is one.
func decodeSimpleLiteral(raw []byte) (any, bool) {
	switch {
	case string(raw) == "true":
		return true, true
	case string(raw) == "false":
		return false, true
	case !isUnescaped(raw):
		return nil, false
	}
	return string(raw[1 : len(raw)-1]), true
}

// isUnescaped reports whether raw is a string of ASCII without escapes.
func isUnescaped(raw []byte) bool {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return false
	}
	for _, b := range raw[1 : len(raw)-1] {
		if b < ' ' || b >= utf8.RuneSelf || b == '"' || b == '\\' {
			return false
		}
	}
	return true
}
