package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockTimeout is how long a process waits for others that write the same record.
const lockTimeout = 30 * time.Second

// Save adds the record to that in a file. It writes three files: those with the extension
// of the name replaced by .json, .txt and .html.
func (r *Recorder) Save(file string) error {
	base := strings.TrimSuffix(file, filepath.Ext(file))
	unlock, err := lock(base + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	profile, err := Read(base + ".json")
	if err != nil {
		return err
	}
	profile.Merge(r.Profile())
	var record, text, page bytes.Buffer
	if err := errors.Join(profile.WriteJSON(&record), profile.WriteText(&text), profile.WriteHTML(&page)); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(base+".json", record.Bytes(), 0o644),
		os.WriteFile(base+".txt", text.Bytes(), 0o644),
		os.WriteFile(base+".html", page.Bytes(), 0o644),
	)
}

// lock creates a file that no other process has, and returns what removes it.
func lock(name string) (unlock func(), err error) {
	for deadline := time.Now().Add(lockTimeout); ; {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL, 0o644)
		switch {
		case err == nil:
			f.Close()
			return func() { os.Remove(name) }, nil
		case !errors.Is(err, os.ErrExist):
			return nil, err
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%s exists: another run writes the record, or was ended while it did; then remove it", name)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
