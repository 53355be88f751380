package oracle

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/oracle/server"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/patch"
)

var metadataRequests = flag.Int("metadata", 200_000, "requests whose metadata, apiVersion or kind is changed")

// TestMetadataRequests compares creates, updates, updates of the status and patches whose
// metadata, apiVersion or kind may have any wrong form.
func TestMetadataRequests(t *testing.T) {
	total := &metadataTally{answers: map[string]int{}}
	for i, scope := range []string{"Namespaced", "Cluster"} {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal([]byte(strings.Replace(rowsDefinition, "scope: Namespaced", "scope: "+scope, 1)), crd); err != nil {
			t.Fatal(err)
		}
		s, err := serveBoth(&testkit.Definition{Path: scope, CRD: crd})
		if err != nil {
			t.Fatal(err)
		}
		side := &metadataSide{servedDefinition: s, rng: source("metadata", scope)}
		if i == 0 {
			side.namespace = "ns"
		}
		if side.appliers, err = apply.NewAll(s.ours, s.crd); err != nil {
			t.Fatal(err)
		}
		for range *metadataRequests / 2 {
			total.compare(t, side)
		}
	}
	for _, answer := range []string{"POST 201", "POST 400", "POST 422", "PUT 200", "PUT 400", "PUT 409", "PUT 422", "PATCH 200", "PATCH 409", "PATCH 422"} {
		if total.answers[answer] < *metadataRequests/1000 {
			t.Errorf("%d answers are %s", total.answers[answer], answer)
		}
	}
	fmt.Println(total)
}

// metadataTally counts what was compared.
type metadataTally struct {
	requests, results, unstored, unmerged, panics, differences int
	answers                                                    map[string]int
}

func (n *metadataTally) String() string {
	return fmt.Sprintf("oracle: metadata %d requests, %d results (%d without a version, %d not merged, %d panics of upstream), %d differences, %v",
		n.requests, n.results, n.unstored, n.unmerged, n.panics, n.differences, n.answers)
}

// A metadataSide is both sides of a definition.
type metadataSide struct {
	*servedDefinition
	appliers  map[string]*apply.Applier
	rng       *rand.Rand
	namespace string
	merges    bool // the field manager can merge what the request sends
}

// wrongValues are values of any field.
var wrongValues = []string{
	`null`, `""`, `"a"`, `"b"`, `0`, `1`, `-1`, `1.0`, `1.5`, `1e400`, `9223372036854775808`, `true`, `false`, `{}`, `[]`, `[null]`, `[{}]`, `[[]]`, `[1]`, `["a"]`, `["a","a"]`, `["a/b"]`,
	`{"a":null}`, `{"a":1}`, `{"a":"b"}`, `{"a":"b","a":"c"}`, `{"":""}`, `{"a b":""}`, `{"a":{}}`, `"\u0000"`, `"é"`, `"\ud800"`, `"<&>\u2028"`, `" "`, `"a/b"`, `"-"`, `"A"`, `"1"`, `"0"`, `"01"`,
	`"2024-01-02T03:04:05Z"`, `"2024-01-02T03:04:05.6+01:00"`, `"0001-01-01T00:00:00Z"`, `"2024-01-02"`,
}

// manager is the manager of requests, and owned an entry of another one, for fields that the requests do
// not change.
const (
	requestManager = "oracle"
	owned          = `{"apiVersion":"rows.example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:mode":{}}},"manager":"m","operation":"Update"}`
)

// repeatedOwners are owner references that repeat. The field manager cannot merge a stored object
// that has them if another manager wrote at another version.
const repeatedOwners = `[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}]`

