// Command crdkit applies the behaviour of kube-apiserver for custom resources to
// files, without a server.
//
//	crdkit admit [-c CRD]... FILE...
//	crdkit apply -c CRD... --manager NAME --live FILE... FILE...
//	crdkit check FILE...
//	crdkit compat --old OLD --new NEW
//	crdkit convert -c CRD --to VERSION FILE...
//	crdkit cost -c CRD...
//	crdkit explain -c CRD... PATH
//	crdkit get [-c CRD]... FILE...
//	crdkit jsonschema -c CRD
//	crdkit migrate -c NEW --old OLD [DIR...]
//	crdkit openapi -c CRD...
//	crdkit owners FILE...
//	crdkit rules -c CRD...
//	crdkit test PATH...
//	crdkit versions -c CRD
//
// See the help of each command, and package crdkit for the library.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/internal/kube/kubeversion"
)

// Exit codes.
const (
	exitOK        = 0 // everything was admitted
	exitRefused   = 1 // something was refused
	exitUndecided = 2 // something could not be decided, or the command line is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	log := &worklog{}
	ctx = context.WithValue(ctx, worklogKey{}, log)
	done := make(chan int, 1)
	go func() { done <- run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr) }()
	select {
	case code := <-done:
		os.Exit(code)
	case <-ctx.Done():
	}
	select {
	case code := <-done:
		os.Exit(code)
	case <-time.After(patience):
		log.report(textWriter{os.Stderr})
		os.Exit(exitUndecided)
	}
}

// patience is how long a command may run after an interrupt. Some work does not check the
// context.
const patience = 70 * time.Millisecond

// An exitCode is an error that sets the exit code and prints no message.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "crdkit",
		Short:         "Do to custom resources what kube-apiserver does, without a server",
		Version:       buildVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newAdmit(), newApply(), newCheck(), newCompat(), newConvert(), newCost(), newExplain(), newGet(), newJSONSchema(), newMigrate(), newOpenAPI(), newOwners(), newRules(), newTest(), newVersions())
	return root
}

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(errOut, "error: internal error: %v\n\n%s", p, debug.Stack())
			code = exitUndecided
		}
	}()
	root := newRoot()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // or ShellCompNoDescRequestCmd
		addCompletion(root)
	}
	output := &outputWriter{out: out}
	errOut = textWriter{errOut}
	root.SetIn(in)
	root.SetOut(output)
	root.SetErr(errOut)
	root.SetArgs(args)
	addShells(root)

	err := root.ExecuteContext(ctx)
	var exit exitCode
	switch {
	case output.err != nil:
		fmt.Fprintf(errOut, "error: %v\n", output.err)
		return exitUndecided
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		worklogOf(ctx).report(errOut)
		return exitUndecided
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return int(exit)
	default:
		fmt.Fprintf(errOut, "error: %v\n", err)
		return exitUndecided
	}
}

func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionText(info)
}

// versionText returns the versions of the module, the server and Go, and the revision if it
// is known.
func versionText(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := cmp.Or(info.Main.Version, "(devel)") + " (Kubernetes " + kubeversion.Newest.String()
	if revision := settings["vcs.revision"]; revision != "" {
		text += ", revision " + revision
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	if info.GoVersion != "" {
		text += fmt.Sprintf(", %s %s/%s", info.GoVersion, cmp.Or(settings["GOOS"], "unknown"), cmp.Or(settings["GOARCH"], "unknown"))
	}
	return text + ")"
}
