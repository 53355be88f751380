package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// conversions counts the comparisons.
type conversions struct {
	mu        sync.Mutex
	cases     int
	different int
}

// compare runs a case on both sides and returns our answer. Upstream may run several
// times, because it walks maps.
func (n *conversions) compare(t *testing.T, c *conversionCase, strategy apiextensionsv1.ConversionStrategyType, reset func()) (theirs, mine answer) {
	t.Helper()
	n.mu.Lock()
	n.cases++
	n.mu.Unlock()
	reset()
	ours, err := c.ours(strategy)
	if mine = (answer{}); err != nil {
		mine = failed(err)
	} else {
		mine = c.runOurs(t, ours)
	}
	up, err := c.upstream(strategy)
	begin := time.Now()
	for i := range Reruns {
		if i > 1 && time.Since(begin) > time.Second {
			break // slow cases have no random results
		}
		reset()
		if err != nil {
			theirs = failed(err)
		} else {
			theirs = c.runUpstream(t, up)
		}
		if theirs == mine {
			return theirs, mine
		}
	}
	n.mu.Lock()
	n.different++
	n.mu.Unlock()
	t.Errorf("%s, %s to %s, reviews %v:\n-upstream %v\n+ours     %v", c.name, c.input, c.to, c.reviews, theirs, mine)
	return theirs, mine
}

// answering is a webhook that converts and then breaks its answer.
type answering struct {
	mu     sync.Mutex
	spoil  func(answer map[string]any) any
	bodies []string // bodies of requests, without their uid
}

func (a *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	headers := fmt.Sprintln(r.Method, r.URL, r.Header.Get("Accept"), r.Header.Get("Content-Type"), r.Header.Get("Accept-Encoding"))
	a.bodies = append(a.bodies, headers+uuids.ReplaceAllString(string(body), "UUID"))
	var review map[string]any
	if err := json.Unmarshal(body, &review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request := review["request"].(map[string]any)
	var objects []any
	for _, o := range request["objects"].([]any) {
		obj := o.(map[string]any)
		obj["apiVersion"] = request["desiredAPIVersion"]
		if spec, ok := obj["spec"].(map[string]any); ok {
			spec["converted"] = true
		}
		objects = append(objects, obj)
	}
	var out any = a.spoil(map[string]any{
		"apiVersion": review["apiVersion"], "kind": review["kind"],
		"response": map[string]any{
			"uid": request["uid"], "convertedObjects": objects, "result": map[string]any{"status": "Success"},
		},
	})
	w.Header().Set("Content-Type", "application/json")
	if text, ok := out.(string); ok {
		_, _ = w.Write([]byte(text))
		return
	}
	_ = json.NewEncoder(w).Encode(out)
}

// edit changes the value at a path of keys and indices: "path=JSON" sets it,
// "-path" deletes it.
func edit(value any, change string) {
	path, text, set := strings.Cut(change, "=")
	steps := strings.Split(strings.TrimPrefix(path, "-"), "/")
	var last any
	for i, step := range steps {
		if i == len(steps)-1 {
			last = value
			break
		}
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			n, _ := strconv.Atoi(step)
			if n >= len(v) {
				return
			}
			value = v[n]
		}
	}
	step := steps[len(steps)-1]
	var to any
	if set {
		if err := json.Unmarshal([]byte(text), &to); err != nil {
			panic(err)
		}
	}
	switch v := last.(type) {
	case map[string]any:
		if delete(v, step); set {
			v[step] = to
		}
	case []any:
		if n, _ := strconv.Atoi(step); n < len(v) {
			v[n] = to
		}
	}
}

