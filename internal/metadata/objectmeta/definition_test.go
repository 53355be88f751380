package objectmeta

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The rules accept whatever ValidDefinition accepts, and it accepts typical
// metadata.
func TestValidDefinition(t *testing.T) {
	seven := int64(7)
	now := metav1.Now()
	names := []string{"", "a", "x.example.com", "X.example.com", "a..b", "-a", "a-", "a.", "1.2", "a/b", strings.Repeat("a", 254), "ä"}
	keys := []string{"", "a", "example.com/a", "Example.com/a", "a/b/c", "/a", "a/", "-a", "a b", strings.Repeat("a", 64), "a.b-c_d", "x.y/Z"}
	metas := []metav1.ObjectMeta{
		{Name: "a.b", Labels: map[string]string{"a": strings.Repeat("v", 64)}},
		{Name: "a.b", Labels: map[string]string{"a": "v v"}},
		{Name: "a.b", Annotations: map[string]string{"a": strings.Repeat("v", 256<<10)}},
		{Name: "a.b", Annotations: map[string]string{"a": strings.Repeat("v", 80<<10)}},
		{Name: "a.b", Finalizers: []string{"x"}},
		{Name: "a.b", OwnerReferences: []metav1.OwnerReference{{}}},
		{Name: "a.b", OwnerReferences: []metav1.OwnerReference{{}}, Finalizers: []string{"x"}, ManagedFields: []metav1.ManagedFieldsEntry{}},
		{Name: "a.b", ManagedFields: []metav1.ManagedFieldsEntry{{Operation: "odd"}}},
		{Name: "a.b", GenerateName: "a b"},
		{Name: "a.b", Namespace: "default"},
		{Name: "a.b", Generation: -1},
		{Name: "a.b", DeletionGracePeriodSeconds: &seven},
		{Name: "a.b", DeletionTimestamp: &now},
	}
	for _, name := range names {
		metas = append(metas, metav1.ObjectMeta{Name: name, Generation: 1})
	}
	for _, key := range keys {
		metas = append(metas,
			metav1.ObjectMeta{Name: "a.b", Labels: map[string]string{key: "v"}},
			metav1.ObjectMeta{Name: "a.b", Annotations: map[string]string{key: "v w"}})
	}
	valid := 0
	for _, meta := range metas {
		path := field.NewPath("metadata")
		errs := metavalidation.ValidateObjectMetaDeclaratively(context.Background(), operation.Create, &meta, nil, false, metavalidation.NameIsDNSSubdomain, path, true)
		errs = append(errs, metavalidation.ValidateObjectMetaAccessor(&meta, false, metavalidation.NameIsDNSSubdomain, path)...)
		if ValidDefinition(&meta) {
			valid++
			if len(errs) > 0 {
				t.Errorf("ValidDefinition accepts %+v, in which is wrong: %v", meta, errs)
			}
		}
	}
	if ValidDefinition(&metav1.ObjectMeta{Name: "a.b", GenerateName: "a.b"}) {
		t.Error("ValidDefinition accepts a generateName, which must be the name of the definition, too")
	}
	if valid < 12 {
		t.Errorf("ValidDefinition accepts %d of %d, which is too few to show anything", valid, len(metas))
	}
}
