package conversion

import (
	"bytes"
	"sync"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/document"
)

// The fast path decodes a regular response in one pass, down to the values of the
// objects. The reference decodes all other responses as the server does: first the
// type of the document, then the review with its objects as bytes, then each object.
// It decides what the response means and which error it has. The server also accepts
// YAML, and responses without their type.

// A reply is a decoded response of a webhook.
type reply struct {
	gvk     schema.GroupVersionKind
	found   bool // there is a response
	uid     types.UID
	result  metav1.Status
	objects []replyObject
}

// A replyObject is a converted object, decoded or as bytes.
type replyObject struct {
	decoded map[string]any
	raw     []byte
}

// object returns the object, or the server's error if the bytes are not one.
func (o replyObject) object() (*unstructured.Unstructured, error) {
	if o.decoded != nil {
		return &unstructured.Unstructured{Object: o.decoded}, nil
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(o.raw); err != nil {
		return nil, err
	}
	return obj, nil
}

// A decoder decodes responses. It is safe for concurrent use.
type decoder struct {
	// scheme returns the types of reviews, which only decodeReference needs.
	scheme func() *runtime.Scheme
}

func newDecoder() *decoder {
	return &decoder{scheme: sync.OnceValue(func() *runtime.Scheme {
		s := runtime.NewScheme()
		for _, add := range []func(*runtime.Scheme) error{apiextensionsv1beta1.AddToScheme, apiextensionsv1.AddToScheme} {
			if err := add(s); err != nil {
				return runtime.NewScheme() // without types, so that decoding fails
			}
		}
		return s
	})}
}

// decode decodes the response to a review of a version.
func (d *decoder) decode(data []byte, version string) (*reply, error) {
	if r := decodeFast(data, version); r != nil {
		return r, nil
	}
	return d.decodeReference(data, version)
}

// decodeFast decodes a response in one pass. It declines a response with any
// irregularity by returning nil; the caller then uses decodeReference.
func decodeFast(data []byte, version string) *reply {
	var review struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		// Not used, but it must be well-formed.
		Request  *apiextensionsv1.ConversionRequest `json:"request"`
		Response *struct {
			UID     types.UID     `json:"uid"`
			Objects []any         `json:"convertedObjects"`
			Result  metav1.Status `json:"result"`
		} `json:"response"`
	}
	if err := utiljson.Unmarshal(data, &review); err != nil || review.Response == nil {
		return nil
	}
	r := &reply{
		gvk:     schema.GroupVersionKind{Group: reviewGroup, Version: version, Kind: reviewKind},
		found:   true,
		uid:     review.Response.UID,
		result:  review.Response.Result,
		objects: make([]replyObject, len(review.Response.Objects)),
	}
	if review.APIVersion != r.gvk.GroupVersion().String() || review.Kind != reviewKind {
		return nil
	}
	for i, value := range review.Response.Objects {
		object, _ := value.(map[string]any)
		if object == nil || (&unstructured.Unstructured{Object: object}).GroupVersionKind().Kind == "" {
			return nil
		}
		r.objects[i].decoded = object
	}
	return r
}

// decodeReference decodes a response as the server does.
func (d *decoder) decodeReference(data []byte, version string) (*reply, error) {
	if version == apiextensionsv1beta1.SchemeGroupVersion.Version {
		review := &apiextensionsv1beta1.ConversionReview{}
		if err := d.into(data, review); err != nil {
			return nil, err
		}
		r := &reply{gvk: review.GroupVersionKind(), found: review.Response != nil}
		if r.found {
			r.uid, r.result, r.objects = review.Response.UID, review.Response.Result, raw(review.Response.ConvertedObjects)
		}
		return r, nil
	}
	review := &apiextensionsv1.ConversionReview{}
	if err := d.into(data, review); err != nil {
		return nil, err
	}
	r := &reply{gvk: review.GroupVersionKind(), found: review.Response != nil}
	if r.found {
		r.uid, r.result, r.objects = review.Response.UID, review.Response.Result, raw(review.Response.ConvertedObjects)
	}
	return r, nil
}

func raw(extensions []runtime.RawExtension) []replyObject {
	out := make([]replyObject, len(extensions))
	for i, e := range extensions {
		out[i].raw = e.Raw
	}
	return out
}

// into decodes a document of the type of review. Other known types fail with
// the error that they cannot be converted.
func (d *decoder) into(data []byte, review runtime.Object) error {
	obj, err := d.document(data, nil, review)
	if err != nil || obj == review {
		return err
	}
	return d.scheme().Convert(obj, review, nil)
}

// document decodes JSON, or YAML if the text does not start like JSON.
func (d *decoder) document(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, error) {
	scheme := d.scheme()
	yaml := !bytes.HasPrefix(bytes.TrimLeftFunc(data, unicode.IsSpace), []byte("{"))
	if yaml {
		if err := document.CheckAliases(data); err != nil {
			return nil, err
		}
	}
	s := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{Yaml: yaml})
	obj, _, err := s.Decode(data, defaults, into)
	return obj, err
}

// failure returns the Status in a body if it reports a failure, and nil
// otherwise.
func (d *decoder) failure(body []byte) *metav1.Status {
	if len(body) == 0 {
		return nil
	}
	obj, err := d.document(body, &schema.GroupVersionKind{Version: "v1"}, nil)
	if err != nil {
		return nil
	}
	if status, ok := obj.(*metav1.Status); ok && status.Status == metav1.StatusFailure {
		return status
	}
	return nil
}
