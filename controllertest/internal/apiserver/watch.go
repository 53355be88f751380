package apiserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// A watcher sends the changes of a resource to one client.
type watcher struct {
	server   *Server
	request  *request
	selector *selector
	out      *json.Encoder
	revision uint64 // the revision of the latest event that was sent or skipped
	timeout  <-chan time.Time
}

// watch serves a watch. The response ends when the request's context or timeout ends, or when the
// server closes.
func (s *Server) watch(r *request) (*http.Response, error) {
	selector, err := r.selector()
	if err != nil {
		return respond(r.http, r, failure(err)), nil
	}
	r.warn(versionWarning(r)...)
	reader, writer := io.Pipe()
	w := &watcher{server: s, request: r, selector: selector, out: json.NewEncoder(writer)}
	first, err := w.start()
	if err != nil {
		return respond(r.http, r, failure(err)), nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		writer.CloseWithError(w.run(first))
	}()
	go func() { // if a client does not read, the watcher must still end
		select {
		case <-done:
		case <-s.closed:
			writer.CloseWithError(io.EOF)
		case <-r.context().Done():
			writer.CloseWithError(r.context().Err())
		}
	}()
	resp := newResponse(r.http, http.StatusOK, reader)
	r.sendWarnings(resp)
	return resp, nil
}

// start finds the revision at which the watch begins. It returns the first events.
func (w *watcher) start() ([]map[string]any, error) {
	s, r := w.server, w.request
	s.mu.Lock()
	defer s.mu.Unlock()
	if seconds, err := strconv.Atoi(r.query.Get("timeoutSeconds")); err == nil && seconds > 0 {
		w.timeout = time.After(time.Duration(seconds) * time.Second)
	}
	from := r.query.Get("resourceVersion")
	initial := isTrue(r.query.Get("sendInitialEvents"))
	if from == "" || from == "0" || initial {
		w.revision = s.revision
		return w.initialEvents(initial && isTrue(r.query.Get("allowWatchBookmarks")))
	}
	revision, err := strconv.ParseUint(from, 10, 64)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version %q: %v", from, err))
	}
	if revision < r.resource.forgotten {
		return nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", revision, r.resource.forgotten))
	}
	w.revision = revision
	return nil, nil
}

// initialEvents returns events that add the existing objects. bookmark says whether a bookmark
// follows them.
func (w *watcher) initialEvents(bookmark bool) ([]map[string]any, error) {
	selected, err := w.request.selected()
	if err != nil {
		return nil, err
	}
	var events []map[string]any
	for _, stored := range selected {
		obj, err := w.request.read(stored)
		if err != nil {
			return nil, err
		}
		events = append(events, w.event(watch.Added, obj))
	}
	if bookmark {
		gvk := w.request.version.GroupVersionKind()
		mark := &unstructured.Unstructured{Object: map[string]any{}}
		mark.SetGroupVersionKind(gvk)
		mark.SetResourceVersion(strconv.FormatUint(w.revision, 10))
		mark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
		events = append(events, w.event(watch.Bookmark, mark))
	}
	return events, nil
}

func (w *watcher) event(kind watch.EventType, obj *unstructured.Unstructured) map[string]any {
	return map[string]any{"type": kind, "object": w.request.present(obj)}
}

// run sends events until the watch ends.
func (w *watcher) run(first []map[string]any) error {
	for _, event := range first {
		if err := w.out.Encode(event); err != nil {
			return err
		}
	}
	for {
		events, changed := w.pending()
		for _, e := range events {
			if err := w.send(e); err != nil {
				return err
			}
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-w.request.context().Done():
			return w.request.context().Err()
		case <-w.server.closed:
			return io.EOF
		case <-w.timeout:
			return io.EOF
		}
	}
}

// pending returns the events that the watcher has not seen, and a channel that closes at the next
// change.
func (w *watcher) pending() ([]event, <-chan struct{}) {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	var events []event
	for _, e := range w.request.resource.events {
		if e.revision > w.revision {
			events = append(events, e)
		}
	}
	return events, w.server.changed
}

// send sends an event if it is about a selected object. If a change makes the object selected, the
// event says that it was added. If a change makes it unselected, the event says that it was
// deleted.
func (w *watcher) send(e event) error {
	w.revision = e.revision
	before, err := w.selector.matches(e.before)
	if err != nil {
		return err
	}
	after, err := w.selector.matches(e.after)
	if err != nil {
		return err
	}
	kind, stored := watch.Modified, e.after
	switch {
	case !before && !after:
		return nil
	case !before:
		kind = watch.Added
	case !after:
		kind, stored = watch.Deleted, e.before.DeepCopy()
		stored.SetResourceVersion(strconv.FormatUint(e.revision, 10))
	}
	obj, _, err := w.request.version.Read(w.request.context(), stored)
	if err != nil {
		return err
	}
	return w.out.Encode(w.event(kind, obj))
}
