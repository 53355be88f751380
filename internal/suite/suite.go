package suite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/coverage"
	"github.com/crdkit/crdkit/internal/text/document"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// Suites are the cases of files, in the order of the files.
type Suites struct {
	Cases []*Case

	observer    func(context.Context, *Definition, *crdkit.Version, Request) error // may be nil
	files       fs.FS
	definitions []*Definition
	gates       []gates
}

// A Request is a request with the objects as they were validated. Old is nil unless it is an
// update.
type Request struct {
	Object, Old *unstructured.Unstructured
	Result      *crdkit.Result
}

// Record records the coverage of a request. A request that is refused before validation covers no
// part of a definition.
func (r *Request) Record(ctx context.Context, to *coverage.Recorder, from coverage.Source, v *crdkit.Version) error {
	if r.Result.Refusal != nil {
		return nil
	}
	request := coverage.Request{Object: r.Object.Object, Rules: !r.Result.Errors.BlocksRules()}
	if r.Old != nil {
		request.Old = r.Old.Object
	}
	return to.Observe(ctx, from, v.Name(), request)
}

// Cover records the coverage of all requests.
func (s *Suites) Cover(to *coverage.Recorder) {
	s.observer = func(ctx context.Context, d *Definition, v *crdkit.Version, r Request) error {
		return r.Record(ctx, to, d.Source, v)
	}
}

// A Case is one recorded case.
type Case struct {
	File string // the case's file
	Name string // in the file
	Line int    // the first line, from 1; 0 if unknown
	run  func(context.Context) (string, error)
}

// Run runs a case. It returns the difference from the record, or "". The error says why there is no
// verdict: the context ended, the case cannot be read, or there is no definition for it.
func (c *Case) Run(ctx context.Context) (string, error) { return c.run(ctx) }

// String returns the file and the name of the case.
func (c *Case) String() string { return c.File + ": " + c.Name }

// Read reads the cases and definitions in files, and in directories with everything below. If files
// is nil, it reads the files of the operating system. more has further definitions and may be nil.
func Read(ctx context.Context, files fs.FS, more []*Definition, paths ...string) (*Suites, error) {
	if files == nil {
		files = manifest.System{}
	}
	s := &Suites{files: files, definitions: slices.Clone(more)}
	names, err := s.list(paths)
	if err != nil {
		return nil, err
	}
	paired := map[string]bool{} // directories with recorded texts or updates
	for _, name := range names {
		if isText(name) || strings.HasSuffix(name, postSuffix) {
			paired[path.Dir(filepath.ToSlash(name))] = true
		}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !hasExtension(name) {
			continue
		}
		if err := s.readFile(ctx, name, paired[path.Dir(filepath.ToSlash(name))]); err != nil {
			return nil, fmt.Errorf("%s: %w", manifest.Quote(name), err)
		}
	}
	if len(s.Cases) == 0 {
		return nil, fmt.Errorf("%w in %q", ErrNoCase, paths)
	}
	return s, nil
}

// ErrNoCase reports that files have no case.
var ErrNoCase = errors.New("no recorded case")

func hasExtension(name string) bool {
	return slices.Contains(manifest.Extensions(), path.Ext(filepath.ToSlash(name)))
}

func (s *Suites) list(paths []string) ([]string, error) {
	var names []string
	visit := func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, name)
		}
		return err
	}
	for _, p := range paths {
		if err := fs.WalkDir(s.files, p, visit); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// readText returns the text of a refusal, or "" if there is no file.
func (s *Suites) readText(name string) (string, error) {
	data, err := manifest.ReadRegular(s.files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("%s: %w", manifest.Quote(name), err)
	}
	return strings.TrimSpace(string(data)), nil
}

// suiteKeys match the keys of a suite, in upper or lower case. A file with two of them is a suite.
var suiteKeys = []*regexp.Regexp{
	regexp.MustCompile(`(?mi)^crdName:`),
	regexp.MustCompile(`(?mi)^tests:`),
	regexp.MustCompile(`(?mi)^ *on(Create|Update|Convert):`),
}

func isSuite(text []byte) bool {
	n := 0
	for _, key := range suiteKeys {
		if key.Match(text) {
			n++
		}
	}
	return n >= 2
}

// readFile adds the cases or definitions of a file. paired says that its directory also
// has files with texts of refusals, or with updates.
func (s *Suites) readFile(ctx context.Context, name string, paired bool) error {
	data, err := manifest.ReadRegular(s.files, name)
	if err != nil {
		return err
	}
	data = document.UTF8(data)
	slashed := filepath.ToSlash(name)
	if isSuite(data) {
		return s.addSpecs(name, data)
	}
	switch verdict := verdictOf(slashed); {
	case strings.HasSuffix(slashed, preSuffix) && paired:
		return nil // read together with its update
	case paired:
		return s.addPaired(ctx, name)
	case verdict != "":
		return s.addFolder(ctx, name, verdict == invalid)
	default:
		return s.addDefinitions(ctx, name)
	}
}

const (
	valid   = "valid"
	invalid = "invalid"
)

var verdictWord = regexp.MustCompile(`(?:^|[-_.])(in)?valid(?:$|[-_.])`)

// verdictOf returns "valid" or "invalid" if the name of a file has this word, otherwise the word in
// the nearest directory above, or "".
func verdictOf(name string) string {
	for _, part := range slices.Backward(strings.Split(name, "/")) {
		if found := verdictWord.FindStringSubmatch(part); found != nil {
			return found[1] + valid
		}
	}
	return ""
}

func (s *Suites) objects(ctx context.Context, name string) ([]*manifest.Object, error) {
	r := manifest.NewReader(nil, false)
	r.FS = s.files
	var objects []*manifest.Object
	for o := range r.Objects(ctx, name) {
		if o.Err != nil {
			return nil, o.Err
		}
		objects = append(objects, o)
	}
	return objects, ctx.Err()
}
