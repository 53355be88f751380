package celcost

import (
	"github.com/google/cel-go/checker"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/schema"
)

// The cost depends on the sizes of values below self. Keywords or the size of a request bound them.

const (
	maxRequestBytes = apiservercel.DefaultMaxRequestSizeBytes
	// maxStringBytes is the size of the longest string in a request, without quotes.
	maxStringBytes = maxRequestBytes - 2
	// bytesPerRune is the assumed size of a character.
	bytesPerRune = 4
	// maxNameRunes is the longest metadata.name. metadata.generateName is one shorter.
	maxNameRunes = 253
)

// A location is self or a value below it.
type location struct {
	node *schema.Node // nil for implied strings and parts of them
	root bool         // a resource, with implied fields
	path string       // from the root of the object

	// Fields for implied apiVersion, kind and metadata.
	metadata *schema.Node // for implied metadata: the declared schema that it replaces
	implied  bool
	size     int64 // for implied strings, in bytes
}

// sizes computes the sizes of values of one schema.
type sizes struct {
	least map[minSizeKey]minSize
	// set has bounds by path, which replace keywords such as maxItems.
	set map[string]int64
}

type minSizeKey struct {
	node *schema.Node
	root bool
}

// A minSize is the smallest size of a value as JSON. known is false if the value has no CEL type.
type minSize struct {
	bytes int64
	known bool
}

func newSizes() *sizes { return &sizes{least: make(map[minSizeKey]minSize)} }

// elem returns the location of list elements or map values.
func (p location) elem() (location, bool) {
	n := p.elements()
	if n == nil {
		return location{}, false
	}
	return location{node: n, root: n.EmbeddedResource(), path: p.path + "[*]"}, true
}

func (p location) elements() *schema.Node {
	if p.node == nil || p.implied || p.node.IntOrString() {
		return nil
	}
	switch p.node.Kind() {
	case schema.KindArray:
		return p.node.Items()
	case schema.KindObject:
		values, _ := p.node.AdditionalProperties()
		return values
	}
	return nil
}

func (p location) isMap() bool {
	return p.elements() != nil && p.node.Kind() == schema.KindObject
}

// field returns the location of a field. The name is escaped.
func (p location) field(escaped string) (location, bool) {
	path := joinPath(p.path, escaped)
	if p.implied {
		return p.name(escaped, path)
	}
	if p.node == nil || p.node.IntOrString() || p.node.Kind() != schema.KindObject || p.isMap() {
		return location{}, false
	}
	if p.root && celtypes.IsMeta(escaped) && !celtypes.DeclaresMeta(p.node) {
		if escaped == "metadata" {
			return location{implied: true, metadata: p.node.Property(escaped), path: path}, true
		}
		return location{size: maxStringBytes, path: path}, true
	}
	name, ok := apiservercel.Unescape(escaped)
	if !ok {
		return location{}, false
	}
	if back, ok := apiservercel.Escape(name); !ok || back != escaped {
		return location{}, false
	}
	child := p.node.Property(name)
	if child == nil {
		return location{}, false
	}
	return location{node: child, root: child.EmbeddedResource(), path: joinPath(p.path, name)}, true
}

