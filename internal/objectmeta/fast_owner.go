package objectmeta

import (
	"strconv"
	"strings"
)

// maxOwners is the largest number of owner references that FastMeta accepts.
const maxOwners = 32

// owner reads an owner reference with another uid than those before it.
func (p *FastMeta) owner(s string, i int) int {
	var o ownerKey
	end := o.read(s, i)
	if end < 0 || len(p.owners) == maxOwners || p.excludes(o) {
		return -1
	}
	p.owners = append(p.owners, o)
	return end
}

// excludes reports whether o may not stand in a list with the owners of p: because of its
// uid, or because only one of them can be the controller.
func (p *FastMeta) excludes(o ownerKey) bool {
	for i := range p.owners {
		if q := &p.owners[i]; q.uid == o.uid || q.controller.value && o.controller.value {
			return true
		}
	}
	return false
}

// read reads an owner reference that is valid.
func (o *ownerKey) read(s string, i int) int {
	i = readObject(s, i, o.member)
	if i < 0 || o.name == "" || o.uid == "" || !fastValidOwnerType(o.apiVersion, o.kind) {
		return -1
	}
	return i
}

func (o *ownerKey) member(key, s string, at int) int {
	switch key {
	case "apiVersion":
		return readOnce(&o.apiVersion, s, at)
	case "kind":
		return readOnce(&o.kind, s, at)
	case "name":
		return readOnce(&o.name, s, at)
	case "uid":
		return readOnce(&o.uid, s, at)
	case "controller":
		return o.controller.read(s, at)
	case "blockOwnerDeletion":
		return o.blockDeletion.read(s, at)
	}
	return -1
}

// read reads a boolean once.
func (b *optionalBool) read(s string, at int) int {
	for _, value := range [...]bool{false, true} {
		if text := strconv.FormatBool(value); !b.set && strings.HasPrefix(s[at:], text) {
			*b = optionalBool{set: true, value: value}
			return at + len(text)
		}
	}
	return -1
}

func appendOwners(dst []byte, list []ownerKey) []byte {
	for i := range list {
		o, start := &list[i], byte(',')
		if i == 0 {
			start = '['
		}
		dst = appendPair(append(dst, start, '{'), pair{"apiVersion", o.apiVersion})
		if o.blockDeletion.set {
			dst = strconv.AppendBool(append(dst, `,"blockOwnerDeletion":`...), o.blockDeletion.value)
		}
		if o.controller.set {
			dst = strconv.AppendBool(append(dst, `,"controller":`...), o.controller.value)
		}
		dst = appendPair(append(dst, ','), pair{"kind", o.kind})
		dst = appendPair(append(dst, ','), pair{"name", o.name})
		dst = append(appendPair(append(dst, ','), pair{"uid", string(o.uid)}), '}')
	}
	return append(dst, ']')
}
