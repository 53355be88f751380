package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/kube/kubectl"
	"github.com/crdkit/crdkit/internal/text/manifest"
	"github.com/crdkit/crdkit/versionsort"
)

// addShells adds the command "completion", which prints scripts for shells. Unlike cobra's
// command, it fails for an unknown shell.
func addShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	if cmd, _, err := root.Find([]string{"completion"}); err == nil {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}

// addCompletion registers the completion of flag values. Call it only to complete a command
// line: cobra never frees these functions.
func addCompletion(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		for names, complete := range completions {
			for name := range strings.FieldsSeq(names) {
				f := cmd.Flags().Lookup(name)
				if f == nil {
					continue
				}
				if text, ok := f.Value.(*textFlag); ok {
					complete = completeStrings(text.known...)
				}
				if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
					panic(err) // the flag exists, and no other code registers functions
				}
			}
		}
	}
}

var completeManifests = completeFiles(strings.Fields(strings.ReplaceAll(strings.Join(manifest.Extensions(), " "), ".", ""))...)

// completions are the completions of flag values by flag names.
var completions = map[string]cobra.CompletionFunc{
	"api-version group-version": completeGroupVersions,
	"at-version to version":     completeVersions,
	"ca":                        completeFiles("pem", "crt", "cer"),
	"cover":                     completeFiles("json", "txt", "html"),
	"crd live new objects old":  completeManifests,
	"draft":                     completeStrings("2020-12", "07"),
	"fail-on":                   completeStrings("error", "warning", "unknown"),
	"output-dir":                cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	"skip-kind":                 completeKinds,
	"subresource":               completeStrings("status"),
	"validate":                  completeStrings("strict", "warn", "ignore"),
	"webhook":                   completeStrings(cobra.CompletionWithDesc(ofDefinition, "the URL in the definition")),

	"kubernetes-version output unknown-kinds":                                          nil, // see textFlag.known
	"field-selector label-columns manager max-depth now run selector shard time-limit": cobra.NoFileCompletions,
}

func completeStrings(of ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(of, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

func completeFiles(extensions ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

// givenDefinitions returns the definitions of -c or the configuration file. It ignores
// errors, because a shell cannot show them.
func givenDefinitions(cmd *cobra.Command) []*apiextensionsv1.CustomResourceDefinition {
	var names []string
	switch f := cmd.Flags().Lookup("crd"); {
	case f == nil:
	case !f.Changed:
		if c, err := readConfig(); err == nil {
			names = c.Definitions
		}
	default:
		names = []string{f.Value.String()}
		if list, ok := f.Value.(cobra.SliceValue); ok {
			names = unique(list.GetSlice()) // cobra parses the command line twice
		}
	}
	s := &session{definitions: names, reader: completionReader(cmd), errOut: io.Discard}
	crds, _ := s.allDefinitions(cmd.Context())
	return crds
}

// completionReader returns a reader for an incomplete command line. It does not read standard
// input. With -R it reads subdirectories, unless the command is explain.
func completionReader(cmd *cobra.Command) *manifest.Reader {
	below, err := cmd.Flags().GetBool("recursive")
	return manifest.NewReader(nil, err == nil && below && cmd.Name() != "explain")
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

func completeVersions(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, crd := range givenDefinitions(cmd) {
		for _, v := range crd.Spec.Versions {
			names = append(names, v.Name)
		}
	}
	versionsort.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeGroupVersions completes the served versions of the definitions, as GROUP/VERSION.
func completeGroupVersions(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, crd := range givenDefinitions(cmd) {
		for _, version := range servedVersions(crd) {
			names = append(names, crd.Spec.Group+"/"+version)
		}
	}
	return unique(names), cobra.ShellCompDirectiveNoFileComp
}

const maxCompletedObjects = 10_000

// completeKinds completes the kinds of the objects in the named files, as GROUP/KIND.
func completeKinds(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var kinds []string
	seen := 0
	for o := range completionReader(cmd).Objects(cmd.Context(), args...) {
		if o.Err == nil && !o.IsDefinition() {
			kinds = append(kinds, o.GroupVersionKind.Group+"/"+o.Kind)
		}
		if seen++; seen == maxCompletedObjects {
			break
		}
	}
	return unique(kinds), cobra.ShellCompDirectiveNoFileComp
}

// completePaths completes the argument of crdkit explain: resources, with their group if the
// name is ambiguous, and fields after a dot.
func completePaths(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	crds := givenDefinitions(cmd)
	count := map[string]int{}
	for _, crd := range crds {
		count[crd.Spec.Names.Plural]++
	}
	var paths []string
	for _, crd := range crds {
		name := crd.Spec.Names.Plural
		if count[name] > 1 {
			name += "." + crd.Spec.Group
		}
		if strings.HasPrefix(name, prefix) || !strings.Contains(prefix, ".") {
			paths = append(paths, cobra.CompletionWithDesc(name, crd.Spec.Names.Kind+" of "+crd.Spec.Group))
		}
	}
	paths = unique(paths)
	if at := strings.LastIndexByte(prefix, '.'); at >= 0 {
		e := &explainer{apiVersion: cmd.Flags().Lookup("api-version").Value.String()}
		if request, err := e.find(crds, prefix[:at]); err == nil {
			for _, f := range kubectl.FieldsBelow(request) {
				paths = append(paths, cobra.CompletionWithDesc(prefix[:at]+"."+f.Name, fmt.Sprintf("<%s>", f.Type)))
			}
		}
	}
	return paths, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
