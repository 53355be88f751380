package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/gittree"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const compatHelp = `compat --old OLD --new NEW
Compare definitions: do clients and stored objects survive the change?

Report whether the clients and the stored objects of the old CustomResourceDefinitions
(--old) survive the new ones (--new). Every "no" has a witness: an object, or an update,
that the two definitions treat differently. crdkit has tried it on both.

--old and --new are files, directories or standard input (-). The items of a List count.
A definition replaces the one of the same metadata.name. A definition of only one side
is reported as added or removed. git:REF:PATH reads a revision with the git command.
PATH is relative to the root of the repository, or to the working directory if it begins
with ./ or ../. git:REF takes the path of the other side.

With --objects, the stored objects in a file or directory are checked one by one.
Objects of other kinds are skipped and counted. --shard I/N reads only every Nth file,
beginning with file I, counted from 0. --merge makes one report from the reports of all
shards, made with -o json.

A finding is about the writers of objects, the stored objects, the readers, the rules,
the lists and maps, or the resource outside of its schemas. Its severity is error,
warning or note. Equal findings about several fields, or about writers and stored
objects, are one finding with the first witness. -o json has all fields and witnesses.

.crdkit.yaml changes the severity of a code, and accepts findings, also for one field:

  severity: {printerColumn: off, selectableField: warning}
  compat:
    accepted:
    - {code: refused, definition: widgets.example.com, version: v1, field: spec.size,
       role: writers, reason: no client sets it}   # only code and reason are required

Standard output has, in the order of the new definitions,

  text      the findings with their witnesses as YAML, and a count
  json      a report for programs, and for --merge
  sarif     SARIF 2.1.0, as code scanning reads it
  github    annotations for GitHub Actions
  markdown  a comment for a pull request

The exit code is

  0  if nothing fails
  1  if a finding has the severity error, or warning with --fail-on=warning
  2  if something cannot be read or compared, or a finding is unknown with
     --fail-on=unknown

