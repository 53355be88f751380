package manifest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/text/document"
)

// MaxFileBytes limits the size of a file.
const MaxFileBytes = 256 << 20

// A Reader reads objects. [NewReader] makes one.
type Reader struct {
	// Stdin is what the name "-" stands for.
	Stdin io.Reader
	// FS is the file system of the files. Names then have slashes, see [fs.ValidPath]. Nil means
	// the file system of the operating system. With an FS, "-" is a name like any other.
	FS fs.FS
	// Part and Parts make the reader read only the files whose number, from 0, is Part modulo
	// Parts. If Parts is 0, it reads all.
	Part, Parts int
	// Recursive makes the reader read directories below directories.
	Recursive bool
	// IsKind reports whether a kind that ends in "List" is a kind of its own. Nil means that no
	// kind is.
	IsKind func(schema.GroupVersionKind) bool

	only    string          // see Mentioning
	streams *sync.Map       // by name, what can be read only once; several readers share it
	patches map[string]bool // files with patches, by name
	passed  Counts
}

// NewReader returns a reader of files, and of stdin for the name "-".
func NewReader(stdin io.Reader, recursive bool) *Reader {
	return &Reader{Stdin: stdin, Recursive: recursive, streams: &sync.Map{}}
}

// Separate returns a reader for use in another goroutine. It has its own counts. Both readers share
// the content of files that can only be read once.
func (r *Reader) Separate() *Reader {
	other := *r
	other.passed, other.patches = Counts{}, nil
	return &other
}

// Mentioning returns a separate reader that ignores documents without the word. See [Mentions].
func (r *Reader) Mentioning(word string) *Reader {
	other := r.Separate()
	other.only = word
	return other
}

// Mentions reports whether a text has a word, or an escape sequence that may stand for it.
func Mentions(text []byte, word string) bool {
	return bytes.Contains(text, []byte(word)) || bytes.IndexByte(text, '\\') >= 0
}

// A stream is the content of standard input, a FIFO or a device.
type stream struct {
	data []byte
	err  error
}

// A Document is one document of a file.
type Document struct {
	File   string // as the caller named it, or found in a directory
	Number int    // in the file, from 1; 0 if the file cannot be read
	Line   int    // of the first character, from 1
	Column int    // of the first character, from 1, in code points
	Text   []byte
	YAML   bool // application/yaml instead of application/json
}

// An Object is one object of a document, or the error of reading it.
type Object struct {
	*Document
	Head
	// Within is the JSON Pointer to the object in its document. It is "" unless the document is a
	// list.
	Within string
	// Text is the text of the document, or JSON for an item of a list.
	Text []byte
	// YAML reports whether Text is YAML.
	YAML bool
	// Err is the error of reading the object. It may be about the rest of the file.
	Err error
}

// Location returns the file, the document and the place in a list, for messages.
func (o *Object) Location() string {
	var b strings.Builder
	b.WriteString(Quote(o.File))
	if o.Number > 0 {
		fmt.Fprintf(&b, ", document %d", o.Number)
	}
	for _, index := range strings.Split(o.Within, "/items/")[1:] {
		fmt.Fprintf(&b, ", items[%s]", index)
	}
	return b.String()
}

// Quote returns a printable name as it is, and quotes other names.
func Quote(name string) string {
	for _, r := range name {
		if !strconv.IsPrint(r) || r == '\ufffd' {
			return strconv.Quote(name)
		}
	}
	return name
}

// Objects yields the objects of files and directories in order, until the context ends.
func (r *Reader) Objects(ctx context.Context, names ...string) iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		number := -1
		for _, name := range names {
			for f := range r.files(ctx, name) {
				if number++; r.Parts > 0 && number%r.Parts != r.Part {
					continue
				}
				if ctx.Err() != nil || !r.readFile(ctx, f, yield) {
					return
				}
			}
		}
	}
}

// readFile yields the objects of a file. Like yield, it returns false if the caller wants no more.
func (r *Reader) readFile(ctx context.Context, f file, yield func(*Object) bool) bool {
	if f.err != nil {
		return yield(failure(f.name, f.err))
	}
	data, err := r.Content(ctx, f.name)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		return yield(failure(f.name, err))
	}
	objects, passed := 0, 0 // documents with and without objects
	for doc, err := range documents(f.name, data) {
		isObject, more := true, true
		if err != nil {
			more = yield(&Object{Document: doc, Err: err})
		} else {
			isObject, more = r.objectsOf(doc, f.named, yield)
		}
		switch {
		case !more:
			return false
		case isObject:
			objects++
		default:
			passed++
		}
	}
	switch {
	case objects > 0:
		r.passed.Documents += passed
	case !f.named:
		r.passed.Files++
	case passed == 0:
		return yield(failure(f.name, errNoDocument))
	}
	return true
}

