package search

import (
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/value/format"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// maxGenerated limits the schemas and branches that are read for one value.
const maxGenerated = 5_000

// A generator generates a value for a schema. The value may be invalid.
type generator struct {
	rng     *rand.Rand
	samples map[string][]any
	budget  int  // how many more optional values it may add
	edge    bool // prefer values at limits
	inherit bool // the next value keeps unknown fields, because the list around it does
	work    int  // how many schemas and branches were read
}

func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// Learn makes [Space.Object] use values of the samples. Samples with another apiVersion are
// ignored. No other method may run at the same time.
func (s *Space) Learn(samples ...map[string]any) {
	for _, sample := range samples {
		if sample["apiVersion"] == s.head.APIVersion {
			s.learn("", sample, s.root)
		}
	}
}

const maxSamples = 20

// learn keeps the scalars of a sample under the paths of their schemas.
func (s *Space) learn(path string, v any, n *schema.Node) {
	switch v := v.(type) {
	case map[string]any:
		values, _ := n.AdditionalProperties()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if child := n.Property(name); child != nil {
				s.learn(path+"."+name, v[name], child)
			} else if values != nil {
				s.learn(path+"{}", v[name], values)
			}
		}
	case []any:
		for _, item := range v {
			if n.Items() != nil {
				s.learn(path+"[]", item, n.Items())
			}
		}
	case nil:
	default:
		if len(s.samples[path]) < maxSamples {
			s.samples[path] = append(s.samples[path], v)
		}
	}
}

// Object generates an object that is mostly valid. If edge is true, its values are at limits. The
// object belongs to the caller.
func (s *Space) Object(rng *rand.Rand, edge bool) map[string]any {
	g := &generator{rng: rng, samples: s.samples, budget: 20 + rng.IntN(180), edge: edge}
	obj := g.properties("", g.constraintsOf(s.root, nil))
	obj["apiVersion"], obj["kind"] = s.head.APIVersion, s.head.Kind
	obj["metadata"] = g.metadata(s.head.Namespaced)
	return obj
}

var metadataExtras = []map[string]any{
	{"labels": map[string]any{"app": "demo", "example.com/tier": ""}},
	{"annotations": map[string]any{"example.com/note": "ünï\ncode"}},
	{"finalizers": []any{"example.com/guard"}},
	{"uid": "5f7a6b1c-0000-4000-8000-000000000001"},
	{"generation": int64(3)},
	{"creationTimestamp": "2024-02-29T12:00:00Z"},
	{"creationTimestamp": nil},
	{"resourceVersion": "17"},
	{"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "u-1", "controller": true}}},
	{"managedFields": []any{map[string]any{
		"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "time": "2024-01-01T00:00:00Z",
		"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": map[string]any{".": map[string]any{}}},
	}}},
}

func (g *generator) metadata(namespaced bool) map[string]any {
	m := map[string]any{"name": pick(g.rng, []string{"demo", "a", "a.b-c.d0"})}
	if namespaced {
		m["namespace"] = "default"
	}
	for range g.rng.IntN(3) {
		maps.Copy(m, clone(pick(g.rng, metadataExtras)))
	}
	return m
}

// value returns a value for a schema and the branches in demands. Samples are found by path.
func (g *generator) value(path string, n *schema.Node, demands []demand) any {
	if g.budget--; g.work > maxGenerated {
		return nil
	}
	c := g.constraintsOf(n, demands)
	c.keeps = c.keeps || g.inherit
	g.inherit = false
	if v, ok := g.known(path, c); ok {
		return v
	}
	switch {
	case n.IntOrString():
		return g.intOrString(c)
	case c.typ == "object" || n.Len() > 0 || n.EmbeddedResource():
		return g.properties(path, c)
	case c.typ == "array" || c.typ == "" && n.Items() != nil:
		return g.items(path, c)
	case c.typ == "string":
		return g.text(c)
	case c.typ == "integer":
		return g.integer(c)
	case c.typ == "number":
		return g.number(c)
	case c.typ == "boolean":
		return g.oneIn(2)
	}
	return g.anything(2)
}

