package conversion

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/review/v1beta1"
)

const (
	reviewGroup = "apiextensions.k8s.io"
	reviewKind  = "ConversionReview"
)

var reviewVersions = []string{apiextensionsv1.SchemeGroupVersion.Version, v1beta1.Version}

// encodeRequest returns a review as the server sends it, byte for byte.
func encodeRequest(ctx context.Context, version string, uid types.UID, objs []*unstructured.Unstructured, to schema.GroupVersion) ([]byte, error) {
	e := newEncoder(ctx, objs)
	e.write(`{"kind":"` + reviewKind + `","apiVersion":"` + reviewGroup + `/` + version + `","request":{"uid":"`)
	e.text(string(uid))
	e.write(`","desiredAPIVersion":"`)
	e.text(to.String())
	e.write(`","objects":`)
	if err := e.objects(objs); err != nil {
		return nil, err
	}
	e.write(`},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}` + "\n")
	return e.buf, nil
}

// newAnswer returns an encoder of a review with converted objects, which encode writes,
// with commas between them. end writes the rest.
func newAnswer(ctx context.Context, version string, uid types.UID) *encoder {
	e := &encoder{ctx: ctx, answer: true}
	e.write(`{"kind":"` + reviewKind + `","apiVersion":"` + reviewGroup + `/` + version + `","response":{"uid":"`)
	e.text(string(uid))
	e.write(`","convertedObjects":[`)
	return e
}

// end returns the chunks of an answer.
func (e *encoder) end() [][]byte {
	e.write(`],"result":{"metadata":{},"status":"Success"}}}` + "\n")
	return append(e.chunks, e.buf)
}

// encodeFailure returns a review that reports why the conversion failed.
func encodeFailure(version string, uid types.UID, message string) [][]byte {
	e := &encoder{ctx: context.Background(), answer: true}
	e.write(`{"kind":"` + reviewKind + `","apiVersion":"` + reviewGroup + `/` + version + `","response":{"uid":"`)
	e.text(string(uid))
	e.write(`","convertedObjects":[],"result":{"metadata":{},"status":"Failure","message":"`)
	e.text(message)
	e.write(`"}}}` + "\n")
	return [][]byte{e.buf}
}

// An encoder writes the bytes that encoding/json writes. It avoids reflection
// for the few types that decoded objects consist of. An answer is written in chunks, and
// with the escapes only that JSON requires.
type encoder struct {
	ctx    context.Context
	answer bool
	chunks [][]byte // before buf
	size   int      // of the chunks
	buf    []byte
	seen   int      // where the encoder last looked at the context
	keys   []string // a stack of the keys of the maps that contain the current value
	depth  int
}

// newEncoder returns an encoder whose capacity is an estimate from the first
// object.
func newEncoder(ctx context.Context, objs []*unstructured.Unstructured) *encoder {
	const head = 512
	e := &encoder{ctx: ctx}
	if len(objs) > 4 && e.encode(objs[0].Object) == nil {
		e.buf = make([]byte, 0, head+len(objs)*(len(e.buf)+len(e.buf)/8))
		e.seen = 0
	}
	return e
}

func (e *encoder) write(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) objects(objs []*unstructured.Unstructured) error {
	e.write("[")
	for i, obj := range objs {
		if i > 0 {
			e.write(",")
		}
		if err := e.encode(obj.Object); err != nil {
			if ctxErr := e.ctx.Err(); ctxErr != nil {
				return ctxErr
			}
			return fmt.Errorf("encoding object %d: %w", i, err)
		}
	}
	e.write("]")
	return nil
}

func (e *encoder) encode(v any) error {
	if err := e.look(); err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
		e.write("null")
	case bool:
		e.buf = strconv.AppendBool(e.buf, v)
	case int64:
		e.buf = strconv.AppendInt(e.buf, v, 10)
	case string:
		return e.string(v)
	case map[string]any:
		return e.object(v)
	case []any:
		return e.array(v)
	default:
		return e.reflected(v)
	}
	return nil
}

// look returns the error of the context, at which it looks after each piece.
func (e *encoder) look() error {
	if len(e.buf)-e.seen < pieceBytes {
		return nil
	}
	e.seen = len(e.buf)
	if e.answer && len(e.buf) >= chunkBytes {
		e.chunks, e.size = append(e.chunks, e.buf), e.size+len(e.buf)
		e.buf, e.seen = make([]byte, 0, chunkBytes+pieceBytes), 0
	}
	return e.ctx.Err()
}

// enter counts a level of nesting. The caller decrements depth when it leaves
// the level.
func (e *encoder) enter() error {
	if e.depth++; e.depth > maxDepth {
		return fmt.Errorf("values are nested more than %d levels deep", maxDepth)
	}
	return nil
}

func (e *encoder) object(m map[string]any) error {
	if m == nil {
		e.write("null")
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	start := len(e.keys)
	for key := range m {
		e.keys = append(e.keys, key)
	}
	end := len(e.keys)
	slices.Sort(e.keys[start:end])
	e.write("{")
	for i := start; i < end; i++ {
		if i > start {
			e.write(",")
		}
		key := e.keys[i]
		if err := e.string(key); err != nil {
			return err
		}
		e.write(":")
		if err := e.encode(m[key]); err != nil {
			return err
		}
	}
	e.write("}")
	e.keys = e.keys[:start]
	e.depth--
	return nil
}

func (e *encoder) array(a []any) error {
	if a == nil {
		e.write("null")
		return nil
	}
	if err := e.enter(); err != nil {
		return err
	}
	e.write("[")
	for i, v := range a {
		if i > 0 {
			e.write(",")
		}
		if err := e.encode(v); err != nil {
			return err
		}
	}
	e.write("]")
	e.depth--
	return nil
}

// string writes a string in pieces. An escape has up to six bytes for one.
func (e *encoder) string(s string) error {
	const piece = pieceBytes / 6
	e.write(`"`)
	for len(s) > piece {
		end := piece
		for end > piece-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		e.text(s[:end])
		s = s[end:]
		if err := e.look(); err != nil {
			return err
		}
	}
	e.text(s)
	e.write(`"`)
	return nil
}

// text writes a part of a string.
func (e *encoder) text(s string) {
	if buf, ok := jsonscan.AppendText(e.buf, s, !e.answer); ok {
		e.buf = buf
		return
	}
	quoted, _ := json.Marshal(s) // never fails
	e.buf = append(e.buf, quoted[1:len(quoted)-1]...)
}

// reflected writes values of other types with encoding/json.
func (e *encoder) reflected(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	e.buf = append(e.buf, data...)
	return nil
}