func failure(name string, err error) *Object {
	return &Object{Document: &Document{File: name}, Err: err}
}

// PassedOver returns the counts of skipped files, directories and documents so far.
func (r *Reader) PassedOver() Counts { return r.passed }

// Counts says what a reader skipped.
type Counts struct {
	Documents     int // without an object of Kubernetes, in files with other objects
	Files         int // without an object of Kubernetes
	Kustomization int // files
	Patches       int // files that a kustomization file names as patches
	Values        int // files of values of Helm charts
	Templates     int // directories of templates of Helm charts
	Hidden        int // directories
	Below         int // directories, without Recursive
	Links         int // symbolic links to directories
	Special       int // FIFOs, sockets and devices
}

// unread returns the number of files that were skipped without being read.
func (c Counts) unread() int { return c.Kustomization + c.Patches + c.Values + c.Special }

// String returns the counts as one line, or "" if nothing was skipped.
func (c Counts) String() string {
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{c.Documents, "document without an object of Kubernetes", "documents without an object of Kubernetes"},
		{c.Files, "file without an object of Kubernetes", "files without an object of Kubernetes"},
		{c.Kustomization, "kustomization file", "kustomization files"},
		{c.Patches, "kustomize patch", "kustomize patches"},
		{c.Values, "values file", "values files"},
		{c.Templates, "directory of Helm templates", "directories of Helm templates"},
		{c.Hidden, "hidden directory", "hidden directories"},
		{c.Below, "directory below (-R reads it)", "directories below (-R reads them)"},
		{c.Links, "symbolic link to a directory", "symbolic links to directories"},
		{c.Special, "FIFO, socket or device", "FIFOs, sockets or devices"},
	} {
		switch {
		case part.n == 1:
			parts = append(parts, "1 "+part.one)
		case part.n > 1:
			parts = append(parts, strconv.Itoa(part.n)+" "+part.many)
		}
	}
	return strings.Join(parts, ", ")
}

// documents yields the documents that are not blank, up to the first error. The document that comes
// with an error has the position of the error.
func documents(name string, data []byte) iter.Seq2[*Document, error] {
	return func(yield func(*Document, error) bool) {
		data = document.UTF8(data)
		number := 0
		next := func(d *Document, err error) bool {
			number++
			d.File, d.Number = name, number
			return yield(d, err)
		}
		if isJSONName(name) {
			cutJSON(data, 1, next)
			return
		}
		for parts := document.Split(data); ; {
			part, line, err := parts.Next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				next(&Document{Line: line, Column: 1}, restUnread(err))
				return
			case document.Blank(part):
			case !cut(part, line, next):
				return
			}
		}
	}
}

func isJSONName(name string) bool {
	return slices.Contains([]string{".json", ".jsonl", ".ndjson"}, strings.ToLower(filepath.Ext(name)))
}

// cut yields the JSON objects in a part of a text, or the part as YAML. It returns false if the
// caller wants no more, or if the rest cannot be read.
func cut(part []byte, line int, yield func(*Document, error) bool) bool {
	if startsJSON(part) {
		return cutJSON(part, line, yield)
	}
	return yield(&Document{Line: line, Column: 1, Text: part, YAML: true}, nil)
}

// startsJSON reports whether a text is a JSON object with nothing or another object after it. A
// flow mapping of YAML is not.
func startsJSON(text []byte) bool {
	trimmed := bytes.TrimLeft(text, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(trimmed))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return false
	}
	rest := bytes.TrimLeft(trimmed[d.InputOffset():], " \t\r\n")
	return len(rest) == 0 || rest[0] == '{'
}

// cutJSON yields the values of a sequence. It returns false if the caller wants no more, or if the
// rest cannot be read.
func cutJSON(text []byte, line int, yield func(*Document, error) bool) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	at := document.NewLineCounter(text)
	for {
		var raw json.RawMessage
		err := d.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return true
		}
		doc := &Document{Text: raw}
		if err != nil {
			doc.place(at.Position(valueStart(text, int(d.InputOffset()))), line)
			yield(doc, restUnread(err))
			return false
		}
		doc.place(at.Position(int(d.InputOffset())-len(raw)), line)
		if !yield(doc, nil) {
			return false
		}
	}
}

func (d *Document) place(at document.Position, line int) {
	d.Line, d.Column = at.Line+line-1, at.Column
}

func restUnread(err error) error {
	return fmt.Errorf("%w (the rest of the file is not read)", err)
}

func valueStart(text []byte, at int) int {
	for at < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[at]) >= 0 {
		at++
	}
	return at
}