// known returns a value from the enum, the default or the samples, or null.
func (g *generator) known(path string, c *constraints) (any, bool) {
	if c.node.Nullable() && g.oneIn(8) {
		return nil, true
	}
	if len(c.Enum) > 0 {
		return jsonval.Clone(pick(g.rng, c.Enum)), true
	}
	if def, ok := c.node.Default(); ok && g.oneIn(4) {
		return def, true
	}
	if seen := g.samples[path]; len(seen) > 0 && !g.edge && !g.oneIn(4) {
		return pick(g.rng, seen), true
	}
	return nil, false
}

func (g *generator) properties(path string, c *constraints) map[string]any {
	obj := map[string]any{}
	var names []string
	for name := range c.node.Properties() {
		names = append(names, name)
	}
	g.shuffle(names)
	for i, name := range names {
		if c.forbidden[name] || path == "" && isHead(name) {
			continue
		}
		if slices.Contains(c.Required, name) || g.budget > 0 && i < 12 && (path == "" || !g.oneIn(3)) {
			demands := below(c.demands, func(b *schema.Node) *schema.Node { return b.Property(name) })
			obj[name] = g.value(path+"."+name, c.node.Property(name), demands)
		}
	}
	for _, name := range c.Required {
		if _, ok := obj[name]; !ok && path != "" && !c.forbidden[name] {
			obj[name] = g.additional(path, c)
		}
	}
	if _, declared := c.node.AdditionalProperties(); declared || c.MinProperties.Set {
		want := g.count(bounds(c.MinProperties, c.MaxProperties))
		for i := 0; len(obj) < want && i < 3*want; i++ {
			obj[g.key()] = g.additional(path, c)
		}
	}
	if c.keeps && g.oneIn(2) {
		obj[g.key()] = g.anything(2)
	}
	if c.node.EmbeddedResource() {
		g.embed(obj)
	}
	return obj
}

// embed adds the fields that every resource must have.
func (g *generator) embed(obj map[string]any) {
	obj["apiVersion"] = pick(g.rng, []string{"v1", "apps/v1", "example.com/v1alpha1"})
	obj["kind"] = pick(g.rng, []string{"Pod", "Widget"})
	if g.oneIn(2) {
		obj["metadata"] = g.metadata(g.oneIn(2))
	}
}

func (g *generator) additional(path string, c *constraints) any {
	if values, _ := c.node.AdditionalProperties(); values != nil {
		return g.value(path+"{}", values, nil)
	}
	return g.anything(1)
}

// items returns a list. Its elements differ if the list is a set or a map.
func (g *generator) items(path string, c *constraints) []any {
	want := g.count(bounds(c.MinItems, c.MaxItems))
	list := make([]any, 0, want)
	items := c.node.Items()
	if items == nil {
		return list
	}
	listType, _ := c.node.ListType()
	demands := below(c.demands, (*schema.Node).Items)
	for i := 0; len(list) < want && i < 4*want; i++ {
		g.inherit = c.keeps
		item := g.value(path+"[]", items, demands)
		same := func(other any) bool { return sameKeys(item, other, c.node.ListMapKeys()) }
		if listType != "set" && listType != "map" || !slices.ContainsFunc(list, same) {
			list = append(list, item)
		}
	}
	return list
}

// bounds returns a small range of lengths within the limits of a list or map.
func bounds(low, high schema.Count) (int, int) {
	const spread = 3
	from, to := 0, spread
	if low.Set && low.N > 0 {
		from = int(min(low.N, 60))
		to = from + spread
	}
	if high.Set {
		to = int(max(0, min(high.N, 60)))
	}
	return min(from, to), to
}

