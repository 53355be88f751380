package suites

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// istio runs files whose objects say in _err what their refusal contains.
func istio(t *testing.T, dir string, defs *definitions, total *tally) {
	for _, path := range glob(t, dir, "istio-api/*.yaml") {
		for i, doc := range documents(t, path) {
			obj, err := object(doc)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := obj.Object["_err"].(string)
			delete(obj.Object, "_err")
			_, err = create(defs.find(t, obj), obj)
			total.judge(t, fmt.Sprintf("istio-api/%s: %d %s", filepath.Base(path), i, obj.GetName()), compareVerdict(err, want))
		}
	}
}

// snapshotter runs X.yaml with X.yaml.err, and X.pre.yaml with X.post.yaml and
// X.post.yaml.tx_err.
func snapshotter(t *testing.T, dir string, defs *definitions, total *tally) {
	for _, path := range glob(t, dir, "external-snapshotter/*/*.yaml") {
		name := strings.TrimPrefix(path, dir+string(filepath.Separator))
		base, isPost := strings.CutSuffix(path, ".post.yaml")
		if strings.HasSuffix(path, ".pre.yaml") {
			continue
		}
		obj, err := object(read(t, path))
		if err != nil {
			t.Fatal(err)
		}
		def := defs.find(t, obj)
		if !isPost {
			_, err := create(def, obj)
			total.judge(t, name, compareVerdict(err, readIfThere(path+".err")))
			continue
		}
		before, err := object(read(t, base+".pre.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		stored, err := create(def, before)
		if err != nil {
			total.judge(t, name, fmt.Sprintf("creating the first object: %v", err))
			continue
		}
		_, err = update(def, obj, stored, false)
		total.judge(t, name, compareVerdict(err, readIfThere(path+".tx_err")))
	}
}

// gateway runs objects all of which are refused.
func gateway(t *testing.T, dir string, defs *definitions, total *tally) {
	for _, path := range glob(t, dir, "gateway-api-invalid/*/*.yaml", "gateway-api-invalid/*/*/*.yaml") {
		for i, doc := range documents(t, path) {
			obj, err := object(doc)
			if err != nil {
				t.Fatal(err)
			}
			problem := ""
			if _, err := create(defs.find(t, obj), obj); err == nil {
				problem = "admitted"
			}
			total.judge(t, fmt.Sprintf("%s: %d %s", strings.TrimPrefix(path, dir), i, obj.GetName()), problem)
		}
	}
}

func glob(t *testing.T, dir string, patterns ...string) []string {
	t.Helper()
	var paths []string
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, p))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	return paths
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// readIfThere returns "" if there is no such file.
func readIfThere(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
