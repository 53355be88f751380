package objectmeta

import (
	"strings"

	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// maxManaged is the largest number of entries of managedFields that FastMeta accepts.
const maxManaged = 64

// A managedEntry is an entry of managedFields. The members are texts of strings without
// their quotes, but fieldsV1 is the text of an object. An absent member is empty.
type managedEntry struct {
	apiVersion, fieldsType, fieldsV1, manager, operation, subresource, time string
}

// managed reads an entry of managedFields.
func (p *FastMeta) managed(s string, i int) int {
	var e managedEntry
	end := readObject(s, i, e.member)
	if end < 0 || len(p.managedFields) == maxManaged || !e.valid() {
		return -1
	}
	p.managedFields = append(p.managedFields, e)
	return end
}

func (e *managedEntry) member(key, s string, at int) int {
	switch key {
	case "apiVersion":
		return readOnce(&e.apiVersion, s, at)
	case "fieldsType":
		return readOnce(&e.fieldsType, s, at)
	case "manager":
		return readOnce(&e.manager, s, at)
	case "operation":
		return readOnce(&e.operation, s, at)
	case "subresource":
		return readOnce(&e.subresource, s, at)
	case "time":
		return readOnce(&e.time, s, at)
	case "fieldsV1":
		end := fieldsEnd(s, at, maxFieldsDepth)
		if end < 0 || e.fieldsV1 != "" {
			return -1
		}
		e.fieldsV1 = s[at:end]
		return end
	}
	return -1
}

// valid is [fastValidManaged] for e. The server can then decode e, too.
func (e *managedEntry) valid() bool {
	return fastManagedOperation(e.operation) && e.apiVersion != "" && e.fieldsType == "FieldsV1" &&
		(e.time == "" || canonicalTime(e.time)) &&
		len(e.subresource) <= metav1validation.MaxSubresourceNameLength &&
		!strings.Contains(e.manager, "\\") && fastValidManager(e.manager)
}

// fieldsEnd returns the index after the field set at s[i], or a negative number if it is
// not a tree of objects whose keys are elements in increasing order.
func fieldsEnd(s string, i, depth int) int {
	if i >= len(s) || s[i] != '{' || depth == 0 {
		return -1
	}
	i = jsonscan.Space(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1
	}
	before := ""
	for first, more := true, true; more; first = false {
		key, end := readRawString(s, i)
		if end < 0 || !fastElement(key) || !first && !lessText(before, key) {
			return -1
		}
		before = key
		if end = jsonscan.Space(s, end); end >= len(s) || s[end] != ':' {
			return -1
		}
		if end = fieldsEnd(s, jsonscan.Space(s, end+1), depth-1); end < 0 {
			return -1
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return i
}

// lessText reports whether the string of text a is less than that of b. It reports false
// if that depends on another escape than those of a quote and a backslash.
func lessText(a, b string) bool {
	escaped := false // a[i] and b[i] follow a backslash
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			escaped = !escaped && a[i] == '\\'
			continue
		}
		if escaped {
			return a[i] == '"' && b[i] == '\\'
		}
		x, known := firstByte(a[i:])
		y, also := firstByte(b[i:])
		return known && also && x < y
	}
	return len(a) < len(b)
}

// firstByte returns the first byte of the string with the given text. It reports false for
// another escape than those of a quote and a backslash.
func firstByte(text string) (byte, bool) {
	if text[0] != '\\' {
		return text[0], true
	}
	return text[1], text[1] == '"' || text[1] == '\\'
}

func appendManaged(dst []byte, list []managedEntry) []byte {
	for i := range list {
		e, start := &list[i], byte(',')
		if i == 0 {
			start = '['
		}
		dst = append(dst, start)
		start = '{'
		for _, p := range [...]pair{
			{"apiVersion", e.apiVersion}, {"fieldsType", e.fieldsType}, {"fieldsV1", e.fieldsV1}, {"manager", e.manager},
			{"operation", e.operation}, {"subresource", e.subresource}, {"time", e.time},
		} {
			if p.value == "" {
				continue
			}
			dst = append(dst, start)
			if start = ','; p.key == "fieldsV1" {
				dst = appendCompact(append(dst, `"fieldsV1":`...), p.value)
			} else {
				dst = appendPair(dst, p)
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// appendCompact appends the text of a field set without white space.
func appendCompact(dst []byte, s string) []byte {
	if !strings.ContainsAny(s, " \n\r\t") {
		return append(dst, s...)
	}
	for i := 0; i < len(s); {
		start := i
		if s[i] == '"' {
			i, _ = jsonscan.String(s, i+1)
		}
		i++
		dst = append(dst, s[start:i]...)
		i = jsonscan.Space(s, i)
	}
	return dst
}
