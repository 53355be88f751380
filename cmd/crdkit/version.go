package main

import (
	"fmt"
	"runtime/debug"

	"github.com/crdkit/crdkit/internal/kubeversion"
)

// buildVersion returns the text of --version for the running program.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionText(info)
}

// versionText returns the version of the module, the version of the server that the
// command follows by default, and the revision of the sources if the build recorded one.
func versionText(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := valueOr(info.Main.Version, "(devel)") + " (Kubernetes " + kubeversion.Newest.String()
	if revision := settings["vcs.revision"]; revision != "" {
		text += ", revision " + revision
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	if info.GoVersion != "" {
		text += fmt.Sprintf(", %s %s/%s", info.GoVersion, valueOr(settings["GOOS"], "unknown"), valueOr(settings["GOARCH"], "unknown"))
	}
	return text + ")"
}
