package oracle

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

var (
	changedPairs   = flag.Int("changes", 2000, "mutated definitions to compare with package compat")
	changedSeed    = flag.Uint64("changes-seed", 0, "the seed of the first of them")
	changedDump    = flag.String("changes-dump", "", "a directory for the definitions of the pairs that fail")
	changedObjects = flag.Int("changes-objects", 50, "objects that attack each proof of a mutated definition")
)

// TestCompatMutants mutates real definitions, and compares each with a further mutant of
// it. Both servers get all witnesses, and generated objects attack every proof.
func TestCompatMutants(t *testing.T) {
	list, _ := definitions(t)
	bases := compatBases(t, list)
	var mu sync.Mutex
	pairs, proofs, witnesses, attacks := 0, 0, 0, 0
	verdicts := map[compat.Verdict]int{}
	t.Run("changes", func(t *testing.T) {
		for i := range *changedPairs {
			seed := *changedSeed + uint64(i)
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				old, crd, what := mutatedPair(seed, bases)
				if old == nil {
					return
				}
				p := newCompatPair(t, old, crd)
				p.replay(*changedObjects)
				if t.Failed() {
					t.Logf("changes: %s", strings.Join(what, "; "))
					dumpPair(t, seed, old, crd)
				}
				mu.Lock()
				defer mu.Unlock()
				pairs++
				witnesses += p.witnesses
				attacks += p.attacks
				verdicts[p.report.Verdict]++
				for _, f := range p.findings() {
					if f.Code == compat.CodeProved {
						proofs++
					}
				}
			})
		}
	})
	fmt.Printf("compat: %d changes (%d compatible, %d incompatible, %d unknown), %d proofs, %d witnesses and %d objects given to both servers\n",
		pairs, verdicts[compat.VerdictCompatible], verdicts[compat.VerdictIncompatible], verdicts[compat.VerdictUnknown], proofs, witnesses, attacks)
	if pairs*2 < *changedPairs || witnesses < pairs || attacks < 5*pairs {
		t.Error("too little was compared")
	}
}

