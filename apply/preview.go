package apply

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
)

// A Step is the apply of one configuration of a preview.
type Step struct {
	Config *unstructured.Unstructured
	// Live is the object before the step, nil if there is none.
	Live *unstructured.Unstructured
	// Result is the verdict of the server.
	Result *Result
	// Changes are the fields whose values or owners change, by path. There are none without
	// an object or with a refusal, and none below a field that only one object has.
	Changes []Change
	// Dropped are the fields that the manager no longer applies, see [Explanation].
	Dropped []Drop
}

// Action returns created, changed, unchanged, conflict or refused.
func (s Step) Action() string {
	switch {
	case len(s.Result.Conflicts) > 0:
		return "conflict"
	case s.Result.Err() != nil:
		return "refused"
	case s.Result.Created:
		return "created"
	case s.Result.Unchanged:
		return "unchanged"
	}
	return "changed"
}

// Preview applies configurations one after the other, in the given order, to the live
// objects of the same namespace and name, as [Applier.Apply] does. A later configuration
// of an object sees what an earlier one has made of it. Nothing is changed: the results
// are what the server would store. A configuration of another version is refused.
func (a *Applier) Preview(ctx context.Context, live, configs []*unstructured.Unstructured, manager string, force bool, opts ...crdkit.RequestOption) ([]Step, error) {
	type key struct{ namespace, name string }
	objects := map[key]*unstructured.Unstructured{}
	keyOf := func(u *unstructured.Unstructured) key {
		k := key{u.GetNamespace(), u.GetName()}
		if k.namespace == "" && a.version.Definition().Namespaced() {
			k.namespace = "default"
		}
		return k
	}
	for _, u := range live {
		if u == nil || u.Object == nil {
			return nil, errors.New("apply: a live object is nil")
		}
		objects[keyOf(u)] = u
	}
	var out []Step
	for _, config := range configs {
		if config == nil || config.Object == nil {
			return nil, errors.New("apply: a configuration is nil")
		}
		k := keyOf(config)
		s := Step{Config: config, Live: objects[k]}
		var err error
		if s.Result, err = a.Apply(ctx, s.Live, config, manager, force, opts...); err != nil {
			return nil, err
		}
		if s.Result.Object != nil {
			if s.Live != nil {
				if s.Changes, err = a.changes(s.Live, s.Result.Object); err != nil {
					return nil, err
				}
				if s.Dropped, err = drops(s.Live, s.Result.Object, manager); err != nil {
					return nil, err
				}
			}
			objects[k] = s.Result.Object
		}
		out = append(out, s)
	}
	return out, nil
}
