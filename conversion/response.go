package conversion

import (
	"bytes"
	"fmt"
	"sync"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/crdkit/crdkit/internal/review/v1beta1"
	"github.com/crdkit/crdkit/internal/text/document"
)

// A response is the answer of a webhook. Its objects are not decoded yet.
type response struct {
	gvk     schema.GroupVersionKind
	body    *apiextensionsv1.ConversionResponse // nil if there is none
	objects []string                            // the texts of the first objects
	count   int                                 // the number of all objects
}

// decodeResponse decodes the response to a review of n objects. memory bounds the estimated
// size of the objects, by default if not positive.
//
// The response is taken apart first. The server's decoder reads what is not an object, or
// no regular review: YAML, or without a type. It cannot be bounded, so its text is.
func decodeResponse(text, version string, n int, memory int64) (*response, error) {
	memory = positive(memory, minMemory+memoryFactor*int64(len(text)))
	taken, err := readReview(text, "response", n)
	switch {
	case err != nil:
		taken = &review{rest: []byte(text[:min(len(text), maxWhole+1)])}
	case taken.memory > memory:
		return nil, fmt.Errorf("reading the response: its objects would hold more than %d bytes of memory", memory)
	}
	if len(taken.rest) > maxWhole {
		return nil, fmt.Errorf("the response is not a regular review in JSON, or has more than %d bytes without objects", maxWhole)
	}
	r := &response{objects: taken.objects, count: taken.count}
	if r.gvk, r.body, err = decodeReview(taken.rest, version); err != nil || r.body == nil {
		return r, err
	}
	for _, object := range r.body.ConvertedObjects {
		r.objects = append(r.objects, string(object.Raw))
		r.count++
	}
	return r, nil
}

// object decodes the text of an object, or returns the server's error.
func object(text string) (*unstructured.Unstructured, error) {
	value, err := decodeObject(text)
	fields, _ := value.(map[string]any)
	if obj := (&unstructured.Unstructured{Object: fields}); err == nil && fields != nil && obj.GroupVersionKind().Kind != "" {
		return obj, nil
	}
	if len(text) > maxWhole {
		return nil, fmt.Errorf("the %d bytes of the object cannot be decoded, or have no kind", len(text))
	}
	if text == "null" {
		text = "" // as in the server's decoder
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON([]byte(text)); err != nil {
		return nil, err
	}
	return obj, nil
}

// decodeReview decodes a review as the server does.
func decodeReview(text []byte, version string) (schema.GroupVersionKind, *apiextensionsv1.ConversionResponse, error) {
	if version == v1beta1.Version {
		review := &v1beta1.ConversionReview{}
		err := decodeInto(text, review)
		return review.GroupVersionKind(), (*apiextensionsv1.ConversionResponse)(review.Response), err
	}
	review := &apiextensionsv1.ConversionReview{}
	err := decodeInto(text, review)
	return review.GroupVersionKind(), review.Response, err
}

// decodeInto decodes a document of the type of review. Other known types cannot be
// converted.
func decodeInto(text []byte, review runtime.Object) error {
	obj, err := decodeDocument(text, nil, review)
	if err != nil || obj == review {
		return err
	}
	return reviewScheme().Convert(obj, review, nil)
}

// decodeDocument decodes JSON, or YAML if the text does not start like a JSON object.
func decodeDocument(text []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, error) {
	yaml := !bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{"))
	if yaml {
		if err := document.CheckAliases(text); err != nil {
			return nil, err
		}
	}
	scheme := reviewScheme()
	s := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{Yaml: yaml})
	obj, _, err := s.Decode(text, defaults, into)
	return obj, err
}

// reviewScheme returns the types of reviews.
var reviewScheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1beta1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(s); err != nil {
			return runtime.NewScheme() // without types, so that decoding fails
		}
	}
	return s
})

// decodeStatus returns the Status in a body if it reports a failure, and nil otherwise.
func decodeStatus(body string) *metav1.Status {
	if len(body) == 0 || len(body) > maxWhole {
		return nil
	}
	obj, err := decodeDocument([]byte(body), &schema.GroupVersionKind{Version: "v1"}, nil)
	if err != nil {
		return nil
	}
	if status, ok := obj.(*metav1.Status); ok && status.Status == metav1.StatusFailure {
		return status
	}
	return nil
}
