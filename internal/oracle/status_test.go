package oracle

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
)

// The tests of this file compare updates of objects and of their status. TestOracle
// compares valid and random updates. These updates change fields that clients must not
// change or that only the server sets: metadata, the status in the main resource, and
// other fields in the status subresource.

var statusAll = flag.Bool("status-all", false, "compare updates of the status of every definition, not of every third")

// A statusEdit is a JSON merge patch.
type statusEdit struct{ name, patch string }

// olds are edits of the old object, in addition to the fields that a store sets.
var olds = []statusEdit{
	{"as it was", `{}`},
	{"being deleted", `{"metadata":{"deletionTimestamp":"2024-03-01T00:00:00Z","deletionGracePeriodSeconds":0,"finalizers":["example.com/a","orphan"]}}`},
	{"of a fifth generation", `{"metadata":{"generation":5,"labels":{"a":"b"},"finalizers":["plain","example.com/a"]}}`},
	{"owned and managed", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1"}],"managedFields":[{"manager":"m","operation":"Update","apiVersion":"example.com/v1","time":"2024-02-29T12:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]}}`},
	{"without a status", `{"status":null}`},
	{"without metadata of a store", `{"metadata":{"uid":null,"creationTimestamp":null}}`},
}

// edits are the changes that a client makes.
var edits = []statusEdit{
	{"nothing", `{}`},
	{"uid", `{"metadata":{"uid":"other"}}`},
	{"no uid", `{"metadata":{"uid":null}}`},
	{"creation", `{"metadata":{"creationTimestamp":"2020-01-01T00:00:00Z"}}`},
	{"no creation", `{"metadata":{"creationTimestamp":null}}`},
	{"deletion", `{"metadata":{"deletionTimestamp":"2024-04-01T00:00:00Z"}}`},
	{"no deletion", `{"metadata":{"deletionTimestamp":null,"deletionGracePeriodSeconds":null}}`},
	{"grace", `{"metadata":{"deletionGracePeriodSeconds":30}}`},
	{"generation", `{"metadata":{"generation":9}}`},
	{"generation below zero", `{"metadata":{"generation":-9}}`},
	{"no generation", `{"metadata":{"generation":null}}`},
	{"conflict", `{"metadata":{"resourceVersion":"8"}}`},
	{"no resource version", `{"metadata":{"resourceVersion":null}}`},
	{"labels", `{"metadata":{"labels":{"a":"c","e":"f"}}}`},
	{"bad label", `{"metadata":{"labels":{"a b":"c d"}}}`},
	{"label of a wrong type", `{"metadata":{"labels":{"a":1}}}`},
	{"annotations", `{"metadata":{"annotations":{"A":"b"}}}`},
	{"finalizer", `{"metadata":{"finalizers":["example.com/a","example.com/b"]}}`},
	{"plain finalizer", `{"metadata":{"finalizers":["example.com/a","plain","other"]}}`},
	{"finalizers of the server", `{"metadata":{"finalizers":["kubernetes","orphan","foregroundDeletion"]}}`},
	{"bad finalizer", `{"metadata":{"finalizers":["a b","/"]}}`},
	{"finalizer twice", `{"metadata":{"finalizers":["example.com/a","example.com/a"]}}`},
	{"no finalizers", `{"metadata":{"finalizers":null}}`},
	{"owners", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1"},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1"},{"apiVersion":"v1","kind":"Event","name":"","uid":"2","controller":true}]}}`},
	{"managers", `{"metadata":{"managedFields":[{"manager":"n","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{}}]}}`},
	{"bad managers", `{"metadata":{"managedFields":[{"manager":"n","operation":"Guess","fieldsType":"x"}]}}`},
	{"name", `{"metadata":{"name":"other"}}`},
	{"no name", `{"metadata":{"name":null}}`},
	{"generated name", `{"metadata":{"generateName":"g-"}}`},
	{"namespace", `{"metadata":{"namespace":"other"}}`},
	{"no namespace", `{"metadata":{"namespace":null}}`},
	{"self link", `{"metadata":{"selfLink":"/x","unknown":1}}`},
	{"no metadata", `{"metadata":null}`},
	{"metadata of a wrong type", `{"metadata":"m"}`},
	{"status", `{"status":{"crdkit":"unknown","conditions":[]}}`},
	{"status of a wrong type", `{"status":"s"}`},
	{"status as a list", `{"status":[{}]}`},
	{"empty status", `{"status":{}}`},
	{"no status", `{"status":null}`},
	{"spec", `{"spec":{"crdkit":"unknown"}}`},
	{"spec of a wrong type", `{"spec":7}`},
	{"no spec", `{"spec":null}`},
	{"another field", `{"crdkit":{"a":1}}`},
	{"kind", `{"kind":"Other"}`},
	{"no kind", `{"kind":null}`},
	{"version", `{"apiVersion":"example.com/v0"}`},
}

// merged returns obj with the patches applied. Null deletes a member, or stays if nulls is
// true.
func merged(obj map[string]any, nulls bool, patches ...statusEdit) map[string]any {
	out := testkit.Clone(obj)
	for _, p := range patches {
		var patch map[string]any
		if err := json.Unmarshal([]byte(p.patch), &patch); err != nil {
			panic(err)
		}
		patch = integers(patch).(map[string]any)
		merge(out, patch, nulls)
	}
	return out
}

// integers converts numbers to the types that the decoders of objects return.
func integers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = integers(v[name])
		}
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	case float64:
		return int64(v)
	}
	return v
}

