package sample

import "testing"

func TestClamp(t *testing.T) {
	for x, want := range map[int]int{1: 1, 3: 3, 4: 0} {
		if got, err := Clamp(x); got != want || err == nil != (x < 4) {
			t.Errorf("Clamp(%d) = %d, %v, want %d", x, got, err, want)
		}
	}
}

func TestSum(t *testing.T) {
	if got := Sum(6); got != 6 {
		t.Errorf("Sum(6) = %d, want 6", got)
	}
}

func TestForever(t *testing.T) { forever() }

func TestIsNumber(t *testing.T) {
	for _, s := range []string{"1_000", "09"} {
		if !isNumber(s) {
			t.Errorf("isNumber(%q) = false, want true", s)
		}
	}
	for _, s := range []string{"/", ":"} {
		if isNumber(s) {
			t.Errorf("isNumber(%q) = true, want false", s)
		}
	}
}
