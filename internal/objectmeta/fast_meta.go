package objectmeta

import (
	"github.com/crdkit/crdkit/internal/jsonscan"
)

// A FastMeta is the metadata of a new object that has only a name or a prefix for a
// generated one, a namespace, labels and annotations, which most have. It is read from JSON text without a
// map. Its strings are parts of the text. After [FastMeta.Reset] it can be used
// again. It belongs to one goroutine.
//
// FastMeta declines other metadata, which may still be valid. The caller then
// falls back to [Decode] and the functions for maps.
type FastMeta struct {
	name, prefix, namespace string
	labels, annotations     []pair
}

type pair struct{ key, value string }

// maxPairs is the largest number of labels and of annotations that FastMeta
// accepts. It also bounds the memory that Reset keeps.
const maxPairs = 64

// Reset removes the metadata and keeps the memory.
func (p *FastMeta) Reset() {
	clear(p.labels)
	clear(p.annotations)
	p.name, p.prefix, p.namespace, p.labels, p.annotations = "", "", "", p.labels[:0], p.annotations[:0]
}

// Generates reports whether the server generates the name. The metadata has none then;
// see [StandInName].
func (p *FastMeta) Generates() bool { return p.prefix != "" }

// ReadCreate reads the metadata of a new object at s[i]. It sets the namespace
// to that of the request; "" means the namespace of the object. It returns the
// index after the metadata, or a negative number if it declines: the metadata
// has other members, or may not be valid by all rules for new objects. p must
// be new or reset.
func (p *FastMeta) ReadCreate(s string, i int, namespaced bool, namespace string) int {
	if i >= len(s) || s[i] != '{' {
		return -1
	}
	i = jsonscan.Space(s, i+1)
	for more := true; more; {
		key, _, at := jsonscan.Key(s, i)
		if at < 0 || at >= len(s) {
			return -1
		}
		end := p.member(key, s, at)
		if end < 0 {
			return -1
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	if i < 0 || !p.named() || !p.enter(namespaced, namespace) {
		return -1
	}
	return i
}

// named reports whether the name is valid, or the prefix if there is no name. A name
// that the server generates from a valid prefix is valid.
func (p *FastMeta) named() bool {
	if p.prefix == "" {
		return isSubdomain(p.name)
	}
	return p.name == "" && isSubdomainPrefix(p.prefix)
}

// enter is [EnterNamespace] for p. It reports false for a namespace that is not valid
// or not kept.
func (p *FastMeta) enter(namespaced bool, namespace string) (ok bool) {
	if !namespaced {
		return p.namespace == ""
	}
	p.namespace, ok = NamespaceOf(namespaced, namespace, p.namespace)
	return ok && isLabel(p.namespace)
}

func (p *FastMeta) member(key, s string, at int) int {
	switch key {
	case "name":
		return readOnce(&p.name, s, at)
	case "generateName":
		return readOnce(&p.prefix, s, at)
	case "namespace":
		return readOnce(&p.namespace, s, at)
	case "labels":
		return readPairs(&p.labels, s, at, fastValidLabel)
	case "annotations":
		end := readPairs(&p.annotations, s, at, fastValidAnnotation)
		if end-at > maxFastAnnotations {
			return -1
		}
		return end
	}
	return -1
}

func fastValidLabel(p pair) bool { return isLabelValue(p.value) && isQualifiedName(p.key, false) }

func fastValidAnnotation(p pair) bool { return isQualifiedName(p.key, true) }

// readOnce reads a string that is not empty into an empty one.
func readOnce(into *string, s string, at int) int {
	v, end := readRawString(s, at)
	if end < 0 || v == "" || *into != "" {
		return -1
	}
	*into = v
	return end
}

// readRawString reads a string that the encoder writes with the same text, and returns
// the text.
func readRawString(s string, at int) (string, int) {
	if at >= len(s) || s[at] != '"' {
		return "", -1
	}
	end, text := jsonscan.String(s, at+1)
	if end < 0 || text&jsonscan.Respelled != 0 {
		return "", -1
	}
	return s[at+1 : end], end + 1
}

// readPairs reads an object of strings that is not empty into an empty list and
// sorts the list.
func readPairs(into *[]pair, s string, at int, valid func(pair) bool) int {
	if s[at] != '{' || len(*into) > 0 {
		return -1
	}
	list, i := *into, jsonscan.Space(s, at+1)
	for more := true; more; {
		key, _, value := jsonscan.Key(s, i)
		if value < 0 || len(list) == maxPairs {
			return -1
		}
		v, end := readRawString(s, value)
		if end < 0 || !valid(pair{key, v}) {
			return -1
		}
		list = append(list, pair{key, v})
		i, more = jsonscan.Next(s, end, '}')
	}
	*into = list
	sortPairs(list)
	for j := 1; j < len(list); j++ {
		if list[j].key == list[j-1].key {
			return -1
		}
	}
	return i
}

// AppendCreated appends the metadata as the server stores it, except for
// members that only a server can set: JSON with sorted keys, with a generation
// of 1.
func (p *FastMeta) AppendCreated(dst []byte) []byte {
	dst = append(dst, '{')
	if len(p.annotations) > 0 {
		dst = append(appendPairs(append(dst, `"annotations":`...), p.annotations), ',')
	}
	if p.prefix != "" {
		dst = append(appendPair(dst, pair{"generateName", p.prefix}), ',')
	}
	dst = append(dst, `"generation":1`...)
	if len(p.labels) > 0 {
		dst = appendPairs(append(dst, `,"labels":`...), p.labels)
	}
	if p.name != "" {
		dst = appendPair(append(dst, ','), pair{"name", p.name})
	}
	if p.namespace != "" {
		dst = appendPair(append(dst, ','), pair{"namespace", p.namespace})
	}
	return append(dst, '}')
}

func appendPairs(dst []byte, list []pair) []byte {
	dst = append(dst, '{')
	for i, p := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPair(dst, p)
	}
	return append(dst, '}')
}

// appendPair appends a pair of texts of strings.
func appendPair(dst []byte, p pair) []byte {
	dst = append(append(append(dst, '"'), p.key...), `":"`...)
	return append(append(dst, p.value...), '"')
}

// sortPairs sorts a short list by insertion.
func sortPairs(list []pair) {
	for i := range list {
		for j := i; j > 0 && list[j].key < list[j-1].key; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}
