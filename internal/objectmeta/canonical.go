package objectmeta

import "unicode/utf8"

// A verdict is the result of decoding metadata into ObjectMeta and writing it
// again (the round trip).
type verdict uint8

const (
	verdictDeclined verdict = iota // only the round trip knows the result
	verdictThinned                 // the same map without its omitted members
	verdictSame                    // the same map
)

// maxFieldsDepth is the largest depth of a field set of managedFields that
// roundTripVerdict accepts. Deeper field sets need the round trip, which knows
// the limit of JSON.
const maxFieldsDepth = 200

// roundTripVerdict returns the result of the round trip of m. It declines
// metadata that the round trip rejects or changes in another way than to omit
// members.
func roundTripVerdict(m map[string]any) verdict {
	if m == nil {
		return verdictDeclined
	}
	out := verdictSame
	for name, v := range m {
		kind := memberOf(name)
		if kind.omitted(v) {
			out = verdictThinned
			continue
		}
		if !kind.canonical(v) {
			return verdictDeclined
		}
	}
	return out
}

// canonical reports whether ObjectMeta writes the value of a member as v. v
// must not be omitted.
func (m member) canonical(v any) bool {
	switch m {
	case memberText:
		return canonicalText(v)
	case memberGeneration, memberGrace:
		_, ok := v.(int64)
		return ok
	case memberTime:
		return canonicalTime(v)
	case memberStrings:
		return canonicalStrings(v)
	case memberOwners:
		return canonicalList(v, canonicalOwner)
	case memberFinalizers:
		return canonicalList(v, anyCanonicalString)
	case memberManaged:
		return canonicalList(v, canonicalManaged)
	default:
		return false
	}
}

// canonicalText reports whether v is a string that is not empty and is valid
// UTF-8.
func canonicalText(v any) bool {
	s, ok := v.(string)
	return ok && s != "" && utf8.ValidString(s)
}

func anyCanonicalString(v any) bool {
	s, ok := v.(string)
	return ok && utf8.ValidString(s)
}

func canonicalStrings(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for k, v := range m {
		s, ok := v.(string)
		if !ok || !utf8.ValidString(k) || !utf8.ValidString(s) {
			return false
		}
	}
	return true
}

func canonicalList(v any, element func(any) bool) bool {
	list, ok := v.([]any)
	if !ok {
		return false
	}
	for _, e := range list {
		if !element(e) {
			return false
		}
	}
	return true
}

// canonicalOwner reports whether v is an owner reference as ObjectMeta writes
// it: it always has the four strings, and it has a boolean if that is set.
func canonicalOwner(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	strings := 0
	for k, v := range m {
		switch k {
		case "apiVersion", "kind", "name", "uid":
			if !anyCanonicalString(v) {
				return false
			}
			strings++
		case "controller", "blockOwnerDeletion":
			if _, ok := v.(bool); !ok {
				return false
			}
		default:
			return false
		}
	}
	return strings == 4
}

func canonicalManaged(v any) bool {
	m, ok := v.(map[string]any)
	if !ok || m == nil {
		return false
	}
	for k, v := range m {
		switch k {
		case "manager", "operation", "apiVersion", "fieldsType", "subresource":
			if !canonicalText(v) {
				return false
			}
		case "time":
			if !canonicalTime(v) {
				return false
			}
		case "fieldsV1":
			if !canonicalFields(v, maxFieldsDepth) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// canonicalFields reports whether v is a tree of maps, as field sets are.
func canonicalFields(v any, depth int) bool {
	m, ok := v.(map[string]any)
	if !ok || m == nil || depth == 0 {
		return false
	}
	for k, v := range m {
		if !utf8.ValidString(k) || !canonicalFields(v, depth-1) {
			return false
		}
	}
	return true
}

// zeroTime is the text of the zero time.
const zeroTime = "0001-01-01T00:00:00Z"

// canonicalTime reports whether v is a time as ObjectMeta writes it: RFC 3339
// in UTC, in whole seconds, and not the zero time.
func canonicalTime(v any) bool {
	s, ok := v.(string)
	if !ok || len(s) != len(zeroTime) || s == zeroTime {
		return false
	}
	for i := range len(s) {
		if want := zeroTime[i]; want == '-' || want == ':' || want == 'T' || want == 'Z' {
			if s[i] != want {
				return false
			}
		} else if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	year := 100*digits(s, 0) + digits(s, 2)
	month, day := digits(s, 5), digits(s, 8)
	return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) &&
		digits(s, 11) < 24 && digits(s, 14) < 60 && digits(s, 17) < 60
}

// digits returns the number of the two digits of s at i.
func digits(s string, i int) int { return 10*int(s[i]-'0') + int(s[i+1]-'0') }

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	default:
		return 31
	}
}
