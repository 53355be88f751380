// Command validators runs crdkit and other command line tools over the same objects, and
// prints a table of verdicts, processor time and memory, and the objects on which they
// differ.
//
//	go run -C internal/oracle ./validators -crds DIR -objects DIR [-runs N] [-bin DIR]
//
// The objects are those of the directory, and those of testdata, each of which is one
// mistake, or looks like one. The other tools are installed from the Go module proxy at
// fixed versions, into the directory of -bin if it does not have them. kubeconform needs
// JSON Schemas: its own script, which needs Python with PyYAML, makes them from the
// definitions, and so does crdkit jsonschema. The command runs on Linux.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	crds := flag.String("crds", "", "directory of definitions")
	objects := flag.String("objects", "", "directory of objects, one for each file")
	bin := flag.String("bin", "", "directory for the programs (default: a temporary one)")
	runs := flag.Int("runs", 5, "runs of each tool, whose median is printed")
	flag.Parse()
	if *crds == "" || *objects == "" || *runs < 1 {
		flag.Usage()
		os.Exit(2)
	}
	work, err := os.MkdirTemp("", "validators")
	if err == nil {
		err = compare(os.Stdout, work, cmp.Or(*bin, filepath.Join(work, "bin")), *crds, *objects, *runs)
		err = errors.Join(err, os.RemoveAll(work))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "validators: %v\n", err)
		os.Exit(1)
	}
}

// compare prints the table. It keeps its files below the directory work.
func compare(out io.Writer, work, bin, crds, objects string, runs int) error {
	samples, mistakes := filepath.Join(work, "objects"), filepath.Join(work, "mistakes")
	for from, to := range map[string]string{objects: samples, "validators/testdata": mistakes} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			return err
		}
	}
	tools, err := install(work, bin, crds)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| tool | version | objects admitted | refused | mistakes admitted | refused | processor time | peak memory |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|")
	verdicts := map[string][]string{} // by file, in the order of the tools
	for _, t := range tools {
		results := map[string]string{}
		var cost measured
		for _, dir := range []string{samples, mistakes} {
			of, m, err := t.judge(dir, runs)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			if dir == samples {
				cost = m // of the objects alone
			}
			maps.Copy(results, of)
		}
		counts := map[string]int{}
		for file, verdict := range results {
			verdicts[file] = append(verdicts[file], verdict)
			counts[filepath.Dir(file)+verdict]++
		}
		fmt.Fprintf(out, "| %s | %s | %d | %d | %d | %d | %.2f s | %.0f MB |\n", t.name, t.version,
			counts[samples+admitted], counts[samples+refused], counts[mistakes+admitted], counts[mistakes+refused],
			cost.processor.Seconds(), float64(cost.peak)/1e6)
	}
	return printDifferences(out, tools, verdicts)
}

// printDifferences prints the verdicts on each file on which the tools differ.
func printDifferences(out io.Writer, tools []tool, verdicts map[string][]string) error {
	fmt.Fprint(out, "\n| object |")
	for _, t := range tools {
		fmt.Fprintf(out, " %s |", t.name)
	}
	fmt.Fprintln(out, "\n|---|"+strings.Repeat("---|", len(tools)))
	for _, file := range slices.Sorted(maps.Keys(verdicts)) {
		if len(verdicts[file]) != len(tools) {
			return fmt.Errorf("%s has verdicts %v of %d tools", file, verdicts[file], len(tools))
		}
		if len(slices.Compact(slices.Clone(verdicts[file]))) == 1 {
			continue
		}
		name, err := title(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %s |\n", name, strings.Join(verdicts[file], " | "))
	}
	return nil
}

// title returns the comment in the first line of a file, or its name if it has none.
func title(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if comment, ok := strings.CutPrefix(line, "# "); ok {
		return comment, nil
	}
	return filepath.Base(file), nil
}

// output runs a program and returns its standard output.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errOut.String())
	}
	return out.String(), nil
}
