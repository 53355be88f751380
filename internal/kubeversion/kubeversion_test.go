package kubeversion_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/kubeversion"
)

func TestMinor(t *testing.T) {
	for version, want := range map[string]int{
		"1.33": 33, "v1.33": 33, "1.33.4": 33, "v1.30.0-rc.1+more": 30, "1.0": 0, "1.007": 7,
		"": -1, "1": -1, "1.": -1, "2.33": -1, "v.33": -1, "1.x": -1, "1.-3": -1, "1.+3": -1, "1.99999999999": -1, "latest": -1, "vv1.2": -1,
	} {
		got, ok := kubeversion.Minor(version)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("Minor(%q) = %d, want %d", version, got, want)
		}
	}
}

func TestKnown(t *testing.T) {
	for version, want := range map[string]bool{
		"1.28.9": false, "1.29": true, "v1.33.4": true, "1.37": true, "1.38": false, "": false, "latest": false,
	} {
		if got := kubeversion.Known(version); got != want {
			t.Errorf("Known(%q) = %t, want %t", version, got, want)
		}
	}
}
