package conversion

import (
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/internal/review/v1beta1"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

const (
	reviewGroup = "apiextensions.k8s.io"
	reviewKind  = "ConversionReview"
)

var reviewVersions = []string{apiextensionsv1.SchemeGroupVersion.Version, v1beta1.Version}

// encodeRequest returns a review as the server sends it, byte for byte.
func encodeRequest(version string, uid types.UID, objs []*unstructured.Unstructured, to schema.GroupVersion) ([]byte, error) {
	text := beginReview(version, `"request":{"uid":`)
	text = appendString(text, string(uid), true)
	text = append(text, `,"desiredAPIVersion":`...)
	text = appendString(text, to.String(), true)
	text = append(text, `,"objects":[`...)
	for i, obj := range objs {
		if i > 0 {
			text = append(text, ',')
		}
		var err error
		if text, err = appendJSON(text, obj.Object, true); err != nil {
			return nil, fmt.Errorf("encoding object %d: %w", i, err)
		}
	}
	return append(text, `]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}`+"\n"...), nil
}

func beginReview(version, member string) []byte {
	return []byte(`{"kind":"` + reviewKind + `","apiVersion":"` + reviewGroup + `/` + version + `",` + member)
}

// beginResponse returns a review up to its converted objects.
func beginResponse(version string, uid types.UID) []byte {
	text := beginReview(version, `"response":{"uid":`)
	return append(appendString(text, string(uid), false), `,"convertedObjects":[`...)
}

func endResponse(text []byte) []byte {
	return append(text, `],"result":{"metadata":{},"status":"Success"}}}`+"\n"...)
}

// encodeFailure returns a review that reports why the conversion failed.
func encodeFailure(version string, uid types.UID, message string) []byte {
	text := append(beginResponse(version, uid), `],"result":{"metadata":{},"status":"Failure","message":`...)
	return append(appendString(text, message, false), `}}}`+"\n"...)
}

// appendJSON appends a value as encoding/json writes it. Without html it escapes only the
// characters that JSON requires to escape, in a value that is UTF-8.
func appendJSON(text []byte, v any, html bool) ([]byte, error) {
	var out []byte
	var ok bool
	if html {
		out, ok = jsonscan.Append(text, v)
	} else {
		out, ok = jsonscan.AppendPlain(text, v)
	}
	if ok {
		return out, nil
	}
	if jsonval.TooDeep(v) {
		return text, jsonval.ErrDepth
	}
	other, err := json.Marshal(v)
	return append(text, other...), err
}

func appendString(text []byte, s string, html bool) []byte {
	text, _ = appendJSON(text, s, html) // a string has no error
	return text
}
