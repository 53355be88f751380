package apply

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// ApplyJSON is [Applier.ApplyYAML] for a live object as JSON, nil if the object does not
// exist. It returns the object to store as the server encodes it, and no bytes if the
// server refuses the request; the Object of the result is nil. live is not changed and not
// kept.
//
// The error of ApplyJSON also says that live is no JSON object.
func (a *Applier) ApplyJSON(ctx context.Context, live, body []byte, manager string, force bool, opts ...crdkit.RequestOption) ([]byte, *Result, error) {
	var before *unstructured.Unstructured
	if live != nil {
		var err error
		if before, err = decodeLive(live); err != nil {
			return nil, nil, err
		}
	}
	res, err := a.ApplyYAML(ctx, before, body, manager, force, opts...)
	if err != nil || res.Object == nil {
		return nil, res, err
	}
	object := res.Object.Object
	res.Object = nil
	out, err := encode(object, len(live)+len(body))
	if err != nil {
		return nil, nil, err
	}
	return out, res, nil
}

// encode returns an object as the server encodes it, in a buffer for size bytes.
func encode(object map[string]any, size int) ([]byte, error) {
	if out, ok := jsonscan.Append(make([]byte, 0, size), object); ok {
		return out, nil
	}
	out, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("apply: encoding the object: %w", err)
	}
	return out, nil
}

func decodeLive(text []byte) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	if v, ok := jsonscan.Decode(string(text)); ok {
		if u.Object, ok = v.(map[string]any); ok && u.GetKind() != "" {
			return u, nil
		}
	}
	if err := u.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("apply: reading the live object: %w", err)
	}
	return u, nil
}
