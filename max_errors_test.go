package crdkit_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// manyErrors is a definition whose objects can have errors of every step.
const manyErrors = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
	"types":{"type":"array","items":{"type":"string"}},
	"patterns":{"type":"array","items":{"type":"string","pattern":"^[a-z]*$"}},
	"branches":{"type":"array","items":{"type":"integer","anyOf":[{"minimum":5},{"minimum":6}]}},
	"set":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
	"embedded":{"type":"array","items":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}},
	"rules":{"type":"array","maxItems":1000,"items":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 5"}]}}}}}}]}}`

// many returns an object whose field is a list of n elements.
func many(field, element string, n int) []byte {
	elements := strings.Repeat(element+",", n)
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"%s":[%s]}`,
		field, strings.TrimSuffix(elements, ","))
}

// pairs returns an object whose set has each of n values twice.
func pairs(n int) []byte {
	var b strings.Builder
	for i := range 2 * n {
		b.WriteString(strconv.Quote(strconv.Itoa(i/2)) + ",")
	}
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"set":[%s]}`,
		strings.TrimSuffix(b.String(), ","))
}

// labelled returns an object with n wrong labels.
func labelled(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"-%d":""`, i)
	}
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n","labels":{%s}}}`, b.String()[1:])
}

// TestErrorsOverLimitAreCounted checks errors of every step, on both implementations:
// those within the limit are in the result, and the others are counted.
func TestErrorsOverLimitAreCounted(t *testing.T) {
	const n, most = 40, 7
	objects := map[string][]byte{
		"types":    many("types", "1", n),
		"patterns": many("patterns", `"A"`, n),
		"set":      pairs(n),
		"embedded": many("embedded", `{"apiVersion":"v1"}`, n),
		"rules":    many("rules", "1", n),
		"labels":   labelled(n),
	}
	for _, opts := range [][]crdkit.Option{nil, {testopt.Reference{}}} {
		v := storageOf(t, manyErrors, opts...)
		for name, raw := range objects {
			all := refusalOf(t, v, raw)
			some := refusalOf(t, v, raw, crdkit.MaxErrors(most))
			if len(all.Errors) < n || all.Omitted != 0 {
				t.Fatalf("%s: %d errors, %d omitted, want at least %d", name, len(all.Errors), all.Omitted, n)
			}
			more := len(all.Errors) - most
			if len(some.Errors) != most || some.Omitted != more {
				t.Errorf("%s: %d errors, %d omitted, want %d and %d", name, len(some.Errors), some.Omitted, most, more)
			}
			known := map[string]bool{}
			for _, e := range all.Errors {
				known[e.Error()] = true
			}
			for _, e := range some.Errors {
				if !known[e.Error()] {
					t.Errorf("%s: an error that is not there without a limit: %v", name, e)
				}
			}
			if want := fmt.Sprintf(", and %d more errors]", more); !strings.HasSuffix(some.Err().Error(), want) {
				t.Errorf("%s: the text does not end in %q", name, want)
			}
			if diff := cmp.Diff(some.Err().Error(), refusalOf(t, v, raw, crdkit.MaxErrors(most)).Err().Error()); diff != "" {
				t.Errorf("%s: a second request differs:\n%s", name, diff)
			}
		}
	}
}

