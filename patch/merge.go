package patch

import (
	"context"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit"
)

// mergePatch applies a JSON merge patch to the JSON of an object.
//
// See https://www.rfc-editor.org/rfc/rfc7386.
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

// merge merges an object into an object. The two share memory afterwards.
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

// dropNulls drops the members of objects that are null, also of objects in lists.
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
