package search

import (
	"encoding/base64"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

type search struct {
	*Space
	rng         *rand.Rand
	lit         *literals // of the rule that changes are made for
	work, limit int       // done, and allowed
}

func (s *Space) search(rng *rand.Rand, limit int) *search {
	return &search{Space: s, rng: rng, lit: &literals{}, limit: limit}
}

func (s *search) generated(n *schema.Node, optional int, edge bool) any {
	g := &generator{rng: s.rng, budget: optional, edge: edge}
	v := jsonval.Wire(g.value("value", n, nil))
	s.work += g.work
	return v
}

func (s *search) oneIn(n int) bool { return s.rng.IntN(n) == 0 }

func (s *search) change(x *site) {
	switch {
	case x.present && x.remove != nil && s.oneIn(4):
		x.remove()
	case x.present && s.changeInside(x):
	default:
		x.set(s.newValue(x))
	}
}

// changeInside changes a list, map, text or number a little, if it can.
func (s *search) changeInside(x *site) bool {
	switch v := x.value.(type) {
	case []any:
		if !s.oneIn(5) {
			x.set(s.resized(x, v))
			return true
		}
	case map[string]any:
		if values, _ := x.node.AdditionalProperties(); values != nil && s.oneIn(2) {
			v[s.text()] = s.generated(values, s.rng.IntN(3), false)
			return true
		}
		if x.node.PreserveUnknownFields() && s.oneIn(3) {
			v[s.text()] = s.text()
			return true
		}
	case string:
		if s.oneIn(2) {
			x.set(s.alteredAt(x, v))
			return true
		}
	case int64:
		if s.oneIn(3) {
			x.set(v + int64(s.rng.IntN(5)) - 2)
			return true
		}
	}
	return false
}

const maxResized = 300

func (s *search) resized(x *site, list []any) []any {
	list = slices.Clone(list)
	fresh := func() any {
		if len(list) > 0 && s.oneIn(2) {
			return jsonval.Clone(pick(s.rng, list))
		}
		if x.node.Items() == nil {
			return s.text()
		}
		return s.generated(x.node.Items(), s.rng.IntN(4), false)
	}
	switch {
	case len(list) > 0 && s.oneIn(4):
		i := s.rng.IntN(len(list))
		return slices.Delete(list, i, i+1)
	case len(s.lit.numbers) > 0 && s.oneIn(4):
		for n := pick(s.rng, s.lit.numbers) + 1; int64(len(list)) < n && len(list) < maxResized; {
			list = append(list, distinctElement(x, fresh(), len(list)))
		}
		return list
	case len(list) > 1 && s.oneIn(4):
		list[0], list[len(list)-1] = list[len(list)-1], list[0]
		return list
	}
	return append(list, fresh())
}

// distinctElement returns an element that differs from the elements at other indexes, if the list
// is a set or map.
func distinctElement(x *site, element any, index int) any {
	if listType, ok := x.node.ListType(); !ok || listType == "atomic" {
		return element
	}
	switch v := element.(type) {
	case string:
		return "a" + strconv.Itoa(index)
	case int64:
		return int64(index)
	case map[string]any:
		for _, key := range x.node.ListMapKeys() {
			if v[key] != nil {
				v[key] = distinctElement(x, v[key], index)
				break
			}
		}
	}
	return element
}

// pem returns a PEM block if the text is the first or last line of a block. It returns other texts
// unchanged.
func pem(text string) string {
	line := strings.TrimSpace(text)
	label, first := strings.CutPrefix(line, "-----BEGIN ")
	if !first {
		var last bool
		if label, last = strings.CutPrefix(line, "-----END "); !last {
			return text
		}
	}
	return "-----BEGIN " + label + "\n" + strings.Repeat("A", 64) + "\n-----END " + label + "\n"
}

// formatByte is the format of texts that encode bytes. Rules see the bytes.
const formatByte = "byte"

// alteredAt returns a variation of text, the value at x.
func (s *search) alteredAt(x *site, text string) string {
	if x.node.Limits().Format != formatByte {
		return s.altered(text)
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		content = nil
	}
	return base64.StdEncoding.EncodeToString([]byte(s.altered(string(content))))
}

func (s *search) altered(text string) string {
	switch s.rng.IntN(6) {
	case 0:
		return strings.ToUpper(text)
	case 1:
		return text + s.text()
	case 2:
		return s.text() + text
	case 3:
		return text + text
	case 4:
		if text != "" {
			return text[:len(text)-1]
		}
	}
	return text + "a"
}

// text returns a text from the rule, or one of commonTexts.
func (s *search) text() string {
	if len(s.lit.texts) > 0 && !s.oneIn(3) {
		text := pem(pick(s.rng, s.lit.texts))
		if strings.ContainsAny(text, "^[(") && !s.oneIn(4) {
			s.work++
			return (&generator{rng: s.rng}).matching(text, 0, 1<<20)
		}
		return text
	}
	if len(s.lit.numbers) > 0 && s.oneIn(4) {
		if n := pick(s.rng, s.lit.numbers); n >= 0 && n < 100_000 {
			return strings.Repeat(pick(s.rng, []string{"a", "a.", "0"}), int(n)+s.rng.IntN(2))
		}
	}
	return pick(s.rng, commonTexts)
}

func (s *search) newValue(x *site) any {
	limits, typ := x.node.Limits(), x.node.Type()
	if len(limits.Enum) > 0 && !s.oneIn(10) {
		return jsonval.Clone(pick(s.rng, limits.Enum))
	}
	switch {
	case limits.Format == formatByte && s.oneIn(2):
		return base64.StdEncoding.EncodeToString([]byte(s.text() + strings.Repeat("a", s.rng.IntN(2)*60)))
	case typ == "string" && s.oneIn(2), x.node.IntOrString() && s.oneIn(3):
		return s.text()
	case (typ == "integer" || typ == "number" || x.node.IntOrString()) && s.oneIn(2):
		if len(s.lit.numbers) > 0 && s.oneIn(2) {
			return pick(s.rng, s.lit.numbers) + int64(s.rng.IntN(3)) - 1
		}
		return pick(s.rng, []int64{0, 1, -1, 2, 10, 1000})
	}
	return s.generated(x.node, s.rng.IntN(5), s.oneIn(4))
}

// A site is a place for a value in an object. The value may be absent.
type site struct {
	name    string
	node    *schema.Node
	value   any
	present bool
	set     func(any)
	remove  func() // nil for the root and for its metadata
}

func (s *Space) rootSite(obj map[string]any) *site {
	return &site{node: s.root, value: obj, present: true, set: func(any) {}}
}

// children returns the sites of declared members, even of absent members, and of map entries and
// list elements.
func (x *site) children() []*site {
	switch v := x.value.(type) {
	case map[string]any:
		return x.members(v)
	case []any:
		return x.elements(v)
	}
	return nil
}

func (x *site) members(obj map[string]any) (out []*site) {
	add := func(name string, n *schema.Node) {
		if m := x.member(obj, name, n); m != nil {
			out = append(out, m)
		}
	}
	for name, child := range x.node.Properties() {
		add(name, child)
	}
	if values, _ := x.node.AdditionalProperties(); values != nil {
		for _, name := range slices.Sorted(maps.Keys(obj)) {
			if x.node.Property(name) == nil {
				add(name, values)
			}
		}
	}
	return out
}

// metadataNode returns the schema of metadata if the definition declares no fields of metadata.
var metadataNode = sync.OnceValue(func() *schema.Node {
	node, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Required: []string{"name"}, Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"name": {Type: "string", Format: "k8s-long-name"},
	}})
	return node
})

