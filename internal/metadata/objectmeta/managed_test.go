package objectmeta

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// managed begins an entry of managed fields that can be decoded.
const managed = `"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Apply"`

// managedCases are lists of managed fields.
var managedCases = []struct {
	list    string
	decodes bool
}{
	{`[{` + managed + `}]`, true},
	{`[{` + managed + `},{` + managed + `,"manager":"m","fieldsV1":{}}]`, true},
	{`[{` + managed + `},{"operation":"X"}]`, false},
	{`[{` + managed + `},{}]`, false},
	{`[{"operation":"X"}]`, false},
	{`[{"apiVersion":"v1","fieldsType":"FieldsV1"}]`, false},
	{`[{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"apply"}]`, false},
	{`[{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Update"}]`, true},
	{`[{"apiVersion":"v1","operation":"Apply"}]`, false},
	{`[{"apiVersion":"v1","fieldsType":"x","operation":"Apply"}]`, false},
	{`[{"fieldsType":"FieldsV1","operation":"Apply"}]`, false},
	{`[{` + managed + `,"fieldsV1":"f:a"}]`, false},
	{`[{` + managed + `,"fieldsV1":[]}]`, false},
	{`[{` + managed + `,"fieldsV1":1}]`, false},
	{`[{` + managed + `,"fieldsV1":{"f:a":{".":{},"f:b":null}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"f:a":{"f:b":1}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{".":1,"f:a":{".":[]}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"f:a":{"x:b":{"":1}}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"f":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"ff":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"f:":{}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"i:-1":{},"i:07":{}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"i:1.0":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"k:{}":{}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"k: {\"a\" : [1] } ":{}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"k:null":{}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"k:{":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"k:1":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"k:{}x":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"v:":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"v:{\"a\":1e400}":{}}}]`, false},
	{`[{` + managed + `,"fieldsV1":{"v:[null]":{}}}]`, true},
	{`[{` + managed + `,"fieldsV1":{"v:1 2":{}}}]`, false},
}

// The server decodes managed fields as the field manager does.
func TestManagedFieldsDecode(t *testing.T) {
	for _, c := range managedCases {
		obj := decodedMetadata(t, `{"managedFields":`+c.list+`}`)
		got := readMap(obj).decodesManaged()
		err := managedfields.ValidateManagedFields((&unstructured.Unstructured{Object: obj}).GetManagedFields())
		if got != c.decodes || (err == nil) != c.decodes {
			t.Errorf("%s: decodes %t, and %v by apimachinery, want %t", c.list, got, err, c.decodes)
		}
	}
	if new(Meta).decodesManaged() {
		t.Error("what is no list of entries decodes")
	}
}

func TestKeepManaged(t *testing.T) {
	const (
		sent   = `[{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Apply","manager":"sent"}]`
		stored = `[{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Apply","manager":"stored"}]`
		wrong  = `[{"operation":"X"}]`
		reset  = `[{}]`
	)
	for _, c := range []struct{ sent, stored, want, status string }{
		{sent, stored, sent, stored},
		{`[]`, stored, stored, stored},
		{`null`, stored, stored, stored},
		{wrong, stored, stored, stored},
		{`[{},{}]`, stored, stored, stored},
		{reset, stored, reset, stored},
		{sent, wrong, sent, ""},
		{wrong, wrong, "", ""},
		{`[]`, wrong, "", ""},
		{`[]`, reset, "", ""},
		{wrong, `null`, "", ""},
	} {
		old := decodedMetadata(t, `{"managedFields":`+c.stored+`}`)
		for status, want := range map[bool]string{false: c.want, true: c.status} {
			obj := decodedMetadata(t, `{"managedFields":`+c.sent+`}`)
			keepManaged(obj, old, status)
			text := `{}`
			if want != "" {
				text = `{"managedFields":` + want + `}`
			}
			if diff := cmp.Diff(decodedMetadata(t, text), obj); diff != "" {
				t.Errorf("%s after %s, of the status %t (-want +got):\n%s", c.sent, c.stored, status, diff)
			}
		}
	}
	for _, obj := range []map[string]any{{}, {"metadata": nil}, {"metadata": "x"}} {
		keepManaged(obj, map[string]any{}, false) // changes nothing
		if len(obj) > 1 {
			t.Errorf("%v", obj)
		}
	}
}

// An update removes managed fields of one empty entry, and a new object has none that
// cannot be decoded.
func TestPrepareManaged(t *testing.T) {
	for list, want := range map[string][2]int{`[{` + managed + `}]`: {1, 1}, `[{}]`: {0, 0}, `[{"operation":"X"}]`: {0, 1}} {
		created, updated := decodedMetadata(t, `{"managedFields":`+list+`}`), decodedMetadata(t, `{"managedFields":`+list+`}`)
		prepareCreate(created)
		prepareUpdate(updated, map[string]any{})
		got := [2][]metav1.ManagedFieldsEntry{(&unstructured.Unstructured{Object: created}).GetManagedFields(), (&unstructured.Unstructured{Object: updated}).GetManagedFields()}
		if len(got[0]) != want[0] || len(got[1]) != want[1] {
			t.Errorf("%s: %d entries of a new object, %d after an update, want %v", list, len(got[0]), len(got[1]), want)
		}
	}
}
