package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// A HandlerOption changes how [Handler] responds. A nil HandlerOption changes nothing.
type HandlerOption interface{ applyHandler(*handler) }

type handlerOption func(*handler)

func (f handlerOption) applyHandler(h *handler) { f(h) }

func positive[T int | int64 | time.Duration](n, standard T) T {
	if n > 0 {
		return n
	}
	return standard
}

// MaxRequestBytes limits the size of a request. The handler responds with 413 to larger ones. If n
// is not positive, the limit is [DefaultMaxRequestBytes].
func MaxRequestBytes(n int64) HandlerOption {
	return handlerOption(func(h *handler) { h.maxRequest = n })
}

// MaxRequestMemory limits the memory in bytes that a request may take. The handler keeps the
// request and the response, and decodes one object at a time. It estimates the memory of an object
// from its text. The result of convert counts, other memory of convert does not. If a request would
// take more, the handler responds with 413. If converted objects take more, it reports a failure.
// If n is not positive, the limit is 256 MiB, or 8 times the size of the request if that is more.
func MaxRequestMemory(n int64) HandlerOption {
	return handlerOption(func(h *handler) { h.maxMemory = n })
}

// MaxConcurrentMemory limits the memory in bytes that all requests together may take; see
// [MaxRequestMemory]. If too little is left for a request, the handler responds with 429, or with
// 413 if the request alone would take more. If n is not positive, the limit is
// [DefaultMaxConcurrentMemory], or 8 times the limit of [MaxRequestBytes] if that is more.
func MaxConcurrentMemory(n int64) HandlerOption {
	return handlerOption(func(h *handler) { h.memory.all = n })
}

// MaxObjects limits the number of objects of a review. The handler responds with 413 to a review
// with more. If n is not positive, the limit is [DefaultMaxObjects].
func MaxObjects(n int) HandlerOption {
	return handlerOption(func(h *handler) { h.maxObjects = n })
}

// MaxConcurrent limits the number of requests at the same time. The handler responds to further
// requests with 429 and a Retry-After of a second, and the server repeats them. If n is not
// positive, the limit is [DefaultMaxConcurrent].
func MaxConcurrent(n int) HandlerOption {
	return handlerOption(func(h *handler) { h.maxConcurrent = n })
}

// HandlerTimeout limits the duration of a request, from its header to the last byte of the
// response. It also limits how long the handler waits for a slow client, and is the deadline of the
// ConvertFunc's context. It cannot stop a ConvertFunc that ignores its context. If d is not
// positive, the limit is [DefaultHandlerTimeout].
func HandlerTimeout(d time.Duration) HandlerOption {
	return handlerOption(func(h *handler) { h.timeout = d })
}

// OnFailure makes the handler call f for each object that it could not convert, with the object of
// the request and the error. The error is the ConvertFunc's, or a [*PanicError]. f must be safe for
// concurrent use and must not change the object.
func OnFailure(f func(ctx context.Context, obj *unstructured.Unstructured, err error)) HandlerOption {
	return handlerOption(func(h *handler) { h.onFailure = f })
}

// A PanicError reports a panic of a ConvertFunc, or of a method of the object or error that it
// returned.
type PanicError struct {
	Value any    // the argument of panic
	Stack []byte // the stack of the goroutine
}

// Error returns a text with the value. It leaves out the stack, which clients must not see.
func (e *PanicError) Error() string { return fmt.Sprintf("the conversion panicked: %v", e.Value) }