func (g *generator) count(low, high int) int {
	if g.edge && g.oneIn(2) {
		if g.budget > 40 && g.oneIn(3) {
			return high
		}
		return low
	}
	if g.budget <= 0 {
		return low
	}
	return low + g.rng.IntN(min(high-low, 3)+1)
}

var someKeys = []string{
	"a", "b", "key", "name", "example.com/x", "x-y_z", "ключ", "a.b", "0", "kind", "metadata", "apiVersion", "", "spec", "for", "__dash__",
}

func (g *generator) key() string { return pick(g.rng, someKeys) }

func (g *generator) shuffle(texts []string) {
	g.rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
}

// anything returns a value of any type.
func (g *generator) anything(depth int) any {
	n := 8
	if depth > 0 {
		n = 10
	}
	switch g.rng.IntN(n) {
	case 0:
		return nil
	case 1:
		return g.oneIn(2)
	case 2, 3:
		return int64(g.rng.IntN(2000) - 1000)
	case 4:
		return float64(g.rng.IntN(100)) / 4
	case 8:
		list := make([]any, g.rng.IntN(3))
		for i := range list {
			list[i] = g.anything(depth - 1)
		}
		return list
	case 9:
		obj := map[string]any{}
		for range g.rng.IntN(4) {
			obj[g.key()] = g.anything(depth - 1)
		}
		return obj
	}
	return g.word()
}

var someTexts = []string{
	"demo", "x", "", "true", "1", "10s", "a b", "über", "日本", "https://example.com/a?b=c", "10.0.0.1", "UPPER", "a/b", "line\nbreak", "<&>\u2028",
}

func (g *generator) word() string { return pick(g.rng, someTexts) }

func (g *generator) text(c *constraints) string {
	low, high := int(max(0, min(c.MinLength.N, 4096))), 1<<20
	if c.MaxLength.Set {
		high = int(max(0, min(c.MaxLength.N, 1<<20)))
	}
	if c.Pattern != "" {
		return g.matching(c.Pattern, low, high)
	}
	if known := samples[format.Normalize(c.Format)]; len(known) > 0 {
		return pick(g.rng, known)
	}
	if g.edge && c.MaxLength.Set && high <= 2000 && !g.oneIn(3) {
		return strings.Repeat("é", high)
	}
	if g.edge && c.MinLength.Set {
		return strings.Repeat("m", low)
	}
	return resizeText(g.word(), low, high)
}

func (g *generator) intOrString(c *constraints) any {
	if c.Pattern != "" && g.oneIn(2) {
		return g.text(c)
	}
	if g.oneIn(3) {
		return pick(g.rng, []string{"50%", "100m", "1Gi", "http", "0"})
	}
	return g.integer(c)
}

// resizeText pads or cuts a text so that it has low to high runes.
func resizeText(text string, low, high int) string {
	runes := []rune(text + strings.Repeat("p", max(0, low-utf8.RuneCountInString(text))))
	return string(runes[:min(high, len(runes))])
}

// matching returns a string that matches the pattern and has low to high runes, if it finds one.
func (g *generator) matching(pattern string, low, high int) string {
	words := []string{"demo", "1", "10s", "100m", "a.b", "/x", "https://example.com"}
	g.shuffle(words)
	for _, word := range words {
		if g.oneIn(4) && len(word) >= low && len(word) <= high && matchesPattern(pattern, word) {
			return word
		}
	}
	candidate := ""
	for range 8 {
		candidate = g.patternText(pattern, low, high)
		if n := utf8.RuneCountInString(candidate); n >= low && n <= high && matchesPattern(pattern, candidate) {
			return candidate
		}
	}
	return candidate
}

func matchesPattern(pattern, text string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(text)
}

func (g *generator) integer(c *constraints) any {
	low, high := c.span()
	low, high = math.Ceil(low), math.Floor(high)
	v := g.between(c, low, high)
	if c.MultipleOf.Set && c.MultipleOf.Value >= 1 {
		step := math.Floor(c.MultipleOf.Value)
		v = math.Ceil(low/step) * step
	}
	if v >= math.MaxInt64 || v < math.MinInt64 {
		return v
	}
	if g.oneIn(30) {
		return math.Trunc(v)
	}
	return int64(v)
}