func dumpPair(t *testing.T, seed uint64, old, crd *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	if *changedDump == "" {
		return
	}
	for name, d := range map[string]any{"old": old, "new": crd} {
		text, err := yaml.Marshal(d)
		if err == nil {
			err = os.WriteFile(filepath.Join(*changedDump, fmt.Sprintf("%d-%s.yaml", seed, name)), text, 0o644)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// compatBases returns the definitions to mutate, without those that are so large that one
// comparison takes the time of many.
func compatBases(t *testing.T, list []*testkit.Definition) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, d := range list {
		if text := shownJSON(d.CRD); len(text) < 60_000 && !byWebhook(d.CRD) {
			var base map[string]any
			if err := json.Unmarshal([]byte(text), &base); err != nil {
				t.Fatal(err)
			}
			out = append(out, base)
		}
	}
	if len(out) == 0 {
		t.Fatal("no definitions")
	}
	return out
}

func shownJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// mutatedPair returns two mutants of a definition, the second one of the first, and the
// changes between them. It returns nil if the server refuses each that it tries.
func mutatedPair(seed uint64, bases []map[string]any) (old, crd *apiextensionsv1.CustomResourceDefinition, what []string) {
	for try := range uint64(20) {
		c := &crdChanger{rng: rand.New(rand.NewPCG(seed, try))}
		c.crd = testkit.Clone(bases[c.rng.IntN(len(bases))])
		c.prepare()
		for range c.rng.IntN(3) {
			c.change()
		}
		if old = c.definition(); old == nil {
			continue
		}
		c.what = nil
		for range 1 + c.rng.IntN(2) {
			c.change()
		}
		if crd = c.definition(); crd != nil && shownJSON(old) != shownJSON(crd) {
			return old, crd, c.what
		}
	}
	return nil, nil, nil
}

// A crdChanger changes a definition at random.
type crdChanger struct {
	rng  *rand.Rand
	crd  map[string]any
	what []string       // the changes
	last map[string]any // the node that the last change had
}

// definition returns the definition, nil if a server refuses it.
func (c *crdChanger) definition() *apiextensionsv1.CustomResourceDefinition {
	crd, err := definition.Parse([]byte(shownJSON(c.crd)))
	if err != nil {
		return nil
	}
	if report := definition.Check(crd); len(report.Errors) > 0 {
		return nil
	}
	if _, err := crdkit.Compile(crd); err != nil {
		return nil
	}
	return crd
}

// prepare gives the definition the status of one in use, and keeps at most ten properties
// of each object, and no descriptions.
func (c *crdChanger) prepare() {
	spec := c.crd["spec"].(map[string]any)
	spec["conversion"] = map[string]any{"strategy": "None"}
	for _, v := range c.versions() {
		if v["storage"] == true {
			c.crd["status"] = map[string]any{"storedVersions": []any{v["name"]}, "conditions": []any{}, "acceptedNames": spec["names"]}
		}
		for _, n := range schemaNodes(v) {
			delete(n, "description")
			properties, _ := n["properties"].(map[string]any)
			names := slices.Sorted(maps.Keys(properties))
			c.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			required, _ := n["required"].([]any)
			for _, name := range names[min(10, len(names)):] {
				if !slices.Contains(required, any(name)) {
					delete(properties, name)
				}
			}
		}
	}
}

func (c *crdChanger) versions() []map[string]any {
	list, _ := c.crd["spec"].(map[string]any)["versions"].([]any)
	out := make([]map[string]any, len(list))
	for i := range list {
		out[i] = list[i].(map[string]any)
	}
	return out
}

// schemaNodes returns the schemas in a version that can change, the root first.
func schemaNodes(version map[string]any) []map[string]any {
	schema, _ := version["schema"].(map[string]any)
	root, _ := schema["openAPIV3Schema"].(map[string]any)
	var out []map[string]any
	var visit func(n map[string]any)
	visit = func(n map[string]any) {
		if n == nil {
			return
		}
		out = append(out, n)
		properties, _ := n["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if len(out) > 1 || name != "metadata" && name != "apiVersion" && name != "kind" {
				child, _ := properties[name].(map[string]any)
				visit(child)
			}
		}
		for _, keyword := range []string{"items", "additionalProperties"} {
			child, _ := n[keyword].(map[string]any)
			visit(child)
		}
	}
	visit(root)
	return out
}

// change changes the definition once.
func (c *crdChanger) change() {
	versions := c.versions()
	v := versions[c.rng.IntN(len(versions))]
	if c.rng.IntN(12) == 0 {
		c.changeVersion(v)
		return
	}
	nodes := schemaNodes(v)
	if len(nodes) < 2 {
		return
	}
	if c.rng.IntN(10) == 0 && c.changeKept(v, nodes) {
		return
	}
	n := nodes[1+c.rng.IntN(len(nodes)-1)]
	if c.last != nil && c.rng.IntN(2) == 0 {
		n = c.last
	}
	c.last = n
	before := shownJSON(n)
	c.changeNode(n, nodes)
	c.what = append(c.what, fmt.Sprintf("%s: %.300s becomes %.300s", v["name"], before, shownJSON(n)))
}

// changeKept changes whether the elements of a list keep unknown fields, because the list does.
// It puts the list into a list or a map, or removes its type, now and then. It reports false if
// there is no list of objects.
func (c *crdChanger) changeKept(v map[string]any, nodes []map[string]any) bool {
	const preserve = "x-kubernetes-preserve-unknown-fields"
	nodes = slices.DeleteFunc(slices.Clone(nodes[1:]), func(n map[string]any) bool {
		items, _ := n["items"].(map[string]any)
		return items == nil || items["type"] != "object" && items["type"] != "array"
	})
	if len(nodes) == 0 {
		return false
	}
	n := nodes[c.rng.IntN(len(nodes))]
	before := shownJSON(n)
	if n[preserve] == nil {
		n[preserve] = true
		if c.rng.IntN(4) == 0 {
			delete(n, "type")
		}
	} else {
		delete(n, preserve)
		n["type"] = "array"
	}
	if items := n["items"].(map[string]any); items["type"] == "object" && c.rng.IntN(6) == 0 && n["x-kubernetes-list-type"] == nil && n["default"] == nil {
		inner := c.one(
			map[string]any{"type": "array", "items": items},
			map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "array", "items": items}},
		).(map[string]any)
		n["items"] = inner
	}
	c.what = append(c.what, fmt.Sprintf("%s: %.300s becomes %.300s", v["name"], before, shownJSON(n)))
	return true
}

