package kubeversion_test

import (
	"testing"

	"github.com/crdkit/crdkit/internal/kube/kubeversion"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]kubeversion.Version{
		"": kubeversion.Newest, "1.29": 29, "1.33": 33, "v1.33": 33, "1.33.4": 33, "v1.30.0-rc.1+more": 30, "1.037": 37, "1.37": 37,
	} {
		if got, err := kubeversion.Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseFails(t *testing.T) {
	for _, text := range []string{
		"1.28.9", "1.38", "1.0", "1", "1.", "2.33", "v.33", "1.x", "1.-33", "1.+33", "1.99999999999", "latest", "vv1.33", " 1.33", "1.33 ", "1.33-rc.1",
	} {
		want := `"` + text + `" is not a version of Kubernetes from 1.29 to 1.37`
		if v, err := kubeversion.Parse(text); err == nil || err.Error() != want {
			t.Errorf("Parse(%q) = %v, %v, want the error %s", text, v, err, want)
		}
	}
}

func TestVersionText(t *testing.T) {
	if got := kubeversion.Newest.String(); got != "1.37" {
		t.Errorf("String of the newest version is %q", got)
	}
}
