package format

// keep returns the bytes of s that skip does not accept, in the memory of buf. It
// reports false if buf cannot hold them.
func keep(buf []byte, s string, skip func(byte) bool) ([]byte, bool) {
	kept := buf[:0]
	for i := 0; i < len(s); i++ {
		if skip(s[i]) {
			continue
		}
		if len(kept) == cap(buf) {
			return nil, false
		}
		kept = append(kept, s[i])
	}
	return kept, true
}

func isISBN(s string) bool { return isISBN10(s) || isISBN13(s) }

func isISBNFiller(c byte) bool { return c == '-' || isSpace(c) }

// isISBN10 accepts nine digits and a check digit. The check digit X means ten.
// Dashes and white space may stand anywhere.
func isISBN10(s string) bool {
	var buf [10]byte
	isbn, ok := keep(buf[:], s, isISBNFiller)
	if !ok || len(isbn) != 10 {
		return false
	}
	sum := 0
	for i, c := range isbn {
		switch {
		case isDigit(c):
			sum += (i + 1) * int(c-'0')
		case i == 9 && c == 'X':
			sum += 10 * 10
		default:
			return false
		}
	}
	return sum%11 == 0
}

// isISBN13 accepts twelve digits and a check digit. Dashes and white space may
// stand anywhere.
func isISBN13(s string) bool {
	var buf [13]byte
	isbn, ok := keep(buf[:], s, isISBNFiller)
	if !ok || len(isbn) != 13 {
		return false
	}
	sum := 0
	for i, c := range isbn {
		if !isDigit(c) {
			return false
		}
		sum += int(c-'0') * (1 + i%2*2)
	}
	return sum%10 == 0
}

// isCreditCard accepts a number of a known issuer with a valid check digit. It
// skips all bytes that are not digits.
func isCreditCard(s string) bool {
	var buf [16]byte
	card, ok := keep(buf[:], s, func(c byte) bool { return !isDigit(c) })
	if !ok || len(card) < 13 || !isIssued(string(card)) {
		return false
	}
	sum := 0
	for i := range card {
		d := int(card[len(card)-1-i] - '0')
		if i%2 == 1 {
			d *= 2
		}
		sum += d/10 + d%10
	}
	return sum%10 == 0
}

// isIssued reports whether a number of at least 13 digits has the prefix and
// the length of a known issuer.
func isIssued(s string) bool {
	n := len(s)
	switch s[0] {
	case '1':
		return n == 15 && s[:4] == "1800"
	case '2':
		return n == 15 && s[:4] == "2131"
	case '3':
		switch s[1] {
		case '0':
			return n == 14 && s[2] <= '5'
		case '4', '7':
			return n == 15
		case '5':
			return n == 16
		case '6', '8':
			return n == 14
		}
	case '4':
		return n == 13 || n == 16
	case '5':
		return n == 16 && '1' <= s[1] && s[1] <= '5'
	case '6':
		return n == 16 && (s[:4] == "6011" || s[1] == '5')
	}
	return false
}

// isSSN accepts groups of three, two and four digits. A dash or a space separates
// the groups.
func isSSN(s string) bool {
	if len(s) != len("123-45-6789") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if i == 3 || i == 6 {
			if s[i] != '-' && s[i] != ' ' {
				return false
			}
		} else if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
