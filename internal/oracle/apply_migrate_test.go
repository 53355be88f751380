package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdkit/crdkit/apply"
)

var annotationPath = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", apply.LastApplied))

// theirMigration returns an object after the migration of kubectl, and the patch that
// kubectl sends, "" for none.
func theirMigration(obj *unstructured.Unstructured, manager string) (after *unstructured.Unstructured, patch string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	names := sets.New[string]()
	for _, e := range csaupgrade.FindFieldsOwners(obj.GetManagedFields(), metav1.ManagedFieldsOperationUpdate, annotationPath) {
		names.Insert(e.Manager)
	}
	body, err := csaupgrade.UpgradeManagedFieldsPatch(obj, names, manager)
	if err != nil {
		return nil, "", err
	}
	after = obj.DeepCopy()
	return after, string(body), csaupgrade.UpgradeManagedFields(after, names, manager)
}

// migrate compares Migrate with the library of kubectl. The library merges several managers
// in random order.
func (n *migrationTally) migrate(t *testing.T, path string, live *unstructured.Unstructured, manager string) {
	t.Helper()
	got := live.DeepCopy()
	changed, err := apply.Migrate(got, manager)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	var want *unstructured.Unstructured
	for range 50 {
		var body string
		if want, body, err = theirMigration(live, manager); err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		if changed != (body != "") {
			t.Errorf("%s: changed is %v, and the patch of kubectl is %q", path, changed, body)
		}
		if cmp.Equal(want.Object, got.Object) && patches(t, live, body, got) {
			return
		}
	}
	t.Errorf("%s, live %s (-upstream +ours):\n%s", path, encodeText(live.Object), cmp.Diff(want.Object, got.Object))
}

// patches reports whether a patch of kubectl makes of live what Migrate has made of it.
func patches(t *testing.T, live *unstructured.Unstructured, body string, got *unstructured.Unstructured) bool {
	t.Helper()
	if body == "" {
		return cmp.Equal(live.Object, got.Object)
	}
	p, err := jsonpatch.DecodePatch([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	patched, err := p.Apply([]byte(encodeText(live.Object)))
	if err != nil {
		t.Fatal(err)
	}
	return sameJSON(t, patched, []byte(encodeText(got.Object)))
}

// sameJSON reports whether two texts have the same value.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(utiljson.Unmarshal(a, &x), utiljson.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// TestMigrateRows compares Migrate with the library of kubectl for managers that kubectl
// alone does not make: at two versions, of subresources, and that write the annotation with
// others.
func TestMigrateRows(t *testing.T) {
	const annotated = `"f:metadata":{"f:annotations":{"f:kubectl.kubernetes.io/last-applied-configuration":{}}}`
	entry := func(manager, operation, version, subresource, fields string) string {
		return fmt.Sprintf(`{"manager":%q,"operation":%q,"apiVersion":"example.com/%s","subresource":%q,"fieldsType":"FieldsV1","time":"2020-01-01T00:00:00Z","fieldsV1":{%s}}`,
			manager, operation, version, subresource, fields)
	}
	n := &migrationTally{}
	for name, entries := range map[string][]string{
		"none":                  nil,
		"client alone":          {entry("c", "Update", "v1", "", annotated)},
		"client, no annotation": {entry("c", "Update", "v1", "", `"f:spec":{}`)},
		"with an apply":         {entry("m", "Apply", "v1", "", `"f:spec":{"f:a":{}}`), entry("c", "Update", "v1", "", annotated+`,"f:spec":{"f:b":{}}`)},
		"two versions":          {entry("c", "Update", "v2", "", annotated+`,"f:spec":{"f:new":{}}`), entry("c", "Update", "v1", "", annotated+`,"f:spec":{"f:old":{}}`)},
		"apply at another version": {
			entry("m", "Apply", "v2", "", `"f:spec":{"f:a":{}}`), entry("c", "Update", "v1", "", annotated+`,"f:spec":{"f:b":{}}`)},
		"two clients":          {entry("c", "Update", "v1", "", annotated), entry("d", "Update", "v1", "", annotated+`,"f:spec":{"f:b":{}}`)},
		"status of the client": {entry("c", "Update", "v1", "status", annotated), entry("c", "Update", "v1", "", `"f:spec":{"f:b":{}}`)},
		"status and object":    {entry("c", "Update", "v1", "status", `"f:status":{}`), entry("c", "Update", "v1", "", annotated)},
		"the same name":        {entry("m", "Update", "v1", "", annotated+`,"f:spec":{"f:b":{}}`), entry("m", "Apply", "v1", "", `"f:spec":{"f:a":{}}`)},
		"apply of the status":  {entry("m", "Apply", "v1", "status", `"f:status":{}`), entry("c", "Update", "v1", "", annotated)},
		"lists": {
			entry("c", "Update", "v1", "", annotated+`,"f:spec":{"f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{}}}}`),
			entry("m", "Apply", "v1", "", `"f:spec":{"f:env":{"k:{\"name\":\"A\"}":{"f:value":{}}}}`)},
	} {
		t.Run(name, func(t *testing.T) { n.migrate(t, name, managed(t, entries...), "m") })
	}
}

// managed returns an object with managers.
func managed(t *testing.T, entries ...string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "resourceVersion": "5"}}}
	var list []any
	for _, text := range entries {
		var entry map[string]any
		if err := json.Unmarshal([]byte(text), &entry); err != nil {
			t.Fatal(err)
		}
		if entry["subresource"] == "" {
			delete(entry, "subresource")
		}
		list = append(list, entry)
	}
	if list != nil {
		u.Object["metadata"].(map[string]any)["managedFields"] = list
	}
	return u
}

// TestMigrateMalformed compares the errors of both sides for malformed managers.
func TestMigrateMalformed(t *testing.T) {
	const client = `{"manager":"c","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{"f:kubectl.kubernetes.io/last-applied-configuration":{}}}}}`
	for name, tt := range map[string]struct {
		entries []string
		fails   bool
	}{
		"fields of another": {[]string{`{"manager":"x","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"k:x":{}}}`, client}, false},
		"no fields":         {[]string{`{"manager":"m","operation":"Apply","apiVersion":"example.com/v1"}`, client}, true},
		"malformed fields":  {[]string{`{"manager":"m","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"k:x":{}}}`, client}, true},
		"nobody else":       {[]string{`{"manager":"m","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"k:x":{}}}`}, false},
	} {
		obj := managed(t, tt.entries...)
		_, _, theirs := theirMigration(obj, "m")
		_, ours := apply.Migrate(obj, "m")
		if (theirs != nil) != tt.fails || (ours != nil) != tt.fails || tt.fails && !strings.HasSuffix(ours.Error(), theirs.Error()) {
			t.Errorf("%s: upstream %v, ours %v, want an error: %v", name, theirs, ours, tt.fails)
		}
	}
}
