package objectmeta

import "strconv"

// Append appends the metadata as the server stores it with this generation, 0 for none: JSON
// with sorted keys.
func (p *FastMeta) Append(dst []byte, generation int64) []byte {
	start := len(dst) // of the comma before the first member
	if len(p.annotations) > 0 {
		dst = appendPairs(append(dst, `,"annotations":`...), p.annotations)
	}
	dst = appendText(dst, "creationTimestamp", p.server.created)
	if p.server.gracePeriod != "" {
		dst = append(append(dst, `,"deletionGracePeriodSeconds":`...), p.server.gracePeriod...)
	}
	dst = appendText(dst, "deletionTimestamp", p.server.deleted)
	if len(p.finalizers) > 0 {
		dst = appendTexts(append(dst, `,"finalizers":`...), p.finalizers)
	}
	dst = appendText(dst, "generateName", p.prefix)
	if generation != 0 {
		dst = strconv.AppendInt(append(dst, `,"generation":`...), generation, 10)
	}
	if len(p.labels) > 0 {
		dst = appendPairs(append(dst, `,"labels":`...), p.labels)
	}
	if len(p.managedFields) > 0 {
		dst = appendManaged(append(dst, `,"managedFields":`...), p.managedFields)
	}
	dst = appendText(dst, "name", p.name)
	dst = appendText(dst, "namespace", p.namespace)
	if len(p.owners) > 0 {
		dst = appendOwners(append(dst, `,"ownerReferences":`...), p.owners)
	}
	dst = appendText(dst, "resourceVersion", p.resourceVersion)
	dst = appendText(dst, "selfLink", p.server.selfLink)
	dst = appendText(dst, "uid", p.server.uid)
	if start == len(dst) {
		dst = append(dst, ',')
	}
	dst[start] = '{'
	return append(dst, '}')
}

// appendText appends a comma and a member that is the text of a string, unless that is
// empty.
func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return appendPair(append(dst, ','), pair{name, text})
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

// appendTexts appends a list of texts of strings.
func appendTexts(dst []byte, list []string) []byte {
	for i, s := range list {
		start := byte(',')
		if i == 0 {
			start = '['
		}
		dst = append(append(append(dst, start, '"'), s...), '"')
	}
	return append(dst, ']')
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
