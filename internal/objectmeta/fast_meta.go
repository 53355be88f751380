package objectmeta

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/objectname"
)

// A FastMeta is the metadata of an object that has only a name or a prefix for a generated
// one, a namespace, labels, annotations, finalizers, owner references, managed
// fields, a resource version, and members that the server drops or sets, which most have. It
// is read from JSON text without a map. Its strings are texts as the encoder writes them,
// and parts of the text that was read where that has them. After [FastMeta.Reset] it can be
// used again. It belongs to one goroutine.
//
// FastMeta declines other metadata, which may still be valid. The caller then
// falls back to [Decode] and the functions for maps.
type FastMeta struct {
	name, prefix, namespace, resourceVersion string
	labels, annotations                      []pair
	finalizers                               []string
	owners                                   []ownerKey
	managedFields                            []managedEntry
	server                                   serverMembers
	seen                                     once // that may not occur again
	warns                                    bool // the server warns of a finalizer
	thin                                     bool // a member is omitted when the metadata is written
}

// serverMembers are the texts of the members that only a server sets. A new object has none
// of them but the generation.
type serverMembers struct{ created, deleted, gracePeriod, generation, selfLink, uid string }

// A once is a set of members, of which none may occur twice.
type once uint16

const (
	onceName once = 1 << iota
	oncePrefix
	onceNamespace
	onceVersion
	onceLabels
	onceAnnotations
	onceFinalizers
	onceOwners
	onceManaged
	onceTime
	onceDeletion
	onceGrace
	onceGeneration
	onceLink
	onceUID
)

// first reports whether a member occurs for the first time.
func (p *FastMeta) first(m once) bool {
	first := p.seen&m == 0
	p.seen |= m
	return first
}

type pair struct{ key, value string }

// maxPairs is the largest number of labels and of annotations that FastMeta
// accepts. It also bounds the memory that Reset keeps.
const maxPairs = 64

// Reset removes the metadata and keeps the memory.
func (p *FastMeta) Reset() {
	clear(p.labels)
	clear(p.annotations)
	clear(p.finalizers)
	clear(p.owners)
	clear(p.managedFields)
	p.name, p.prefix, p.namespace, p.resourceVersion = "", "", "", ""
	p.labels, p.annotations, p.finalizers, p.owners = p.labels[:0], p.annotations[:0], p.finalizers[:0], p.owners[:0]
	p.managedFields = p.managedFields[:0]
	p.server, p.seen, p.warns, p.thin = serverMembers{}, 0, false, false
}

// Generates reports whether the server generates the name. The metadata has none then;
// see [StandInName].
func (p *FastMeta) Generates() bool { return p.prefix != "" }

// HasGeneration reports whether the metadata was read with a generation.
func (p *FastMeta) HasGeneration() bool { return p.seen&onceGeneration != 0 }

// ReadCreate reads the metadata of a new object at s[i]. It sets the namespace
// to that of the request; "" means the namespace of the object. It returns the
// index after the metadata, or a negative number if it declines: the metadata
// has other members, or may not be valid by all rules for new objects. p must
// be new or reset.
func (p *FastMeta) ReadCreate(s string, i int, namespaced bool, namespace string) int {
	i = readObject(s, i, p.member)
	if i < 0 || !p.named() || !p.enter(namespaced, namespace) {
		return -1
	}
	p.server = serverMembers{}
	return i
}

// named reports whether the name is valid, or the prefix if there is no name. A name
// that the server generates from a valid prefix is valid.
func (p *FastMeta) named() bool {
	if p.prefix == "" {
		return objectname.IsSubdomain(p.name)
	}
	return p.name == "" && objectname.IsSubdomainPrefix(p.prefix)
}

// enter is [EnterNamespace] for p. It reports false for a namespace that is not valid
// or not kept.
func (p *FastMeta) enter(namespaced bool, namespace string) (ok bool) {
	if !namespaced {
		return p.namespace == ""
	}
	p.namespace, ok = NamespaceOf(namespaced, namespace, p.namespace)
	return ok && objectname.IsLabel(p.namespace)
}

func (p *FastMeta) member(key, s string, at int) int {
	switch key {
	case "name":
		return p.readText(onceName, &p.name, s, at)
	case "generateName":
		return p.readText(oncePrefix, &p.prefix, s, at)
	case "namespace":
		return p.readText(onceNamespace, &p.namespace, s, at)
	case "resourceVersion":
		return p.readText(onceVersion, &p.resourceVersion, s, at)
	case "labels":
		return p.readPairs(onceLabels, &p.labels, s, at, fastValidLabel)
	case "annotations":
		end := p.readPairs(onceAnnotations, &p.annotations, s, at, fastValidAnnotation)
		if end-at > maxFastAnnotations {
			return -1
		}
		return end
	case "finalizers":
		return p.readList(onceFinalizers, s, at, p.finalizer)
	case "ownerReferences":
		return p.readList(onceOwners, s, at, p.owner)
	case "managedFields":
		return p.readList(onceManaged, s, at, p.managed)
	}
	return p.readServer(key, s, at)
}

// readText reads a string or null.
func (p *FastMeta) readText(of once, into *string, s string, at int) int {
	if !p.first(of) {
		return -1
	}
	v, end := readString(s, at)
	if end < 0 {
		return p.nullEnd(s, at)
	}
	p.thin = p.thin || v == ""
	*into = v
	return end
}