// member returns the site of a member, or nil for apiVersion and kind of the whole object.
func (x *site) member(obj map[string]any, name string, n *schema.Node) *site {
	if isHead(name) && obj["apiVersion"] != nil && obj["metadata"] != nil && x.remove == nil {
		if name != "metadata" {
			return nil
		}
		if n.Len() == 0 {
			n = metadataNode()
		}
	}
	value, present := obj[name]
	m := &site{name: name, node: n, value: value, present: present, set: func(v any) { obj[name] = v }}
	if name != "metadata" || x.remove != nil {
		m.remove = func() { delete(obj, name) }
	}
	return m
}

func (x *site) elements(list []any) (out []*site) {
	items := x.node.Items()
	if items == nil {
		return nil
	}
	for i := range list {
		out = append(out, &site{
			node: items, value: list[i], present: true,
			set:    func(v any) { list[i] = v },
			remove: func() { x.set(slices.Delete(slices.Clone(list), i, i+1)) },
		})
	}
	return out
}

// all returns the site and the sites below it, at most limit of them.
func (x *site) all(out []*site, limit int) []*site {
	if len(out) >= limit {
		return out
	}
	out = append(out, x)
	if !x.present {
		return out
	}
	for _, child := range x.children() {
		out = child.all(out, limit)
	}
	return out
}

// maxSites is how many sites one change chooses from.
const maxSites = 2000

// below returns the sites whose schema is at steps below x, such as properties, spec, items.
func (x *site) below(steps []string) []*site {
	if len(steps) == 0 {
		return []*site{x}
	}
	var out []*site
	for _, child := range x.children() {
		if !child.present {
			continue
		}
		switch {
		case steps[0] == "properties" && len(steps) > 1 && child.name == steps[1]:
			out = append(out, child.below(steps[2:])...)
		case steps[0] == "items" && isList(x.value):
			out = append(out, child.below(steps[1:])...)
		case steps[0] == "additionalProperties" && !isList(x.value):
			if x.node.Property(child.name) == nil {
				out = append(out, child.below(steps[1:])...)
			}
		}
	}
	return out
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
