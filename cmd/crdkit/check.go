package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
)

const checkLong = `Say of each CustomResourceDefinition in the files whether kube-apiserver would
accept it, with the server's errors and warnings, and add advice of our own.

With --old, a definition replaces the one of the same name there, and what that
got away with is not held against it. An old definition without any conditions
in its status, as in a repository, counts as established.

FILE may be a directory, with -R one of directories, and - is standard input.
Documents of other kinds are passed over.

Standard output has what was found (text), one line of JSON for each definition
(jsonl), or annotations for GitHub Actions (github). It has no line numbers: places
are JSON Pointers into the definition.

The exit code is 0 if all were accepted, 1 if some were refused, and 2 if some
could not be decided: a file that cannot be read, a definition that does not
decode.`

const checkExample = `  crdkit check crd.yaml
  crdkit check -R -o jsonl config/crd
  crdkit check --old released/crds/ config/crd/bases`

// A checker holds the flags of crdkit check and what they lead to.
type checker struct {
	output    string
	old       string
	recursive bool

	olds   map[string]*apiextensionsv1.CustomResourceDefinition
	in     io.Reader
	out    io.Writer
	errOut io.Writer
	count  map[string]int // of definitions accepted, refused and undecided
}

func newCheck() *cobra.Command {
	c := &checker{count: map[string]int{}}
	cmd := &cobra.Command{
		Use:     "check FILE...",
		Short:   "Decide whether the server would accept CustomResourceDefinitions",
		Long:    checkLong,
		Example: checkExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.in, c.out, c.errOut = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&c.output, "output", "o", "text", "what to print: "+strings.Join(checkOutputs(), ", "))
	f.StringVar(&c.old, "old", "", "file or directory of the definitions that are replaced")
	f.BoolVarP(&c.recursive, "recursive", "R", false, "read directories below the directories that are named")
	return cmd
}

func checkOutputs() []string { return []string{"text", "jsonl", "github"} }