// wrongMembers are values of single fields of metadata, in addition to those of any field.
var wrongMembers = map[string][]string{
	"managedFields": {
		`[` + owned + `]`, `[` + owned + `,{}]`, `[` + owned + `,{"operation":"X"}]`, `[{"operation":"X"}]`, `[{"operation":"Apply"}]`, `[{"fieldsType":"x"}]`, `[{"fieldsV1":1}]`, `[{},{}]`,
		`[{"apiVersion":"v1","operation":"Apply","fieldsType":"FieldsV2"}]`, `[{"apiVersion":1}]`, `[{"time":"x"}]`, `[{"unknown":1}]`, `[{"manager":null}]`,
		strings.Replace(owned, `{"f:spec":{"f:mode":{}}}`, `{"k:{":{}}`, 1), strings.Replace(`[`+owned+`]`, `{"f:spec":{"f:mode":{}}}`, `{"k:{":{}}`, 1),
		strings.Replace(`[`+owned+`]`, `{"f:spec":{"f:mode":{}}}`, `{"":{}}`, 1), strings.Replace(`[`+owned+`]`, `{"f:spec":{"f:mode":{}}}`, `{"x:":{}}`, 1),
		strings.Replace(`[`+owned+`]`, `{"f:spec":{"f:mode":{}}}`, `[]`, 1), strings.Replace(`[`+owned+`]`, `{"f:spec":{"f:mode":{}}}`, `null`, 1),
		strings.Replace(`[`+owned+`]`, `{"f:spec":{"f:mode":{}}}`, `{"f:spec":{"f:env":{"k:{\"name\":\"A\"}":{".":{}},"v:1":{},"i:0":{}}}}`, 1),
		strings.Replace(`[`+owned+`]`, `"m"`, `"n","subresource":"status","time":"2024-01-02T03:04:05Z"`, 1),
		strings.Replace(strings.Replace(`[`+owned+`]`, `rows.example.com/v1`, `rows.example.com/v9`, 1), "f:mode", "f:more", 1), strings.Replace(`[`+owned+`]`, `rows.example.com/v1`, `rows.example.com/v2`, 1),
	},
	"ownerReferences": {
		`[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"}]`, repeatedOwners,
		`[{"apiVersion":"v1","kind":"Event","name":"a","uid":"1"}]`, `[{"apiVersion":"a/b/c","kind":"A","name":"a","uid":"1","controller":true}]`, `[{"apiVersion":"/","kind":"A","name":"a","uid":"1"}]`,
		`[{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":"x"}]`, `[{"apiVersion":"v1","kind":"","name":"","uid":""}]`,
		`[{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},{"apiVersion":"v1","kind":"A","name":"a","uid":"2","controller":true,"blockOwnerDeletion":null}]`,
	},
	"finalizers":                 {`["orphan"]`, `["foregroundDeletion","orphan"]`, `["example.com/x"]`, `["x","example.com/x"]`, `["a b"]`},
	"uid":                        {`"u-1"`, `"u-2"`},
	"name":                       {`"a.b"`, `"a%"`, `".."`, `"a_b"`, `"` + strings.Repeat("n", 254) + `"`},
	"generateName":               {`"a-"`, `"A-"`, `"a/-"`, `"` + strings.Repeat("n", 254) + `"`, `""`, `null`, `1`, `{}`}, // and no others, see normalName
	"namespace":                  {`"ns"`, `"default"`, `"Other"`},
	"resourceVersion":            {`"999999"`, `"-1"`, `"x"`, `" 1"`},
	"labels":                     {`{"a/b/c":""}`, `{"a":"-"}`, `{"a.b/c":"d"}`, `{"a":"` + strings.Repeat("n", 64) + `"}`},
	"annotations":                {`{"a/b/c":""}`, `{"A":"-"}`, `{"a":"<\u2028\u0000>"}`},
	"generation":                 {`77`, `-9223372036854775808`},
	"deletionGracePeriodSeconds": {`0`, `30`},
	"creationTimestamp":          {`"2023-11-14T22:13:20Z"`},
}

// wrongNames are names of fields of metadata, and of none.
var wrongNames = []string{
	"managedFields", "managedFields", "managedFields", "managedFields", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "uid", "uid", "resourceVersion", "generation",
	"selfLink", "ownerReferences", "finalizers", "labels", "annotations", "generateName", "name", "namespace", "unknown", "Name", "clusterName", "", "u\u00efd",
}

var wrongTypes = map[string][]string{
	"apiVersion": {`"/"`, `"\/"`, `"//"`, `"a/b/c"`, `"v1"`, `"/v1"`, `"v1/"`, `"rows.example.com/"`, `"rows.example.com/v2"`, `"rows.example.com/v9"`, `"other/v1"`, `"Rows.example.com/v1"`},
	"kind":       {`"Row"`, `"row"`, `"RowList"`, `"Other"`, `"Status"`},
	"metadata":   {`{"name":"a"}`},
}

func pick[E any](rng *rand.Rand, list []E) E { return list[rng.IntN(len(list))] }

// wrongValue returns a value for a field that may have special ones.
func wrongValue(rng *rand.Rand, special []string) string {
	if len(special) > 0 && rng.IntN(3) > 0 {
		return pick(rng, special)
	}
	return pick(rng, wrongValues)
}

// A textMember is a member of an object, as text.
type textMember struct{ name, value string }