// conversionEdits are edits that make a right answer wrong, one per line.
var conversionEdits = strings.Split(strings.TrimSpace(`
kind="ConversionReview"
kind="Other"
-kind
kind=5
apiVersion="apiextensions.k8s.io/v1"
apiVersion="apiextensions.k8s.io/v1beta1"
apiVersion="apiextensions.k8s.io/v2"
apiVersion="a/b/c"
-apiVersion
apiVersion=5
apiVersion="v1"
request={"uid":"x","desiredAPIVersion":"y","objects":[{"a":1}]}
request={"uid":5}
request=5
extra={"a":[1,2,3]}
-response
response=null
response=5
response={}
response/uid="other"
-response/uid
response/uid=null
response/uid=5
-response/result
response/result=null
response/result={}
response/result="Success"
response/result={"status":"Failure"}
response/result={"status":"Failed","message":"because"}
response/result={"status":"Success","message":"fine"}
response/result={"status":"success"}
response/result={"status":"Failure","message":"it\nbroke","reason":"Invalid","code":422,"details":{"causes":[{"message":"m"}]}}
response/result={"status":5}
-response/convertedObjects
response/convertedObjects=null
response/convertedObjects=[]
response/convertedObjects=5
response/convertedObjects=[null]
response/convertedObjects=[5]
response/convertedObjects=["text"]
response/convertedObjects=[[]]
response/convertedObjects=[{}]
response/convertedObjects=[{},{},{}]
response/convertedObjects=[{"apiVersion":"example.com/v1"},{"apiVersion":"example.com/v1"}]
response/convertedObjects/0=null
response/convertedObjects/0=7
response/convertedObjects/0={"kind":"CronTab"}
response/convertedObjects/0={"apiVersion":"example.com/v1"}
response/convertedObjects/1=null
response/convertedObjects/1={"kind":"CronTab"}
response/convertedObjects/0/kind="Other"
response/convertedObjects/0/kind=5
-response/convertedObjects/0/kind
response/convertedObjects/1/kind="Other"
-response/convertedObjects/1/kind
response/convertedObjects/0/kind=""
response/convertedObjects/0/apiVersion="example.com/v1beta1"
response/convertedObjects/0/apiVersion="example.org/v1"
response/convertedObjects/0/apiVersion="v1"
response/convertedObjects/0/apiVersion="a/b/c"
response/convertedObjects/0/apiVersion=5
-response/convertedObjects/0/apiVersion
response/convertedObjects/1/apiVersion="example.com/v1beta1"
response/convertedObjects/0/items=[{"a":1}]
-response/convertedObjects/0/metadata
response/convertedObjects/0/metadata=null
response/convertedObjects/0/metadata={}
response/convertedObjects/0/metadata=5
response/convertedObjects/0/metadata=[]
-response/convertedObjects/1/metadata
response/convertedObjects/1/metadata={}
response/convertedObjects/0/metadata/name="other"
response/convertedObjects/0/metadata/name=5
-response/convertedObjects/0/metadata/name
response/convertedObjects/1/metadata/name="other"
response/convertedObjects/0/metadata/namespace="other"
-response/convertedObjects/0/metadata/namespace
response/convertedObjects/0/metadata/uid="other"
-response/convertedObjects/0/metadata/uid
response/convertedObjects/0/metadata/generation=9
response/convertedObjects/0/metadata/finalizers=["a/b"]
response/convertedObjects/0/metadata/ownerReferences=[{"name":"x"}]
-response/convertedObjects/0/metadata/creationTimestamp
response/convertedObjects/0/metadata/unknown={"a":1}
response/convertedObjects/0/metadata/labels={"app":"other"}
response/convertedObjects/0/metadata/labels={"app":"x"}
response/convertedObjects/0/metadata/labels={}
response/convertedObjects/0/metadata/labels=null
-response/convertedObjects/0/metadata/labels
response/convertedObjects/0/metadata/labels=5
response/convertedObjects/0/metadata/labels={"app":5}
response/convertedObjects/0/metadata/labels={"app":null}
response/convertedObjects/0/metadata/labels={"app":"x","b":{}}
response/convertedObjects/0/metadata/labels={"a":1,"b":"x","c":true}
response/convertedObjects/0/metadata/labels={"not valid!":"x"}
response/convertedObjects/0/metadata/labels={"app":"not valid!"}
response/convertedObjects/0/metadata/labels={"not valid!":"not valid!","nor this!":"x"}
response/convertedObjects/0/metadata/labels={"not valid!":"no, not"}
response/convertedObjects/1/metadata/labels={"not valid!":"x"}
response/convertedObjects/0/metadata/annotations={"note":"other","added":"yes"}
response/convertedObjects/0/metadata/annotations={"not valid!":"x"}
response/convertedObjects/0/metadata/annotations={"not valid!":"z"}
response/convertedObjects/0/metadata/annotations={"a":[]}
response/convertedObjects/0/metadata/annotations="x"
response/convertedObjects/0/metadata/annotations={}
-response/convertedObjects/0/metadata/annotations
response/convertedObjects/0/spec={"big":9223372036854775807,"bigger":9223372036854775808,"float":1.0,"exp":1e3,"neg":-0.0}
-response/convertedObjects/0/spec
`), "\n")

