// Package patching applies JSON patches and JSON merge patches to JSON documents, as the
// server does for objects and for the scale subresource.
package patching

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit"
)

const (
	MaxOperations = 10000           // of a JSON patch
	MaxCopyBytes  = 3 * 1024 * 1024 // bytes that the copies of one JSON patch may add together
)

// Document applies a patch to a JSON document, with the limits of the server. document must
// have the server's encoding, without white space. It is not changed and not kept.
//
// complaints are the errors of strict decoding in the patch. With [crdkit.Ignore] there are
// none. refusal is the server's answer if the patch cannot be applied. err is the error of
// ctx.
func Document(ctx context.Context, document []byte, patchType types.PatchType, body []byte, fields crdkit.FieldValidation) (patched []byte, complaints []string, refusal *crdkit.Refusal, err error) {
	if r := CheckBody(patchType, body); r != nil {
		return nil, nil, r, nil
	}
	apply := mergePatch
	if withoutCharset(patchType) == types.JSONPatchType {
		apply = jsonPatch
	}
	return apply(ctx, string(document), body, fields != crdkit.Ignore)
}

// withoutCharset returns a type without its parameters, which the server ignores.
func withoutCharset(patchType types.PatchType) types.PatchType {
	name, _, _ := strings.Cut(string(patchType), ";")
	return types.PatchType(name)
}

// CheckBody refuses a patch if its type is neither JSON patch nor JSON merge patch, if it has
// more than 3 MiB, or if it is not JSON. The server checks this before it reads the object.
// body is not kept.
func CheckBody(patchType types.PatchType, body []byte) *crdkit.Refusal {
	patchType = withoutCharset(patchType)
	switch {
	case patchType != types.JSONPatchType && patchType != types.MergePatchType:
		return crdkit.RefusalOf(&apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
			Message: fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %s, %s, %s",
				types.JSONPatchType, types.MergePatchType, types.ApplyYAMLPatchType),
		}})
	case len(body) > crdkit.MaxRequestBytes:
		return tooLarge(fmt.Sprintf("limit is %d", crdkit.MaxRequestBytes))
	case !json.Valid(body):
		return badRequest("invalid JSON patch")
	}
	return nil
}

func badRequest(message string) *crdkit.Refusal {
	return crdkit.RefusalOf(apierrors.NewBadRequest(message))
}

func tooLarge(message string) *crdkit.Refusal {
	return crdkit.RefusalOf(apierrors.NewRequestEntityTooLargeError(message))
}

func mergePatch(ctx context.Context, live string, body []byte, strict bool) (patched []byte, complaints []string, r *crdkit.Refusal, err error) {
	if strict {
		decoded := map[string]any{}
		found, err := kjson.UnmarshalStrict(body, &decoded)
		if err != nil {
			return nil, nil, badRequest("error decoding patch: " + err.Error()), nil
		}
		for _, err := range found {
			complaints = append(complaints, err.Error())
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, nil, err
	}
	s := string(body)
	changes := newNode(s[skipSpace(s, 0):])
	object := newDocument(live)
	switch {
	case changes.text[0] == '{':
		object.merge(changes)
	case changes.text[0] == '[':
		changes.dropNulls()
		object = changes
	default:
		return nil, nil, badRequest(jsonpatch.ErrBadJSONPatch.Error()), nil
	}
	return object.append(make([]byte, 0, len(live)+len(body))), complaints, nil, nil
}

// merge merges changes into n. Both are objects, and share memory afterwards.
func (n *node) merge(changes *node) {
	n.isObject()
	changes.isObject()
	for key, value := range changes.members {
		switch now := n.members[key]; {
		case value == nil:
			delete(n.members, key)
		case now != nil && now.isObject() && value.isObject():
			now.merge(value)
		case now != nil && now.isObject():
			n.members[key] = value
		default:
			value.dropNulls()
			n.members[key] = value
		}
	}
}

func (n *node) dropNulls() {
	switch {
	case n.isObject():
		for key, value := range n.members {
			if value == nil {
				delete(n.members, key)
			} else {
				value.dropNulls()
			}
		}
	case n.isList():
		for _, item := range n.items {
			if item != nil {
				item.dropNulls()
			}
		}
	}
}