func (g *generator) number(c *constraints) any {
	low, high := c.span()
	v := g.between(c, low, high)
	if c.MultipleOf.Set && c.MultipleOf.Value > 0 {
		v = math.Ceil(low/c.MultipleOf.Value) * c.MultipleOf.Value
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 && g.oneIn(2) {
		return int64(v)
	}
	return v
}

// span returns the range of a number. Exclusive bounds narrow it.
func (c *constraints) span() (low, high float64) {
	low, high = -1000, 1000
	if c.Minimum.Set {
		low = c.Minimum.Value
		if c.Minimum.Exclusive {
			low++
		}
		high = max(high, low+10)
	}
	if c.Maximum.Set {
		high = c.Maximum.Value
		if c.Maximum.Exclusive {
			high--
		}
		if !c.Minimum.Set {
			low = min(low, high-10)
		}
	}
	return low, max(low, high)
}

func (g *generator) between(c *constraints, low, high float64) float64 {
	if g.edge && (c.Minimum.Set || c.Maximum.Set) {
		if !c.Maximum.Set || c.Minimum.Set && g.oneIn(2) {
			return low
		}
		return high
	}
	if c.typ == "number" {
		return low + (high-low)*float64(g.rng.IntN(9))/8
	}
	return math.Min(high, low+math.Floor((high-low+1)*g.rng.Float64()))
}

const maxRounds = 300

// patternText makes a text from the syntax tree of a pattern. The text has about low to high runes.
// It may not match a pattern with anchors or boundaries, so the caller checks it.
func (g *generator) patternText(pattern string, low, high int) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	want := low
	switch {
	case g.edge && high <= maxRounds && g.oneIn(2):
		want = high
	case !g.edge:
		want = low + g.rng.IntN(min(8, max(1, high-low+1)))
	}
	w := &patternWriter{rng: g.rng, want: want, limit: min(high, want+40)}
	w.write(tree)
	return string(w.text)
}

type patternWriter struct {
	rng   *rand.Rand
	text  []rune
	want  int // the wanted length
	limit int // the length after which repetitions stop
}

func (w *patternWriter) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		w.text = append(w.text, re.Rune...)
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.text = append(w.text, pick(w.rng, []rune("aZ09-._/ é")))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(pick(w.rng, re.Sub))
	case syntax.OpStar:
		w.repeat(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		w.repeat(re.Sub[0], 1, -1)
	case syntax.OpQuest:
		w.repeat(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		w.repeat(re.Sub[0], re.Min, re.Max)
	}
}

func (w *patternWriter) repeat(sub *syntax.Regexp, low, high int) {
	if high < 0 {
		high = max(low+2, min(maxRounds, w.want))
	}
	for i := range high {
		if i >= low && len(w.text) >= w.want && (len(w.text) >= w.limit || w.rng.IntN(3) > 0) {
			return
		}
		w.write(sub)
	}
}

// class writes one rune of a class, mostly a printable ASCII rune.
func (w *patternWriter) class(ranges []rune) {
	var printable []rune
	for i := 0; i < len(ranges); i += 2 {
		for c := max(ranges[i], ' '); c <= min(ranges[i+1], '~'); c++ {
			printable = append(printable, c)
		}
	}
	switch {
	case len(printable) > 0 && w.rng.IntN(20) > 0:
		w.text = append(w.text, pick(w.rng, printable))
	case len(ranges) > 0:
		w.text = append(w.text, ranges[2*w.rng.IntN(len(ranges)/2)])
	}
}

// constraints are the merged constraints of a schema, its allOf branches and one branch of anyOf
// and oneOf. The merge is approximate: a value may be invalid.
type constraints struct {
	schema.Limits
	node      *schema.Node // nil for a branch
	typ       string
	keeps     bool            // keeps unknown fields
	demands   []demand        // the merged branches
	forbidden map[string]bool // properties that a negation excludes
}