// Handler returns a conversion webhook that converts objects with convert. It reads both versions
// of ConversionReview, v1 and v1beta1, and responds in the version of the request.
//
// It converts all objects, even if one fails. It returns objects at the desired version unchanged.
// A conversion fails if convert returns an error, or an object that the server refuses by the rules
// of [New]. The response then reports a failure, and names each object with its error. A panic of
// convert or a call of [runtime.Goexit] is a failure of its object.
//
// To a request that is not a review, the handler responds with an HTTP status:
//
//	405  it is not a POST
//	415  it is not JSON or is compressed
//	413  it is too large, has too many objects or would take too much memory
//	408  it takes too long to arrive
//	429  there are too many requests at the same time, or they take too much memory
//	400  all other faults
//
// It checks the size and the number of objects before it decodes any. The options set the limits.
//
// The handler works at any path and is safe for concurrent use. It calls convert in goroutines of
// its own, for one object of a request at a time.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#write-a-conversion-webhook-server.
func Handler(convert ConvertFunc, opts ...HandlerOption) http.Handler {
	h := &handler{convert: convert}
	for _, opt := range opts {
		if opt != nil {
			opt.applyHandler(h)
		}
	}
	h.maxRequest = positive(h.maxRequest, DefaultMaxRequestBytes)
	h.maxObjects = positive(h.maxObjects, DefaultMaxObjects)
	h.timeout = positive(h.timeout, DefaultHandlerTimeout)
	h.memory.all = positive(h.memory.all, max(DefaultMaxConcurrentMemory, requestFactor*h.maxRequest))
	h.memory.free = h.memory.all
	h.running = make(chan struct{}, positive(h.maxConcurrent, DefaultMaxConcurrent))
	return h
}

type handler struct {
	convert       ConvertFunc
	maxRequest    int64
	maxMemory     int64 // if positive; otherwise the limit depends on the request
	memory        budget
	maxObjects    int
	maxConcurrent int
	timeout       time.Duration
	running       chan struct{} // has an element for each request in progress
	onFailure     func(context.Context, *unstructured.Unstructured, error)
}

// A request is a review as a webhook receives it, without its objects.
type request struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    *struct {
		UID               types.UID `json:"uid"`
		DesiredAPIVersion string    `json:"desiredAPIVersion"`
		Objects           []any     `json:"objects"` // always empty
	} `json:"request"`
	version   string // the version of the review
	size      int
	objects   []string // the texts of the objects
	memory    int64    // the memory for a response as long as the request
	maxMemory int64
	share     *share
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case h.running <- struct{}{}:
		defer func() { <-h.running }()
	default:
		fail(w, http.StatusTooManyRequests, errBusy)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.timeout)
	defer cancel()
	// A ResponseWriter may not support deadlines. Then only the context limits the time.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.timeout))
	held := &share{of: &h.memory}
	defer held.release()
	review, status, err := h.read(w, r, held)
	if err != nil {
		fail(w, status, err)
		return
	}
	body, err := h.answer(ctx, review)
	if err != nil {
		fail(w, http.StatusTooManyRequests, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(h.timeout))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // an error means that the client is gone
}

func fail(w http.ResponseWriter, status int, err error) {
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, err.Error(), status)
}

func (h *handler) read(w http.ResponseWriter, r *http.Request, held *share) (*request, int, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, http.StatusMethodNotAllowed, fmt.Errorf("method %s is not allowed, want POST", r.Method)
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, http.StatusUnsupportedMediaType, fmt.Errorf("content type %q is not supported, want application/json", r.Header.Get("Content-Type"))
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, http.StatusUnsupportedMediaType, fmt.Errorf("content encoding %q is not supported", encoding)
	}
	var body strings.Builder
	_, err := io.Copy(&body, &meter{Reader: http.MaxBytesReader(w, r.Body, h.maxRequest), share: held})
	var tooLarge *http.MaxBytesError
	switch {
	case err == errBusy:
		return nil, http.StatusTooManyRequests, err
	case err == errMemory:
		return nil, http.StatusRequestEntityTooLarge, err
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the request is larger than %d bytes", h.maxRequest)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, http.StatusRequestTimeout, fmt.Errorf("the request did not arrive within %v", h.timeout)
	case err != nil:
		return nil, http.StatusBadRequest, fmt.Errorf("reading the request: %w", err)
	}
	return h.decode(body.String(), held)
}