func merge(into, patch map[string]any, nulls bool) {
	for name, value := range patch {
		below, ok := value.(map[string]any)
		old, was := into[name].(map[string]any)
		switch {
		case value == nil && !nulls:
			delete(into, name)
		case ok && was && len(below) > 0:
			merge(old, below, nulls)
		default:
			into[name] = value
		}
	}
}

// A statusTally counts answers of upstream.
type statusTally struct{ requests, refused, invalid, warned int }

func (s *statusTally) add(out upstream.Outcome) {
	s.requests++
	switch {
	case out.Refusal != "":
		s.refused++
	case len(out.Errors) > 0:
		s.invalid++
	}
	if len(out.Warnings) > 0 {
		s.warned++
	}
}

func (s statusTally) String() string {
	return fmt.Sprintf("%d (%d refused, %d invalid, %d with warnings)", s.requests, s.refused, s.invalid, s.warned)
}

func TestStatus(t *testing.T) {
	list, full := definitions(t)
	perVersion := 12
	if testing.Short() {
		perVersion = 2
	}
	tally := newTally(Differences)
	var updates, statuses statusTally
	versions := 0
	for i, d := range list {
		if full && !*statusAll && i%3 != 0 {
			continue
		}
		up, err := upstream.Compile(d.CRD)
		if err != nil {
			continue // TestOracle says why
		}
		ours, err := Crdkit(up.CRD)
		if err != nil {
			t.Errorf("%s: %v", d.Path, err)
			continue
		}
		for i, v := range up.Versions {
			if !v.HasStatus {
				continue
			}
			versions++
			c := &check{tally: tally, def: d, up: v, ours: ours[v.Name]}
			made := madeObjects(c, &d.CRD.Spec.Versions[i])
			for k := range perVersion {
				rng := source(d.Path, v.Name, fmt.Sprint(k))
				c.name = fmt.Sprint("update ", k)
				old := merged(made[rng.IntN(len(made))], false, olds[rng.IntN(len(olds))])
				obj := merged(old, rng.IntN(4) == 0, edits[(versions*perVersion+k)%len(edits)], edits[rng.IntN(len(edits))])
				if rng.IntN(2) == 0 {
					obj["status"] = made[rng.IntN(len(made))]["status"]
				}
				c.bothUpdates(obj, old, &updates, &statuses)
			}
		}
	}
	if text := tally.Unknown(); text != "" {
		t.Errorf("differences that are not in the list:\n%s", text)
	}
	if full && (statuses.invalid < statuses.requests/20 || statuses.refused > statuses.requests*2/3) {
		t.Errorf("the requests show too little: %v", statuses)
	}
	fmt.Printf("oracle: status subresource of %d versions: %v updates, %v updates of the status, each as object and as bytes, %d differences\n", versions, updates, statuses, strings.Count(tally.Unknown(), "\n"))
}

// madeObjects returns objects as clients read them: valid objects, and invalid
// objects that are stored.
func madeObjects(c *check, declared *apiextensionsv1.CustomResourceDefinitionVersion) []map[string]any {
	target := generate.Target{Group: c.up.Kind.Group, Version: declared.Name, Kind: c.up.Kind.Kind, Namespaced: c.def.CRD.Spec.Scope == apiextensionsv1.NamespaceScoped}
	if declared.Schema != nil {
		target.Schema = declared.Schema.OpenAPIV3Schema
	}
	var samples []map[string]any
	for _, s := range c.def.Samples {
		samples = append(samples, s.Object)
	}
	g := generate.New(target, samples...)
	var out []map[string]any
	for i := 0; len(out) < 4 && i < 40; i++ {
		obj := g.Object(source(c.def.Path, declared.Name, fmt.Sprint("made ", i)), generate.Class(i%3))
		metadata, ok := obj["metadata"].(map[string]any)
		if !ok {
			continue
		}
		metadata["name"] = "w"
		if target.Namespaced {
			metadata["namespace"] = "default"
		}
		if read := c.up.Read(encode(obj)).Object; read != nil {
			keep(read)
			out = append(out, read)
		}
	}
	if len(out) == 0 {
		out = append(out, map[string]any{"apiVersion": c.up.Kind.Group + "/" + c.up.Name, "kind": c.up.Kind.Kind, "metadata": map[string]any{"name": "w", "namespace": "default"}})
	}
	return out
}

func (c *check) bothUpdates(obj, old map[string]any, updates, statuses *statusTally) {
	const fields = "Warn"
	body := upstream.Body{Data: testkit.Encode(obj), Fields: fields}
	main := func() upstream.Outcome { return c.up.Update(body, old) }
	status := func() upstream.Outcome { return c.up.UpdateStatus(body, old) }
	c.guard("update", obj, func() {
		c.bytes("update json", pair(obj, old), main, func() (upstream.Outcome, []byte) { return c.ours.UpdateJSON(body, testkit.Encode(old)) })
		c.bytes("status json", pair(obj, old), status, func() (upstream.Outcome, []byte) { return c.ours.StatusJSON(body, testkit.Encode(old)) })
		updates.add(main())
		statuses.add(status())
		if !typed(obj) {
			return // an object without kind comes from no decoder
		}
		c.outcome("update", pair(obj, old), false, main, func() upstream.Outcome { return c.ours.Update(testkit.Clone(obj), old, fields) })
		c.outcome("status", pair(obj, old), false, status, func() upstream.Outcome { return c.ours.UpdateStatus(testkit.Clone(obj), old, fields) })
	})
}