func (c *checker) run(ctx context.Context, files []string) error {
	if !slices.Contains(checkOutputs(), c.output) {
		return fmt.Errorf("invalid --output %q; it is %s", c.output, strings.Join(checkOutputs(), ", "))
	}
	if err := c.loadOld(); err != nil {
		return err
	}
	worst := exitOK
	for f := range inOrder(ctx, c.findings(files)) {
		worst = max(worst, f.exitCode())
		c.count[f.verdict()]++
		if err := c.print(f); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.output == "text" {
		fmt.Fprintf(c.out, "%d accepted, %d refused, %d undecided\n", c.count["accepted"], c.count["refused"], c.count["undecided"])
	}
	if worst != exitOK {
		return exitCode(worst)
	}
	return nil
}

func (c *checker) loadOld() error {
	if c.old == "" {
		return nil
	}
	c.olds = map[string]*apiextensionsv1.CustomResourceDefinition{}
	for doc := range documents(c.old, c.recursive, c.in) {
		if doc.err != nil {
			return fmt.Errorf("--old %s: %w", doc.place(), doc.err)
		}
		if !isDefinition(doc.data) {
			continue
		}
		crd, err := crdkit.Parse(doc.data)
		if err != nil {
			return fmt.Errorf("--old %s: %w", doc.place(), err)
		}
		if c.olds[crd.Name] != nil {
			return fmt.Errorf("--old %s: %s is there twice", doc.place(), crd.Name)
		}
		if len(crd.Status.Conditions) == 0 {
			crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
				{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
			}
		}
		c.olds[crd.Name] = crd
	}
	return nil
}

// A finding is what became of one document.
type finding struct {
	doc    document
	name   string
	report *crdkit.Report // nil if err is set
	err    error          // why there is no verdict
}

func (f *finding) verdict() string {
	switch {
	case f.err != nil:
		return "undecided"
	case f.report.Accepted():
		return "accepted"
	}
	return "refused"
}

func (f *finding) exitCode() int {
	return map[string]int{"accepted": exitOK, "refused": exitRefused, "undecided": exitUndecided}[f.verdict()]
}

// findings yields a function for each document, which judges it.
func (c *checker) findings(files []string) func(yield func(func() *finding) bool) {
	return func(yield func(func() *finding) bool) {
		for _, name := range files {
			found := false
			for doc := range documents(name, c.recursive, c.in) {
				if doc.err == nil && !isDefinition(doc.data) {
					continue
				}
				found = true
				if !yield(func() *finding { return c.decide(doc) }) {
					return
				}
			}
			if !found && !yield(func() *finding {
				return &finding{doc: document{file: name}, err: errors.New("no CustomResourceDefinition in it")}
			}) {
				return
			}
		}
	}
}

func (c *checker) decide(doc document) *finding {
	f := &finding{doc: doc, err: doc.err}
	if f.err != nil {
		return f
	}
	crd, err := crdkit.Parse(doc.data)
	if err != nil {
		f.err = err
		return f
	}
	f.name = crd.Name
	f.report = crdkit.CheckUpdate(crd, c.olds[crd.Name], crdkit.WithNotes())
	return f
}

// inOrder runs the functions, several at a time, and yields what they return in
// their order.
func inOrder(ctx context.Context, work func(func(func() *finding) bool)) func(func(*finding) bool) {
	return func(yield func(*finding) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		results := make(chan chan *finding, 4*cap(slots))
		running.Go(func() {
			defer close(results)
			for do := range work {
				result := make(chan *finding, 1)
				select {
				case results <- result:
				case <-ctx.Done():
					return
				}
				slots <- struct{}{}
				running.Go(func() {
					defer func() { <-slots }()
					result <- do()
				})
			}
		})
		for result := range results {
			if ctx.Err() != nil || !yield(<-result) {
				return
			}
		}
	}
}

func (c *checker) print(f *finding) error {
	switch c.output {
	case "jsonl":
		return c.line(f)
	case "github":
		return c.annotate(f)
	default:
		return c.text(f)
	}
}

func (c *checker) text(f *finding) error {
	var b strings.Builder
	switch {
	case f.err != nil:
		fmt.Fprintf(&b, "undecided: %s: %v\n", f.doc.place(), f.err)
	case f.report.Accepted():
		fmt.Fprintf(&b, "accepted: %s: %s\n", f.doc.place(), f.name)
	default:
		fmt.Fprintf(&b, "refused: %s: %s\n", f.doc.place(), f.name)
	}
	if f.report != nil {
		for _, e := range f.report.Errors {
			fmt.Fprintf(&b, "  error: %v\n", short(e.Error()))
		}
		for _, w := range f.report.Warnings {
			fmt.Fprintf(&b, "  warning: %s\n", w.Text)
		}
		for _, n := range f.report.Notes {
			fmt.Fprintf(&b, "  note: %s: %s (%s)\n", n.Pointer, n.Text, n.Code)
		}
	}
	_, err := io.WriteString(c.out, b.String())
	return err
}

// short leaves out what is in the middle of very long texts, such as a whole
// schema that is the value of an error.
func short(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + " ... " + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// A checkLine is one line of -o jsonl.
type checkLine struct {
	File     string       `json:"file"`
	Document int          `json:"document"`
	Name     string       `json:"name"`
	Decided  bool         `json:"decided"`
	Accepted bool         `json:"accepted"`
	Reason   string       `json:"reason,omitempty"` // why it is not decided
	Errors   []checkError `json:"errors"`
	Warnings []string     `json:"warnings"`
	Notes    []checkNote  `json:"notes"`
}

type checkError struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Detail   string `json:"detail"`
	BadValue any    `json:"badValue"`
	Pointer  string `json:"pointer"`
}

type checkNote struct {
	Code    string `json:"code"`
	Pointer string `json:"pointer"`
	Text    string `json:"text"`
}

func (c *checker) line(f *finding) error {
	line := checkLine{
		File: f.doc.file, Document: f.doc.number, Name: f.name,
		Errors: []checkError{}, Warnings: []string{}, Notes: []checkNote{},
	}
	if f.err != nil {
		line.Reason = f.err.Error()
	} else {
		line.Decided, line.Accepted = true, f.report.Accepted()
		for _, w := range f.report.Warnings {
			line.Warnings = append(line.Warnings, w.Text)
		}
		for _, e := range f.report.Errors {
			line.Errors = append(line.Errors, checkError{string(e.Type), e.Field, e.Detail, e.BadValue, e.Pointer})
		}
		for _, n := range f.report.Notes {
			line.Notes = append(line.Notes, checkNote{string(n.Code), n.Pointer, n.Text})
		}
	}
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(line)
}

// annotate prints workflow commands.
//
// See https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions.
func (c *checker) annotate(f *finding) error {
	var b strings.Builder
	command := func(level, text string) {
		fmt.Fprintf(&b, "::%s file=%s::%s\n", level,
			strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(f.doc.file),
			strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text))
	}
	if f.err != nil {
		command("error", f.err.Error())
	} else {
		for _, e := range f.report.Errors {
			command("error", f.name+": "+short(e.Error()))
		}
		for _, w := range f.report.Warnings {
			command("warning", f.name+": "+w.Text)
		}
		for _, n := range f.report.Notes {
			command("notice", f.name+": "+n.Pointer+": "+n.Text)
		}
	}
	_, err := io.WriteString(c.out, b.String())
	return err
}
