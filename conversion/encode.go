package conversion

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/review/v1beta1"
)

const (
	reviewGroup = "apiextensions.k8s.io"
	reviewKind  = "ConversionReview"
)

var reviewVersions = []string{apiextensionsv1.SchemeGroupVersion.Version, v1beta1.Version}

// encodeRequest returns a review as the server sends it, byte for byte.
func encodeRequest(ctx context.Context, version string, uid types.UID, objs []*unstructured.Unstructured, to schema.GroupVersion) ([]byte, error) {
	e := encoder{html: true}
	e.write(`{"kind":"` + reviewKind + `","apiVersion":"` + reviewGroup + `/` + version + `","request":{"uid":`)
	e.text(string(uid))
	e.write(`,"desiredAPIVersion":`)
	e.text(to.String())
	e.write(`,"objects":[`)
	for i, obj := range objs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i > 0 {
			e.write(",")
		}
		if err := e.value(obj.Object, 0); err != nil {
			return nil, fmt.Errorf("encoding object %d: %w", i, err)
		}
	}
	e.write(`]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}` + "\n")
	return e.buf, nil
}

// beginResponse returns the text of a review before the converted objects.
func beginResponse(version string, uid types.UID) encoder {
	var e encoder
	e.write(`{"kind":"` + reviewKind + `","apiVersion":"` + reviewGroup + `/` + version + `","response":{"uid":`)
	e.text(string(uid))
	e.write(`,"convertedObjects":[`)
	return e
}

// end returns the text of the review.
func (e *encoder) end() []byte {
	e.write(`],"result":{"metadata":{},"status":"Success"}}}` + "\n")
	return e.buf
}

// encodeFailure returns a review that reports why the conversion failed.
func encodeFailure(version string, uid types.UID, message string) []byte {
	e := beginResponse(version, uid)
	e.write(`],"result":{"metadata":{},"status":"Failure","message":`)
	e.text(message)
	e.write(`}}}` + "\n")
	return e.buf
}

// An encoder writes what encoding/json writes. Without html it escapes only the characters
// that JSON requires to escape.
type encoder struct {
	buf  []byte
	html bool
}

func (e *encoder) write(s string) { e.buf = append(e.buf, s...) }

// value writes a value that is in depth maps and lists.
func (e *encoder) value(v any, depth int) error {
	if depth > maxDepth {
		return jsonval.ErrDepth
	}
	switch v := v.(type) {
	case string:
		e.text(v)
		return nil
	case map[string]any:
		if v != nil {
			return e.object(v, depth+1)
		}
	case []any:
		if v != nil {
			return e.list(v, depth+1)
		}
	}
	var ok bool
	if e.buf, ok = jsonscan.Append(e.buf, v); ok {
		return nil
	}
	text, err := json.Marshal(v)
	e.buf = append(e.buf, text...)
	return err
}

func (e *encoder) object(m map[string]any, depth int) error {
	e.write("{")
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			e.write(",")
		}
		e.text(name)
		e.write(":")
		if err := e.value(m[name], depth); err != nil {
			return err
		}
	}
	e.write("}")
	return nil
}

func (e *encoder) list(list []any, depth int) error {
	e.write("[")
	for i, v := range list {
		if i > 0 {
			e.write(",")
		}
		if err := e.value(v, depth); err != nil {
			return err
		}
	}
	e.write("]")
	return nil
}

// text writes a string.
func (e *encoder) text(s string) {
	buf, ok := jsonscan.AppendText(append(e.buf, '"'), s, e.html)
	if ok {
		e.buf = append(buf, '"')
		return
	}
	text, _ := json.Marshal(s) // never fails; s is not UTF-8
	e.buf = append(e.buf, text...)
}
