// Package sample has the code that the tests of mutate change.
package sample

import "errors"

const limit = 3

var step = 1

// Clamp returns x, or an error if x is none of 0, ..., limit.
func Clamp(x int) (int, error) {
	if x < 0 || x > limit {
		return 0, errors.New("out of range")
	}
	return x, nil
}

// Sum adds the even numbers below n.
func Sum(n uint) (sum uint) {
	for i := uint(0); i < n; i++ {
		if i%2 != 0 {
			continue
		}
		sum += i
	}
	return sum
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isEmpty(s string) bool { return len(s) == 0 }

func isNumber(s string) bool {
	if isEmpty(s) {
		return false
	}
	for _, c := range []byte(s) {
		switch c {
		case '_':
		default:
			if !isDigit(c) {
				return false
			}
		}
	}
	return true
}

func forever() {
	for done := 0; done < step; {
		done += 1
	}
}

func untested(p *int) *int {
	defer forever()
	return p
}
