package format

import "strings"

// isBase64 accepts standard base64 with padding that encodes at least one byte.
// The unused bits before the padding need not be zero.
func isBase64(s string) bool {
	if s == "" || len(s)%4 != 0 {
		return false
	}
	s = strings.TrimSuffix(s, "=")
	if len(s)%4 == 3 {
		s = strings.TrimSuffix(s, "=")
	}
	return all(s, isBase64Byte)
}

func isBase64Byte(c byte) bool { return isLetter(c) || isDigit(c) || c == '+' || c == '/' }

// isObjectID accepts a BSON object ID, which is 12 bytes in hexadecimal.
func isObjectID(s string) bool { return len(s) == 24 && all(s, isHex) }

func isPassword(string) bool { return true }

func isUUID(s string) bool { return isUUIDOf(s, 0, false) }

func isUUID3(s string) bool { return isUUIDOf(s, '3', false) }

func isUUID4(s string) bool { return isUUIDOf(s, '4', true) }

func isUUID5(s string) bool { return isUUIDOf(s, '5', true) }

// isUUIDOf accepts 32 hexadecimal digits. One dash may follow each of the 8th,
// 12th, 16th and 20th digit. If version is not 0, the 13th digit must be version.
// If variant is true, the 17th digit must be 8, 9, a or b.
func isUUIDOf(s string, version byte, variant bool) bool {
	digits := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '-' {
			if digits%4 != 0 || digits < 8 || digits > 20 || s[i-1] == '-' {
				return false
			}
			continue
		}
		if !isHex(c) {
			return false
		}
		switch digits++; digits {
		case 13:
			if version != 0 && c != version {
				return false
			}
		case 17:
			if variant && c != '8' && c != '9' && c|0x20 != 'a' && c|0x20 != 'b' {
				return false
			}
		}
	}
	return digits == 32
}

// isHexColor accepts three or six hexadecimal digits. A # may precede them.
func isHexColor(s string) bool {
	s = strings.TrimPrefix(s, "#")
	return (len(s) == 3 || len(s) == 6) && all(s, isHex)
}

// isRGBColor accepts rgb(r,g,b) with decimal numbers up to 255. The numbers must
// not have leading zeros. White space may surround them.
func isRGBColor(s string) bool {
	s, ok := strings.CutPrefix(s, "rgb(")
	for _, end := range []byte(",,)") {
		s = skipSpace(s)
		zero := strings.HasPrefix(s, "0")
		rest, decimal := cutDecimal(s, 255)
		if !ok || !decimal || zero && len(rest) != len(s)-1 {
			return false
		}
		rest = skipSpace(rest)
		if rest == "" || rest[0] != end {
			return false
		}
		s = rest[1:]
	}
	return s == ""
}

func skipSpace(s string) string {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	return s
}