// decode reads the review of a request without its objects, and checks their number and size.
func (h *handler) decode(body string, held *share) (*request, int, error) {
	r := &request{size: len(body), share: held}
	r.maxMemory = min(h.memory.all, positive(h.maxMemory, max(minRequestMemory, requestFactor*int64(len(body)))))
	taken, err := readReview(body, "request", h.maxObjects)
	if err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("decoding the request: %w", irregular(body))
	}
	// Objects are decoded one at a time. Most answers are as long as the request, so the text
	// counts twice.
	r.objects, r.memory = taken.objects, 2*textCost*int64(len(body))+taken.largest
	switch {
	case r.memory > r.maxMemory:
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the request would take more than %d bytes of memory", r.maxMemory)
	case taken.count > h.maxObjects:
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the review has %d objects, more than %d", taken.count, h.maxObjects)
	case len(taken.rest) > maxWhole:
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the review without its objects is larger than %d bytes", maxWhole)
	case held.hold(r.memory) != nil:
		return nil, http.StatusTooManyRequests, errBusy
	}
	if err := utiljson.Unmarshal(taken.rest, r); err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("decoding the request: %w", err)
	}
	return r, http.StatusBadRequest, r.check()
}

// irregular returns the error of a text that is not a review in JSON, or that repeats a member.
func irregular(body string) error {
	var v json.RawMessage
	if len(body) <= maxWhole {
		if err := utiljson.Unmarshal([]byte(body), &v); err != nil {
			return err
		}
	}
	return errIrregular
}

func (r *request) check() error {
	for _, version := range reviewVersions {
		if r.APIVersion == reviewGroup+"/"+version {
			r.version = version
		}
	}
	switch {
	case r.version == "" || r.Kind != reviewKind:
		return fmt.Errorf("the request is a %q of %q, want a ConversionReview of apiextensions.k8s.io/v1 or /v1beta1", r.Kind, r.APIVersion)
	case r.Request == nil:
		return errors.New("the review has no request")
	}
	return nil
}

// answer converts the objects one after another and returns the body of the response. It returns
// errBusy if there is not enough memory for the response.
func (h *handler) answer(ctx context.Context, review *request) ([]byte, error) {
	uid := review.Request.UID
	failure := func(format string, args ...any) ([]byte, error) {
		return encodeFailure(review.version, uid, fmt.Sprintf(format, args...)), nil
	}
	to, err := schema.ParseGroupVersion(review.Request.DesiredAPIVersion)
	if err != nil || to.Version == "" {
		return failure("desiredAPIVersion %q is not one", review.Request.DesiredAPIVersion)
	}
	var failed failures
	body := slices.Grow(beginResponse(review.version, uid), review.size+1<<10) // the text around the objects may be longer than in the request
	for i, text := range review.objects {
		if ctx.Err() != nil {
			return failure("the conversion ended after %d of %d objects: %v", i, len(review.objects), ctx.Err())
		}
		obj, err := h.object(ctx, text, to)
		if err == nil && failed.count == 0 {
			if i > 0 {
				body = append(body, ',')
			}
			body, err = appendJSON(body, obj.Object, false)
		}
		if err != nil {
			failed.add(i, obj, err)
			body = nil
		}
		memory := review.memory + textCost*int64(len(body)-review.size)
		if memory > review.maxMemory {
			return failure("the converted objects would take more than %d bytes of memory", review.maxMemory)
		}
		if review.share.hold(memory) != nil {
			return nil, errBusy
		}
	}
	if failed.count > 0 {
		return failure("%s", &failed)
	}
	return endResponse(body), nil
}

