// Rules prints how much memory single evaluations of rules take for each unit of cost,
// without the limit of memory and with it:
//
//	go run ./internal/test/testkit/hostile/rules
//
// Each rule makes as large a string, list or map as it can from two strings of 20 KB or a
// list of 2,000 numbers. The peak is the peak of the resident memory of a process that
// evaluates the rule once, above what it held before. The process collects garbage as soon
// as its heap has grown by a tenth, so that the peak is near to what is held at once. A
// column beside it has what the evaluation allocates in all.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
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
	var err error
	switch len(os.Args) {
	case 1:
		err = printTable()
	case 3:
		err = evaluate(os.Args[1], os.Args[2])
	default:
		err = errors.New("usage: rules")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// printTable runs a process for each rule and each limit.
func printTable() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	const columns = "cost | peak, KiB | allocated, KiB | bytes of peak per unit |"
	fmt.Println("| operation | without a limit: " + columns + " with the default: " + columns)
	fmt.Println("|---|" + strings.Repeat("---:|", 8))
	for _, r := range rules {
		fmt.Printf("| %s |", r.name)
		for _, memory := range []uint64{math.MaxUint64, 0} {
			out, err := exec.Command(program, r.text, strconv.FormatUint(memory, 10)).Output()
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			fmt.Print(" ", string(out), " |")
		}
		fmt.Println()
	}
	return nil
}

// cells returns the cells of an evaluation. One that ends at a limit has no cost of its own:
// the whole budget counts as spent.
func cells(cost, peak, allocated uint64, end string) string {
	if end != "" {
		return fmt.Sprintf("%s | %d | %d | -", end, peak>>10, allocated>>10)
	}
	return fmt.Sprintf("%d | %d | %d | %d", cost, peak>>10, allocated>>10, peak/max(cost, 1))
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

// object has two strings of 20 KB and a list of 2,000 numbers.
func object() map[string]any {
	const size, elements = 20_000, 2_000
	list := make([]any, elements)
	for i := range list {
		list[i] = int64(i)
	}
	return map[string]any{"a": strings.Repeat("a", size), "b": strings.Repeat("b", size), "l": list}
}

// evaluate prints the cells of a rule within a limit of memory.
func evaluate(rule, limit string) error {
	memory, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return err
	}
	p, err := compile(rule)
	if err != nil {
		return err
	}
	obj := object()
	p.Eval(context.Background(), map[string]any{"a": "a", "b": "b", "l": []any{int64(1)}}) // fills pools and tables
	debug.FreeOSMemory()
	debug.SetGCPercent(10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	held, err := status("VmRSS:")
	if err != nil {
		return err
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600); err != nil { // the peak begins anew
		return err
	}
	res := p.Eval(context.Background(), obj, cel.Memory(memory))
	peak, err := status("VmHWM:")
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	end := ""
	if len(res.Errors) > 0 {
		end = cause(res.Errors[0].Detail)
	}
	fmt.Print(cells(uint64(res.Cost), peak-min(held, peak), after.TotalAlloc-before.TotalAlloc, end))
	return nil
}

// status returns a figure of the memory of this process in bytes, as Linux has it.
func status(name string) (uint64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), name)
	var kibibytes uint64
	if _, err := fmt.Sscan(rest, &kibibytes); err != nil {
		return 0, fmt.Errorf("no %s: %w", name, err)
	}
	return kibibytes << 10, nil
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
