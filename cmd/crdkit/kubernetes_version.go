package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/internal/kubeversion"
)

// A kubernetesVersion is the version of the server that a command follows. It is
// a flag that refuses what is none: a rule judged by another version than the one
// that was meant is worse than no answer.
type kubernetesVersion string

var errKubernetesVersion = errors.New("it is a version " + kubeversion.Span)

func (v *kubernetesVersion) String() string { return string(*v) }

// Type is what the help calls the value.
func (v *kubernetesVersion) Type() string { return "string" }

func (v *kubernetesVersion) Set(text string) error {
	if !kubeversion.Known(text) {
		return errKubernetesVersion
	}
	*v = kubernetesVersion(text)
	return nil
}

func (v *kubernetesVersion) addTo(cmd *cobra.Command) {
	*v = "1.37"
	cmd.Flags().Var(v, "kubernetes-version", "version of the server, "+kubeversion.Span)
}
