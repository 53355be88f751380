package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit"
)

// A validateFlag says how a command treats unknown and duplicate fields, in the words of
// kubectl.
type validateFlag string

func (v *validateFlag) addTo(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(v), "validate", "strict", "unknown and duplicate fields: strict, warn or ignore")
}

func (v validateFlag) fields() (crdkit.FieldValidation, error) {
	switch strings.ToLower(string(v)) {
	case "strict", "true":
		return crdkit.Strict, nil
	case "warn":
		return crdkit.Warn, nil
	case "ignore", "false":
		return crdkit.Ignore, nil
	}
	return "", fmt.Errorf("invalid --validate %q; it is strict, warn or ignore", string(v))
}