// objectOf returns the text of an object, whose names may repeat.
func objectOf(members []textMember) string {
	var texts []string
	for _, m := range members {
		texts = append(texts, fmt.Sprintf("%s:%s", testkit.Encode(m.name), m.value))
	}
	return "{" + strings.Join(texts, ",") + "}"
}

func membersOf(object map[string]any) []textMember {
	var out []textMember
	for _, name := range namesOf(object) {
		out = append(out, textMember{name, string(testkit.Encode(object[name]))})
	}
	return out
}

// setMember gives a member a value, or repeats it.
func setMember(rng *rand.Rand, members []textMember, m textMember) []textMember {
	i := slices.IndexFunc(members, func(other textMember) bool { return other.name == m.name })
	switch {
	case i < 0 || rng.IntN(20) == 0:
		return append(members, m)
	case rng.IntN(8) == 0:
		return slices.Delete(members, i, i+1)
	}
	members[i].value = m.value
	return members
}

func (s *metadataSide) wrongMember() textMember {
	name := pick(s.rng, wrongNames)
	if name == "generateName" {
		return textMember{name, pick(s.rng, wrongMembers[name])}
	}
	return textMember{name, wrongValue(s.rng, wrongMembers[name])}
}

// body returns the text of obj with some changes.
func (s *metadataSide) body(obj map[string]any) []byte {
	metadata, _ := obj["metadata"].(map[string]any)
	members, inner := membersOf(obj), membersOf(metadata)
	for range s.rng.IntN(4) {
		inner = setMember(s.rng, inner, s.wrongMember())
	}
	members = setMember(s.rng, slices.DeleteFunc(members, func(m textMember) bool { return m.name == "metadata" }), textMember{"metadata", objectOf(inner)})
	if s.rng.IntN(5) == 0 {
		name := pick(s.rng, []string{"apiVersion", "kind", "metadata"})
		members = setMember(s.rng, members, textMember{name, wrongValue(s.rng, wrongTypes[name])})
	}
	return []byte(objectOf(members))
}

// put stores an object whose metadata may have any form that the server stores.
func (s *metadataSide) put() error {
	metadata := map[string]any{"name": "a", "uid": "u-1", "creationTimestamp": "2023-11-14T22:13:20Z", "generation": int64(3)}
	if s.namespace != "" {
		metadata["namespace"] = s.namespace
	}
	stored := map[string]any{
		"apiVersion": "rows.example.com/v1", "kind": "Row", "metadata": metadata,
		"spec": map[string]any{"replicas": int64(3), "mode": "fast"}, "status": map[string]any{"replicas": int64(2)},
	}
	for range s.rng.IntN(3) {
		name := pick(s.rng, []string{"managedFields", "managedFields", "managedFields", "labels", "annotations", "finalizers", "ownerReferences", "generation", "selfLink", "deletionGracePeriodSeconds"})
		text := wrongValue(s.rng, wrongMembers[name])
		if strings.Contains(text, `"fieldsV1":1`) || strings.Contains(text, `"fieldsV1":[]`) {
			continue // the field manager, which cannot merge such an object, writes none
		}
		if v, err := testkit.DecodeJSON([]byte(text)); err == nil {
			metadata[name] = v
		}
	}
	if s.rng.IntN(8) == 0 {
		metadata["deletionTimestamp"], metadata["finalizers"] = "2024-01-02T03:04:05Z", []any{"example.com/x"}
	}
	return s.server.Put(stored)
}

