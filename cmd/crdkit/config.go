package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/names/nearname"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const configName = ".crdkit.yaml"

// A configFile is the content of .crdkit.yaml. Flags override it.
type configFile struct {
	// Definitions are files and directories, relative to the configuration file.
	Definitions []string `json:"definitions"`
	// SkipKinds are kinds to pass over, as GROUP/KIND.
	SkipKinds         []string     `json:"skipKinds"`
	UnknownKinds      string       `json:"unknownKinds"` // error, warn or skip
	KubernetesVersion string       `json:"kubernetesVersion"`
	Severity          severities   `json:"severity"`
	Compat            compatConfig `json:"compat"`
}

// readConfig reads the configuration file in the working directory or the nearest directory
// above.
func readConfig() (*configFile, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		name := filepath.Join(dir, configName)
		text, err := manifest.ReadRegular(manifest.System{}, name)
		switch {
		case err == nil:
			c, err := parseConfig(text, dir)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", shorter(name), err)
			}
			return c, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: %w", manifest.Quote(shorter(name)), err)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return &configFile{}, nil
		}
		dir = above
	}
}

func parseConfig(text []byte, dir string) (*configFile, error) {
	c := &configFile{}
	if len(bytes.TrimSpace(text)) == 0 {
		return c, nil
	}
	if err := yaml.UnmarshalStrict(text, c); err != nil {
		return nil, withoutSteps(err)
	}
	if c.KubernetesVersion != "" {
		if _, err := kubeversion.Parse(c.KubernetesVersion); err != nil {
			return nil, fmt.Errorf("kubernetesVersion: invalid value %q; it %w, in quotes", c.KubernetesVersion, errKubernetesVersion)
		}
	}
	if c.UnknownKinds != "" && !slices.Contains(unknownKindsValues(), c.UnknownKinds) {
		return nil, fmt.Errorf("unknownKinds: invalid value %q; it must be %s", c.UnknownKinds, inEnglish(unknownKindsValues(), "or"))
	}
	if err := c.checkSeverity(); err != nil {
		return nil, err
	}
	for i, a := range c.Compat.Accepted {
		if err := a.check(); err != nil {
			return nil, fmt.Errorf("compat.accepted[%d]: %w", i, err)
		}
	}
	for i, name := range c.Definitions {
		if !filepath.IsAbs(name) {
			c.Definitions[i] = shorter(filepath.Join(dir, name))
		}
	}
	return c, nil
}

func (c *configFile) checkSeverity() error {
	codes := slices.Concat([]string{codeWarning, codeNote, codeUnknownField, codeDuplicateField}, texts(definition.NoteCodes()), compatCodes())
	for _, code := range slices.Sorted(maps.Keys(c.Severity)) {
		severity := c.Severity[code]
		if severity == "false" { // YAML reads off without quotes as false
			severity = severityOff
			c.Severity[code] = severity
		}
		if err := checkCode(code, codes); err != nil {
			return fmt.Errorf("severity: %w", err)
		}
		if !slices.Contains([]string{levelError, levelWarning, levelNote, severityOff}, severity) {
			return fmt.Errorf("severity of %s: invalid value %q; it is error, warning, note or off", code, severity)
		}
	}
	return nil
}

// checkCode returns an error for an unknown code, with the most similar known code.
func checkCode(code string, known []string) error {
	if slices.Contains(known, code) {
		return nil
	}
	if near, ok := nearname.Nearest(code, slices.Values(known)); ok {
		return fmt.Errorf("unknown code %q; the nearest one is %s", code, near)
	}
	return fmt.Errorf("unknown code %q; docs/check.md and docs/compat.md have the codes, and errors of the server have none", code)
}

// withoutSteps removes prefixes such as "json: " from an error of the YAML library.
func withoutSteps(err error) error {
	text := err.Error()
	for _, step := range []string{"error converting YAML to JSON: ", "error unmarshaling JSON: ", "while decoding JSON: ", "json: "} {
		text = strings.TrimPrefix(text, step)
	}
	return errors.New(text)
}

// shorter returns a file name relative to the working directory, if possible.
func shorter(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return name
	}
	if relative, err := filepath.Rel(dir, name); err == nil {
		return relative
	}
	return name
}

// severityOff drops a warning or note.
const severityOff = "off"

// severities are the levels of warnings and notes by code: error, warning, note or off.
type severities map[string]string

// apply sets the levels of warnings and notes. If a warning or note becomes an error, the
// object is refused. Errors of the server do not change.
func (s severities) apply(f *finding) {
	if len(s) == 0 || f.verdict == undecided {
		return
	}
	f.issues = slices.DeleteFunc(f.issues, func(i issue) bool { return i.level != levelError && s[i.code] == severityOff })
	for n := range f.issues {
		i := &f.issues[n]
		level, ok := s[i.code]
		if !ok || i.level == levelError {
			continue
		}
		if i.level = level; level == levelError {
			f.verdict = refused
		}
	}
}

func (c *configFile) flag(name string) []string {
	var value string
	switch name {
	case "crd":
		return c.Definitions
	case "skip-kind":
		return c.SkipKinds
	case "unknown-kinds":
		value = c.UnknownKinds
	case "kubernetes-version":
		value = c.KubernetesVersion
	}
	if value == "" {
		return nil
	}
	return []string{value}
}
