package oracle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
)

// embeddedMetadata are members of metadata of which the server removes some.
var embeddedMetadata = []string{
	`"name":"a"`, `"labels":{"a":"b"}`, `"unknown":1`, `"Name":"b"`, `"annotations":null`, `"namespace":null`, `"finalizers":[]`,
	`"creationTimestamp":null`, `"ownerReferences":[]`, `"generation":0`, `"labels":{}`, `"managedFields":[]`,
	`"creationTimestamp":"2020-01-01T00:00:00Z"`, `"deletionGracePeriodSeconds":null`, `"selfLink":""`, `"uid":null`,
}

// withEmbeddedDefault returns a copy of crd with a default that has the metadata of
// a resource: at the root, at a property, at items, or at an object around them. If
// all is true, all versions get it. It returns nil if no version has a schema.
func withEmbeddedDefault(rng *rand.Rand, crd *apiextensionsv1.CustomResourceDefinition, all bool) *apiextensionsv1.CustomResourceDefinition {
	members := []string{embeddedMetadata[0]}
	for range 1 + rng.IntN(4) {
		members = append(members, embeddedMetadata[rng.IntN(len(embeddedMetadata))])
	}
	resource := `{"apiVersion":"v1","kind":"A","metadata":{` + strings.Join(members, ",") + `},"x":null}`
	preserve := true
	embedded := apiextensionsv1.JSONSchemaProps{Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: &preserve}
	list := apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &embedded}}
	field, at := apiextensionsv1.JSONSchemaProps{}, rng.IntN(6)
	def := func(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }
	switch at {
	case 0, 1:
		field = embedded
		field.Default = def(resource)
	case 2:
		embedded.Default = def(resource)
		field = list
	case 3:
		field = list
		field.Default = def("[" + resource + "," + resource + "]")
	case 4:
		field = apiextensionsv1.JSONSchemaProps{
			Type: "object", Default: def(`{"a":{"b":` + resource + `}}`),
			AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"b": embedded},
			}},
		}
	}
	crd = crd.DeepCopy()
	found := false
	for i := range crd.Spec.Versions {
		s := crd.Spec.Versions[i].Schema
		if s == nil || s.OpenAPIV3Schema == nil || found && !all {
			continue
		}
		found = true
		if at == 5 {
			s.OpenAPIV3Schema.Default = def(resource)
			continue
		}
		if s.OpenAPIV3Schema.Properties == nil {
			s.OpenAPIV3Schema.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		}
		s.OpenAPIV3Schema.Properties["embeddedDefault"] = field
	}
	if !found {
		return nil
	}
	return crd
}

