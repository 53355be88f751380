package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/kube/kubectl"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
	"github.com/crdkit/crdkit/internal/text/manifest"
	"github.com/crdkit/crdkit/versionsort"
)

// isCompletion reports whether a shell asks for completions.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// addShells adds the command that prints the scripts of shells. It refuses a shell that it
// does not know, for which the library prints the help and reports success. The library
// prints the scripts to the output that root has at the call.
func addShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// addCompletion makes the subcommands of root complete their arguments and the values of
// their flags. The library keeps the functions forever, so that only a process that
// completes may call it.
func addCompletion(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		cmd.ValidArgsFunction = completeArguments(cmd.Name())
		for name, f := range completions(cmd) {
			if cmd.Flags().Lookup(name) == nil {
				continue
			}
			if err := cmd.RegisterFlagCompletionFunc(name, f); err != nil {
				panic(err) // the flag exists, and no other code registers functions
			}
		}
	}
}

// completeArguments returns the function that completes the arguments of a command.
func completeArguments(name string) cobra.CompletionFunc {
	switch name {
	case "admit", "apply", "check", "convert", "get", "migrate", "owners", "test":
		return completeManifests
	case "compat":
		return completeFiles("json") // with --merge
	case "explain":
		return completePaths
	}
	return cobra.NoFileCompletions
}

// completions returns the functions that complete the values of flags by the names of the
// flags.
func completions(cmd *cobra.Command) map[string]cobra.CompletionFunc {
	byName := map[string]cobra.CompletionFunc{
		"api-version":        completeGroupVersions,
		"at-version":         completeVersions,
		"ca":                 completeFiles("pem", "crt", "cer"),
		"crd":                completeManifests,
		"draft":              completeStrings("2020-12", "07"),
		"cover":              completeFiles("json", "txt", "html"),
		"field-selector":     cobra.NoFileCompletions,
		"group-version":      completeGroupVersions,
		"kubernetes-version": completeKubernetesVersions,
		"label-columns":      cobra.NoFileCompletions,
		"fail-on":            completeStrings("error", "warning", "unknown"),
		"live":               completeManifests,
		"manager":            cobra.NoFileCompletions,
		"max-depth":          cobra.NoFileCompletions,
		"new":                completeManifests,
		"now":                cobra.NoFileCompletions,
		"objects":            completeManifests,
		"old":                completeManifests,
		"output-dir":         completeDirectories,
		"run":                cobra.NoFileCompletions,
		"selector":           cobra.NoFileCompletions,
		"shard":              cobra.NoFileCompletions,
		"skip-kind":          completeKinds,
		"subresource":        completeStrings("status"),
		"time-limit":         cobra.NoFileCompletions,
		"to":                 completeVersions,
		"validate":           completeStrings("strict", "warn", "ignore"),
		"version":            completeVersions,
		"webhook":            completeStrings(cobra.CompletionWithDesc(ofDefinition, "the URL in the definition")),
	}
	for _, name := range []string{"output", "unknown-kinds"} {
		if f := cmd.Flags().Lookup(name); f != nil {
			if c, ok := f.Value.(*choice); ok {
				byName[name] = completeStrings(c.of...)
			}
		}
	}
	return byName
}

func completeStrings(of ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(of, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

// completeFiles completes the names of directories, and of files with some extensions.
func completeFiles(extensions ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

func completeManifests(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var extensions []string
	for _, extension := range manifest.Extensions() {
		extensions = append(extensions, strings.TrimPrefix(extension, "."))
	}
	return completeFiles(extensions...)(cmd, args, prefix)
}

func completeDirectories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeKubernetesVersions(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var versions []string
	for v := kubeversion.Newest; v >= kubeversion.Oldest; v-- {
		versions = append(versions, v.String())
	}
	return completeStrings(versions...)(cmd, args, prefix)
}

// givenDefinitions returns the definitions that an incomplete command line names with -c,
// or the configuration file if -c is missing. It leaves out what cannot be read: a shell
// has no place for errors.
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
			names = list.GetSlice()
		}
		// The library parses the command line twice.
		slices.Sort(names)
		names = slices.Compact(names)
	}
	// Standard input is the terminal.
	s := &session{definitions: names, reader: manifest.NewReader(nil, readsBelow(cmd)), errOut: io.Discard}
	crds, _ := s.allDefinitions(cmd.Context())
	return crds
}

// readsBelow reports whether a command line asks for the directories below.
func readsBelow(cmd *cobra.Command) bool {
	if cmd.Name() == "explain" {
		return false // -R is about fields
	}
	below, err := cmd.Flags().GetBool("recursive")
	return err == nil && below
}

// completeVersions completes the names of the versions of the definitions.
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

// completeGroupVersions completes the served versions of the definitions, as
// GROUP/VERSION.
func completeGroupVersions(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, crd := range givenDefinitions(cmd) {
		for _, version := range servedVersions(crd) {
			names = append(names, crd.Spec.Group+"/"+version)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}

// maxCompletedObjects is the number of objects in which completeKinds looks for kinds.
const maxCompletedObjects = 10_000

// completeKinds completes the kinds of the objects in the files that a command line names
// already, as GROUP/KIND.
func completeKinds(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var kinds []string
	seen := 0
	for o := range manifest.NewReader(nil, readsBelow(cmd)).Objects(cmd.Context(), args...) {
		if o.Err == nil && !o.IsDefinition() {
			kinds = append(kinds, o.GroupVersionKind.Group+"/"+o.Kind)
		}
		if seen++; seen == maxCompletedObjects {
			break
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), cobra.ShellCompDirectiveNoFileComp
}

// completePaths completes the argument of crdkit explain: resources, and after a dot the
// fields below.
func completePaths(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	crds := givenDefinitions(cmd)
	names := resourceNames(crds)
	at := strings.LastIndexByte(prefix, '.')
	if at < 0 {
		return names, directive
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) })
	apiVersion, err := cmd.Flags().GetString("api-version")
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return append(names, (&explainer{apiVersion: apiVersion}).fieldPaths(crds, prefix[:at])...), directive
}

// resourceNames returns the names of resources, with the group if two of them have the
// same name.
func resourceNames(crds []*apiextensionsv1.CustomResourceDefinition) []string {
	count := map[string]int{}
	for _, crd := range crds {
		count[crd.Spec.Names.Plural]++
	}
	var names []string
	for _, crd := range crds {
		name := crd.Spec.Names.Plural
		if count[name] > 1 {
			name += "." + crd.Spec.Group
		}
		names = append(names, cobra.CompletionWithDesc(name, crd.Spec.Names.Kind+" of "+crd.Spec.Group))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fieldPaths returns the paths of the fields directly below a path, with their types.
func (e *explainer) fieldPaths(crds []*apiextensionsv1.CustomResourceDefinition, path string) []string {
	document, request, err := e.find(crds, path)
	if err != nil {
		return nil
	}
	var paths []string
	for _, f := range kubectl.FieldsBelow(document, request) {
		paths = append(paths, cobra.CompletionWithDesc(path+"."+f.Name, fmt.Sprintf("<%s>", f.Type)))
	}
	return paths
}
