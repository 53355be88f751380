package crdtest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const goldenSuffix = ".golden"

// UpdateVariable is the environment variable that makes [Golden] write golden files.
const UpdateVariable = "CRDTEST_UPDATE"

// Golden creates the objects of the files in a directory and compares the answers with golden
// files. The golden file of samples/a.yaml is samples/a.yaml.golden. For each object a golden file
// has the verdict, the errors and warnings, what was pruned and defaulted, and the stored object.
// Objects of other kinds are skipped.
//
// If the environment variable CRDTEST_UPDATE is 1, or if a boolean flag named update is set, Golden
// writes the golden files and compares nothing.
//
// A golden file without its sample file fails the test. If no file has an object of the set, Golden
// ends the test.
func Golden(t testing.TB, s *Set, dir string) {
	t.Helper()
	files, err := s.goldenTexts(t, dir)
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	for _, f := range files {
		run(t, filepath.Base(f.name), func(t testing.TB) {
			t.Helper()
			f.compare(t)
		})
	}
	stored, err := filepath.Glob(filepath.Join(dir, "*"+goldenSuffix))
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	for _, name := range stored {
		if !slices.ContainsFunc(files, func(f *goldenFile) bool { return f.name+goldenSuffix == name }) {
			t.Errorf("%s has no sample with an object of the set: remove it", name)
		}
	}
}

type goldenFile struct {
	name string
	text strings.Builder
}

func (s *Set) goldenTexts(t testing.TB, dir string) ([]*goldenFile, error) {
	t.Helper()
	var files []*goldenFile
	for o := range manifest.NewReader(nil, false).Objects(t.Context(), dir) {
		if o.Err != nil {
			return nil, fmt.Errorf("%s: %w", o.Location(), o.Err)
		}
		if _, err := s.catalog.Version(o.GroupVersionKind); err != nil {
			continue
		}
		if len(files) == 0 || files[len(files)-1].name != o.File {
			files = append(files, &goldenFile{name: o.File})
		}
		r := s.WithRequestOptions(crdkit.ReportChanges()).do(t, creating, nil, o.Text)
		if err := r.writeGolden(s, &files[len(files)-1].text); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Location(), err)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no object of the set in %s", dir)
	}
	return files, nil
}

func (r *Response) writeGolden(s *Set, b *strings.Builder) error {
	if b.Len() > 0 {
		b.WriteString("---\n")
	}
	line := func(format string, args ...any) {
		b.WriteString("# " + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n#   ") + "\n")
	}
	line("%s", r.verdict())
	for _, c := range newVerdict(s, r).complaints {
		line("error: %s", c.text)
	}
	for _, w := range r.Result.Warnings {
		line("warning: %s", w)
	}
	for _, c := range r.Result.Changes {
		line("%s", c)
	}
	if !r.Admitted() {
		return nil
	}
	text, err := yaml.Marshal(r.Object.Object)
	b.Write(text)
	return err
}

func (f *goldenFile) compare(t testing.TB) {
	t.Helper()
	name := f.name + goldenSuffix
	if updates() {
		if err := os.WriteFile(name, []byte(f.text.String()), 0o644); err != nil {
			t.Fatalf("crdtest: %v", err)
		}
		return
	}
	want, err := manifest.ReadRegular(manifest.System{}, name)
	if errors.Is(err, os.ErrNotExist) {
		t.Fatalf("crdtest: there is no %s: write it with %s=1", name, UpdateVariable)
	}
	if err != nil {
		t.Fatalf("crdtest: %s: %v", name, err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(f.text.String(), "\n")); diff != "" {
		t.Errorf("%s is not what the server answers (-want +got); write it with %s=1:\n%s", name, UpdateVariable, diff)
	}
}

func updates() bool {
	if on, err := strconv.ParseBool(os.Getenv(UpdateVariable)); err == nil && on {
		return true
	}
	f := flag.Lookup("update")
	if f == nil {
		return false
	}
	g, ok := f.Value.(flag.Getter)
	if !ok {
		return false
	}
	on, ok := g.Get().(bool)
	return ok && on
}
