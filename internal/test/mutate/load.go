package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// A source is one Go file with its syntax tree.
type source struct {
	path string
	text []byte
	tree *ast.File
}

// A goPackage is one type-checked package. Its test files are not loaded.
type goPackage struct {
	path  string // import path
	dir   string
	files []source
	types *types.Package
	info  *types.Info
}

// listed is what go list prints for a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// load type-checks the packages that match patterns, relative to the directory
// dir. Imports come from the export data of the build cache.
func load(fset *token.FileSet, dir string, patterns ...string) ([]*goPackage, error) {
	direct, err := list(dir, patterns...)
	if err != nil {
		return nil, err
	}
	deps, err := list(dir, append([]string{"-deps", "-export"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	exports := make(map[string]string, len(deps))
	for _, d := range deps {
		exports[d.ImportPath] = d.Export
	}
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	packages := make([]*goPackage, 0, len(direct))
	for _, d := range direct {
		p, err := check(fset, imports, d)
		if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	return packages, nil
}

func list(dir string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,GoFiles"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %v: %w", args, err)
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list %v: %w", args, err)
		}
		packages = append(packages, p)
	}
	return packages, nil
}

func check(fset *token.FileSet, imports types.Importer, d listed) (*goPackage, error) {
	p := &goPackage{path: d.ImportPath, dir: d.Dir}
	var trees []*ast.File
	for _, name := range d.GoFiles {
		path := filepath.Join(d.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		tree, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, source{path, text, tree})
		trees = append(trees, tree)
	}
	p.info = &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue),
		Defs:  make(map[*ast.Ident]types.Object),
		Uses:  make(map[*ast.Ident]types.Object),
	}
	config := types.Config{Importer: imports}
	var err error
	p.types, err = config.Check(d.ImportPath, fset, trees, p.info)
	return p, err
}
