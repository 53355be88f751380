package schema

import (
	"bytes"
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
	if j == nil || len(j.Raw) == 0 || bytes.Equal(j.Raw, []byte("null")) {
		return nil
	}
	if v, ok := decodeSimpleLiteral(j.Raw); ok {
		return v
	}
	v, ok := jsonscan.DecodeUntil(string(j.Raw), watch)
	if ok {
		return v
	}
	if err := watch.Err(); err != nil {
		c.stop = field.InternalError(c.measurer.path, err)
		return nil
	}
	if err := json.Unmarshal(j.Raw, &v); err != nil && c.err == nil {
		c.err = fmt.Errorf("a value in the schema is not JSON: %w", err)
	}
	return v
}

// decodeSimpleLiteral decodes true, false, and strings of ASCII without
// escapes, which are most literals. It reports whether raw is one.
func decodeSimpleLiteral(raw []byte) (any, bool) {
	switch {
	case string(raw) == "true":
		return true, true
	case string(raw) == "false":
		return false, true
	case len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"':
		return nil, false
	}
	text := raw[1 : len(raw)-1]
	for _, b := range text {
		if b < ' ' || b >= utf8.RuneSelf || b == '"' || b == '\\' {
			return nil, false
		}
	}
	return string(text), true
}