// TestStoredDefinition compares stored definitions with the results of upstream's
// strategies, its validation, which changes defaults, and its conversions. The inputs are
// definitions, mutants, and mutants with defaults of embedded resources.
func TestStoredDefinition(t *testing.T) {
	server := newDefinitionServer()
	onStatus := customresourcedefinition.NewStatusStrategy(server.Scheme)
	tally := &definitionTally{fields: map[string]int{}}
	ctx := context.Background()
	var coerced atomic.Int64 // accepted definitions that validation changes
	// compare validates want. A definition that is refused is not stored, so any
	// part of its defaults may have changed.
	compare := func(what string, want *apiextensions.CustomResourceDefinition, got *apiextensionsv1.CustomResourceDefinition, err error, validate func() field.ErrorList) {
		tally.mu.Lock()
		tally.compared++
		tally.mu.Unlock()
		if err != nil {
			tally.differ(what, err.Error())
			return
		}
		stored := func() string {
			out, err := server.v1(want)
			if err != nil {
				return err.Error()
			}
			out.TypeMeta = got.TypeMeta
			return inJSON(out)
		}
		before := stored()
		var errs field.ErrorList
		a := catching(func() reply { errs = validate(); return reply{} })
		after, ours := stored(), inJSON(got)
		if len(errs) == 0 && a.panicked == "" && before != after {
			coerced.Add(1)
		}
		if ours != after && (ours != before || len(errs) == 0 && a.panicked == "") {
			tally.differ(what, fmt.Sprintf("-upstream %s\n+ours     %s", after, ours))
		}
	}
	create := func(what string, crd *apiextensionsv1.CustomResourceDefinition) {
		obj, err := server.internal(crd)
		if err != nil {
			t.Error(err)
			return
		}
		rest.WipeObjectMetaSystemFields(obj)
		obj.DeletionTimestamp, obj.DeletionGracePeriodSeconds, obj.SelfLink = nil, nil, ""
		upstream.UniqueOwners(obj)
		server.Strategy.PrepareForCreate(ctx, obj)
		got, err := definition.StoredDefinition(crd, nil)
		compare(what, obj, got, err, func() field.ErrorList { return rest.ValidateCreate(ctx, obj, server.Strategy) })
	}
	update := func(what string, crd, old *apiextensionsv1.CustomResourceDefinition) {
		for _, kind := range []struct {
			name     string
			strategy rest.RESTUpdateStrategy
			ours     func(crd, old *apiextensionsv1.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error)
		}{
			{"update", server.Strategy, definition.StoredDefinition},
			{"status", onStatus, definition.StoredStatus},
		} {
			obj, err := server.internal(crd)
			if err != nil {
				t.Error(err)
				return
			}
			before, err := server.internal(old)
			if err != nil {
				t.Error(err)
				return
			}
			obj.ResourceVersion, obj.Generation = before.ResourceVersion, before.Generation
			upstream.UniqueOwners(obj)
			kind.strategy.PrepareForUpdate(ctx, obj, before)
			if obj.UID == "" {
				obj.UID = before.UID
			}
			if !before.CreationTimestamp.IsZero() {
				obj.CreationTimestamp = before.CreationTimestamp
			}
			if !before.DeletionTimestamp.IsZero() {
				obj.DeletionTimestamp = before.DeletionTimestamp
			}
			if before.DeletionGracePeriodSeconds != nil && obj.DeletionGracePeriodSeconds == nil {
				obj.DeletionGracePeriodSeconds = before.DeletionGracePeriodSeconds
			}
			got, err := kind.ours(crd, old)
			compare(kind.name+" "+what, obj, got, err, func() field.ErrorList {
				sent := *obj
				if sent.ResourceVersion == "" {
					sent.ResourceVersion = "1"
				}
				return rest.ValidateUpdate(ctx, &sent, before, kind.strategy)
			})
		}
	}
	list, _ := definitions(t)
	if testing.Short() {
		list = list[:min(len(list), 40)]
	}
	inParallel(len(list), func(i int) { create(list[i].Path, list[i].CRD) })
	small := bases(t)
	fields := definitionFields()
	n := *mutants / 16
	if testing.Short() {
		n = min(n, 400)
	}
	inParallel(n, func(i int) {
		rng := seeded("stored", i)
		m := &definitionMutator{t: t, rng: rng, donor: reflect.ValueOf(small[rng.IntN(len(small))]).Elem()}
		base := small[i/len(fields)%len(small)]
		crd := m.mutant(tally, base, fields, i)
		if crd == nil {
			return
		}
		what := fmt.Sprintf("mutant %d of %s", i, base.Name)
		create(what, crd)
		old := stored(base, rng)
		old.Generation, old.Status.StoredVersions = 3, []string{"v0"}
		update(what, crd, old)

		whole := list[i%min(len(list), 40)].CRD // most mutants are refused
		for _, base := range []*apiextensionsv1.CustomResourceDefinition{whole, crd} {
			if withDefault := withEmbeddedDefault(rng, base, i%2 == 0); withDefault != nil {
				what := fmt.Sprintf("embedded default %d of %s", i, base.Name)
				create(what, withDefault)
				update(what, withDefault, stored(base, rng))
			}
		}
	})
	for _, text := range tally.shown {
		t.Errorf("%s", text)
	}
	if coerced.Load() < int64(n/20) {
		t.Errorf("validation changes %d accepted definitions of %d mutants, too few to show anything", coerced.Load(), n)
	}
	fmt.Printf("oracle: stored definitions %d, of which validation changes %d, %d differences\n", tally.compared, coerced.Load(), tally.found)
}