// rawAnswers are malformed or wrong documents. UID stands for the uid of the request.
var rawAnswers = []string{
	``, ` `, `null`, `5`, `"text"`, `[]`, `{}`, `{`, `{"a"`, `<html>not found</html>`, "kind: ConversionReview",
	"apiVersion: apiextensions.k8s.io/v1\nkind: ConversionReview\nresponse:\n  uid: UID\n  result: {status: Success}\n  convertedObjects:\n  - {apiVersion: example.com/v1, kind: CronTab, metadata: {name: a}, spec: {n: 1}}\n",
	"apiVersion: apiextensions.k8s.io/v1beta1\nkind: ConversionReview\nresponse: {result: {status: Success}, convertedObjects: [{apiVersion: example.com/v1, kind: CronTab, metadata: {name: a}}]}\n",
	`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no"}`,
	`{"kind":"Status","apiVersion":"v1","status":"Success"}`,
	`{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1"}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"} trailing`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"b"},"metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Failure"},"result":{"status":"Success"},"convertedObjects":[{"a":{"b":1}},2],"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"x","convertedObjects":[{"c":1}]},"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"Kind":"ConversionReview","APIVersion":"apiextensions.k8s.io/v1","Response":{"uid":"UID"}}`,
	"\ufeff" + `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`,
	"{\"kind\":\"ConversionReview\",\"apiVersion\":\"apiextensions.k8s.io/v1\",\"response\":{\"uid\":\"UID\",\"result\":{\"status\":\"Success\"},\"convertedObjects\":[{\"apiVersion\":\"example.com/v1\",\"kind\":\"CronTab\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"bad\":\"\xff\xfe\",\"surrogate\":\"\\ud800\"}}]}}",
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","KIND":"Other","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"KIND":"Other","kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","apiversion":"v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","re\u0073ponse":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"converted\u004fbjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}],"convertedObjects":null}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":null,"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]},"response":null}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":null,"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"objects":[{"a":1}]},"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"objects":5},"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":[],"response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"}}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"},"n":1e400}]}}`,
	`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"UID","result":{"status":"Success"},"convertedObjects":[{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"},"\ud800":"\ud800","n":{"a":{"b":1},"a":{"c":2}}}]}}`,
	strings.Repeat("[", 20000),
	`{"a":` + strings.Repeat("[", 20000),
}

