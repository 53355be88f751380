package definition_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/definition"
)

// TestKubernetesVersionRules checks that rules may use the functions of the
// chosen version. Version 1.30 introduced isIP, and new rules may use it one
// version later.
func TestKubernetesVersionRules(t *testing.T) {
	text := strings.Replace(crateCRD, "format: metric, default: 5}", "x-kubernetes-validations: [{rule: isIP(self)}], maxLength: 40}", 1)
	crd := parse(t, text)
	for version, accepted := range map[string]bool{"1.29": false, "1.30": false, "v1.31.4": true, "1.37": true, "": true} {
		report := definition.Check(crd, definition.KubernetesVersion(version))
		if report.Accepted() != accepted {
			t.Errorf("%q: Check: %v, want accepted %t", version, report.Err(), accepted)
		}
	}
}

// TestKubernetesVersionUnknown checks that an unknown version is an error. The
// rules of another version could give a wrong verdict.
func TestKubernetesVersionUnknown(t *testing.T) {
	crd := parse(t, crateCRD)
	for _, version := range []string{"latest", "1.28", "1.38", "2.0"} {
		opt := definition.KubernetesVersion(version)
		for name, report := range map[string]*definition.Report{
			"Check":       definition.Check(crd, opt),
			"CheckUpdate": definition.CheckUpdate(crd, crd, opt),
			"CheckStatus": definition.CheckStatus(crd, crd, opt),
		} {
			if len(report.Errors) != 1 || !strings.Contains(report.Errors[0].Detail, "from 1.29 to 1.37") {
				t.Errorf("%s with version %q: %v, want one error about the version", name, version, report.Err())
			}
		}
	}
}
