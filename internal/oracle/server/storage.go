package server

import (
	"bytes"
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// memory holds encoded objects.
type memory struct {
	mu       sync.Mutex
	objects  map[string]entry
	revision uint64
}

type entry struct {
	data     []byte
	revision uint64
}

// put stores data with a new revision.
func (m *memory) put(key string, data []byte) entry {
	m.revision++
	e := entry{bytes.Clone(data), m.revision}
	m.objects[key] = e
	return e
}

// decorator returns a store for a version, whose codec converts.
func (m *memory) decorator(config *storagebackend.ConfigForResource, _ string, _ func(runtime.Object) (string, error), _ func() runtime.Object, _ func() runtime.Object,
	_ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
	return &store{memory: m, codec: config.Codec}, func() {}, nil
}

var _ generic.StorageDecorator = (&memory{}).decorator

// A store reads and writes as the store of the server does. Other methods of
// storage.Interface are not called.
type store struct {
	storage.Interface
	memory *memory
	codec  runtime.Codec
}

func (s *store) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

func (s *store) decode(e entry, out runtime.Object) error {
	if _, _, err := s.codec.Decode(e.data, nil, out); err != nil {
		return err
	}
	return s.Versioner().UpdateObject(out, e.revision)
}

func (s *store) encode(obj runtime.Object) ([]byte, error) {
	if err := s.Versioner().PrepareObjectForStorage(obj); err != nil {
		return nil, err
	}
	return runtime.Encode(s.codec, obj)
}

func (s *store) Get(_ context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	e, ok := s.memory.objects[key]
	if !ok {
		if opts.IgnoreNotFound {
			return runtime.SetZeroValue(out)
		}
		return storage.NewKeyNotFoundError(key, 0)
	}
	return s.decode(e, out)
}

func (s *store) Create(_ context.Context, key string, obj, out runtime.Object, _ uint64) error {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	if _, ok := s.memory.objects[key]; ok {
		return storage.NewKeyExistsError(key, 0)
	}
	data, err := s.encode(obj)
	if err != nil {
		return err
	}
	return s.decode(s.memory.put(key, data), out)
}

func (s *store) Delete(ctx context.Context, key string, out runtime.Object, conditions *storage.Preconditions, validate storage.ValidateObjectFunc, _ runtime.Object, _ storage.DeleteOptions) error {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	e, ok := s.memory.objects[key]
	if !ok {
		return storage.NewKeyNotFoundError(key, 0)
	}
	if err := s.decode(e, out); err != nil {
		return err
	}
	if err := conditions.Check(key, out); err != nil {
		return err
	}
	if err := validate(ctx, out); err != nil {
		return err
	}
	delete(s.memory.objects, key)
	return nil
}

func (s *store) GuaranteedUpdate(_ context.Context, key string, out runtime.Object, ignoreNotFound bool, conditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	e, found := s.memory.objects[key]
	existing := out.DeepCopyObject()
	switch {
	case found:
		if err := s.decode(e, existing); err != nil {
			return err
		}
	case !ignoreNotFound:
		return storage.NewKeyNotFoundError(key, 0)
	default:
		if err := runtime.SetZeroValue(existing); err != nil {
			return err
		}
	}
	if err := conditions.Check(key, existing); err != nil {
		return err
	}
	changed, _, err := update(existing, storage.ResponseMeta{ResourceVersion: e.revision})
	if err != nil {
		return err
	}
	data, err := s.encode(changed)
	if err != nil {
		return err
	}
	if !found || !bytes.Equal(data, e.data) {
		e = s.memory.put(key, data)
	}
	return s.decode(e, out)
}
