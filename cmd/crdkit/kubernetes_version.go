package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/internal/kubeversion"
)

// A kubernetesVersion is a flag with the version of the server that a command
// follows. It refuses a text that is not a version: a command that judged rules by
// a version that the user did not mean would mislead.
type kubernetesVersion string

var errKubernetesVersion = errors.New("must be a version of Kubernetes " + kubeversion.Span)

func (v *kubernetesVersion) String() string { return string(*v) }

// Type returns the name of the value in the help.
func (v *kubernetesVersion) Type() string { return "string" }

func (v *kubernetesVersion) Set(text string) error {
	if _, err := kubeversion.Parse(text); err != nil || text == "" {
		return errKubernetesVersion
	}
	*v = kubernetesVersion(text)
	return nil
}

func (v *kubernetesVersion) addTo(cmd *cobra.Command) {
	*v = kubernetesVersion(kubeversion.Newest.String())
	cmd.Flags().Var(v, "kubernetes-version", "version of the server, "+kubeversion.Span)
}
