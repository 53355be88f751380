package apply

import (
	"errors"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
)

// decodeScale reads a Scale as the server does. If strict is true, it returns the complaints of
// strict decoding. The error is the server's error.
func decodeScale(text []byte, strict bool) (*autoscalingv1.Scale, []string, error) {
	scheme := runtime.NewScheme()
	if err := autoscalingv1.AddToScheme(scheme); err != nil {
		return nil, nil, err
	}
	var complaints []string
	out := &autoscalingv1.Scale{}
	obj, _, err := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Strict: strict}).Decode(text, nil, out)
	if found, ok := runtime.AsStrictDecodingError(err); ok {
		for _, e := range found.Errors() {
			complaints = append(complaints, e.Error())
		}
		err = nil
	}
	if err == nil && obj != out {
		err = scheme.Convert(obj, out, nil) // obj is another kind of autoscaling/v1
	}
	return out, complaints, err
}

func undecodable(patched []byte, err error, details []string) *crdkit.Refusal {
	r := crdkit.RefusalOf(apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(patched), err.Error())}))
	r.Details = details
	return r
}

func strictError(complaints []string) error {
	list := make([]error, len(complaints))
	for i, text := range complaints {
		list[i] = errors.New(text)
	}
	return runtime.NewStrictDecodingError(list)
}
