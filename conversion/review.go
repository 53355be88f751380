package conversion

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/review/v1beta1"
	"github.com/crdkit/crdkit/internal/text/document"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// The estimated size of decoded values. A map has room for eight members, and a list for twice its
// elements. TestMemoryEstimate compares the estimate with the heap.
const (
	listMemory    = 24
	elementMemory = 32 // a string or number takes no further memory than its text
	emptyMemory   = 64 // an object without members
	objectMemory  = 336
	memberMemory  = 80 // each member after the eighth
	freeMembers   = 8
)

// errIrregular reports a text that is not a review in JSON, or that repeats the objects.
var errIrregular = errors.New("it is not a regular review in JSON")

// A review is a ConversionReview, split into the texts of its objects and the rest.
type review struct {
	rest    []byte   // has empty lists in place of the objects
	objects []string // the texts of the first objects, at most maxObjects
	count   int      // the number of all objects
	memory  int64    // the estimated size of objects
	largest int64    // the most memory that one object takes in a handler
}

// readReview splits a review into the texts of its objects and the rest. It returns the first
// maxObjects objects of member, which is "request" or "response", and none of the other member.
func readReview(text, member string, maxObjects int) (*review, error) {
	start := jsonscan.Space(text, 0)
	if !isJSON(text, start) || text[start] != '{' {
		return nil, errIrregular
	}
	r, out := &reader{text: text}, &review{}
	done := 0 // the text before done is in out.rest
	object := func(_ string, at int) int {
		r.memory = 0
		end := r.skip("", at)
		if out.count < maxObjects {
			out.objects = append(out.objects, text[at:end])
			out.memory += r.memory
			out.largest = max(out.largest, textCost*int64(end-at)+objectCost*r.memory)
		}
		out.count++
		return end
	}
	seen := map[string]int{}
	r.walk(start, func(part string, at int) int {
		list := map[string]string{"request": "objects", "response": "convertedObjects"}[part]
		if list == "" {
			return r.skip(part, at)
		}
		if seen[part]++; text[at] != '{' {
			return r.skip(part, at)
		}
		return r.walk(at, func(name string, at int) int {
			if name != list {
				return r.skip(name, at)
			}
			if seen[list]++; text[at] != '[' {
				return r.skip(name, at)
			}
			visit := r.skip
			if part == member {
				visit = object
			}
			end := r.walk(at, visit)
			out.rest = append(append(out.rest, text[done:at]...), "[]"...)
			done = end
			return end
		})
	})
	for _, times := range seen {
		if times > 1 {
			return nil, errIrregular
		}
	}
	out.rest = append(out.rest, text[done:]...)
	return out, nil
}

// isJSON reports whether encoding/json accepts a text, whose value begins at index start.
func isJSON(text string, start int) bool {
	if end := jsonscan.Skip(text, start); end >= 0 && jsonscan.Space(text, end) == len(text) {
		return true
	}
	return json.Valid([]byte(text)) // rarely needed: for a string that is not UTF-8, for example
}

// decodeObject returns the value of an object's text. It shares no memory with the review.
func decodeObject(text string) (v any, err error) {
	if v, ok := jsonscan.Decode(strings.Clone(text)); ok {
		return v, nil
	}
	err = utiljson.Unmarshal([]byte(text), &v)
	return v, err
}

// A reader reads valid JSON, and estimates the memory of decoded values.
type reader struct {
	text   string
	memory int64
}

// skip returns the index after the value at i. It ignores the name.
func (r *reader) skip(_ string, i int) int {
	n, end := int64(0), i
	switch open := r.text[i]; open {
	case '{', '[':
		end = r.walk(i, func(name string, at int) int {
			n++
			return r.skip(name, at)
		})
		switch {
		case open == '[':
			r.memory += listMemory + elementMemory*n
		case n == 0:
			r.memory += emptyMemory
		default:
			r.memory += objectMemory + memberMemory*max(0, n-freeMembers)
		}
	case '"':
		end = r.skipString(i)
		if s := r.text[i:end]; !utf8.ValidString(s) {
			for _, c := range s {
				if c == utf8.RuneError {
					r.memory += 2 // an invalid byte becomes three bytes
				}
			}
		}
	default:
		for end < len(r.text) && strings.IndexByte(",]} \t\r\n", r.text[end]) < 0 {
			end++
		}
	}
	return end
}

func (r *reader) skipString(i int) int {
	for i++; r.text[i] != '"'; i++ {
		if r.text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// walk reads the object or list at i. It calls visit for each member or element, with the index of
// its value and the name of a member. The name is "" if it cannot be decoded. visit and walk return
// the index after the value.
func (r *reader) walk(i int, visit func(name string, at int) int) int {
	object, closing := r.text[i] == '{', r.text[i]+2
	i = jsonscan.Space(r.text, i+1)
	if r.text[i] == closing {
		return i + 1
	}
	for more := true; more; {
		name := ""
		if object {
			end := r.skipString(i)
			name, _ = jsonscan.DecodedKey(r.text, i)
			i = jsonscan.Space(r.text, jsonscan.Space(r.text, end)+1)
		}
		i, more = jsonscan.Next(r.text, visit(name, i), closing)
	}
	return i
}

const (
	reviewGroup = "apiextensions.k8s.io"
	reviewKind  = "ConversionReview"
)

var reviewVersions = []string{apiextensionsv1.SchemeGroupVersion.Version, v1beta1.Version}

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

// beginResponse returns the text of a review up to its converted objects.
func beginResponse(version string, uid types.UID) []byte {
	text := beginReview(version, `"response":{"uid":`)
	return append(appendString(text, string(uid), false), `,"convertedObjects":[`...)
}

func endResponse(text []byte) []byte {
	return append(text, `],"result":{"metadata":{},"status":"Success"}}}`+"\n"...)
}

func encodeFailure(version string, uid types.UID, message string) []byte {
	text := append(beginResponse(version, uid), `],"result":{"metadata":{},"status":"Failure","message":`...)
	return append(appendString(text, message, false), `}}}`+"\n"...)
}

// appendJSON appends a value as encoding/json does. If html is false, it only escapes what JSON
// requires.
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
	text, _ = appendJSON(text, s, html) // encoding a string cannot fail
	return text
}

// A response is the answer of a webhook. Its objects are not decoded yet.
type response struct {
	gvk     schema.GroupVersionKind
	body    *apiextensionsv1.ConversionResponse // nil if there is none
	objects []string                            // the texts of the first objects
	count   int                                 // the number of all objects
}

// decodeResponse decodes the response to a review of n objects. memory limits the estimated size of
// the objects. If it is not positive, the default applies.
//
// The server's decoder reads a response that is not a regular review, such as YAML or a review
// without a type. Then the memory cannot be estimated, so the text is limited.
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

// decodeInto decodes a document into review. Another type is an error.
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

var reviewScheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1beta1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(s); err != nil {
			return runtime.NewScheme() // without types, so that decoding fails
		}
	}
	return s
})

// decodeStatus returns the Status in a body if it reports a failure, and otherwise nil.
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
