package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// helper is the file that each rewritten package gets. A mutant that runs for
// the first time is written to the file that CRDKIT_MUTANT_TRACE names.
const helper = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantActive, _ = strconv.Atoi(os.Getenv("CRDKIT_MUTANT"))
	mutantTrace     = os.Getenv("CRDKIT_MUTANT_TRACE")
	mutantTraced    [%d]atomic.Bool
)

func mutantIs(id int) bool {
	if mutantTrace != "" {
		mutantRecord(id)
	}
	return id == mutantActive
}

func mutantRecord(id int) {
	if mutantTraced[id].Swap(true) {
		return
	}
	f, err := os.OpenFile(mutantTrace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strconv.Itoa(id) + "\n"); err != nil {
		panic(err)
	}
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantAdd[T mutantNumber](id int, x, y T) T {
	if mutantIs(id) {
		return x - y
	}
	return x + y
}

func mutantSubtract[T mutantNumber](id int, x, y T) T {
	if mutantIs(id) {
		return x + y
	}
	return x - y
}

func mutantShift[T mutantNumber](id, step int, x T) T {
	if mutantIs(id) {
		return x + T(step)
	}
	return x
}
`

// writeOverlay rewrites the files of the chosen mutants into dir and returns the
// path of a file for go build -overlay. The sources themselves stay as they
// are.
func writeOverlay(dir string, chosen []*mutant) (string, error) {
	replace := make(map[string]string)
	write := func(path string, text []byte) error {
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d_%s", len(replace), filepath.Base(path)))
		return os.WriteFile(replace[path], text, 0o600)
	}
	byFile := make(map[*source][]*mutant)
	for _, m := range chosen {
		byFile[m.file] = append(byFile[m.file], m)
		path := filepath.Join(m.pkg.dir, "mutant_helper.go")
		if replace[path] != "" {
			continue
		}
		if err := write(path, fmt.Appendf(nil, helper, m.pkg.types.Name(), len(chosen)+1)); err != nil {
			return "", err
		}
	}
	for file, mutants := range byFile {
		if err := write(file.path, rewrite(file.text, mutants)); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}

// rewrite builds the mutants into text, the outer ones around the inner ones.
func rewrite(text []byte, mutants []*mutant) []byte {
	sorted := slices.SortedFunc(slices.Values(mutants), func(a, b *mutant) int {
		return cmp.Or(a.start-b.start, b.end-a.end, a.id-b.id)
	})
	var render func(start, end, from int) string
	render = func(start, end, from int) string {
		var out bytes.Buffer
		at := start
		for i := from; i < len(sorted); i++ {
			m := sorted[i]
			if m.start < at || m.end > end {
				continue
			}
			out.Write(text[at:m.start])
			out.WriteString(m.rewrite(m.id, func(start, end int) string { return render(start, end, i+1) }))
			at = m.end
		}
		out.Write(text[at:end])
		return out.String()
	}
	return []byte(render(0, len(text), 0))
}
