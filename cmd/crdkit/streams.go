package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// streams are the standard streams of a command, and its worst exit code so far.
type streams struct {
	in          io.Reader
	out, errOut io.Writer
	worst       int
}

func streamsOf(cmd *cobra.Command) streams {
	return streams{in: cmd.InOrStdin(), out: cmd.OutOrStdout(), errOut: cmd.ErrOrStderr()}
}

// undecided prints an error that prevents a verdict.
func (s *streams) undecided(err error) {
	s.worst = exitUndecided
	fmt.Fprintf(s.errOut, "error: %v\n", err)
}

func (s *streams) warn(err error) { fmt.Fprintf(s.errOut, "Warning: %v\n", err) }

// exit returns the exit code as an error, nil if it is 0.
func (s *streams) exit() error {
	if s.worst != exitOK {
		return exitCode(s.worst)
	}
	return nil
}