func (c *crdChanger) one(values ...any) any { return values[c.rng.IntN(len(values))] }

// changeVersion adds or removes a version, or changes how it is served.
func (c *crdChanger) changeVersion(v map[string]any) {
	spec := c.crd["spec"].(map[string]any)
	list := spec["versions"].([]any)
	what := c.one("add", "remove", "served", "storage", "status").(string)
	switch what {
	case "add":
		added := testkit.Clone(v)
		added["name"], added["storage"] = c.one("v1beta9", "v7", "v8alpha1"), false
		spec["versions"] = append(list, any(added))
	case "remove":
		spec["versions"] = slices.DeleteFunc(list, func(x any) bool {
			x2 := x.(map[string]any)
			return x2["name"] == v["name"] && x2["storage"] != true
		})
	case "served":
		v["served"] = v["served"] != true
	case "storage":
		for _, other := range c.versions() {
			other["storage"] = false
		}
		v["storage"] = true
		status := c.crd["status"].(map[string]any)
		if stored := status["storedVersions"].([]any); !slices.Contains(stored, v["name"]) {
			status["storedVersions"] = append(slices.Clone(stored), v["name"])
		}
	case "status":
		if _, ok := v["subresources"]; ok {
			delete(v, "subresources")
		} else {
			v["subresources"] = map[string]any{"status": map[string]any{}}
		}
	}
	c.what = append(c.what, fmt.Sprintf("%s of version %s", what, v["name"]))
}

// changeNode changes a schema. nodes are the schemas around it.
func (c *crdChanger) changeNode(n map[string]any, nodes []map[string]any) {
	switch c.rng.IntN(16) {
	case 0:
		c.toggle(n, "nullable", true)
		return
	case 1:
		c.toggle(n, "default", c.valueOf(n, 3))
		return
	case 2:
		c.toggle(n, "enum", []any{c.valueOf(n, 3), c.valueOf(n, 3)})
		if list, ok := n["enum"].([]any); ok {
			n["enum"] = slices.CompactFunc(list, func(a, b any) bool { return shownJSON(a) == shownJSON(b) })
		}
		return
	case 3, 4:
		c.changeRules(n)
		return
	case 5:
		c.changeType(n)
		return
	case 6: // a part of another schema
		other := testkit.Clone(nodes[1+c.rng.IntN(len(nodes)-1)])
		if shownJSON(other) == shownJSON(n) {
			return
		}
		clear(n)
		maps.Copy(n, other)
		return
	}
	switch n["type"] {
	case "object":
		c.changeObject(n, nodes)
	case "array":
		c.changeArray(n)
	case "string":
		c.changeString(n)
	case "integer", "number":
		c.changeNumber(n)
	default:
		c.changeType(n)
	}
}

// toggle removes a keyword, or sets it.
func (c *crdChanger) toggle(n map[string]any, keyword string, value any) {
	if _, ok := n[keyword]; ok && c.rng.IntN(2) == 0 {
		delete(n, keyword)
	} else {
		n[keyword] = value
	}
}

func (c *crdChanger) changeType(n map[string]any) {
	preserve := "x-kubernetes-preserve-unknown-fields"
	switch c.rng.IntN(6) {
	case 0: // an integer or a string
		clear(n)
		n["x-kubernetes-int-or-string"] = true
	case 1: // any object
		if n["type"] == "object" && c.rng.IntN(2) == 0 {
			c.toggle(n, preserve, true)
		} else {
			clear(n)
			n["type"], n[preserve] = "object", true
		}
	case 2: // any value
		clear(n)
		n[preserve] = true
	case 3:
		if n["type"] == "object" {
			c.toggle(n, "x-kubernetes-embedded-resource", true)
			n[preserve] = true
			return
		}
		fallthrough
	case 4:
		if n["type"] == "integer" {
			n["type"] = "number"
		} else {
			clear(n)
			n["type"] = c.one("integer", "string", "boolean", "number")
		}
	default:
		clear(n)
		n["type"] = c.one("object", "array")
		if n["type"] == "array" {
			n["items"] = map[string]any{"type": c.one("string", "integer")}
		} else {
			n["additionalProperties"] = map[string]any{"type": c.one("string", "integer"), "nullable": c.rng.IntN(3) == 0}
		}
	}
}

