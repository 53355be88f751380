package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersionText(t *testing.T) {
	settings := []debug.BuildSetting{
		{Key: "GOARCH", Value: "arm64"}, {Key: "GOOS", Value: "darwin"},
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0f1e2d"}, {Key: "vcs.modified", Value: "false"},
	}
	modified := append(settings[:4:4], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, tt := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"no build info", debug.BuildInfo{}, "(devel) (Kubernetes 1.37)"},
		{"a module of the proxy", debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.3"}, Settings: settings[:2]},
			"v1.2.3 (Kubernetes 1.37, go1.26.8 darwin/arm64)"},
		{"a checkout", debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: "v1.2.4-0.20261122-0f1e2d"}, Settings: settings},
			"v1.2.4-0.20261122-0f1e2d (Kubernetes 1.37, revision 0f1e2d, go1.26.8 darwin/arm64)"},
		{"a checkout with changes", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: modified},
			"(devel) (Kubernetes 1.37, revision 0f1e2d with changes)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, versionText(&tt.info)); diff != "" {
				t.Errorf("versionText (-want +got):\n%s", diff)
			}
		})
	}
}

// TestVersion checks that a process prints its own version.
func TestVersion(t *testing.T) {
	out, err := command(t, t.TempDir(), "--version").CombinedOutput()
	if got := string(out); err != nil || !strings.HasPrefix(got, "crdkit version ") || !strings.Contains(got, " (Kubernetes 1.37, ") || strings.Count(got, "\n") != 1 {
		t.Errorf("crdkit --version prints %q, %v", got, err)
	}
}