// readServer reads a member that only a server sets. Each may be null.
func (p *FastMeta) readServer(key, s string, at int) int {
	switch key {
	case "creationTimestamp":
		return p.readTime(onceTime, &p.server.created, s, at)
	case "deletionTimestamp":
		return p.readTime(onceDeletion, &p.server.deleted, s, at)
	case "deletionGracePeriodSeconds":
		return p.readCount(onceGrace, &p.server.gracePeriod, s, at)
	case "generation":
		end := p.readCount(onceGeneration, &p.server.generation, s, at)
		p.thin = p.thin || p.server.generation == "0"
		return end
	case "selfLink":
		return p.readText(onceLink, &p.server.selfLink, s, at)
	case "uid":
		return p.readText(onceUID, &p.server.uid, s, at)
	}
	return -1
}

// readTime reads a time as ObjectMeta writes it, or null.
func (p *FastMeta) readTime(of once, into *string, s string, at int) int {
	end := p.readText(of, into, s, at)
	if *into == "" && s[at] == '"' || *into != "" && !canonicalTime(*into) {
		return -1
	}
	return end
}

// readCount reads null or an integer that is not negative.
func (p *FastMeta) readCount(of once, into *string, s string, at int) int {
	if !p.first(of) {
		return -1
	}
	end := countEnd(s, at)
	if end < 0 {
		return p.nullEnd(s, at)
	}
	*into = s[at:end]
	return end
}

// nullEnd reads null, which the member is then omitted for.
func (p *FastMeta) nullEnd(s string, at int) int {
	p.thin = true
	return jsonscan.Literal(s, at, "null")
}

// countEnd returns the index after the digits at s[at], or a negative number if these are
// not an integer with at most 18 digits.
func countEnd(s string, at int) int {
	i := at
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if n := i - at; n == 0 || n > 18 || n > 1 && s[at] == '0' {
		return -1
	}
	return i
}

// readList reads null or a list of elements, each with the function.
func (p *FastMeta) readList(of once, s string, at int, element func(s string, i int) int) int {
	switch {
	case !p.first(of):
		return -1
	case s[at] != '[':
		return p.nullEnd(s, at)
	}
	i := jsonscan.Space(s, at+1)
	if i < len(s) && s[i] == ']' {
		p.thin = true
		return i + 1
	}
	for more := true; more; {
		end := element(s, i)
		if end < 0 {
			return -1
		}
		i, more = jsonscan.Next(s, end, ']')
	}
	return i
}

// readObject reads an object that is not empty, each of its members with the function.
func readObject(s string, i int, member func(key, s string, at int) int) int {
	if i >= len(s) || s[i] != '{' {
		return -1
	}
	i = jsonscan.Space(s, i+1)
	for more := true; more; {
		key, at := jsonscan.DecodedKey(s, i)
		if at < 0 || at >= len(s) {
			return -1
		}
		end := member(key, s, at)
		if end < 0 {
			return -1
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return i
}

// finalizer reads a finalizer, which is not one of the server's own.
func (p *FastMeta) finalizer(s string, i int) int {
	name, end := readString(s, i)
	if end < 0 || len(p.finalizers) == maxPairs || !objectname.IsQualifiedName(name, false) || standardFinalizer(name) {
		return -1
	}
	p.finalizers = append(p.finalizers, name)
	p.warns = p.warns || !strings.Contains(name, "/")
	return end
}

// FinalizerWarnings is like the function [FinalizerWarnings]. old is nil for a new object.
// The texts share no memory with the metadata.
func (p *FastMeta) FinalizerWarnings(old *FastMeta) []string {
	if !p.warns || old != nil && slices.Equal(p.finalizers, old.finalizers) {
		return nil
	}
	before := map[string]bool{}
	if old != nil {
		for _, f := range old.finalizers {
			before[f] = true
		}
	}
	return warningsOf(slices.Clone(p.finalizers), before)
}

func fastValidLabel(p pair) bool {
	return objectname.IsLabelValue(p.value) && objectname.IsQualifiedName(p.key, false)
}

func fastValidAnnotation(p pair) bool { return objectname.IsQualifiedName(p.key, true) }

// readOnce reads a string that is not empty into an empty one.
func readOnce[S ~string](into *S, s string, at int) int {
	v, end := readString(s, at)
	if end < 0 || v == "" || *into != "" {
		return -1
	}
	*into = S(v)
	return end
}

// readString reads a string, and returns the text that the encoder writes for it.
func readString(s string, at int) (string, int) {
	v, as, end := readText(s, at)
	if as&jsonscan.Respelled == 0 {
		return v, end
	}
	v, ok := jsonscan.Respell(v)
	if !ok {
		return "", -1
	}
	return v, end
}

// readRawString is readString for a string that has that text.
func readRawString(s string, at int) (string, int) {
	v, as, end := readText(s, at)
	if as&jsonscan.Respelled != 0 {
		return "", -1
	}
	return v, end
}

// readText returns the text of the string at s[at], and what it contains.
func readText(s string, at int) (v string, as jsonscan.Text, end int) {
	if at >= len(s) || s[at] != '"' {
		return "", 0, -1
	}
	if end, as = jsonscan.String(s, at+1); end < 0 {
		return "", 0, -1
	}
	return s[at+1 : end], as, end + 1
}

// readPairs reads null or an object of strings into an empty list and sorts the list.
func (p *FastMeta) readPairs(of once, into *[]pair, s string, at int, valid func(pair) bool) int {
	switch {
	case !p.first(of):
		return -1
	case s[at] != '{':
		return p.nullEnd(s, at)
	}
	list, i := *into, jsonscan.Space(s, at+1)
	if i < len(s) && s[i] == '}' {
		p.thin = true
		return i + 1
	}
	for more := true; more; {
		key, value := jsonscan.DecodedKey(s, i)
		if value < 0 || len(list) == maxPairs {
			return -1
		}
		v, end := readString(s, value)
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
