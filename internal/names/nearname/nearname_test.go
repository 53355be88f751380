package nearname_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit/internal/names/nearname"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name  string
		known string
		want  string
	}{
		{"replica", "image replicas selector", "replicas"},
		{"relpicas", "image replicas selector", "replicas"},
		{"Replicas", "replica replicas", "replicas"},
		{"max-size", "maxSize maxsized", "maxSize"},
		{"imagePullPolcy", "image imagePullPolicy imagePullSecrets", "imagePullPolicy"},
		{"x", "y z", ""},
		{"ip", "id", ""},
		{"IP", "id ip", "ip"},
		{"cpu", "gpu mpu", "gpu"},
		{"prot", "port", "port"},
		{"replicas", "replicas", ""},
		{"storage", "selector", ""},
		{"", "a", ""},
		{"abcdefghijkl", "abcxyz", ""},
		{"abcdefghi", "abcdef", "abcdef"},
	} {
		got, ok := nearname.Nearest(c.name, slices.Values(strings.Fields(c.known)))
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Nearest(%q, %s) = %q, %v, want %q", c.name, c.known, got, ok, c.want)
		}
	}
}

func TestNearestDoesNotDependOnOrder(t *testing.T) {
	known := []string{"aaab", "aaac", "aaad"}
	for range len(known) {
		known = append(known[1:], known[0])
		if got, _ := nearname.Nearest("aaaa", slices.Values(known)); got != "aaab" {
			t.Errorf("Nearest among %v = %q, want aaab", known, got)
		}
	}
}

func TestNearestIsBounded(t *testing.T) {
	var known []string
	for i := range 10_000 {
		known = append(known, fmt.Sprintf("%060d", i), strings.Repeat("b", 1000))
	}
	start := time.Now()
	for _, name := range []string{strings.Repeat("a", 100_000), strings.Repeat("1", 64)} {
		if got, ok := nearname.Nearest(name, slices.Values(known)); ok {
			t.Errorf("Nearest found %q", got)
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}