// A demand is a branch of allOf, anyOf or oneOf that a value must satisfy.
type demand struct {
	branch *schema.Node
	inner  []demand
}

// below returns the demands on an element or member. child returns its schema in a branch.
func below(list []demand, child func(*schema.Node) *schema.Node) (out []demand) {
	for _, d := range list {
		if b := child(d.branch); b != nil {
			out = append(out, demand{b, below(d.inner, child)})
		}
	}
	return out
}

func (g *generator) constraintsOf(n *schema.Node, demands []demand) *constraints {
	c := g.merged(n, demands)
	c.node, c.keeps = n, n.PreserveUnknownFields()
	return c
}

func (g *generator) merged(n *schema.Node, demands []demand) *constraints {
	anyOf, oneOf := branchesOf(n, "anyOf"), branchesOf(n, "oneOf")
	g.work += 1 + len(oneOf) + len(anyOf)
	c := &constraints{Limits: n.Limits(), typ: n.Type()}
	for _, b := range branchesOf(n, "allOf") {
		c.merge(b, g.merged(b, nil))
	}
	for _, d := range demands {
		c.merge(d.branch, g.merged(d.branch, d.inner))
	}
	if len(anyOf) > 0 {
		b := anyOf[g.rng.IntN(len(anyOf))]
		c.merge(b, g.merged(b, nil))
	}
	if len(oneOf) > 0 {
		chosen := g.rng.IntN(len(oneOf))
		for i, b := range oneOf {
			if i != chosen {
				c.forbid(b)
			}
		}
		merged := g.merged(oneOf[chosen], nil)
		for _, name := range merged.Required {
			delete(c.forbidden, name)
		}
		c.merge(oneOf[chosen], merged)
	}
	for _, b := range branchesOf(n, "not") {
		c.forbid(b)
	}
	return c
}

// forbid forbids the properties that a branch requires, so that the branch fails. A branch that
// requires none may still hold.
func (c *constraints) forbid(branch *schema.Node) {
	if c.forbidden == nil {
		c.forbidden = map[string]bool{}
	}
	for _, name := range branch.Limits().Required {
		c.forbidden[name] = true
	}
	for _, b := range branchesOf(branch, "anyOf") {
		c.forbid(b)
	}
}

func (c *constraints) merge(branch *schema.Node, b *constraints) {
	c.demands = append(c.demands, demand{branch, b.demands})
	c.Required = slices.Concat(c.Required, b.Required)
	if len(b.Enum) > 0 {
		c.Enum = b.Enum
	}
	if b.Pattern != "" {
		c.Pattern = b.Pattern
	}
	if b.Format != "" {
		c.Format = b.Format
	}
	if c.typ == "" {
		c.typ = b.typ
	}
	for _, pair := range [][2]*schema.Count{{&c.MinLength, &b.MinLength}, {&c.MinItems, &b.MinItems}, {&c.MinProperties, &b.MinProperties}} {
		if own, other := pair[0], *pair[1]; !own.Set || other.Set && other.N > own.N {
			*own = other
		}
	}
	for _, pair := range [][2]*schema.Count{{&c.MaxLength, &b.MaxLength}, {&c.MaxItems, &b.MaxItems}, {&c.MaxProperties, &b.MaxProperties}} {
		if own, other := pair[0], *pair[1]; !own.Set || other.Set && other.N < own.N {
			*own = other
		}
	}
	if !c.Minimum.Set || b.Minimum.Set && b.Minimum.Value > c.Minimum.Value {
		c.Minimum = b.Minimum
	}
	if !c.Maximum.Set || b.Maximum.Set && b.Maximum.Value < c.Maximum.Value {
		c.Maximum = b.Maximum
	}
	if b.MultipleOf.Set {
		c.MultipleOf = b.MultipleOf
	}
}