// TestLimitKeepsVerdictOfRules checks that rules do not run if only an omitted error
// forbids it, and run otherwise.
func TestLimitKeepsVerdictOfRules(t *testing.T) {
	v := storageOf(t, manyErrors)
	skipped := func(raw string, most int) bool {
		text := refusalOf(t, v, []byte(raw), crdkit.MaxErrors(most)).Err().Error()
		return strings.Contains(text, "some validation rules were not checked")
	}
	const head = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},`
	for _, most := range []int{2, 50} {
		if skipped(head+`"patterns":["A","A"],"rules":[1]}`, most) {
			t.Errorf("limit %d: errors of patterns keep rules from running", most)
		}
	}
	if !skipped(head+`"patterns":["A"],"rules":[1],"types":[1]}`, 50) {
		t.Error("an error of a type does not keep rules from running")
	}
	if res := refusalOf(t, v, []byte(head+`"patterns":["A"],"rules":[1],"types":[1]}`), crdkit.MaxErrors(1)); res.Cost != 0 {
		t.Errorf("rules ran for %d units though an omitted error forbids it", res.Cost)
	}
}

// TestLimitInBranches checks that a junctor fails though the limit is reached in it.
func TestLimitInBranches(t *testing.T) {
	v := storageOf(t, manyErrors)
	all := refusalOf(t, v, many("branches", "1", 10))
	some := refusalOf(t, v, many("branches", "1", 10), crdkit.MaxErrors(3))
	if len(some.Errors) != 3 || len(all.Errors) != 20 || some.Omitted != 17 {
		t.Errorf("%d of %d errors, %d omitted", len(some.Errors), len(all.Errors), some.Omitted)
	}
	if res := refusalOf(t, v, []byte(strings.Replace(string(many("branches", "1", 3)), "1,", "7,", 2)), crdkit.MaxErrors(1)); res.Omitted > 2 {
		t.Errorf("%d errors are omitted of an object with one wrong element", res.Omitted)
	}
}

// TestDifferenceErrorNumber tests errors/number of docs/DIFFERENCES.md: the server lists
// any number of errors.
func TestDifferenceErrorNumber(t *testing.T) {
	v := storageOf(t, manyErrors)
	const n = crdkit.DefaultMaxErrors + 5
	res := refusalOf(t, v, many("types", "1", n))
	if len(res.Errors) != crdkit.DefaultMaxErrors || res.Omitted != 6 { // one says that rules did not run
		t.Errorf("%d errors, %d omitted", len(res.Errors), res.Omitted)
	}
	if lifted := refusalOf(t, v, many("types", "1", n), crdkit.MaxErrors(math.MaxInt)); len(lifted.Errors) != n+1 || lifted.Omitted != 0 {
		t.Errorf("without a limit: %d errors, %d omitted, want %d", len(lifted.Errors), lifted.Omitted, n)
	}
}

// TestLimitBoundsMemory checks that errors over the limit are not made at all.
func TestLimitBoundsMemory(t *testing.T) {
	object, err := testkit.Decode(many("types", "1", 50_000))
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{Object: object}
	v := storageOf(t, manyErrors)
	allocated := func(most int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		res, err := v.Create(context.Background(), obj, crdkit.MaxErrors(most))
		runtime.ReadMemStats(&after)
		if err != nil || res.Admitted() {
			t.Fatal(res, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(10)
	if few, all := allocated(10), allocated(50_000); few*5 > all {
		t.Errorf("%d bytes for 10 errors, %d for all", few, all)
	}
}

func TestNegativeMaxErrors(t *testing.T) {
	v := storageOf(t, manyErrors)
	if _, _, err := v.CreateJSON(context.Background(), labelled(1), crdkit.MaxErrors(-1)); err == nil || !strings.Contains(err.Error(), "limit of errors is -1") {
		t.Errorf("a negative limit: %v", err)
	}
}

func storageOf(t *testing.T, text string, opts ...crdkit.Option) *crdkit.Version {
	t.Helper()
	def, err := crdkit.Compile(mustParse(t, text), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return def.Storage()
}

// refusalOf returns the result of the creation of an object that is refused.
func refusalOf(t *testing.T, v *crdkit.Version, raw []byte, opts ...crdkit.JSONOption) *crdkit.Result {
	t.Helper()
	out, res, err := v.CreateJSON(context.Background(), raw, opts...)
	if err != nil || out != nil || res.Admitted() {
		t.Fatalf("%.100s: %v, %v", raw, res, err)
	}
	return res
}
