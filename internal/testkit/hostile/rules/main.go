// Rules prints how much memory single evaluations of rules take for each unit of cost,
// without the limit of memory and with it:
//
//	go run ./internal/testkit/hostile/rules
//
// Each rule makes as large a string, list or map as it can from two strings of 20 KB or a
// list of 2,000 numbers. Memory is what the evaluation allocates, which is more than it
// holds at once.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// rules are the worst uses of the operations that make values.
var rules = []struct{ name, text string }{
	{"replace", `self.a.replace('', self.b).size() > 0`},
	{"join", `self.l.map(x, self.a).join(self.b).size() > 0`},
	{"split", `self.a.split('').size() > 0`},
	{"split of replace", `self.a.replace('', 'xy').split('').size() > 0`},
	{"format", `'%s%s%s%s%s%s%s%s%s%s'.format([self.a, self.b, self.a, self.b, self.a, self.b, self.a, self.b, self.a, self.b]).size() > 0`},
	{"concatenation", concatenation(12)},
	{"concatenation in a loop", `self.l.all(x, (self.a + self.b).size() > 0)`},
	{"list +", listSum(12)},
	{"list + in a loop", `self.l.all(x, (self.l + self.l).size() > 0)`},
	{"list literals in a loop", `self.l.map(x, [x, x, x, x, x, x, x, x]).size() > 0`},
	{"map literals in a loop", `self.l.map(x, {'a': x, 'b': x, 'c': x, 'd': x}).size() > 0`},
	{"lowerAscii in a loop", `self.l.all(x, self.a.lowerAscii().size() > 0)`},
}

// concatenation doubles a string in every step.
func concatenation(steps int) string {
	text := "(self.a + self.b)"
	for range steps {
		text = "[" + text + "].map(s, s + s)[0]"
	}
	return text + ".size() > 0"
}

// listSum doubles a list in every step.
func listSum(steps int) string {
	text := "(self.l + self.l)"
	for range steps {
		text = "[" + text + "].map(s, s + s)[0]"
	}
	return text + ".size() > 0"
}

const properties = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},` +
	`"l":{"type":"array","items":{"type":"integer"}}},"x-kubernetes-validations":[{"rule":%s}]}`

func main() {
	const size, elements = 20_000, 2_000
	list := make([]any, elements)
	for i := range list {
		list[i] = int64(i)
	}
	obj := map[string]any{"a": strings.Repeat("a", size), "b": strings.Repeat("b", size), "l": list}
	fmt.Println("| operation | without a limit: cost | KiB | bytes per unit | with the default: cost | KiB | bytes per unit |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	for _, r := range rules {
		p, err := compile(r.text)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", r.name, err)
			os.Exit(1)
		}
		lifted, limited := evaluate(p, obj, math.MaxUint64), evaluate(p, obj, 0)
		fmt.Printf("| %s | %s | %s |\n", r.name, lifted, limited)
	}
}

type result struct {
	cost, bytes uint64
	end         string
}

// String returns the cells of a result. An evaluation that ends at a limit has no cost of
// its own: the whole budget counts as spent.
func (r result) String() string {
	if r.end != "" {
		return fmt.Sprintf("%s | %d | -", r.end, r.bytes>>10)
	}
	return fmt.Sprintf("%d | %d | %d", r.cost, r.bytes>>10, r.bytes/max(r.cost, 1))
}

func compile(rule string) (*cel.Program, error) {
	quoted, err := json.Marshal(rule)
	if err != nil {
		return nil, err
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(fmt.Appendf(nil, properties, quoted), &props); err != nil {
		return nil, err
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	p, errs := cel.Compile(n)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	return p, nil
}

// evaluate runs the rule on obj. The second run counts: the first one fills pools.
func evaluate(p *cel.Program, obj map[string]any, memory uint64) result {
	var r result
	for range 2 {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		res := p.Eval(context.Background(), obj, cel.Memory(memory))
		runtime.ReadMemStats(&after)
		r = result{cost: res.Cost, bytes: after.TotalAlloc - before.TotalAlloc}
		if len(res.Errors) > 0 {
			r.end = cause(res.Errors[0].Detail)
		}
	}
	return r
}

// cause returns why a run ended.
func cause(detail string) string {
	for text, limit := range map[string]string{"memory exceeds limit": "memory", "cost exceeds limit": "cost", "cost budget": "cost"} {
		if strings.Contains(detail, text) {
			return "limit of " + limit
		}
	}
	return detail
}