// compare makes one request on both sides.
func (n *metadataTally) compare(t *testing.T, s *metadataSide) {
	rng, ctx, v := s.rng, context.Background(), pick(s.rng, s.versions)
	s.server.Delete(s.namespace, "a")
	r := server.Request{Method: "POST", Version: v.Name(), Namespace: s.namespace, Manager: requestManager, Fields: pick(rng, []string{"", "Warn", "Ignore", "Strict"})}
	metadata := map[string]any{"name": "a"}
	obj := map[string]any{"apiVersion": "rows.example.com/" + v.Name(), "kind": "Row", "metadata": metadata, "spec": map[string]any{"replicas": int64(3), "mode": "fast"}}
	var live *unstructured.Unstructured
	if rng.IntN(3) > 0 {
		if err := s.put(); err != nil {
			t.Fatal(err)
		}
		stored, err := s.server.Stored(s.namespace, "a")
		if err != nil {
			t.Fatal(err)
		}
		if live, _, err = v.Read(ctx, stored); err != nil {
			t.Fatal(err)
		}
		obj = testkit.Clone(live.Object)
		if rng.IntN(2) == 0 {
			r.Subresource = "status"
		}
		r.Name, r.Method = "a", "PUT"
		if rng.IntN(3) == 0 {
			r.Method = "PATCH"
		}
		if rng.IntN(3) == 0 {
			obj["spec"].(map[string]any)["replicas"], obj["status"] = int64(4), map[string]any{"replicas": int64(5)}
		}
	}
	if r.Method != "PATCH" {
		r.Body = s.body(obj)
	} else if r.Type = types.MergePatchType; rng.IntN(2) == 0 {
		r.Body = s.body(map[string]any{})
	} else {
		r.Type = types.JSONPatchType
		var operations []string
		for range 1 + rng.IntN(2) {
			m := s.wrongMember()
			operations = append(operations, fmt.Sprintf(`{"op":%q,"path":%s,"value":%s}`, pick(rng, []string{"add", "add", "replace", "remove"}), testkit.Encode("/metadata/"+m.name), m.value))
		}
		r.Body = []byte("[" + strings.Join(operations, ",") + "]")
	}
	n.requests++
	s.merges = !bytes.Contains(r.Body, []byte("f:more")) && !(live != nil && strings.Contains(encodeText(live.Object), repeatedOwners))
	keep := s.server.Snapshot(s.namespace, "a")
	answer := s.server.Do(r)
	n.answers[fmt.Sprintf("%s %d", r.Method, answer.Code)]++
	if answer.Panic != "" {
		n.panics++
		return
	}
	if r.Method == "PUT" && answer.Code == 422 && strings.Contains(string(answer.Body), `metadata.resourceVersion: Invalid value: 0: must be specified for an update`) {
		n.unstored++ // see request/no_store
		return
	}
	var stored *unstructured.Unstructured
	if answer.Code < 300 {
		written, err := answer.Object()
		if err != nil {
			t.Fatal(err)
		}
		if stored, err = s.server.Stored(s.namespace, written.GetName()); err != nil {
			t.Fatal(err)
		}
		if live == nil {
			s.server.Delete(s.namespace, written.GetName())
		}
	}
	for form, do := range s.forms(v, r, live) {
		got, err := do()
		if err != nil {
			n.report(t, fmt.Sprintf("%s: %s of %s: %v", s.def.Path, form, r.Body, err))
			continue
		}
		if got == nil {
			continue
		}
		n.results++
		text := ""
		if got.result.Err() != nil {
			text = oursText(v, nil, got.result)
		} else {
			text = s.describe(v, got.object, form, live == nil) + warningText(got.result.Warnings)
		}
		describe := func(a server.Answer) string {
			if a.Code >= 300 {
				text, _ := theirs(a)
				return strings.ReplaceAll(text, "Key: /rows.example.com/", "Key: /registry/rows.example.com/")
			}
			if stored == nil { // the last finalizer of a deleted object is gone
				stored, _ = a.Object()
				unstructured.RemoveNestedField(stored.Object, "metadata", "selfLink")
			}
			return s.describe(v, stored, form, live == nil) + warningText(a.Warnings)
		}
		want, text := normalName(describe(answer)), normalName(text)
		if live != nil && strings.Contains(want, "metadata.managedFields") && managedfields.ValidateManagedFields(live.GetManagedFields()) != nil {
			n.unmerged++ // see request/managed_fields
			continue
		}
		if want != text {
			before := "none"
			if live != nil {
				before = encodeText(live.Object)
			}
			n.report(t, fmt.Sprintf("%s: %s: %s %s %s %q %s\nlive %s\n(-upstream +ours):\n%s", s.def.Path, form, r.Method, v.Name(), r.Subresource, r.Fields, r.Body, before, cmp.Diff(want, text)))
		}
	}
	keep()
}

func (n *metadataTally) report(t *testing.T, text string) {
	if n.differences++; n.differences <= 15 {
		t.Error(text)
	}
}

// describe describes an admitted object as it is stored. Only package apply adds managers
// and changes the fields of others.
func (s *metadataSide) describe(v *crdkit.Version, obj *unstructured.Unstructured, form string, created bool) string {
	stored, err := v.Store(context.Background(), obj)
	if obj.GetAPIVersion() != "rows.example.com/"+v.Name() { // it comes from the store
		stored, err = obj.DeepCopy(), nil
	}
	if err != nil {
		return err.Error()
	}
	if created && stored.GetGenerateName() != "" {
		stored.SetName("")
	}
	if form == "apply" {
		return managedText(stored, created)
	}
	var kept []string
	for _, entry := range stored.GetManagedFields() {
		text := encodeText(entry)
		if s.merges && !created && strings.Contains(text, `{"f:mode":{}}`) && entry.Manager != requestManager {
			kept = append(kept, text)
		}
	}
	unstructured.RemoveNestedField(stored.Object, "metadata", "managedFields")
	return managedText(stored, created) + strings.Join(kept, "\n")
}

