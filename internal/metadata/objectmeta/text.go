package objectmeta

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// The largest numbers of labels, annotations and finalizers, of managers, and of owner
// references in text. They also bound the memory that [Meta.Reset] keeps.
const (
	maxPairs   = 64
	maxManaged = 64
	maxOwners  = 32
)

// Read reads the metadata at s[i] from JSON text. It returns the index after the metadata,
// or a negative number if it declines metadata that is rare or wrong. m must be new or
// reset.
func (m *Meta) Read(s string, i int) int { return readObject(s, i, m.readTextMember) }

// Plain reports whether the metadata that was read has no members that are omitted when it
// is written.
func (m *Meta) Plain() bool { return !m.omits }

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

func (m *Meta) readTextMember(key, s string, at int) (end int) {
	k := memberOf(key)
	switch {
	case k == memberUnknown || !m.seen.add(k):
		return -1
	case s[at] == 'n':
		m.omits = true
		return jsonscan.Literal(s, at, "null")
	}
	switch k {
	case memberCreationTimestamp, memberDeletionTimestamp:
		return readTime(m.text(k), s, at)
	case memberGeneration:
		m.Generation, end = readCount(s, at)
		m.omits = m.omits || m.Generation == 0
		return end
	case memberDeletionGracePeriodSeconds:
		m.gracePeriod.set = true
		m.gracePeriod.value, end = readCount(s, at)
		return end
	case memberLabels:
		return m.readPairs(&m.labels, s, at)
	case memberAnnotations:
		return m.readPairs(&m.annotations, s, at)
	case memberFinalizers:
		return m.readList(s, at, m.readFinalizer)
	case memberOwnerReferences:
		return m.readList(s, at, m.readOwner)
	case memberManagedFields:
		return m.readList(s, at, m.readManaged)
	}
	into := m.text(k)
	*into, end = readString(s, at)
	m.omits = m.omits || *into == ""
	return end
}

// readTime reads a time as ObjectMeta writes it.
func readTime(into *string, s string, at int) (end int) {
	if *into, end = readString(s, at); !canonicalTime(*into) {
		return -1
	}
	return end
}

