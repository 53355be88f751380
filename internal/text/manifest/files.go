package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

var (
	errNoDocument = errors.New("no document in it")
	// errAllPassedOver is about a directory with only files of kustomize or Helm, or files that can
	// only be read once, such as FIFOs. errAllBelow is about a directory with only directories.
	errAllPassedOver = errors.New("nothing to read in it: all its files are passed over")
	errAllBelow      = errors.New("nothing to read in it; -R reads the directories below it")
	errURL           = errors.New("crdkit does not fetch URLs; save it to a file first, as with curl -LO")
	errChanged       = errors.New("the file changed while it was read")
	errTooLarge      = fmt.Errorf("larger than %d bytes", MaxFileBytes)
	errNotRegular    = errors.New("not a regular file")
)

// A file is a file to read, or the error of finding it.
type file struct {
	name  string
	named bool // the caller named it
	err   error
}

var extensions = []string{".yaml", ".yml", ".json", ".jsonl", ".ndjson"}

// Extensions returns the extensions of the files that are read in directories, such as ".yaml".
func Extensions() []string { return slices.Clone(extensions) }

// files yields name, or the files of the directory called name.
func (r *Reader) files(ctx context.Context, name string) iter.Seq[file] {
	return func(yield func(file) bool) {
		if name == "-" && r.FS == nil {
			yield(file{name: name, named: true})
			return
		}
		info, err := fs.Stat(r.system(), name)
		switch {
		case err != nil && isURL(name):
			yield(file{name: name, named: true, err: errURL})
			return
		case err != nil:
			yield(file{name: name, named: true, err: cause(err)})
			return
		case !info.IsDir():
			yield(file{name: name, named: true})
			return
		}
		found, before, below := 0, r.passed.unread(), r.passed.Below
		more := r.walk(ctx, name, func(f file) bool {
			found++
			return yield(f)
		})
		if more && found == 0 && ctx.Err() == nil {
			err := fmt.Errorf("no %s file in it", strings.Join(extensions, ", "))
			switch {
			case r.passed.Below > below:
				err = errAllBelow
			case r.passed.unread() > before:
				err = errAllPassedOver
			}
			yield(file{name: name, named: true, err: err})
		}
	}
}

func isURL(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && !strings.Contains(scheme, "/")
}

// walk yields the files of a directory in the order of their names. It returns false if the caller
// wants no more.
func (r *Reader) walk(ctx context.Context, dir string, yield func(file) bool) bool {
	if ctx.Err() != nil {
		return false
	}
	entries, err := fs.ReadDir(r.system(), dir)
	if err != nil && !yield(file{name: dir, err: cause(err)}) {
		return false
	}
	r.findPatches(ctx, dir, entries)
	chart := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "Chart.yaml" })
	for _, e := range entries {
		name := r.join(dir, e.Name())
		switch mode := r.modeOf(name, e); {
		case mode.IsDir():
			if r.enters(e, chart) && !r.walk(ctx, name, yield) {
				return false
			}
		case !slices.Contains(extensions, filepath.Ext(name)):
		case mode&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0:
			r.passed.Special++
		case r.wants(name, e.Name()) && !yield(file{name: name}):
			return false
		}
	}
	return true
}

func (r *Reader) system() fs.FS {
	if r.FS != nil {
		return r.FS
	}
	return System{}
}

func (r *Reader) join(dir, name string) string {
	if r.FS != nil {
		return path.Join(dir, name)
	}
	return filepath.Join(dir, name)
}

// modeOf returns the mode of the file that an entry leads to. A dead link fails when it is read.
func (r *Reader) modeOf(name string, e fs.DirEntry) fs.FileMode {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type()
	}
	info, err := fs.Stat(r.system(), name)
	if err != nil {
		return 0
	}
	return info.Mode().Type()
}

// enters reports whether to read a directory below another directory. If not, it counts the
// directory. chart says whether the directory above has a Helm chart.
func (r *Reader) enters(e fs.DirEntry, chart bool) bool {
	switch {
	case strings.HasPrefix(e.Name(), "."):
		r.passed.Hidden++
	case e.Type()&fs.ModeSymlink != 0:
		r.passed.Links++
	case chart && e.Name() == "templates":
		r.passed.Templates++
	case !r.Recursive:
		r.passed.Below++
	default:
		return true
	}
	return false
}

// wants reports whether to read a file of a directory. If not, it counts the file. base is the last
// part of name.
func (r *Reader) wants(name, base string) bool {
	switch {
	case isKustomization(base):
		r.passed.Kustomization++
	case r.patches[name]:
		r.passed.Patches++
	case strings.TrimSuffix(base, filepath.Ext(base)) == "values":
		r.passed.Values++
	default:
		return true
	}
	return false
}

// cause returns the reason of an error about a file, without the name of the file.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// System is the file system of the operating system. It takes the same names as package os.
type System struct{}

// Open implements [fs.FS].
func (System) Open(name string) (fs.File, error) { return os.Open(name) }

// Stat implements [fs.StatFS].
func (System) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// ReadRegular returns the content of a regular file, at most [MaxFileBytes]. Other files are errors
// and are not opened, because a FIFO would block. A file that changes meanwhile is an error too.
// Errors do not name the file.
func ReadRegular(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, cause(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	in, err := files.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer in.Close()
	before, err := in.Stat()
	if err != nil {
		return nil, cause(err)
	}
	if before.Size() > MaxFileBytes {
		return nil, errTooLarge
	}
	data, err := readAll(in, before.Size())
	if err != nil || before.Size() == 0 { // files of /proc have size 0
		return data, err
	}
	after, err := in.Stat()
	if err != nil {
		return nil, cause(err)
	}
	if after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return nil, errChanged
	}
	return data, nil
}

// Content returns the content of a file that the user names, at most [MaxFileBytes]. It keeps the
// content of standard input, FIFOs and devices, which can only be read once. Errors do not name the
// file.
func (r *Reader) Content(ctx context.Context, name string) ([]byte, error) {
	if r.FS != nil {
		return ReadRegular(r.FS, name)
	}
	if kept, ok := r.streams.Load(name); ok {
		s := kept.(stream)
		return s.data, s.err
	}
	if name != "-" {
		info, err := os.Stat(name)
		if err != nil {
			return nil, cause(err)
		}
		if info.Mode().IsRegular() {
			return ReadRegular(System{}, name)
		}
	}
	s := r.readStream(ctx, name)
	if ctx.Err() == nil {
		r.streams.Store(name, s)
	}
	return s.data, s.err
}

// readAll reads to the end. size is the expected number of bytes.
func readAll(in io.Reader, size int64) ([]byte, error) {
	data := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(in, MaxFileBytes+1)); err != nil {
		return nil, cause(err)
	}
	if data.Len() > MaxFileBytes {
		return nil, errTooLarge
	}
	return data.Bytes(), nil
}

// readStream reads standard input, a FIFO or a device. If the context ends, the reading goroutine
// stays.
func (r *Reader) readStream(ctx context.Context, name string) stream {
	done := make(chan stream, 1)
	go func() {
		var s stream
		defer func() {
			if p := recover(); p != nil { // Stdin may panic
				s.err = fmt.Errorf("internal error: %v", p)
			}
			done <- s
		}()
		s.data, s.err = openStream(name, r.Stdin)
	}()
	select {
	case s := <-done:
		return s
	case <-ctx.Done():
		return stream{err: context.Cause(ctx)}
	}
}

func openStream(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		if stdin == nil {
			return nil, errors.New("there is no standard input")
		}
		return readAll(stdin, 0)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	return readAll(f, 0)
}
