package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A choice is a flag whose value is one of a few strings.
type choice struct {
	value *string
	of    []string
}

// addChoice adds a flag that takes one of some strings, by default the first one.
func addChoice(cmd *cobra.Command, value *string, name, shorthand, usage string, of ...string) {
	*value = of[0]
	cmd.Flags().VarP(&choice{value, of}, name, shorthand, usage+": "+inEnglish(of))
}

// addOutput adds the flag -o of a command that prints in some formats.
func addOutput(cmd *cobra.Command, value *string, of ...string) {
	addChoice(cmd, value, "output", "o", "what to print", of...)
}

func (c *choice) String() string {
	if c.value == nil {
		return "" // pflag asks the zero value
	}
	return *c.value
}

// Type returns the name of the value in the help.
func (c *choice) Type() string { return "string" }

func (c *choice) Set(text string) error {
	if !slices.Contains(c.of, text) {
		return errors.New("must be " + inEnglish(c.of))
	}
	*c.value = text
	return nil
}

// inEnglish lists alternatives.
func inEnglish(of []string) string {
	if len(of) < 2 {
		return strings.Join(of, "")
	}
	last := len(of) - 1
	return strings.Join(of[:last], ", ") + " or " + of[last]
}
