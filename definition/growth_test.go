package definition_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// grows fails if the bytes or the number of allocations of a call grow faster than its
// input: eight times the input may need less than twelve times as many. prepare makes
// the input of the size n.
func grows(t *testing.T, prepare func(n int) func(), n int) {
	t.Helper()
	smallBytes, smallCount := allocated(prepare(n))
	largeBytes, largeCount := allocated(prepare(8 * n))
	if testkit.RaceDetector {
		return // pools forget at random
	}
	const slack = 64 << 10 // for what does not depend on the input
	if largeBytes > 12*smallBytes+slack {
		t.Errorf("8 times the input allocates %d bytes instead of %d", largeBytes, smallBytes)
	}
	if largeCount > 12*smallCount+100 {
		t.Errorf("8 times the input allocates %d times instead of %d", largeCount, smallCount)
	}
}

// allocated returns the least that two runs after the first allocate: the runtime
// allocates too.
func allocated(run func()) (bytes, count uint64) {
	run()
	bytes, count = counted(run)
	b, c := counted(run)
	return min(bytes, b), min(count, c)
}

// counted returns what a run allocates.
func counted(run func()) (bytes, count uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}

// joined returns n texts, separated by commas.
func joined(n int, text func(i int) string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = text(i)
	}
	return strings.Join(texts, ",")
}

// definitionWith returns a definition whose versions before the storage version are given,
// each followed by a comma, and whose storage version has this schema.
func definitionWith(versions, schema string) []byte {
	return []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"as","singular":"a","kind":"A","listKind":"AList"},
		"versions":[` + versions + `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + schema + `}}]}}`)
}

// properties returns the schema of an object with n properties.
func properties(n int, schema string) string {
	return `{"type":"object","properties":{` + joined(n, func(i int) string { return fmt.Sprintf(`"p%d":%s`, i, schema) }) + `}}`
}

// versionsBefore returns n versions, each with a schema of its own.
func versionsBefore(n int) string {
	return joined(n, func(i int) string {
		return fmt.Sprintf(`{"name":"v%d","served":true,"storage":false,"deprecated":true,"schema":{"openAPIV3Schema":{"type":"object","description":"%d"}}}`, i+2, i)
	}) + ","
}

// growths are definitions by their size, for each dimension in which one can grow.
var growths = map[string]func(n int) []byte{
	"properties":        func(n int) []byte { return definitionWith("", properties(n, `{"type":"string"}`)) },
	"structural errors": func(n int) []byte { return definitionWith("", properties(n, `{}`)) },
	"forbidden keywords": func(n int) []byte {
		return definitionWith("", properties(n, `{"type":"array","items":{"type":"string"},"uniqueItems":true}`))
	},
	"unknown types":   func(n int) []byte { return definitionWith("", properties(n, `{"type":"text"}`)) },
	"unknown formats": func(n int) []byte { return definitionWith("", properties(n, `{"type":"string","format":"x"}`)) },
	"sets that are no sets": func(n int) []byte {
		return definitionWith("", properties(n, `{"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"set"}`))
	},
	"faulty defaults": func(n int) []byte { return definitionWith("", properties(n, `{"type":"string","default":1}`)) },
	"rules": func(n int) []byte {
		return definitionWith("", properties(n, `{"type":"string","maxLength":2,"x-kubernetes-validations":[{"rule":"self != 'a'"}]}`))
	},
	"rules without text": func(n int) []byte {
		return definitionWith("", properties(n, `{"type":"string","x-kubernetes-validations":[{"rule":""}]}`))
	},
	"rules that are no CEL": func(n int) []byte {
		return definitionWith("", properties(n, `{"type":"string","x-kubernetes-validations":[{"rule":"self.x"}]}`))
	},
	"versions":               func(n int) []byte { return definitionWith(versionsBefore(n), `{"type":"object"}`) },
	"versions without names": func(n int) []byte { return definitionWith(strings.Repeat(`{"served":true},`, n), `{"type":"object"}`) },
	"faults in a default that is a list": func(n int) []byte {
		return definitionWith("", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"default":[`+joined(n, func(int) string { return "1" })+`]}}}`)
	},
	"faults in a default that is an object": func(n int) []byte {
		value := joined(n, func(i int) string { return fmt.Sprintf(`"p%d":1`, i) })
		return definitionWith("", `{"type":"object","properties":{"a":`+strings.TrimSuffix(properties(n, `{"type":"string"}`), "}")+`,"default":{`+value+`}}}}`)
	},
	"rules of one schema": func(n int) []byte {
		return definitionWith("", `{"type":"object","x-kubernetes-validations":[`+joined(n, func(i int) string { return fmt.Sprintf(`{"rule":"self.x%d"}`, i) })+`]}`)
	},
	"enum values": func(n int) []byte {
		return definitionWith("", `{"type":"object","properties":{"a":{"type":"string","enum":[`+joined(n, func(i int) string { return strconv.Quote("a" + strconv.Itoa(i)) })+`]}}}`)
	},
	"short names": func(n int) []byte {
		names := joined(n, func(i int) string { return fmt.Sprintf(`"A%d"`, i) })
		return []byte(strings.Replace(string(definitionWith("", `{"type":"object"}`)), `"kind":"A"`, `"kind":"A","shortNames":[`+names+`]`, 1))
	},
	"labels": func(n int) []byte {
		labels := joined(n, func(i int) string { return fmt.Sprintf(`"a%d":"-%d"`, i, i) })
		return []byte(strings.Replace(string(definitionWith("", `{"type":"object"}`)), `"name":"as.example.com"`, `"name":"as.example.com","labels":{`+labels+`}`, 1))
	},
}

func parsed(t *testing.T, text []byte) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd, err := definition.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// TestGrowth: what Parse, Check, CheckUpdate, the notes and Compile allocate grows in
// proportion to the definition, and to the errors in it.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	const n = 150
	for name, text := range growths {
		for operation, of := range map[string]func(text []byte) func(){
			"Parse": func(text []byte) func() {
				return func() { parsed(t, text) }
			},
			"Check": func(text []byte) func() {
				crd := parsed(t, text)
				return func() { _ = definition.Check(crd).Err() }
			},
			"notes": func(text []byte) func() {
				crd := parsed(t, text)
				return func() { definition.Check(crd, definition.WithNotes()) }
			},
			"CheckUpdate": func(text []byte) func() {
				crd := parsed(t, text)
				return func() { definition.CheckUpdate(crd, crd) }
			},
			"Compile": func(text []byte) func() {
				crd := parsed(t, text)
				return func() {
					if _, err := crdkit.Compile(crd); err != nil {
						_ = err.Error()
					}
				}
			},
		} {
			t.Run(operation+"/"+name, func(t *testing.T) {
				grows(t, func(n int) func() { return of(text(n)) }, n)
			})
		}
	}
}