Examples:
  crdkit compat --old released/crds --new config/crd
  crdkit compat --old git:origin/main --new config/crd -o markdown
  crdkit compat --old git:v1.2.0:config/crd --new git:v1.3.0:config/crd --fail-on=warning,unknown
  crdkit compat --old old.yaml --new new.yaml --objects export/ -R --shard 3/16 -o json > 3.json
  crdkit compat --merge *.json`

type comparer struct {
	session
	old, new    string
	failOn      []string
	timeLimit   time.Duration
	conventions bool
	objects     string
	shard       shard
	merge       bool
}

func newCompat() *cobra.Command {
	c := &comparer{}
	f := c.command(compatHelp, cobra.ArbitraryArgs, c.run, "severity", "compat").Flags()
	f.StringVar(&c.old, "old", "", "file, directory or git:REF[:PATH] of the old definitions")
	f.StringVar(&c.new, "new", "", "file, directory or git:REF[:PATH] of the new definitions")
	c.cmd.ValidArgsFunction = completeFiles("json") // with --merge
	c.addOutput("text", "json", "sarif", "github", "markdown")
	c.addRecursive()
	f.StringSliceVar(&c.failOn, "fail-on", []string{"error"}, "findings that fail: error, warning or unknown, or several of them; errors always fail")
	f.DurationVar(&c.timeLimit, "time-limit", 0, "time to compare one definition, 0 for no limit; undecided findings become unknown")
	f.BoolVar(&c.conventions, "conventions", false, "report new fields that break the conventions of the Kubernetes API")
	f.StringVar(&c.objects, "objects", "", "file or directory of stored objects to check")
	f.Var(&c.shard, "shard", "part I/N of the files of --objects; I counts from 0")
	f.BoolVar(&c.merge, "merge", false, "merge the JSON reports in the files that are the arguments")
	return c.cmd
}

func (c *comparer) run(ctx context.Context, files []string) (err error) {
	if err := c.checkFlags(files); err != nil {
		return err
	}
	var report *compatReport
	if c.merge {
		report, err = mergeReports(ctx, c.reader, files)
	} else {
		report, err = c.compare(ctx)
	}
	if err != nil {
		return err
	}
	if unused := c.config.judge(report); !c.merge && c.shard.of == 0 {
		for _, a := range unused {
			c.warn(fmt.Errorf("%s accepts nothing: %s", configName, a))
		}
	}
	report.conclude()
	c.worst = report.exitCode(c.failOn)
	buffered := bufio.NewWriter(c.out)
	return cmp.Or(printCompat(buffered, report, c.output, hasColors(c.out)), buffered.Flush())
}

func (c *comparer) checkFlags(files []string) error {
	for _, what := range c.failOn {
		if !slices.Contains([]string{"error", "warning", "unknown"}, what) {
			return fmt.Errorf(`invalid argument %q for "--fail-on" flag: must be error, warning or unknown`, what)
		}
	}
	switch {
	case c.merge && len(files) == 0:
		return errors.New("--merge needs the files of reports")
	case c.merge && (c.old != "" || c.new != "" || c.objects != ""):
		return errors.New("--merge takes no --old, --new and --objects: the reports have their results")
	case c.merge:
	case len(files) > 0:
		return fmt.Errorf("unexpected argument %q", files[0])
	case c.old == "" || c.new == "":
		return errors.New("--old and --new are required")
	case c.shard.of > 0 && c.objects == "":
		return errors.New("--shard needs --objects")
	}
	return nil
}

func (c *comparer) compare(ctx context.Context) (*compatReport, error) {
	pairs, err := pairDefinitions(ctx, c.definitionsOf(ctx, c.old, c.new), c.definitionsOf(ctx, c.new, c.old), "--old ", "--new ")
	if err != nil {
		return nil, err
	}
	report := &compatReport{Findings: []compatFinding{}, Definitions: []comparedDefinition{}}
	byPlace := map[*manifest.Object]*definitionPair{}
	var places []*manifest.Object
	for _, p := range pairs {
		at := p.at().Object
		byPlace[at], places = p, append(places, at)
	}
	compared := func(o *manifest.Object) compatReport { return c.comparePair(ctx, byPlace[o]) }
	err = inOrder(ctx, slices.Values(places), compared, report.add)
	if err != nil || c.objects == "" {
		return report, err
	}
	return report, c.checkObjects(ctx, pairs, report)
}

func (c *comparer) comparePair(ctx context.Context, p *definitionPair) compatReport {
	at := p.at()
	d := comparedDefinition{File: at.File, Document: at.Number}
	if p.old != nil {
		d.Name, d.Old = p.old.crd.Name, p.old.Location()
	}
	if p.err == nil {
		d.Name = at.crd.Name
	}
	findings, err := c.findings(ctx, p)
	if err != nil {
		d.Error = err.Error()
	}
	source := definition.NewSource(at.Document.Text, positionOf(at.Object))
	return compatReport{Definitions: []comparedDefinition{d}, Findings: mapped(findings, func(f compat.Finding) compatFinding {
		setPosition(&f, source, at.Object)
		return compatFinding{Definition: d.Name, File: d.File, Document: d.Document, Finding: f}
	})}
}

// findings compares the definitions of a pair. If the pair has only one definition, it was
// added or removed.
func (c *comparer) findings(ctx context.Context, p *definitionPair) ([]compat.Finding, error) {
	switch {
	case p.err != nil:
		return nil, p.err
	case p.old == nil:
		return []compat.Finding{{
			Code: codeDefinitionAdded, Verdict: compat.VerdictCompatible, Severity: compat.SeverityNote, Role: compat.RoleResource,
			Text: "the definition is new",
		}}, nil
	case p.new == nil:
		return []compat.Finding{{
			Code: codeDefinitionRemoved, Verdict: compat.VerdictIncompatible, Severity: compat.SeverityError, Role: compat.RoleResource,
			Text: "the definition is removed: the server deletes it with all its objects, and every request fails",
		}}, nil
	}
	opts := []compat.Option{compat.TimeLimit(c.timeLimit)}
	if c.conventions {
		opts = append(opts, compat.Conventions())
	}
	report, err := compat.Compare(ctx, p.old.crd, p.new.crd, opts...)
	if err != nil {
		return nil, err
	}
	return report.Findings, nil
}

func setPosition(f *compat.Finding, source *definition.Source, about *manifest.Object) {
	at := source.Position(about.Within + f.Pointer)
	f.Line, f.Column = at.Line, at.Column
	for i := range f.Also {
		setPosition(&f.Also[i], source, about)
	}
}

const (
	codeDefinitionAdded   compat.Code = "definitionAdded"
	codeDefinitionRemoved compat.Code = "definitionRemoved"
)

// definitionsOf yields the definitions of one side, --old or --new. If there are none, it
// yields an error. other is the value of the other flag.
func (c *comparer) definitionsOf(ctx context.Context, name, other string) iter.Seq[*manifest.Object] {
	at, ok := parseRevision(name)
	if !ok {
		return namedDefinitions(ctx, c.reader, name)
	}
	return func(yield func(*manifest.Object) bool) {
		r, root, err := c.revision(ctx, at, other)
		if err != nil {
			yield(unusable(name, err))
			return
		}
		for o := range namedDefinitions(ctx, r, root) {
			if prefix := "git:" + at.revision + ":"; !strings.HasPrefix(o.File, prefix) {
				o.Document.File = prefix + o.File
			}
			if !yield(o) {
				return
			}
		}
	}
}

// A revision is a parsed git:REF or git:REF:PATH.
type revision struct {
	revision, path string
	hasPath        bool
}

func parseRevision(name string) (r revision, ok bool) {
	rest, ok := strings.CutPrefix(name, "git:")
	r.revision, r.path, r.hasPath = strings.Cut(rest, ":")
	return r, ok
}

// revision returns a reader of the files of a revision, and the path to read there. Without
// a PATH, the path is taken from other, the value of --new for --old or of --old for --new.
func (c *comparer) revision(ctx context.Context, at revision, other string) (*manifest.Reader, string, error) {
	dir, name := ".", at.path
	if !at.hasPath {
		var err error
		if there, ok := parseRevision(other); !ok {
			dir = filepath.Dir(other)
			name, err = gittree.PathOf(ctx, other)
		} else if name = there.path; !there.hasPath {
			err = fmt.Errorf("%s has no path", other)
		}
		if err != nil {
			return nil, "", fmt.Errorf("name a path, as in git:%s:config/crd; the other side gives none: %w", at.revision, err)
		}
	}
	tree, root, err := gittree.Read(ctx, dir, at.revision, name, func(base string) bool {
		return base == "Chart.yaml" || slices.Contains(manifest.Extensions(), path.Ext(base))
	})
	r := manifest.NewReader(nil, c.recursive)
	r.FS = tree
	return r, root, err
}

// A shard is a part of the files of --objects. The zero value means all files.
type shard struct{ part, of int }

func (s *shard) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.part, s.of)
}

func (s *shard) Type() string { return "I/N" }

func (s *shard) Set(text string) error {
	before, after, ok := strings.Cut(text, "/")
	part, err := strconv.Atoi(before)
	of, err2 := strconv.Atoi(after)
	if !ok || err != nil || err2 != nil || part < 0 || part >= of {
		return errors.New("must be I/N with 0 <= I < N, such as 0/16")
	}
	s.part, s.of = part, of
	return nil
}

// checkObjects checks the objects of --objects on all processors and reports them in order.
func (c *comparer) checkObjects(ctx context.Context, pairs []*definitionPair, report *compatReport) error {
	checks := map[schema.GroupKind]*compat.Objects{}
	names := map[schema.GroupKind]string{} // of the definitions
	for _, p := range pairs {
		if p.old == nil || p.new == nil || p.err != nil {
			continue
		}
		objects, err := compat.NewObjects(ctx, p.old.crd, p.new.crd)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			continue // the report has the error
		}
		spec := p.old.crd.Spec
		kind := schema.GroupKind{Group: spec.Group, Kind: spec.Names.Kind}
		checks[kind], names[kind] = objects, p.old.crd.Name
	}
	report.Shard = c.shard.String()
	report.Objects = &objectCounts{Unreadable: []unreadObject{}, PassedOver: map[string]int{}}
	reader := c.reader.Separate()
	reader.Part, reader.Parts = c.shard.part, c.shard.of
	positions := &sources{}
	check := func(o *manifest.Object) compatReport {
		kind := o.GroupKind()
		if o.Err == nil && checks[kind] == nil {
			return compatReport{Objects: &objectCounts{PassedOver: map[string]int{kind.String(): 1}}}
		}
		findings, err := checkObject(ctx, o, names[kind], checks[kind], positions)
		if err != nil {
			return compatReport{Objects: &objectCounts{Unreadable: []unreadObject{{o.File, o.Number, o.Within, err.Error()}}}}
		}
		counts := &objectCounts{Checked: 1}
		if len(findings) > 0 {
			counts.Incompatible = 1
		}
		return compatReport{Objects: counts, Findings: findings}
	}
	err := inOrder(ctx, reader.Objects(ctx, c.objects), check, report.add)
	if files := reader.PassedOver().String(); files != "" {
		fmt.Fprintf(c.errOut, "passed over: %s\n", files)
	}
	return err
}

// checkObject checks one object of a definition. An error means that it cannot be read.
func checkObject(ctx context.Context, o *manifest.Object, definition string, objects *compat.Objects, positions *sources) ([]compatFinding, error) {
	obj, err := objectOf(o)
	if err != nil {
		return nil, err
	}
	found, err := objects.Check(ctx, obj)
	if err != nil {
		return nil, err
	}
	name := &objectName{Kind: o.Kind, Namespace: obj.GetNamespace(), Name: obj.GetName(), Within: o.Within}
	return mapped(found, func(f compat.Finding) compatFinding {
		setPosition(&f, positions.of(o), o)
		return compatFinding{Definition: definition, File: o.File, Document: o.Number, Object: name, Finding: f}
	}), nil
}
