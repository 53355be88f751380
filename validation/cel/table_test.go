package cel

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/schema"
)

// The ways in which a rule runs, best first.
const (
	natively = "natively"
	bridges  = "natively, but for functions of cel-go"
	leftover = "by cel-go"
)

func (e *expression) runs() string {
	switch {
	case e.fast == nil:
		return leftover
	case e.fast.guards:
		return bridges
	}
	return natively
}

// TestTable tells how each function of the language runs, by the rules of
// testdata/expressions.yaml that call it: the best way counts. Every function is
// in the table.
func TestTable(t *testing.T) {
	ways := make(map[string]string) // by rule
	for _, g := range tableGroups(t) {
		for _, r := range g.Rules {
			if p := programOf(t, g.Schema, r.Rule); p != nil {
				ways[r.Rule] = p.root.rules[0].condition.runs()
			}
		}
	}
	var left []string
	for rule, way := range ways {
		if way == leftover {
			left = append(left, rule)
		}
	}
	if len(left) > 0 {
		t.Errorf("left to cel-go: %q", left)
	}
	base, err := language(newestMinor)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(base.functions)) {
		if !spelledOut.MatchString(name) || authorization[name] {
			continue
		}
		if name == "in" { // an old name of the operator
			continue
		}
		best := bestWay(ways, name)
		if best == "" {
			t.Errorf("the table has no rule with %s", name)
		}
		t.Logf("%-22s %s", name, best)
	}
}

// spelledOut matches the functions that rules call by name.
var spelledOut = regexp.MustCompile(`^[a-z][A-Za-z0-9.]*$`)

// authorization are the functions that rules of definitions have nothing to call
// on.
var authorization = map[string]bool{
	"allowed": true, "check": true, "errored": true, "error": true, "reason": true, "group": true, "name": true, "namespace": true,
	"path": true, "resource": true, "serviceAccount": true, "subresource": true, "fieldSelector": true, "labelSelector": true,
}

func bestWay(ways map[string]string, function string) string {
	call := regexp.MustCompile(`(^|[^A-Za-z0-9])` + regexp.QuoteMeta(function) + `\(`)
	best := ""
	for rule, way := range ways {
		if call.MatchString(rule) && (best == "" || slices.Index(byWay, way) < slices.Index(byWay, best)) {
			best = way
		}
	}
	return best
}

var byWay = []string{natively, bridges, leftover}

type tableGroup struct {
	Schema json.RawMessage `json:"schema"`
	Rules  []struct {
		Rule string `json:"rule"`
	} `json:"rules"`
}

func tableGroups(t *testing.T) []tableGroup {
	t.Helper()
	data, err := os.ReadFile("testdata/expressions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var groups []tableGroup
	if err := yaml.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// programOf returns nil for a rule that does not compile.
func programOf(t *testing.T, text []byte, rule string) *Program {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(text, &props); err != nil {
		t.Fatal(err)
	}
	props.Type, props.XValidations = "object", apiextensionsv1.ValidationRules{{Rule: rule}}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	p, _ := Compile(n)
	return p
}
