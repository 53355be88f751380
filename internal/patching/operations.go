package patching

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// jsonPatchOp is an operation for strict decoding. Errors quote its name and its field
// names.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

func jsonPatch(ctx context.Context, live string, body []byte, strict bool) (patched []byte, complaints []string, r *crdkit.Refusal, err error) {
	if strict {
		if complaints, r = readStrictly(body); r != nil {
			return nil, nil, r, nil
		}
	}
	operations, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return nil, nil, badRequest(err.Error()), nil
	}
	if n := len(operations); n > MaxOperations {
		return nil, nil, tooLarge(fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", MaxOperations, n)), nil
	}
	d := &document{root: newDocument(live)}
	for i, o := range operations {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		if err := d.do(operation{o}); err != nil {
			return nil, nil, failed(i, o.Kind(), err), nil
		}
	}
	return d.root.append(make([]byte, 0, len(live)+len(body))), complaints, nil, nil
}

func readStrictly(body []byte) ([]string, *crdkit.Refusal) {
	var decoded []jsonPatchOp
	found, err := kjson.UnmarshalStrict(body, &decoded)
	if err != nil {
		text := err.Error()
		if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			text = strings.Replace(text, "patching.jsonPatchOp", "handlers.jsonPatchOp", 1) // the server's name
		}
		return nil, badRequest("error decoding patch: " + text)
	}
	var complaints []string
	for _, err := range found {
		complaints = append(complaints, "json patch "+err.Error())
	}
	return complaints, nil
}

// failed returns the server's answer to an operation that fails. The Details of the answer
// have the reason.
func failed(index int, kind string, err error) *crdkit.Refusal {
	r := crdkit.RefusalOf(apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false))
	r.Details = []string{fmt.Sprintf("operation %d (%s): %v", index, kind, err)}
	return r
}

type document struct {
	root   *node
	copied int // number of bytes
}

type operation struct{ jsonpatch.Operation }

func (o operation) operand() *node {
	switch raw, ok := o.Operation["value"]; {
	case !ok:
		return nil
	case raw == nil:
		return &node{kind: null}
	default:
		return newNode(string(*raw))
	}
}

var (
	errMissing  = errors.New("the path does not exist")
	errNoKey    = errors.New("the key does not exist")
	errNoValue  = errors.New("the operation has no value")
	errDiffers  = errors.New("the value differs")
	errIndex    = errors.New("the index does not exist")
	errNoObject = errors.New("the value is neither an object nor a list")
	errCopies   = fmt.Errorf("copies add more than %d bytes", MaxCopyBytes)
)

// do performs one operation, as the server's library json-patch does.
func (d *document) do(o operation) error {
	kind := o.Kind()
	path, err := o.Path()
	if err != nil {
		return fmt.Errorf("path: %w", err)
	}
	switch kind {
	case "add":
		return d.add(path, o.operand())
	case "remove":
		at, key := d.find(path)
		return at.remove(key)
	case "replace":
		return d.replace(path, o.operand())
	case "test":
		return d.test(path, o.operand())
	case "move", "copy":
		from, err := o.From()
		if err != nil {
			return fmt.Errorf("from: %w", err)
		}
		if kind == "move" {
			return d.move(from, path)
		}
		return d.copy(from, path)
	}
	return errors.New("there is no such operation")
}

// find returns the object or list that contains the value at path, and the key of this value.
// at is nil if there is no container. Text before the first slash is ignored.
func (d *document) find(path string) (at *node, key string) {
	_, path, found := strings.Cut(path, "/")
	if !found {
		return nil, ""
	}
	at = d.root
	for {
		part, rest, more := strings.Cut(path, "/")
		if key = pathstack.Unescape(part); !more {
			break
		}
		next, err := at.get(key)
		if err != nil || next == nil || next.kind == null || !next.isContainer() {
			return nil, ""
		}
		at, path = next, rest
	}
	if !at.isContainer() {
		return nil, ""
	}
	return at, key
}

func (d *document) add(path string, value *node) error {
	at, key := d.find(path)
	return at.add(key, value)
}

// replace also adds a member that an object does not have.
func (d *document) replace(path string, value *node) error {
	if path == "" {
		if value == nil || value.kind == null || !value.isContainer() {
			return errNoObject
		}
		d.root = value
		return nil
	}
	at, key := d.find(path)
	if _, err := at.get(key); err != nil {
		return err
	}
	return at.set(key, value)
}

func (d *document) move(from, path string) error {
	at, key := d.find(from)
	value, err := at.get(key)
	if err != nil {
		return err
	}
	if err := at.remove(key); err != nil {
		return err
	}
	return d.add(path, value)
}

// copy adds a null at path if there is no member at from.
func (d *document) copy(from, path string) error {
	at, key := d.find(from)
	value, err := at.get(key)
	if err != nil {
		return err
	}
	to, key := d.find(path)
	if to == nil {
		return errMissing
	}
	if value != nil {
		encoded := value.append(nil)
		if d.copied += len(encoded); d.copied > MaxCopyBytes {
			return errCopies
		}
		value = newDocument(string(encoded))
	}
	return to.add(key, value)
}

func (d *document) test(path string, want *node) error {
	got := d.root
	if path != "" {
		at, key := d.find(path)
		var err error
		if got, err = at.get(key); err != nil {
			return err
		}
	} else if want == nil {
		return errNoValue
	}
	switch {
	case got == nil && (want == nil || want.kind == null):
		return nil
	case got == nil || want == nil || !got.equal(want):
		return errDiffers
	}
	return nil
}

// get returns a member or an item, nil for a member that does not exist.
func (n *node) get(key string) (*node, error) {
	switch {
	case n == nil:
		return nil, errMissing
	case n.isObject():
		return n.members[key], nil
	}
	i, err := n.index(key, len(n.items))
	if err != nil {
		return nil, err
	}
	return n.items[i], nil
}

// index returns the list index in key. The index must be less than limit. A negative index
// counts back from limit.
func (n *node) index(key string, limit int) (int, error) {
	i, err := strconv.Atoi(key)
	if err != nil {
		return 0, fmt.Errorf("%q is no index of a list", key)
	}
	if i < 0 {
		i += limit
	}
	if i < 0 || i >= limit {
		return 0, errIndex
	}
	return i, nil
}

func (n *node) set(key string, value *node) error {
	if n.kind == list {
		i, err := n.index(key, len(n.items))
		if err == nil {
			n.items[i] = value
		}
		return err
	}
	return n.add(key, value)
}

func (n *node) add(key string, value *node) error {
	switch {
	case n == nil || !n.isContainer():
		return errMissing
	case n.kind == broken:
		return errNoObject
	case n.kind == object:
		n.members[key] = value
		return nil
	case key == "-":
		n.items = append(n.items, value)
		return nil
	}
	i, err := n.index(key, len(n.items)+1)
	if err != nil {
		return err
	}
	n.items = append(n.items, nil)
	copy(n.items[i+1:], n.items[i:])
	n.items[i] = value
	return nil
}

func (n *node) remove(key string) error {
	switch {
	case n == nil:
		return errMissing
	case n.isObject():
		if _, ok := n.members[key]; !ok {
			return errNoKey
		}
		delete(n.members, key)
		return nil
	}
	i, err := n.index(key, len(n.items))
	if err != nil {
		return err
	}
	n.items = append(n.items[:i], n.items[i+1:]...)
	return nil
}
