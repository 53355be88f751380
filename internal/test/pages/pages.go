package pages

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Check tests the Go blocks of README.md and of the pages in docs that need the module, ""
// for those that need none but crdkit. The root is the root of the repository. A block that
// needs a module which is not in known is an error.
func Check(t *testing.T, root, module string, known ...string) {
	m := checkout{root: root, dir: t.TempDir()}
	for _, err := range m.read(module, known) {
		t.Error(err)
	}
	if len(m.files) == 0 {
		return
	}
	if err := m.build(module); err != nil {
		t.Fatal(err)
	}
	for i, f := range m.files {
		t.Run(fmt.Sprintf("%s:%d", f.Page, f.Line), func(t *testing.T) {
			if err := m.run(t.Context(), i); err != nil {
				t.Error(err)
			}
		})
	}
}

// A checkout is a temporary module with the files of all pages. The packages p0, p1 and so
// on have one file each.
type checkout struct {
	root, dir string
	files     []*file
}

// read adds the files of all pages that need the module. It returns what is wrong with
// pages and blocks.
func (m *checkout) read(module string, known []string) []error {
	pages, err := pagesOf(m.root)
	errs := []error{}
	if err != nil {
		errs = append(errs, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(page)))
		if err != nil {
			errs = append(errs, err)
		}
		blocks := Blocks(page, string(text))
		for i, b := range blocks {
			if !b.IsGo() {
				continue
			}
			if b.module() != "" && !slices.Contains(known, b.module()) {
				errs = append(errs, fmt.Errorf("%s:%d: there is no module %q", b.Page, b.Line, b.module()))
			}
			if b.module() != module {
				continue
			}
			var next *Block
			if i+1 < len(blocks) {
				next = &blocks[i+1]
			}
			f, err := newFile(b, next)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			m.files = append(m.files, f)
		}
	}
	return errs
}

// pagesOf returns README.md and all pages in docs.
func pagesOf(root string) ([]string, error) {
	pages := []string{"README.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	return pages, err
}

const crdkit = "github.com/crdkit/crdkit"

// build compiles the files: the programs to the binary "all", and the tests of package p1
// to the binary "p1.test".
func (m *checkout) build(module string) error {
	if err := m.requirements(module); err != nil {
		return err
	}
	var imports, cases strings.Builder
	tests := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", m.binary("")}
	for i, f := range m.files {
		name, base, source := fmt.Sprintf("p%d", i), "page.go", f.located(m.root)
		switch f.kind {
		case program:
			fmt.Fprintf(&imports, "\t%q\n", "example.com/pages/"+name)
			fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.PageMain()\n", name, name)
			source = f.renamed(m.root, name)
		case test:
			tests = append(tests, "./"+name)
			base = "page_test.go"
		case library:
		}
		if err := m.write(filepath.Join(name, base), source); err != nil {
			return err
		}
	}
	all := fmt.Sprintf("package main\n\nimport (\n\t\"os\"\n\n%s)\n\nfunc main() {\n\tname := os.Args[1]\n\tos.Args = os.Args[:1]\n\tswitch name {\n%s\t}\n}\n", &imports, &cases)
	if err := m.write(filepath.Join("all", "main.go"), all); err != nil {
		return err
	}
	if err := m.command("build", "-ldflags=-s -w", "-o", m.binary(""), "./..."); err != nil {
		return err
	}
	if !slices.ContainsFunc(m.files, func(f *file) bool { return f.kind == test }) {
		return nil
	}
	return m.command(tests...)
}

// requirements writes the go.mod and go.sum of the module that the pages need, with crdkit
// and that module replaced by the checkout.
func (m *checkout) requirements(module string) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(m.root, module, name))
		if err != nil {
			return err
		}
		if err := m.write(name, string(text)); err != nil {
			return err
		}
	}
	edit := []string{"mod", "edit", "-module=example.com/pages", "-require=" + crdkit + "@v0.0.0", "-replace=" + crdkit + "=" + m.root}
	if module != "" {
		path := crdkit + "/" + module
		edit = append(edit, "-require="+path+"@v0.0.0", "-replace="+path+"="+filepath.Join(m.root, module))
	}
	return m.command(edit...)
}

// binary returns the path of a program that build links.
func (m *checkout) binary(name string) string {
	return filepath.Join(m.dir, "bin") + string(filepath.Separator) + name
}

func (m *checkout) write(name, text string) error {
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// command runs the go command in the temporary module.
func (m *checkout) command(args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", args[0], err, out)
	}
	return nil
}

const timeout = time.Minute

// run runs a program or the tests of a file in the root of the repository.
func (m *checkout) run(ctx context.Context, i int) error {
	f, name := m.files[i], fmt.Sprintf("p%d", i)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var cmd *exec.Cmd
	switch f.kind {
	case program:
		cmd = exec.CommandContext(ctx, m.binary("all"), name)
	case test:
		cmd = exec.CommandContext(ctx, m.binary(name+".test"))
	case library:
		return nil
	}
	cmd.Dir = m.root
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w\n%s%s", err, out, &messages)
	}
	if got, want := printed(string(out)), printed(f.want); f.kind == program && got != want {
		return fmt.Errorf("the program prints\n%s\n\nthe page says\n%s", got, want)
	}
	return nil
}
