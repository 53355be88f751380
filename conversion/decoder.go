package conversion

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/document"
	"github.com/crdkit/crdkit/internal/review/v1beta1"
)

// A response is taken apart before anything is decoded: a scan checks the syntax,
// counts the objects and estimates their size. The review without its objects is
// decoded first, and each object when its turn comes, in pieces between which the
// context is looked at. A response that the scan cannot take apart is decoded as a
// whole, as the server does; its size is limited, because that decoder can neither
// be interrupted nor bounded. The server also accepts YAML, and responses without
// their type.

// A reply is a decoded response of a webhook. Its objects are not decoded yet.
type reply struct {
	gvk     schema.GroupVersionKind
	found   bool // there is a response
	uid     types.UID
	result  metav1.Status
	count   int // of objects, which may be more than there are in objects
	objects []replyObject
}

// A replyObject is the text of a converted object.
type replyObject struct {
	raw  []byte
	scan *scan // nil for an object of a response that was decoded as a whole
	at   span
}

// object returns the object, or the server's error if the text is not one.
func (o replyObject) object() (*unstructured.Unstructured, error) {
	if o.scan != nil {
		value, err := decodePieces(o.scan, o.at)
		if err != nil && o.scan.ctx.Err() != nil {
			return nil, o.scan.ctx.Err()
		}
		object, _ := value.(map[string]any)
		if obj := (&unstructured.Unstructured{Object: object}); err == nil && object != nil && obj.GroupVersionKind().Kind != "" {
			return obj, nil
		}
	}
	if len(o.raw) > maxWhole {
		return nil, fmt.Errorf("the %d bytes of the object cannot be decoded, or have no kind", len(o.raw))
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
		for _, add := range []func(*runtime.Scheme) error{v1beta1.AddToScheme, apiextensionsv1.AddToScheme} {
			if err := add(s); err != nil {
				return runtime.NewScheme() // without types, so that decoding fails
			}
		}
		return s
	})}
}

// decode decodes the response to a review of a version with n objects. memory
// bounds the estimated size of the decoded objects, 0 for the default.
func (d *decoder) decode(ctx context.Context, data []byte, version string, n int, memory int64) (*reply, error) {
	s := newScan(ctx, data, memory)
	env, err := s.envelope("response", n)
	switch {
	case err == errIrregular:
		return d.decodeWhole(data, version)
	case err != nil:
		return nil, fmt.Errorf("reading the response: %w", err)
	}
	if err := checkWhole(env.rest); err != nil {
		return nil, err
	}
	r := decodeFast(env.rest, version)
	if r == nil {
		if r, err = d.decodeReference(env.rest, version); err != nil {
			return nil, err
		}
	}
	if !r.found {
		return r, nil
	}
	r.count = env.count
	r.objects = make([]replyObject, len(env.objects))
	for i, at := range env.objects {
		r.objects[i] = replyObject{raw: notNull(data[at.start:at.end]), scan: s, at: at}
	}
	return r, nil
}

// notNull returns nil for null, as the server's decoder does.
func notNull(raw []byte) []byte {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// decodeWhole decodes a response that is not a regular review.
func (d *decoder) decodeWhole(data []byte, version string) (*reply, error) {
	if err := checkWhole(data); err != nil {
		return nil, err
	}
	return d.decodeReference(data, version)
}

// checkWhole returns an error for a document that must not be decoded as a whole.
func checkWhole(data []byte) error {
	if len(data) > maxWhole {
		return fmt.Errorf("the response is not a regular review in JSON, and its %d bytes without objects are more than %d", len(data), maxWhole)
	}
	return nil
}

// decodeFast decodes a review without objects. It declines a review with any
// irregularity by returning nil; the caller then uses decodeReference.
func decodeFast(data []byte, version string) *reply {
	var review struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		// Not used, but it must be well-formed.
		Request  *apiextensionsv1.ConversionRequest `json:"request"`
		Response *struct {
			UID     types.UID              `json:"uid"`
			Objects []runtime.RawExtension `json:"convertedObjects"`
			Result  metav1.Status          `json:"result"`
		} `json:"response"`
	}
	if err := utiljson.Unmarshal(data, &review); err != nil || review.Response == nil {
		return nil
	}
	r := &reply{
		gvk:    schema.GroupVersionKind{Group: reviewGroup, Version: version, Kind: reviewKind},
		found:  true,
		uid:    review.Response.UID,
		result: review.Response.Result,
	}
	if review.APIVersion != r.gvk.GroupVersion().String() || review.Kind != reviewKind || len(review.Response.Objects) > 0 {
		return nil
	}
	return r
}

// decodeReference decodes a response as the server does.
func (d *decoder) decodeReference(data []byte, version string) (*reply, error) {
	if version == v1beta1.Version {
		review := &v1beta1.ConversionReview{}
		if err := d.into(data, review); err != nil {
			return nil, err
		}
		r := &reply{gvk: review.GroupVersionKind(), found: review.Response != nil}
		if r.found {
			r.uid, r.result = review.Response.UID, review.Response.Result
			r.setRaw(review.Response.ConvertedObjects)
		}
		return r, nil
	}
	review := &apiextensionsv1.ConversionReview{}
	if err := d.into(data, review); err != nil {
		return nil, err
	}
	r := &reply{gvk: review.GroupVersionKind(), found: review.Response != nil}
	if r.found {
		r.uid, r.result = review.Response.UID, review.Response.Result
		r.setRaw(review.Response.ConvertedObjects)
	}
	return r, nil
}

func (r *reply) setRaw(extensions []runtime.RawExtension) {
	r.count = len(extensions)
	r.objects = make([]replyObject, len(extensions))
	for i, e := range extensions {
		r.objects[i].raw = e.Raw
	}
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
	yaml := !isJSON(data)
	if yaml {
		if err := document.CheckAliases(data); err != nil {
			return nil, err
		}
	}
	s := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{Yaml: yaml})
	obj, _, err := s.Decode(data, defaults, into)
	return obj, err
}

// isJSON reports whether a text starts like a JSON object. The server takes any
// other text for YAML.
func isJSON(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeftFunc(data, unicode.IsSpace), []byte("{"))
}

// failure returns the Status in a body if it reports a failure, and nil
// otherwise.
func (d *decoder) failure(body []byte) *metav1.Status {
	if len(body) == 0 || checkWhole(body) != nil {
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