// readCount reads an integer that is not negative.
func readCount(s string, at int) (int64, int) {
	end := countEnd(s, at)
	if end < 0 {
		return 0, -1
	}
	n, _ := strconv.ParseInt(s[at:end], 10, 64) // of at most 18 digits
	return n, end
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

// readString reads a string.
func readString(s string, at int) (string, int) {
	text, as, end := readText(s, at)
	if as&jsonscan.Escaped == 0 {
		return text, end
	}
	decoded, ok := jsonscan.Unescape(nil, text)
	if !ok {
		return "", -1
	}
	return string(decoded), end
}

// readText returns the text of the string at s[at], and what it contains.
func readText(s string, at int) (text string, as jsonscan.Text, end int) {
	if at >= len(s) || s[at] != '"' {
		return "", 0, -1
	}
	if end, as = jsonscan.String(s, at+1); end < 0 {
		return "", 0, -1
	}
	return s[at+1 : end], as, end + 1
}

// readWritten reads a string, and returns the text that the encoder writes for it.
func readWritten(s string, at int) (string, int) {
	text, as, end := readText(s, at)
	if as&jsonscan.Respelled == 0 {
		return text, end
	}
	text, ok := jsonscan.Respell(text)
	if !ok {
		return "", -1
	}
	return text, end
}

// readOnce reads a string that is not empty into an empty one.
func readOnce(into *string, s string, at int) int {
	text, end := readString(s, at)
	if into == nil || end < 0 || text == "" || *into != "" {
		return -1
	}
	*into = text
	return end
}

// readPairs reads an object of strings and sorts them.
func (m *Meta) readPairs(into *[]pair, s string, at int) int {
	if s[at] != '{' {
		return -1
	}
	list, i := *into, jsonscan.Space(s, at+1)
	if i < len(s) && s[i] == '}' {
		m.omits = true
		return i + 1
	}
	for more := true; more; {
		key, value := jsonscan.DecodedKey(s, i)
		if value < 0 || len(list) == maxPairs {
			return -1
		}
		text, end := readWritten(s, value)
		if end < 0 {
			return -1
		}
		list = append(list, pair{key, text})
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

// sortPairs sorts a short list by insertion.
func sortPairs(list []pair) {
	for i := range list {
		for j := i; j > 0 && list[j].key < list[j-1].key; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// readList reads a list of elements, each with the function.
func (m *Meta) readList(s string, at int, element func(s string, i int) int) int {
	if s[at] != '[' {
		return -1
	}
	i := jsonscan.Space(s, at+1)
	if i < len(s) && s[i] == ']' {
		m.omits = true
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

func (m *Meta) readFinalizer(s string, i int) int {
	name, end := readString(s, i)
	if len(m.finalizers) == maxPairs {
		return -1
	}
	m.finalizers = append(m.finalizers, name)
	return end
}

func (m *Meta) readOwner(s string, i int) int {
	var o owner
	end := readObject(s, i, o.readMember)
	if len(m.owners) == maxOwners {
		return -1
	}
	m.owners = append(m.owners, o)
	return end
}

func (o *owner) readMember(key, s string, at int) int {
	switch key {
	case "controller":
		return readBool(&o.controller, s, at)
	case "blockOwnerDeletion":
		return readBool(&o.blockDeletion, s, at)
	}
	return readOnce(o.text(key), s, at)
}

// readBool reads a boolean once.
func readBool(into *optional[bool], s string, at int) int {
	for _, value := range [...]bool{false, true} {
		if text := strconv.FormatBool(value); !into.set && strings.HasPrefix(s[at:], text) {
			*into = optional[bool]{set: true, value: value}
			return at + len(text)
		}
	}
	return -1
}

func (m *Meta) readManaged(s string, i int) int {
	var e managedEntry
	end := readObject(s, i, e.readMember)
	if len(m.managed) == maxManaged {
		return -1
	}
	m.managed = append(m.managed, e)
	return end
}

func (e *managedEntry) readMember(key, s string, at int) int {
	switch key {
	case "time":
		if e.time != "" {
			return -1
		}
		return readTime(&e.time, s, at)
	case "fieldsV1":
		end := fieldsEnd(s, at, maxFieldsDepth)
		if end < 0 || e.fieldsText != "" {
			return -1
		}
		e.fieldsText = s[at:end]
		return end
	}
	return readOnce(e.text(key), s, at)
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
		key, as, end := readText(s, i)
		if end < 0 || as&jsonscan.Respelled != 0 || !fastElement(key) || !first && !lessText(before, key) {
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

// Append appends metadata that was read from text: JSON with sorted keys. The metadata is
// valid.
func (m *Meta) Append(dst []byte) []byte {
	start := len(dst) // of the comma before the first member
	dst = appendPairs(dst, "annotations", m.annotations)
	dst = appendText(dst, "creationTimestamp", m.created)
	if m.gracePeriod.set {
		dst = strconv.AppendInt(append(dst, `,"deletionGracePeriodSeconds":`...), m.gracePeriod.value, 10)
	}
	dst = appendText(dst, "deletionTimestamp", m.deleted)
	dst = appendList(dst, "finalizers", m.finalizers, appendString)
	dst = appendText(dst, "generateName", m.GenerateName)
	if m.Generation != 0 {
		dst = strconv.AppendInt(append(dst, `,"generation":`...), m.Generation, 10)
	}
	dst = appendPairs(dst, "labels", m.labels)
	dst = appendList(dst, "managedFields", m.managed, managedEntry.append)
	dst = appendText(dst, "name", m.Name)
	dst = appendText(dst, "namespace", m.Namespace)
	dst = appendList(dst, "ownerReferences", m.owners, owner.append)
	dst = appendText(dst, "resourceVersion", m.ResourceVersion)
	dst = appendText(dst, "selfLink", m.selfLink)
	dst = appendText(dst, "uid", m.UID)
	if start == len(dst) {
		dst = append(dst, ',')
	}
	dst[start] = '{'
	return append(dst, '}')
}

// appendKey appends a comma and the key of a member.
func appendKey(dst []byte, key string) []byte {
	return append(append(append(dst, ',', '"'), key...), '"', ':')
}

func appendString(s string, dst []byte) []byte {
	dst, _ = jsonscan.AppendString(dst, s) // what was read is UTF-8
	return dst
}

// appendText appends a member that is a string, unless it is empty.
func appendText(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	return appendString(s, appendKey(dst, key))
}

// appendPairs appends a member that is a map, unless it is empty. Valid keys and the values
// of labels are their own texts.
func appendPairs(dst []byte, key string, list []pair) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(appendKey(dst, key), '{')
	for i, p := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), p.key...), `":"`...)
		dst = append(append(dst, p.value...), '"')
	}
	return append(dst, '}')
}

// appendList appends a member that is a list, unless it is empty.
func appendList[E any](dst []byte, key string, list []E, element func(E, []byte) []byte) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(appendKey(dst, key), '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(list[i], dst)
	}
	return append(dst, ']')
}

func (o owner) append(dst []byte) []byte {
	dst = appendString(o.apiVersion, append(dst, `{"apiVersion":`...))
	if o.blockDeletion.set {
		dst = strconv.AppendBool(appendKey(dst, "blockOwnerDeletion"), o.blockDeletion.value)
	}
	if o.controller.set {
		dst = strconv.AppendBool(appendKey(dst, "controller"), o.controller.value)
	}
	dst = appendString(o.kind, appendKey(dst, "kind"))
	dst = appendString(o.name, appendKey(dst, "name"))
	return append(appendString(o.uid, appendKey(dst, "uid")), '}')
}

// append appends an entry, which is not empty.
func (e managedEntry) append(dst []byte) []byte {
	start := len(dst) // of the comma before the first member
	dst = appendText(dst, "apiVersion", e.apiVersion)
	dst = appendText(dst, "fieldsType", e.fieldsType)
	if e.fieldsText != "" {
		dst = appendCompact(appendKey(dst, "fieldsV1"), e.fieldsText)
	}
	dst = appendText(dst, "manager", e.manager)
	dst = appendText(dst, "operation", e.operation)
	dst = appendText(dst, "subresource", e.subresource)
	dst = append(appendText(dst, "time", e.time), '}')
	dst[start] = '{'
	return dst
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
