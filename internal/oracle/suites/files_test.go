package suites

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// istio runs the files of Istio. The member _err of an object is a part of its
// expected refusal.
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

// snapshotter runs the files of the external snapshotter. X.yaml.err has the
// expected refusal of X.yaml. X.post.yaml updates X.pre.yaml, and
// X.post.yaml.tx_err has the expected refusal of the update.
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
			total.judge(t, name, compareVerdict(err, readOptional(path+".err")))
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
		total.judge(t, name, compareVerdict(err, readOptional(path+".tx_err")))
	}
}

// gateway runs the files of the Gateway API. All of their objects must be
// refused.
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

// readOptional returns "" if the file does not exist.
func readOptional(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