// TestConversions compares converted objects and errors with those of the server's
// converter. Both sides call the same webhook.
func TestConversions(t *testing.T) {
	n := &conversions{}
	hook := &answering{}
	server := httptest.NewTLSServer(hook)
	defer server.Close()
	config := apiextensionsv1.WebhookClientConfig{URL: pointer(server.URL + "/convert"), CABundle: certificatePEM(server.Certificate().Raw)}
	spoiled := func(name, input, to, review string, spoil func(map[string]any) any) {
		c := &conversionCase{name: name, input: input, to: to, reviews: []string{"v2", review}, config: config}
		n.compare(t, c, apiextensionsv1.WebhookConverter, func() {
			hook.mu.Lock()
			hook.spoil = spoil
			hook.mu.Unlock()
		})
	}
	right := func(a map[string]any) any { return a }
	for input := range conversionInputs {
		for _, to := range []string{"v1", "v1alpha1", "v9"} {
			spoiled("right answer", input, to, "v1", right)
			spoiled("right answer", input, to, "v1beta1", right)
			spoiled("no known review", input, to, "v3", right)
			c := &conversionCase{name: "None", input: input, to: to}
			n.compare(t, c, apiextensionsv1.NoneConverter, func() {})
			n.compare(t, c, "Magic", func() {})
		}
	}
	for _, input := range []string{"single", "one object", "no metadata", "odd labels", "no labels", "list", "list of one"} {
		for _, review := range []string{"v1", "v1beta1"} {
			for _, change := range conversionEdits {
				spoiled(change, input, "v1", review, func(a map[string]any) any {
					edit(a, change)
					return a
				})
			}
		}
	}
	for _, input := range []string{"one object", "list of one"} {
		for _, review := range []string{"v1", "v1beta1"} {
			for _, text := range rawAnswers {
				spoiled(fmt.Sprintf("%.60q", text), input, "v1", review, func(a map[string]any) any {
					return strings.ReplaceAll(text, "UID", fmt.Sprint(a["response"].(map[string]any)["uid"]))
				})
			}
		}
	}
	for seed := range uint64(600) {
		input := []string{"single", "list", "odd labels"}[seed%3]
		spoiled(fmt.Sprintf("random edits, seed %d", seed), input, "v1", []string{"v1", "v1beta1"}[seed/3%2], func(a map[string]any) any {
			rng := rand.New(rand.NewPCG(seed, 5))
			for range 1 + rng.IntN(3) {
				spoilRandomly(rng, a)
			}
			return a
		})
	}
	checkBodies(t, hook.bodies)
	handled(t, n)
	conversionFaults(t, n)
	fmt.Printf("oracle: conversions %d cases, %d differences\n", n.cases, n.different)
}

// handled lets both sides call a webhook that is served by crdkit.
func handled(t *testing.T, n *conversions) {
	server := httptest.NewTLSServer(conversion.Handler(func(_ context.Context, obj *unstructured.Unstructured, to string) (*unstructured.Unstructured, error) {
		if to == "v1alpha1" {
			panic("there is no way to " + to)
		}
		if obj.GetName() == "c" {
			return nil, errors.New("c is not <converted>")
		}
		obj.Object["converted"] = true
		return obj, nil
	}))
	defer server.Close()
	config := apiextensionsv1.WebhookClientConfig{URL: pointer(server.URL), CABundle: certificatePEM(server.Certificate().Raw)}
	for _, input := range slices.Sorted(maps.Keys(conversionInputs)) {
		for _, to := range []string{"v1", "v1alpha1"} {
			for _, review := range []string{"v1", "v1beta1"} {
				c := &conversionCase{name: "Handler", input: input, to: to, reviews: []string{review}, config: config}
				theirs, _ := n.compare(t, c, apiextensionsv1.WebhookConverter, func() {})
				if right := slices.Contains([]string{"single", "one object", "no metadata", "list of one"}, input) && to == "v1"; right && theirs.err != "" {
					t.Errorf("the server does not take %s to %s, reviews %s: %s", input, to, review, theirs.err)
				}
			}
		}
	}
}

// checkBodies reports requests that only one of the two sides sent.
func checkBodies(t *testing.T, bodies []string) {
	t.Helper()
	count := map[string]int{}
	for _, body := range bodies {
		count[body]++
	}
	for body, n := range count {
		if n < 2 {
			t.Errorf("a request that only one side sends:\n%s", body)
		}
	}
	if len(count) < 20 {
		t.Errorf("only %d different requests", len(count))
	}
}

// spoilRandomly changes or deletes one value somewhere in v.
func spoilRandomly(rng *rand.Rand, v any) {
	values := []any{nil, true, "", "text", "not valid!", 5, 1.5, []any{}, []any{map[string]any{"a": 1}}, map[string]any{}, map[string]any{"a": "b"}, "example.com/v1"}
	random := values[rng.IntN(len(values))]
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		key := keys[rng.IntN(len(keys))]
		switch rng.IntN(6) {
		case 0:
			delete(v, key)
		case 1:
			v[key] = random
		case 2:
			v["k"+key] = random
		default:
			spoilRandomly(rng, v[key])
		}
	case []any:
		if len(v) == 0 {
			return
		}
		if i := rng.IntN(len(v)); rng.IntN(4) == 0 {
			v[i] = random
		} else {
			spoilRandomly(rng, v[i])
		}
	}
}

func pointer[T any](v T) *T { return &v }
