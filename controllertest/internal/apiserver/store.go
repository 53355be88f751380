package apiserver

import (
	"context"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
)

// An event is one change of an object. Both objects are at the storage version. before is nil if
// the object was created, and after is nil if it was deleted.
type event struct {
	revision      uint64
	before, after *unstructured.Unstructured
}

// maxEvents is how many events a resource keeps for watches that begin in the past.
const maxEvents = 1000

func (s *Server) lookup(r *request) (*unstructured.Unstructured, error) {
	obj, ok := r.resource.objects[r.key()]
	if !ok {
		return nil, apierrors.NewNotFound(r.resource.groupResource(), r.name)
	}
	return obj, nil
}

// write stores an object at the version of the request, and returns the object as a client reads
// it. before is the stored object that is replaced, or nil. If nothing changes, the store keeps
// before.
func (s *Server) write(r *request, obj, before *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	after, err := r.version.Store(r.context(), obj)
	if err != nil {
		return nil, err
	}
	if before != nil && unchanged(after, before) {
		return r.read(before)
	}
	if r.dryRun() {
		return r.read(after)
	}
	s.record(r.resource, before, after)
	return r.read(after)
}

// record gives an object the next resource version and stores it. If after is nil, it removes the
// object.
func (s *Server) record(res *resource, before, after *unstructured.Unstructured) {
	s.revision++
	last := after
	if last == nil {
		last = before
	}
	key := types.NamespacedName{Namespace: last.GetNamespace(), Name: last.GetName()}
	if after == nil {
		delete(res.objects, key)
		before = before.DeepCopy() // watchers see the revision of the deletion
		before.SetResourceVersion(strconv.FormatUint(s.revision, 10))
	} else {
		after.SetResourceVersion(strconv.FormatUint(s.revision, 10))
		res.objects[key] = after
	}
	res.events = append(res.events, event{s.revision, before, after})
	if len(res.events) > maxEvents {
		res.forgotten = res.events[0].revision
		res.events = slices.Delete(res.events, 0, 1)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// unchanged reports whether two stored objects differ at most in their resource versions.
func unchanged(a, b *unstructured.Unstructured) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	a.SetResourceVersion("")
	b.SetResourceVersion("")
	return reflect.DeepEqual(a.Object, b.Object)
}

// read returns a stored object at the version of the request.
func (r *request) read(stored *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	obj, result, err := r.version.Read(r.context(), stored)
	if err != nil {
		return nil, err
	}
	r.warn(result.Warnings...)
	return obj, nil
}

// sorted returns the stored objects of a request, sorted by namespace and name.
func (r *request) sorted() []*unstructured.Unstructured {
	var objs []*unstructured.Unstructured
	for key, obj := range r.resource.objects {
		if r.namespace == "" || key.Namespace == r.namespace {
			objs = append(objs, obj)
		}
	}
	slices.SortFunc(objs, func(a, b *unstructured.Unstructured) int {
		return strings.Compare(a.GetNamespace()+"/"+a.GetName(), b.GetNamespace()+"/"+b.GetName())
	})
	return objs
}

// Put stores an object of a test, after the definition has admitted it. If obj has metadata that
// only a server sets, Put keeps them.
func (s *Server) Put(ctx context.Context, obj *unstructured.Unstructured) error {
	v, err := s.catalog.VersionFor(obj)
	if err != nil {
		return err
	}
	admitted, err := admit(ctx, v, obj)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	res := s.resources[resourceOf(v, s)]
	if _, exists := res.objects[types.NamespacedName{Namespace: admitted.GetNamespace(), Name: admitted.GetName()}]; exists {
		return apierrors.NewAlreadyExists(res.groupResource(), admitted.GetName())
	}
	s.identify(admitted)
	stored, err := v.Store(ctx, admitted)
	if err != nil {
		return err
	}
	given := obj.GetResourceVersion()
	s.record(res, nil, stored)
	if n, err := strconv.ParseUint(given, 10, 64); err == nil && n > 0 {
		s.revision = max(s.revision, n)
		stored.SetResourceVersion(given)
	}
	return nil
}

// admit creates obj and writes its status. It returns the object that a server would then have.
func admit(ctx context.Context, v *crdkit.Version, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	first := obj.DeepCopy()
	first.SetResourceVersion("")
	result, err := v.Create(ctx, first)
	if err != nil {
		return nil, err
	}
	if err := result.Err(); err != nil {
		return nil, err
	}
	if status, ok := obj.Object["status"]; ok && v.HasStatus() {
		old := first.DeepCopy()
		first.Object["status"] = status
		result, err := v.UpdateStatus(ctx, first, old)
		if err != nil {
			return nil, err
		}
		if err := result.Err(); err != nil {
			return nil, err
		}
	}
	restoreIdentity(first, obj)
	return first, nil
}

// restoreIdentity copies metadata that a client cannot set. from is an object that a test adds.
func restoreIdentity(to, from *unstructured.Unstructured) {
	if uid := from.GetUID(); uid != "" {
		to.SetUID(uid)
	}
	if created := from.GetCreationTimestamp(); !created.IsZero() {
		to.SetCreationTimestamp(created)
	}
	if at := from.GetDeletionTimestamp(); at != nil {
		to.SetDeletionTimestamp(at)
		to.SetDeletionGracePeriodSeconds(new(int64))
	}
	if n := from.GetGeneration(); n > 0 {
		to.SetGeneration(n)
	}
}