// object decodes and converts an object. If it fails, it also returns the decoded object. Without
// OnFailure, that object only has a type and metadata.
func (h *handler) object(ctx context.Context, text string, to schema.GroupVersion) (*unstructured.Unstructured, error) {
	value, err := decodeObject(text)
	m, ok := value.(map[string]any)
	original := &unstructured.Unstructured{Object: m}
	switch {
	case err != nil:
		return original, err
	case !ok:
		return original, errors.New("it is not an object")
	case h.onFailure == nil:
		original.Object = maps.Clone(m)
		maps.DeleteFunc(original.Object, func(name string, _ any) bool {
			return name != "apiVersion" && name != "kind" && name != "metadata"
		})
	}
	obj := &unstructured.Unstructured{Object: m}
	if original, err = clone(original); err != nil {
		return obj, err
	}
	var out *unstructured.Unstructured
	err = errGoexit
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = convertDecoded(ctx, h.convert, obj, to)
	}()
	<-done
	if err == nil && groupVersion(original) != to {
		if _, err = (&batch{to: to}).accept(original, out); err != nil {
			err = fmt.Errorf("the server refuses what the conversion returned: %w", err)
		}
	}
	if err != nil && h.onFailure != nil {
		h.onFailure(ctx, original, err)
	}
	if err != nil {
		return original, err
	}
	return out, nil
}

// convertDecoded is like convertOne, but returns the Go types of decoded JSON, and an error for a
// panic.
func convertDecoded(ctx context.Context, convert ConvertFunc, obj *unstructured.Unstructured, to schema.GroupVersion) (out *unstructured.Unstructured, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	if out, err = convertOne(ctx, convert, obj, to); err == nil {
		out, err = asDecoded(out)
	}
	if err != nil {
		_ = err.Error()
	}
	return out, err
}

// convertOne converts an object, which it may change. It sets apiVersion, and adds empty metadata
// if there is none, because the server refuses an object without metadata.
func convertOne(ctx context.Context, convert ConvertFunc, obj *unstructured.Unstructured, to schema.GroupVersion) (*unstructured.Unstructured, error) {
	from := groupVersion(obj)
	switch {
	case obj.GetKind() == "" || from.Version == "":
		return nil, errors.New("it has no kind or no apiVersion")
	case from.Group != to.Group:
		return nil, fmt.Errorf("its group is %q, and that of the version asked for is %q", from.Group, to.Group)
	case from == to:
		return withMetadata(obj), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	out, err := convert(ctx, obj, to.Version)
	if err != nil {
		return nil, err
	}
	if out == nil || out.Object == nil {
		return nil, errors.New("the conversion returned no object")
	}
	switch got := out.GetAPIVersion(); got {
	case to.String():
	case "", from.String():
		out.Object["apiVersion"] = to.String()
	default:
		return nil, fmt.Errorf("the conversion returned apiVersion %q for %q", got, to)
	}
	return withMetadata(out), nil
}

func withMetadata(obj *unstructured.Unstructured) *unstructured.Unstructured {
	if obj.Object["metadata"] == nil {
		obj.Object["metadata"] = map[string]any{}
	}
	return obj
}

var errGoexit = errors.New("the conversion ended its goroutine")

// failures joins the errors of a request, with limits on their number and size.
type failures struct {
	count int
	text  strings.Builder
}

func (f *failures) add(i int, obj *unstructured.Unstructured, err error) {
	if f.count++; f.count > maxFailures {
		return
	}
	if f.count > 1 {
		f.text.WriteString("; ")
	}
	name := cut(obj.GetName(), maxErrorName)
	if namespace := obj.GetNamespace(); namespace != "" {
		name = cut(namespace, maxErrorName) + "/" + name
	}
	reason := err.Error()
	if len(reason) > maxFailureLength {
		reason = strings.ToValidUTF8(reason[:maxFailureLength], "") + "..."
	}
	fmt.Fprintf(&f.text, "objects[%d] %s %s: %s", i, cut(obj.GetKind(), maxErrorName), name, reason)
}

func (f *failures) String() string {
	if more := f.count - maxFailures; more > 0 {
		return fmt.Sprintf("%s; and %d more", &f.text, more)
	}
	return f.text.String()
}