var generated = regexp.MustCompile(`(a/?-|A-|n{58})(00000|[bcdfghjklmnpqrstvwxz2456789]{5})\b`)

// normalName removes generated names, which end in random characters.
func normalName(text string) string { return generated.ReplaceAllString(text, "") }

// An ourResult is the result of a request on our side.
type ourResult struct {
	result *crdkit.Result
	object *unstructured.Unstructured
}

// forms returns the forms of a request on our side. A form that does not take the body returns
// nil.
func (s *metadataSide) forms(v *crdkit.Version, r server.Request, live *unstructured.Unstructured) map[string]func() (*ourResult, error) {
	ctx, fields, in, a := context.Background(), crdkit.FieldValidation(r.Fields), inNamespace(v, s.namespace), s.appliers[v.Name()]
	asObject := func(out []byte, res *crdkit.Result, err error) (*ourResult, error) {
		u := &unstructured.Unstructured{}
		if err == nil && out != nil {
			err = u.UnmarshalJSON(out)
		}
		return &ourResult{res, u}, err
	}
	fromApply := func(res *apply.Result, err error) (*ourResult, error) {
		if err != nil {
			return nil, err
		}
		return &ourResult{res.Result, res.Object}, nil
	}
	// decoded returns the object of a body that repeats no field and names a kind and a
	// version. The server quotes the text of other bodies.
	decoded := func() *unstructured.Unstructured {
		obj := map[string]any{}
		if repeated, err := kjson.UnmarshalStrict(r.Body, &obj); err != nil || len(repeated) > 0 {
			return nil
		}
		u := &unstructured.Unstructured{Object: obj}
		if u.GroupVersionKind().Version == "" || u.GetKind() == "" {
			return nil
		}
		return u
	}
	tracked := apply.Request{Live: live, PatchType: r.Type, Body: r.Body, Manager: r.Manager, Subresource: r.Subresource}
	if r.Method == "PATCH" {
		p := patch.New(v)
		do := p.Patch
		if r.Subresource == "status" {
			do = p.PatchStatus
		}
		return map[string]func() (*ourResult, error){
			"patch": func() (*ourResult, error) {
				res, err := do(ctx, live, r.Type, r.Body, fields, in)
				if err != nil {
					return nil, err
				}
				return &ourResult{res.Result, res.Object}, nil
			},
			"apply": func() (*ourResult, error) { return fromApply(a.Patch(ctx, tracked, fields, in)) },
		}
	}
	onJSON := func() ([]byte, *crdkit.Result, error) { return v.CreateJSON(ctx, r.Body, fields, in) }
	onMap := func(obj *unstructured.Unstructured) (*crdkit.Result, error) { return v.Create(ctx, obj, fields, in) }
	track := func(obj *unstructured.Unstructured) (*apply.Result, error) {
		return a.Create(ctx, obj, r.Manager, fields, in)
	}
	if live != nil {
		old := testkit.Encode(live.Object)
		onJSON = func() ([]byte, *crdkit.Result, error) { return v.UpdateJSON(ctx, r.Body, old, fields, in) }
		onMap = func(obj *unstructured.Unstructured) (*crdkit.Result, error) {
			return v.Update(ctx, obj, live, fields, in)
		}
		track = func(obj *unstructured.Unstructured) (*apply.Result, error) {
			return a.Update(ctx, obj, tracked, fields, in)
		}
		if r.Subresource == "status" {
			onJSON = func() ([]byte, *crdkit.Result, error) { return v.UpdateStatusJSON(ctx, r.Body, old, fields, in) }
			onMap = func(obj *unstructured.Unstructured) (*crdkit.Result, error) {
				return v.UpdateStatus(ctx, obj, live, fields, in)
			}
		}
	}
	return map[string]func() (*ourResult, error){
		"JSON": func() (*ourResult, error) { return asObject(onJSON()) },
		"map": func() (*ourResult, error) {
			obj := decoded()
			if obj == nil {
				return nil, nil
			}
			res, err := onMap(obj)
			return &ourResult{res, obj}, err
		},
		"apply": func() (*ourResult, error) {
			obj := decoded()
			if obj == nil {
				return nil, nil
			}
			return fromApply(track(obj))
		},
	}
}