func (c *crdChanger) changeObject(n map[string]any, nodes []map[string]any) {
	properties, _ := n["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(properties))
	switch k := c.rng.IntN(10); {
	case k == 0:
		c.toggle(n, "minProperties", c.rng.IntN(3))
	case k == 1:
		c.toggle(n, "maxProperties", c.rng.IntN(5))
	case k == 2:
		c.toggle(n, "x-kubernetes-map-type", c.one("atomic", "granular"))
	case k == 3 && n["x-kubernetes-preserve-unknown-fields"] == nil:
		n["x-kubernetes-preserve-unknown-fields"] = true
		if c.rng.IntN(2) == 0 {
			delete(n, "properties")
			delete(n, "required")
		}
	case k == 3:
		delete(n, "x-kubernetes-preserve-unknown-fields")
	case k == 4 && len(names) > 0:
		name := names[c.rng.IntN(len(names))]
		required, _ := n["required"].([]any)
		if i := slices.Index(required, any(name)); i >= 0 {
			n["required"] = slices.Delete(slices.Clone(required), i, i+1)
		} else {
			n["required"] = append(slices.Clone(required), name)
		}
	case k == 5 && len(names) > 0:
		name := names[c.rng.IntN(len(names))]
		delete(properties, name)
		if required, _ := n["required"].([]any); c.rng.IntN(2) == 0 {
			n["required"] = slices.DeleteFunc(slices.Clone(required), func(x any) bool { return x == any(name) })
		}
	default:
		if n["additionalProperties"] != nil {
			return
		}
		if properties == nil {
			properties = map[string]any{}
			n["properties"] = properties
		}
		child := testkit.Clone(nodes[1+c.rng.IntN(len(nodes)-1)])
		if c.rng.IntN(2) == 0 {
			child = map[string]any{"type": c.one("string", "integer", "boolean")}
		}
		if c.rng.IntN(2) == 0 {
			child["default"] = c.valueOf(child, 3)
		}
		properties[c.one("added", "extra", "mode").(string)] = child
	}
}

func (c *crdChanger) changeArray(n map[string]any) {
	switch c.rng.IntN(3) {
	case 0:
		c.toggle(n, "minItems", c.rng.IntN(3))
	case 1:
		c.toggle(n, "maxItems", c.rng.IntN(4))
	default:
		items, _ := n["items"].(map[string]any)
		properties, _ := items["properties"].(map[string]any)
		delete(n, "x-kubernetes-list-map-keys")
		kind := c.one("atomic", "set", "map").(string)
		n["x-kubernetes-list-type"] = kind
		if names := slices.Sorted(maps.Keys(properties)); kind == "map" && len(names) > 0 {
			key := names[c.rng.IntN(len(names))]
			n["x-kubernetes-list-map-keys"] = []any{key}
			required, _ := items["required"].([]any)
			if !slices.Contains(required, any(key)) {
				items["required"] = append(slices.Clone(required), key)
			}
		}
	}
}

func (c *crdChanger) changeString(n map[string]any) {
	switch c.rng.IntN(5) {
	case 0:
		c.toggle(n, "minLength", c.rng.IntN(4))
	case 1:
		c.toggle(n, "maxLength", c.rng.IntN(8))
	case 2:
		c.toggle(n, "pattern", c.one("^[a-z]*$", "^a+$", "^[a-z]([-a-z0-9]*[a-z0-9])?$", "a", "^$", ".", "^[0-9]+[smh]$", "^(Always|Never)$"))
	default:
		c.toggle(n, "format", c.one("date", "date-time", "duration", "byte", "uuid", "ipv4", "ipv6", "cidr", "uri", "email", "hostname", "mac", "password",
			"int32", "int64", "k8s-short-name", "k8s-long-name", "bsonobjectid", "isbn", "creditcard", "hexcolor", "ssn", "odd"))
	}
}

func (c *crdChanger) changeNumber(n map[string]any) {
	bound := c.one(-1, 0, 1, 2, 10, 65535, 1<<31-1, 1<<31, -1<<31, 4294967295, 1<<40, 0.5, -2.5)
	switch c.rng.IntN(6) {
	case 0, 1:
		c.toggle(n, "maximum", bound)
	case 2, 3:
		c.toggle(n, "minimum", bound)
	case 4:
		if keyword := c.one("maximum", "minimum").(string); n[keyword] != nil {
			c.toggle(n, "exclusive"+strings.Title(keyword), true) //nolint:staticcheck // an ASCII word
		} else {
			c.toggle(n, "multipleOf", c.one(1, 2, 0.5, 10))
		}
	default:
		c.toggle(n, "format", c.one("int32", "int64", "float", "double", "odd"))
	}
}

// changeRules adds, changes or removes a validation rule.
func (c *crdChanger) changeRules(n map[string]any) {
	keyword := "x-kubernetes-validations"
	rules, _ := n[keyword].([]any)
	if len(rules) > 0 && c.rng.IntN(3) == 0 {
		i := c.rng.IntN(len(rules))
		if n[keyword] = slices.Delete(slices.Clone(rules), i, i+1); len(rules) == 1 {
			delete(n, keyword)
		}
		return
	}
	rule := map[string]any{"rule": c.rule(n)}
	if len(rules) > 0 && c.rng.IntN(2) == 0 {
		rules = slices.Clone(rules)
		rules[c.rng.IntN(len(rules))] = rule
		n[keyword] = rules
		return
	}
	n[keyword] = append(slices.Clone(rules), any(rule))
}

func (c *crdChanger) rule(n map[string]any) string {
	general := []any{"self == oldSelf", "true", "oldSelf == self || true"}
	var own []any
	switch n["type"] {
	case "string":
		own = []any{"self != ''", "self.size() < 5", "self.startsWith('a')", "self == oldSelf || oldSelf == ''", "self.matches('^[a-z]+$')", "self in ['a', 'b']", "!self.contains('-')", "size(self) >= size(oldSelf)"}
	case "integer", "number":
		own = []any{"self > 0", "self <= 10", "self >= oldSelf", "self != 5", "self in [1, 2, 3]"}
		if n["type"] == "number" {
			own = []any{"self > 0.0", "self <= 10.5", "self >= oldSelf"}
		}
	case "boolean":
		own = []any{"self", "!self", "self || !oldSelf"}
	case "array":
		own = []any{"self.size() < 3", "self.size() > 0", "size(self) >= size(oldSelf)", "self.all(x, x == x)", "self.filter(x, x == x).size() <= 1", "self.exists_one(x, x == self[0])"}
	case "object":
		own = []any{"size(self) > 0"}
		properties, _ := n["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			own = append(own, "has(self."+name+")", "!has(self."+name+") || has(oldSelf."+name+")", "has(self."+name+") == has(oldSelf."+name+")")
			if child, _ := properties[name].(map[string]any); child["type"] == "string" {
				own = append(own, "!has(self."+name+") || self."+name+" != ''", "has(self."+name+") && self."+name+".size() < 4")
			}
		}
	default:
		own = []any{"type(self) == int || self != ''"}
	}
	return c.one(append(general, own...)...).(string)
}

// valueOf returns a value for a schema, which may break it.
func (c *crdChanger) valueOf(n map[string]any, depth int) any {
	if list, _ := n["enum"].([]any); len(list) > 0 && c.rng.IntN(2) == 0 {
		return list[c.rng.IntN(len(list))]
	}
	switch n["type"] {
	case "string":
		return c.one("a", "b", "", "abc", "TCP", "5s", "2020-01-01", "10")
	case "integer":
		return c.one(0, 1, 3, 10, 443)
	case "number":
		return c.one(0.5, 1, 3.25)
	case "boolean":
		return c.rng.IntN(2) == 0
	case "array":
		if items, _ := n["items"].(map[string]any); items != nil && depth > 0 && c.rng.IntN(2) == 0 {
			return []any{c.valueOf(items, depth-1)}
		}
		return []any{}
	case "object":
		out := map[string]any{}
		properties, _ := n["properties"].(map[string]any)
		required, _ := n["required"].([]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if child, _ := properties[name].(map[string]any); depth > 0 && (slices.Contains(required, any(name)) || c.rng.IntN(4) == 0) {
				out[name] = c.valueOf(child, depth-1)
			}
		}
		return out
	default:
		return c.one("a", 1)
	}
}
