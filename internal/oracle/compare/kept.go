package main

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/oracle"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// reportKept prints how much memory the compiled rules of the corpus hold.
func reportKept(dir string) error {
	c, err := testkit.LoadCorpus(dir)
	if err != nil {
		return err
	}
	k, err := oracle.KeptByRules(c.Definitions)
	if err != nil {
		return err
	}
	fmt.Println(k)
	return nil
}
