package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/document"
)

// maxFileBytes is the maximal size of a file. A file may have many documents,
// each with the server's limit of its own.
const maxFileBytes = 256 << 20

// An inputDocument is one object of a file, or the error of reading it.
type inputDocument struct {
	file   string // as the user named it, or found in a directory
	number int    // position in the file, from 1; 0 if the file cannot be read
	start  definition.Position
	within string // JSON Pointer to the object within the document, which is a list
	data   []byte
	yaml   bool
	err    error
}

// location returns the name of the document in messages.
func (d inputDocument) location() string {
	if d.number == 0 {
		return d.file
	}
	return fmt.Sprintf("%s, document %d", d.file, d.number)
}

// documents yields the documents of a file, of the files of a directory in the
// order of their names, or of in if name is "-".
func documents(name string, recursive bool, in io.Reader) iter.Seq[inputDocument] {
	return func(yield func(inputDocument) bool) {
		files, err := filesOf(name, recursive)
		if err != nil {
			yield(inputDocument{file: name, err: err})
			return
		}
		for _, file := range files {
			for d := range documentsOfFile(file, file == name, in) {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// filesOf returns name, or the YAML and JSON files in the directory called
// name.
func filesOf(name string, recursive bool) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var files []string
	err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != name && !recursive:
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no .yaml, .yml or .json file in %s", name)
	}
	return files, nil
}

// documentsOfFile yields the documents of one file. A file from the command
// line must have at least one.
func documentsOfFile(file string, named bool, in io.Reader) iter.Seq[inputDocument] {
	return func(yield func(inputDocument) bool) {
		data, err := readFile(file, in)
		if err != nil {
			yield(inputDocument{file: file, err: err})
			return
		}
		next := yamlReader(data)
		isYAML := !isJSON(file, data)
		if !isYAML {
			next = jsonReader(data)
		}
		for number := 1; ; {
			doc, start, err := next()
			if errors.Is(err, io.EOF) {
				if number == 1 && named {
					yield(inputDocument{file: file, err: errors.New("no document in it")})
				}
				return
			}
			if err == nil && document.Blank(doc) {
				continue
			}
			if !yield(inputDocument{file: file, number: number, start: start, data: doc, yaml: isYAML, err: err}) || err != nil {
				return
			}
			number++
		}
	}
}

func readFile(file string, in io.Reader) ([]byte, error) {
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("larger than %d bytes", maxFileBytes)
	}
	return data, nil
}

// isJSON reports whether a file has JSON: by its name, or for standard input by
// its first character.
func isJSON(file string, data []byte) bool {
	if file != "-" {
		return strings.EqualFold(filepath.Ext(file), ".json")
	}
	return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
}

// A reader returns the next document and its position, and io.EOF after the
// last one.
type reader func() ([]byte, definition.Position, error)

func yamlReader(data []byte) reader {
	documents := document.Split(data)
	return func() ([]byte, definition.Position, error) {
		doc, line, err := documents.Next()
		return doc, definition.Position{Line: line, Column: 1}, err
	}
}

func jsonReader(data []byte) reader {
	d := json.NewDecoder(bytes.NewReader(data))
	index := sync.OnceValue(func() *document.LineIndex { return document.NewLineIndex(data) })
	return func() ([]byte, definition.Position, error) {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, definition.Position{}, err
		}
		line, column := index().Position(int(d.InputOffset()) - len(raw))
		return raw, definition.Position{Line: line, Column: column}, nil
	}
}
