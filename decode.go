package crdkit

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/crdkit/crdkit/internal/text/document"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// MaxRequestBytes is the size of the largest request body that kube-apiserver reads, in bytes.
// Requests on JSON refuse a larger body.
const MaxRequestBytes = 3 * 1024 * 1024

// decode begins the pipeline of a request on JSON and decodes the body.
func (r *request) decode() (*Refusal, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	if refusal := r.decodeBody(); refusal != nil || r.ctx.Err() != nil {
		return refusal, r.ctx.Err()
	}
	return nil, r.readyForObject()
}

// decodeBody reads the body and records the complaints of strict decoding. It refuses an unreadable
// or too large body.
func (r *request) decodeBody() *Refusal {
	raw := r.raw
	if len(raw) > MaxRequestBytes && r.origin == fromClient {
		return &Refusal{
			Code:    http.StatusRequestEntityTooLarge,
			Reason:  "RequestEntityTooLarge",
			Message: fmt.Sprintf("Request entity too large: limit is %d", MaxRequestBytes),
		}
	}
	if r.obj = r.decodeFast(raw, r.yaml); r.obj != nil {
		return nil
	}
	if r.yaml {
		if err := document.CheckAliases(raw); err != nil {
			return r.undecodable(err, nil, raw)
		}
	}
	s := json.NewSerializerWithOptions(json.DefaultMetaFactory, creator{}, unstructuredscheme.NewUnstructuredObjectTyper(),
		json.SerializerOptions{Yaml: r.yaml, Strict: r.fields != Ignore})
	want := r.version.GroupVersionKind()
	obj := &unstructured.Unstructured{}
	_, found, err := s.Decode(raw, &want, obj)
	strict, ok := runtime.AsStrictDecodingError(err)
	if err != nil && !ok {
		return r.undecodable(err, found, raw)
	}
	r.obj = obj
	if ok {
		for _, err := range strict.Errors() {
			r.complaints = append(r.complaints, err.Error())
		}
	}
	return nil
}

func (r *request) decodeBoth(old []byte) (*Refusal, error) {
	if refusal, err := r.decode(); refusal != nil || err != nil {
		return refusal, err
	}
	if r.old = r.decodeFast(old, false); r.old != nil {
		return nil, nil
	}
	var err error
	r.old, err = decodeObject(old, "old")
	return nil, err
}

// decodeObject reads an object. Errors call it the old object if role is "old".
func decodeObject(raw []byte, role string) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("crdkit: reading the %s object: %w", role, err)
	}
	return obj, nil
}

// decodeFast reads an object of the version. It returns nil for other texts and for objects with
// duplicate fields.
func (r *request) decodeFast(raw []byte, isYAML bool) *unstructured.Unstructured {
	v := r.version
	if v.def.reference || !isYAML && !opensObject(raw) {
		return nil
	}
	if isYAML {
		var ok bool
		if raw, ok = document.YAMLToJSON(string(raw)); !ok {
			return nil
		}
	}
	value, ok := jsonscan.Decode(string(raw))
	obj, isObject := value.(map[string]any)
	if !ok || !isObject || obj["kind"] != v.def.kind || obj["apiVersion"] != v.apiVersion() {
		return nil
	}
	for name := range obj {
		// The server ignores the case of these two names.
		if (strings.EqualFold(name, "kind") || strings.EqualFold(name, "apiVersion")) && name != "kind" && name != "apiVersion" {
			return nil
		}
	}
	return &unstructured.Unstructured{Object: obj}
}

// opensObject reports whether the first value in raw begins like a JSON object.
func opensObject(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

type creator struct{}

func (creator) New(runtimeschema.GroupVersionKind) (runtime.Object, error) {
	return &unstructured.Unstructured{}, nil
}

// undecodable returns the answer to a body that is not an object of the version. found is the
// type of the body, or nil if it names none.
func (r *request) undecodable(err error, found *runtimeschema.GroupVersionKind, raw []byte) *Refusal {
	if r.origin == fromPatch {
		return r.invalidPatch(err.Error())
	}
	kind := r.version.def.kind
	if found != nil && found.Kind != "" {
		return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", found.Kind, found.Version, kind, err))
	}
	return badRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kind, err, summary(raw)))
}

// summary returns the beginning of an unreadable body, as text if it looks like JSON and as
// hexadecimal otherwise.
func summary(raw []byte) string {
	const most = 30
	if len(raw) == 0 {
		return "<empty>"
	}
	more := ""
	shown := raw
	if len(raw) > most {
		shown, more = raw[:most], " ..."
	}
	if raw[0] == '{' {
		return string(shown) + more
	}
	return fmt.Sprintf("%x%s", shown, more)
}

func badRequest(message string, details ...string) *Refusal {
	return &Refusal{Code: http.StatusBadRequest, Reason: "BadRequest", Message: message, Details: details}
}