func (p location) name(field, path string) (location, bool) {
	runes := int64(maxNameRunes)
	switch field {
	case "name":
	case "generateName":
		runes--
	default:
		return location{}, false
	}
	if p.metadata != nil {
		if declared := p.metadata.Property(field); declared != nil {
			if c := declared.Limits().MaxLength; c.Set {
				runes = min(runes, c.N)
			}
		}
	}
	return location{size: max(runes, 0) * bytesPerRune, path: path}, true
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

type limit struct {
	keyword  string
	declared schema.Count
	unit     int64 // size per unit of the keyword
	assumed  int64 // size without the keyword
}

// limit returns what limits the size of values at p. Its keyword is "" if nothing does. known is
// false if p has no CEL type.
func (z *sizes) limit(p location) (l limit, known bool) {
	if p.implied {
		return limit{}, true
	}
	if p.node == nil {
		return limit{assumed: p.size}, true
	}
	l.unit = 1
	n, limits := p.node, p.node.Limits()
	if n.IntOrString() {
		return limit{keyword: "maxLength", declared: limits.MaxLength, unit: bytesPerRune, assumed: maxStringBytes}, true
	}
	switch n.Kind() {
	case schema.KindArray, schema.KindObject:
		elem, ok := p.elem()
		if !ok {
			return l, n.Kind() == schema.KindObject
		}
		smallest := z.min(elem.node, elem.root)
		l.keyword, l.declared, l.assumed = "maxItems", limits.MaxItems, maxStringBytes/(smallest.bytes+1)
		if p.isMap() {
			l.keyword, l.declared, l.assumed = "maxProperties", limits.MaxProperties, maxStringBytes/(smallest.bytes+6)
		}
		return l, smallest.known
	case schema.KindString:
		return stringLimit(limits), true
	case schema.KindBoolean, schema.KindNumber, schema.KindInteger:
		return l, true
	}
	return l, false
}

func stringLimit(limits schema.Limits) limit {
	switch limits.Format {
	case "byte":
		return limit{keyword: "maxLength", declared: limits.MaxLength, unit: 1, assumed: maxStringBytes}
	case "duration":
		return limit{assumed: apiservercel.MaxDurationSizeJSON}
	case "date":
		return limit{assumed: apiservercel.JSONDateSize}
	case "date-time":
		return limit{assumed: apiservercel.MaxDatetimeSizeJSON}
	}
	l := limit{keyword: "maxLength", declared: limits.MaxLength, unit: bytesPerRune, assumed: maxStringBytes}
	if len(limits.Enum) > 0 {
		l.assumed = 0
		for _, v := range limits.Enum {
			if s, ok := v.(string); ok {
				l.assumed = max(l.assumed, int64(len(s)))
			}
		}
	}
	return l
}

// max returns the maximum size of values at a location.
func (z *sizes) max(p location) int64 {
	l, _ := z.limit(p)
	if v, ok := z.set[p.path]; ok && l.keyword != "" {
		return v * l.unit
	}
	if l.declared.Set {
		return max(l.declared.N, 0) * l.unit
	}
	return l.assumed
}

// min returns the minimum size of a value of n as JSON.
func (z *sizes) min(n *schema.Node, root bool) minSize {
	key := minSizeKey{node: n, root: root}
	if l, ok := z.least[key]; ok {
		return l
	}
	l := z.measure(n, root)
	z.least[key] = l
	return l
}

func (z *sizes) measure(n *schema.Node, root bool) minSize {
	if n.IntOrString() {
		return minSize{bytes: 1, known: true}
	}
	switch n.Kind() {
	case schema.KindArray:
		items := n.Items()
		return minSize{bytes: 2, known: items != nil && z.min(items, items.EmbeddedResource()).known}
	case schema.KindObject:
		if values, _ := n.AdditionalProperties(); values != nil {
			return minSize{bytes: 2, known: z.min(values, values.EmbeddedResource()).known}
		}
		return minSize{bytes: z.object(n, root && !celtypes.DeclaresMeta(n)), known: true}
	case schema.KindString:
		return minSize{bytes: stringLeast(n.Limits().Format), known: true}
	case schema.KindBoolean:
		return minSize{bytes: apiservercel.MinBoolSize, known: true}
	case schema.KindNumber, schema.KindInteger:
		return minSize{bytes: apiservercel.MinNumberSize, known: true}
	}
	return minSize{}
}

// object returns the minimum size of an object: its required fields without a default.
func (z *sizes) object(n *schema.Node, implied bool) int64 {
	size := int64(len("{}"))
	seen := make(map[string]bool)
	for _, name := range n.Limits().Required {
		if seen[name] {
			continue
		}
		seen[name] = true
		if implied && celtypes.IsMeta(name) {
			size += int64(len(name)) + int64(len(`""`)) + int64(len(`"":,`)) // metadata is {}
			continue
		}
		child := n.Property(name)
		if child == nil {
			continue
		}
		if _, ok := child.Default(); ok {
			continue
		}
		if l := z.min(child, child.EmbeddedResource()); l.known {
			size += int64(len(name)) + l.bytes + int64(len(`"":,`))
		}
	}
	return size
}

func stringLeast(format string) int64 {
	switch format {
	case "duration":
		return apiservercel.MinDurationSizeJSON
	case "date":
		return apiservercel.JSONDateSize
	case "date-time":
		return apiservercel.MinDatetimeSizeJSON
	}
	return apiservercel.MinStringSize
}

func (z *sizes) minOf(p location) int64 {
	if p.node == nil {
		return int64(len(`""`)) // {} has the same size
	}
	return z.min(p.node, p.root).bytes
}

// An estimator gives CEL's cost estimate the sizes of values below self.
type estimator struct {
	sizes *sizes
	self  location
	used  map[string]location // locations with a bound whose sizes were used; nil if they are not recorded
}

func (e *estimator) costs() checker.CostEstimator { return &cellib.Costs{Sizes: e} }

// EstimateSize implements checker.CostEstimator. The path of n begins with self, or with a variable
// for a value below self.
func (e *estimator) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	path := n.Path()
	if len(path) == 0 {
		return nil
	}
	p := e.self
	for _, step := range path[1:] {
		ok := false
		switch step {
		case "@items", "@values":
			p, ok = p.elem()
		case "@keys":
			// The server assumes the size 0 for map keys.
			if ok = p.isMap(); ok {
				p = location{path: p.path + "[*]"}
			}
		default:
			p, ok = p.field(step)
		}
		if !ok {
			return nil
		}
		if _, known := e.sizes.limit(p); !known {
			return nil
		}
	}
	if l, _ := e.sizes.limit(p); e.used != nil && l.keyword != "" {
		e.used[p.path] = p
	}
	return &checker.SizeEstimate{Max: uint64(e.sizes.max(p))}
}

// EstimateCallCost implements checker.CostEstimator. The libraries estimate calls.
func (e *estimator) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
