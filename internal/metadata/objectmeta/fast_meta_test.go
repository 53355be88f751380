package objectmeta

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// fastMetaCases are texts of metadata, and whether Meta accepts them in a
// request for a namespaced and for a cluster-scoped resource.
var fastMetaCases = []struct {
	text            string
	namespaced, not bool
}{
	{`{"name":"a"}`, true, true},
	{` { "name" : "a.b-c" } `, false, false}, // starts with white space
	{`{ "name" : "a.b-c" , "labels" : { "z" : "" , "a/b" : "c" } }`, true, true},
	{`{"name":"a","namespace":"n"}`, true, true},
	{`{"name":"a","namespace":"n","labels":{"b":"2","a":"1"},"annotations":{"K.x/y":"<","A":"ü"}}`, true, true}, // < is written with an escape
	{`{"name":"a","namespace":"n","labels":{"b":"2","a":"1"},"annotations":{"K.x/y":"any text","A":"ü"}}`, true, true},
	{`{"annotations":{"k":"a\nb"},"name":"a"}`, true, true},
	{`{"annotations":{"k":"a\\nb\"\u003c"},"name":"a"}`, true, true},
	{`{"annotations":{"k":"a\/b"},"name":"a"}`, true, true},
	{`{"annotations":{"k":"\u0041"},"name":"a"}`, true, true},
	{`{"annotations":{"k":"\u00fc\ud83d\ude00\u003C\u2028"},"name":"a"}`, true, true},
	{"{\"annotations\":{\"k\":\"\u2028\"},\"name\":\"a\"}", true, true},
	{`{"annotations":{"a\/k":"","a\u002Fl":"v"},"labels":{"\u0061":"\u0062"},"n\u0061me":"\u0061"}`, true, true},
	{`{"annotations":{"a\/k":"","a/k":"v"},"name":"a"}`, false, false},
	{`{"annotations":{"<":""},"name":"a"}`, false, false},
	{`{"annotations":{"k\ud800":""},"name":"a"}`, false, false},
	{`{"labels":{"k":"<"},"name":"a"}`, false, false},
	{`{"name":"<"}`, false, false},
	{`{"name":"a","resourceVersion":"<\/"}`, true, true},
	{`{"name":"a","finalizers":["x.z\/y"],"creationTimestamp":"2024-02-29T23\u003a59:59Z","selfLink":"\/a"}`, true, true},
	{`{"annotations":{"k":"\ud800"},"name":"a"}`, false, false},
	{`{"labels":{"k":"\n"},"name":"a"}`, false, false},
	{`{"name":"\n"}`, false, false},
	{`{"annotations":{"k":1},"name":"a"}`, false, false},
	{`{"annotations":{"k k":"1"},"name":"a"}`, false, false},
	{`{"annotations":{"k":"1","k":"1"},"name":"a"}`, false, false},
	{`{"labels":{"k":"1","l":"1","k":"2"},"name":"a"}`, false, false},
	{`{"labels":{"k":"-"},"name":"a"}`, false, false},
	{`{"labels":{"K/k":"1"},"name":"a"}`, false, false},
	{`{"labels":{"a":"b"},"labels":{"c":"d"},"name":"a"}`, false, false},
	{`{"name":"a","labels":{"a":"b","a":"c"}}`, false, false},
	{`{"name":"a","annotations":{"a":"b","a":"b"}}`, false, false},
	{`{"name":"a","labels":{"a":"b"}}`, true, true},
	{`{"name":"a","annotations":{"a":"b"}}`, true, true},
	{`{"name":"a","labels":{"a":1}}`, false, false},
	{`{"name":"a","labels":{"a":"b"},}`, false, false},
	{`{"labels":{},"name":"a"}`, true, true},
	{`{"labels":null,"name":"a"}`, true, true},
	{`{"annotations":null,"name":"a","labels":null}`, true, true},
	{`{"labels":null,"labels":{"a":"b"},"name":"a"}`, false, false},
	{`{"labels":{"a":"b"},"labels":null,"name":"a"}`, false, false},
	{`{"labels":nul,"name":"a"}`, false, false},
	{`{"labels":nulls,"name":"a"}`, false, false},
	{`{"labels":null`, false, false},
	{`{"labels":[],"name":"a"}`, false, false},
	{`{"labels":{"a":"b"},"labels":{"a":"b"},"name":"a"}`, false, false},
	{`{"name":"a","name":"a"}`, false, false},
	{`{"name":"A"}`, false, false},
	{`{"name":""}`, false, false},
	{`{"name":null}`, false, false},
	{`{"name":"a","namespace":""}`, true, true},
	{`{"name":"a","namespace":"a.b"}`, false, true},
	{`{"name":"a","namespace":"n","namespace":"n"}`, false, false},
	{`{"name":"a","generateName":"b-"}`, true, true},
	{`{"name":"a","finalizers":["x.z/y"]}`, true, true},
	{`{"name":"a","labels":{"a":"b"},"finalizers": [ "z/b" , "y.x/A_b" , "z/b" ] ,"annotations":{"a":"b"}}`, true, true},
	{`{"generateName":"a","finalizers":["x/y"]}`, true, true},
	{`{"name":"a","finalizers":["x/y"],"finalizers":["x/y"]}`, false, false},
	{`{"name":"a","finalizers":["x.y"]}`, true, true}, // which the server warns of
	{`{"name":"a","finalizers":["z","x/y","a.b","z"]}`, true, true},
	{`{"name":"a","finalizers":["x.y","a/b"]}`, true, true},
	{`{"name":"a","finalizers":["x y"]}`, false, false},
	{`{"name":"a","finalizers":["X/y"]}`, false, false},
	{`{"name":"a","finalizers":["x/y/z"]}`, false, false},
	{`{"name":"a","finalizers":["orphan"]}`, true, true},
	{`{"name":"a","finalizers":["x/y","foregroundDeletion"]}`, true, true},
	{`{"name":"a","finalizers":["kubernetes"]}`, true, true},
	{`{"name":"a","finalizers":[]}`, true, true},
	{`{"name":"a","finalizers":null}`, true, true},
	{`{"name":"a","finalizers":[1]}`, false, false},
	{`{"name":"a","finalizers":["x/y",]}`, false, false},
	{`{"name":"a","finalizers":["x/y"}`, false, false},
	{`{"name":"a","finalizers":[`, false, false},
	{`{"name":"a","finalizers":[` + strings.Repeat(`"x/y",`, 100) + `"x/y"]}`, true, true},
	{`{"uid":"u","selfLink":"/a","resourceVersion":"12","namespace":"n","name":"a","generation":7,"creationTimestamp":"2024-02-29T23:59:59Z"}`, true, true},
	{`{"name":"a","resourceVersion":"v\n"}`, true, true},
	{`{"name":"a","resourceVersion":""}`, true, true},
	{`{"name":"a","resourceVersion":1}`, false, false},
	{`{"name":"a","resourceVersion":"1","resourceVersion":"1"}`, false, false},
	{`{"name":"a","uid":""}`, true, true},
	{`{"name":"a","uid":1}`, false, false},
	{`{"name":"a","uid":"1","uid":"1"}`, false, false},
	{`{"name":"a","selfLink":null}`, true, true},
	{`{"name":"a","selfLink":"","selfLink":""}`, false, false},
	{`{"name":"a","generation":0}`, true, true},
	{`{"name":"a","generation":999999999999999999}`, true, true},
	{`{"name":"a","generation":9999999999999999999}`, false, false},
	{`{"name":"a","generation":01}`, false, false},
	{`{"name":"a","generation":-1}`, true, true},
	{`{"name":"a","generation":1.0}`, false, false},
	{`{"name":"a","generation":1e3}`, false, false},
	{`{"name":"a","generation":"1"}`, false, false},
	{`{"name":"a","generation":1,"generation":1}`, false, false},
	{`{"name":"a","generation":1`, false, false},
	{`{"name":"a","creationTimestamp":null}`, true, true},
	{`{"name":"a","creationTimestamp":null,"creationTimestamp":null}`, false, false},
	{`{"name":"a","creationTimestamp":"2023-02-29T00:00:00Z"}`, false, false},
	{`{"name":"a","creationTimestamp":"2023-02-28T00:00:00+01:00"}`, false, false},
	{`{"name":"a","creationTimestamp":""}`, false, false},
	{`{"name":"a","creationTimestamp":1}`, false, false},
	{`{"name":"a","deletionTimestamp":null}`, true, true},
	{`{"name":"a","ownerReferences":[]}`, true, true},
	{`{"name":"a","ownerReferences":null}`, true, true},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1"}]}`, true, true},
	{`{"resourceVersion":"1","ownerReferences": [ { "uid" : "1" , "name":"n","kind":"K","apiVersion":"a.b/v1","controller":true,"blockOwnerDeletion":false} ,{"apiVersion":"v1","kind":"K","name":"n","uid":"2","blockOwnerDeletion":true,"controller":false}],"name":"a"}`, true, true},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1"},{"apiVersion":"v1","kind":"K","name":"m","uid":"1"}]}`, true, true},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1","controller":true},{"apiVersion":"v1","kind":"K","name":"n","uid":"2","controller":true}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1","controller":false,"controller":true}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1","controller":null}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1","blockOwnerDeletion":"true"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1","controller":truer}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1","more":1}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1","uid":"1"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"a.b\/v1","kind":"K","name":"n","uid":"<"},{"apiVersion":"v1","kind":"K","name":"\u0026","uid":">"}]}`, true, true},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"<"},{"apiVersion":"v1","kind":"K","name":"m","uid":"\u003c"}]}`, true, true},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":""}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","uid":"1"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","name":"n","uid":"1"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"kind":"K","name":"n","uid":"1"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"a/b/c","kind":"K","name":"n","uid":"1"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"n","uid":"1"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{}]}`, false, false},
	{`{"name":"a","ownerReferences":[null]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1"}],"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"2"}]}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1"}`, false, false},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":`, false, false},
	{`{"name":"a","ownerReferences":[{"controller":`, false, false},
	{`{"name":"a","ownerReferences":[`, false, false},
	{`{"name":"a","ownerReferences":` + owners(100) + `}`, true, true},
	{`{"name":"a","deletionTimestamp":"2024-02-29T23:59:59Z","deletionGracePeriodSeconds":30}`, true, true},
	{`{"name":"a","deletionTimestamp":null,"creationTimestamp":null}`, true, true},
	{`{"name":"a","deletionTimestamp":"2024-02-29"}`, false, false},
	{`{"name":"a","deletionTimestamp":null,"deletionTimestamp":null}`, false, false},
	{`{"name":"a","deletionGracePeriodSeconds":-1}`, true, true},
	{`{"name":"a","deletionGracePeriodSeconds":1,"deletionGracePeriodSeconds":1}`, false, false},
	{`{"name":"a","namespace":null,"generateName":"","resourceVersion":null,"uid":null,"generation":null,"annotations":{ },"deletionGracePeriodSeconds":null}`, true, true},
	{`{"name":"a","namespace":null,"namespace":"n"}`, false, false},
	{`{"name":"a","resourceVersion":"","resourceVersion":"1"}`, false, false},
	{`{"name":"","name":"a"}`, false, false},
	{`{"generateName":"a","generateName":""}`, false, false},
	{`{"name":"a","labels":{},"labels":{"a":"b"}}`, false, false},
	{`{"name":"a","labels":{`, false, false},
	{`{"name":"a","finalizers":[],"finalizers":["x/y"]}`, false, false},
	{`{"name":"a","ownerReferences":[],"ownerReferences":null}`, false, false},
	{`{"name":"a","managedFields":[]}`, true, true},
	{`{"name":"a","managedFields":null,"labels":null}`, true, true},
	{`{"name":"a","managedFields":[],"managedFields":[]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Update"}]}`, true, true},
	{`{"name":"a","managedFields":[{}]}`, true, true},
	{`{"name":"a","managedFields":[{"apiVersion":"v1","operation":"Update"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","operation":"Update"}]}`, true, true},
	{`{"name":"a","managedFields":[null]}`, false, false},
	{`{"name":"a","managedFields":{}}`, false, false},
	{`{"name":"a","managedFields":[{"manager":"m"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":""}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"apply"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","operation":"Apply"}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","manager":null}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","more":"m"}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","operation":"Apply","apiVersion":1}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","operation":"Apply","apiVersion":"x","apiVersion":"x"}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","operation":"Apply","apiVersion":"any \" thing"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","operation":"Appl\u0079","apiVersion":"a.b\/v1","manager":"m\/n"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","manager":"<"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","manager":"é ~"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","manager":"a\nb"}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","manager":"` + "\u007f" + `"}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","manager":"` + strings.Repeat("m", 128) + `"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","manager":"` + strings.Repeat("m", 129) + `"}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","subresource":"` + strings.Repeat("s", 256) + `"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","subresource":"` + strings.Repeat("s", 257) + `"}]}`, false, false},
	{`{"name":"a","managedFields":[{"apiVersion":"v1","operation":"Apply","fieldsType":"FieldsV2"}]}`, true, true},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","time":"2024-02-30T00:00:00Z"}]}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","time":"0001-01-01T00:00:00Z"}]}`, false, false},
	{`{"managedFields":[{"time":"2024-02-29T23:59:59Z","subresource":"status","operation":"Update","manager":"m","fieldsV1":{},"fieldsType":"FieldsV1","apiVersion":"v1"},{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1"}],"namespace":"n","labels":{"a":"b"},"name":"a"}`, true, true},
	{managedFields(`{"f:spec":{"f:a":{".":{},"k:{\"name\":\"a\"}":{},"v:1":{}},"f:b":{}}}`), true, true},
	{managedFields(` { "." : { } , "f:a b" : {` + "\n\t" + `"f: \" : x" : { } ` + "\r" + ` } } `), false, false},
	{managedFields("{\r\"f:a\":{}}"), false, false},
	{managedFields(`{"i:0":{},"i:12":{},"k:{\"a\":1,\"b\":true,\"c\":\"\"}":{},"v:\"a b\"":{},"v:false":{}}`), true, true},
	{managedFields(`{"":{}}`), false, false},
	{managedFields(`{"f":{}}`), false, false},
	{managedFields(`{".:":{}}`), true, true},
	{managedFields(`{"i:":{}}`), false, false},
	{managedFields(`{"i:x":{}}`), false, false},
	{managedFields(`{"k:{":{}}`), false, false},
	{managedFields(`{"k:{}":{}}`), true, true},
	{managedFields(`{"k:{\"a\"}":{}}`), false, false},
	{managedFields(`{"k:{\"a\":1":{}}`), false, false},
	{managedFields(`{"k:{\"a\":1,}":{}}`), false, false},
	{managedFields(`{"k:{\"a\":1}}":{}}`), false, false},
	{managedFields(`{"k:{\"a\":\"b}":{}}`), false, false},
	{managedFields(`{"k:{\"a\":\"\\\"}":{}}`), false, false},
	{managedFields(`{"v:":{}}`), false, false},
	{managedFields(`{"v:a":{}}`), false, false},
	{managedFields(`{"v:\"a":{}}`), false, false},
	{managedFields(`{"v:\"a\"b":{}}`), false, false},
	{managedFields(`{"x:a":{}}`), true, true},
	{managedFields(`{"f:b":{},"f:a":{}}`), false, false},
	{managedFields(`{"f:a":{},"f:a":{}}`), false, false},
	{managedFields(`{"":{},"":{}}`), false, false},
	{managedFields(`{"f:a":{},"f:ab":{}}`), true, true},
	{managedFields(`{"f:ab":{},"f:a":{}}`), false, false},
	{managedFields(`{"f:a\"":{},"f:a\"0":{},"f:a0":{},"f:aA":{}}`), true, true}, // \ is more than 0 and A
	{managedFields(`{"f:a0":{},"f:a\"":{}}`), false, false},
	{managedFields(`{"f:aA":{},"f:a\\":{},"f:aa":{}}`), true, true},
	{managedFields(`{"f:a\\":{},"f:aA":{}}`), false, false},
	{managedFields(`{"f:a\"":{},"f:a\\":{}}`), true, true},
	{managedFields(`{"f:a\\":{},"f:a\"":{}}`), false, false},
	{managedFields(`{"f:a\\0":{},"f:a\\\"":{}}`), false, false},
	{managedFields(`{"f:a\\\"":{},"f:a\\0":{}}`), true, true},
	{managedFields(`{"f:a\n":{}}`), true, true},
	{managedFields(`{"f:a\n":{},"f:ab":{}}`), true, true},
	{managedFields(`{"f:a":{},"f:a\n":{}}`), true, true},
	{managedFields(`{"f:a!":{},"f:a\n":{}}`), false, false},
	{managedFields(`{"f:a\t":{},"f:a\n":{}}`), true, true},
	{managedFields(`{"f:a\n":{},"f:a\"":{}}`), true, true},
	{managedFields(`{"f:a\u003c":{},"f:a\u003e":{}}`), true, true},
	{managedFields(`{"f:a\u003e":{},"f:a\u003c":{}}`), false, false},
	{managedFields(`{"f:a<":{}}`), false, false},
	{managedFields(`{"f:a":1}`), false, false},
	{managedFields(`{"f:a":null}`), false, false},
	{managedFields(`{"f:a":[]}`), false, false},
	{managedFields(`{"f:a":{},}`), false, false},
	{managedFields(`{"f:a"{}}`), false, false},
	{managedFields(`{"f:a":}`), false, false},
	{managedFields(`{1:{}}`), false, false},
	{managedFields(`null`), false, false},
	{managedFields(`{},"fieldsV1":{}`), false, false},
	{managedFields(strings.Repeat(`{"f:a":`, maxFieldsDepth-1) + "{}" + strings.Repeat("}", maxFieldsDepth-1)), true, true},
	{managedFields(strings.Repeat(`{"f:a":`, maxFieldsDepth) + "{}" + strings.Repeat("}", maxFieldsDepth)), false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","fieldsV1":{"a":{}`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","fieldsV1":{"a" `, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","fieldsV1":{"a"`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","fieldsV1":{`, false, false},
	{`{"name":"a","managedFields":[{"fieldsType":"FieldsV1","apiVersion":"v1","operation":"Apply","fieldsV1":`, false, false},
	{`{"name":"a","managedFields":[` + strings.Repeat(`{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Apply"},`, 100) + `{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Apply"}]}`, true, true},
	{`{"name":"a","owner":"b"}`, false, false},
	{`{"n\u0061me":"a"}`, true, true},
	{`{"n\u0061me":"a","name":"a"}`, false, false},
	{`{"generateName":"b-"}`, true, true},
	{`{"labels":{"b":"2"},"generateName":"a.b","namespace":"n","annotations":{"A":"ü"}}`, true, true},
	{`{"generateName":"` + strings.Repeat("a", 57) + `.b-"}`, true, true},
	{`{"generateName":"` + strings.Repeat("a", 253) + `-"}`, true, true},
	{`{"generateName":"` + strings.Repeat("a", 254) + `"}`, false, false},
	{`{"generateName":"b-","name":"a"}`, true, true},
	{`{"generateName":"b-","name":""}`, true, true},
	{`{"generateName":"b."}`, false, false},
	{`{"generateName":"-"}`, false, false},
	{`{"generateName":"B"}`, false, false},
	{`{"generateName":""}`, false, false},
	{`{"generateName":"a","generateName":"a"}`, false, false},
	{`{}`, false, false},
	{`{"name":"a",}`, false, false},
	{`{"name":"a"`, false, false},
	{`{"name":`, false, false},
	{`{"labels":{"a":`, false, false},
	{`{"labels":{"a":"b"`, false, false},
	{`"name"`, false, false},
	{``, false, false},
}

// managedFields returns metadata with an entry that has the field set.
func managedFields(fieldsV1 string) string {
	return `{"name":"a","managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","operation":"Apply","fieldsV1":` + fieldsV1 + `}]}`
}

// owners returns n owner references.
func owners(n int) string {
	out := "["
	for i := range n {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprintf(`{"apiVersion":"v1","kind":"K","name":"n","uid":"%d"}`, i)
	}
	return out + "]"
}

func TestMetaOfText(t *testing.T) {
	for _, c := range fastMetaCases {
		for _, namespace := range []string{"", "n"} {
			if got := agreesWithMaps(t, c.text, true, namespace); got != c.namespaced {
				t.Errorf("Meta accepts %t for %s", got, c.text)
			}
			if got := agreesWithMaps(t, c.text, false, namespace); got != c.not {
				t.Errorf("Meta without namespaces accepts %t for %s", got, c.text)
			}
		}
	}
	for more, want := range []bool{true, false} {
		value := strings.Repeat("x", maxAnnotations-len("k")+more)
		if got := agreesWithMaps(t, `{"name":"a","annotations":{"k":"`+value+`"}}`, false, ""); got != want {
			t.Errorf("annotations of %d bytes more than the limit are accepted: %t", more, got)
		}
	}
	if agreesWithMaps(t, `{"name":"a","namespace":"m"}`, true, "n") {
		t.Error("Meta accepts another namespace than that of the request")
	}
}

// readCreate reads the metadata of a new object at s[i] and prepares it. It returns a
// negative number unless the metadata is certainly valid.
func readCreate(m *Meta, s string, i int, namespaced bool, namespace string) int {
	end := m.Read(s, i)
	m.PrepareCreate()
	if end < 0 || !m.EnterNamespace(namespaced, namespace) || len(m.DropDuplicateOwners()) > 0 {
		return -1
	}
	generated := m.Name == "" && m.GenerateName != ""
	if generated {
		m.Name = PlaceholderName(m.GenerateName)
	}
	if !m.ValidCreate(namespaced) {
		return -1
	}
	if generated {
		m.Name = ""
	}
	return end
}

// agreesWithMaps reports whether Meta accepts the metadata, and checks that
// the functions for maps then have the same result.
func agreesWithMaps(t *testing.T, text string, namespaced bool, namespace string) bool {
	t.Helper()
	var p Meta
	end := readCreate(&p, text, 0, namespaced, namespace)
	const before = "}}}" // it has no effect
	var later Meta
	if got := readCreate(&later, before+text, len(before), namespaced, namespace); got != end+len(before) && (got >= 0 || end >= 0) {
		t.Errorf("%s ends at %d, but after %s at %d", text, end, before, got)
	}
	if end < 0 {
		return false
	}
	v, ok := jsonscan.Decode(text[:end])
	if !ok {
		t.Errorf("Meta accepts invalid JSON: %s", text[:end])
		return true
	}
	obj := map[string]any{"metadata": v}
	want, ok := createdByMaps(obj, namespaced, namespace)
	if diff := cmp.Diff(finalizerWarningsOf(obj, nil), p.FinalizerWarnings(new(Meta))); diff != "" {
		t.Errorf("%s: warnings of maps (-) and of Meta (+):\n%s", text[:end], diff)
	}
	if got := string(p.Append(nil)); !ok || got != want {
		t.Errorf("%s becomes %s, but by way of maps %s, %t", text[:end], got, want, ok)
	}
	return true
}

func createdByMaps(obj map[string]any, namespaced bool, namespace string) (string, bool) {
	unknown, err := roundTrip(obj, Options{ReportUnknown: true})
	if err != nil || len(unknown) > 0 || len(prepareCreate(obj)) > 0 {
		return "", false
	}
	if !enterNamespace(obj, namespaced, namespace) {
		return "", false
	}
	m := obj["metadata"].(map[string]any)
	read := readMap(obj)
	generates := read.Name == "" && read.GenerateName != ""
	if generates {
		m["name"] = PlaceholderName(read.GenerateName)
	}
	if len(createProblems(obj, namespaced, nil)) > 0 || len(commonProblems(obj, nil, namespaced, nil)) > 0 {
		return "", false
	}
	if generates {
		delete(m, "name")
	}
	text, ok := jsonscan.Append(nil, m)
	return string(text), ok
}

func FuzzMetaOfText(f *testing.F) {
	for _, c := range fastMetaCases {
		f.Add(c.text, true, "")
		f.Add(c.text, false, "n")
	}
	fuzz.Run(f, func(t *testing.T, text string, namespaced bool, namespace string) {
		agreesWithMaps(t, text, namespaced, namespace)
	})
}
