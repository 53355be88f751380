package crdtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/crdtest"
)

func TestMutations(t *testing.T) {
	s := load(t)
	crdtest.Mutations(t, s, newCronTab(),
		crdtest.Put("/spec/replicas", 100),
		crdtest.Put("/spec/replicas", 101).Wants(crdtest.Refused("spec.replicas", "less than or equal to 100")),
		crdtest.Put("/spec/replicas", 0).Put("/spec/suspend", true),
		crdtest.Put("/spec/suspend", true).Named("suspended").Wants(crdtest.RefusedBy("!self.suspend || self.replicas == 0")),
		crdtest.Delete("/spec/image").Wants(crdtest.Errors("spec.image: Required value")),
		crdtest.Delete("/spec/history/failed"),
		crdtest.Append("/spec/hosts", "a").Append("/spec/hosts", "a").Wants(crdtest.Refused("spec.hosts[1]", "Duplicate value")),
		crdtest.Put("/spec/env", []map[string]string{{"name": "A"}}).Put("/spec/env/0/name", "1").Wants(crdtest.Refused("spec.env[0].name", "should match")),
		crdtest.Put("/metadata/name", "b").OnUpdate().Wants(crdtest.Refused("", "does not match the name on the URL (a)")),
		crdtest.Put("/metadata/labels/a", "b").OnUpdate(),
		crdtest.Put("/status/replicas", "x").OnStatusUpdate().Wants(crdtest.Refused("status.replicas", "integer")),
		crdtest.Put("/spec/replicas", -1).OnStatusUpdate(),
	)
}

func TestMutationReports(t *testing.T) {
	for _, tt := range []struct {
		name     string
		mutation crdtest.Mutation
		want     string
	}{
		{"unmet", crdtest.Put("/spec/replicas", 3).Wants(crdtest.Refused("spec.replicas", "")), `create CronTab "a": admitted
  unmet: an error at spec.replicas with ""`},
		{"nothing to delete", crdtest.Delete("/spec/hosts"), "crdtest: delete /spec/hosts: there is no such value\n(the test ends)"},
		{"nothing to delete in", crdtest.Delete("/spec/a/b"), "crdtest: delete /spec/a/b: there is no such value\n(the test ends)"},
		{"no element", crdtest.Put("/spec/hosts", []string{"a"}).Put("/spec/hosts/1", "b"), "crdtest: put /spec/hosts/1: the list has no element \"1\"\n(the test ends)"},
		{"in a scalar", crdtest.Put("/spec/image/a", 1), "crdtest: put /spec/image/a: the value around it is neither an object nor a list\n(the test ends)"},
		{"append to a scalar", crdtest.Append("/spec/image", 1), "crdtest: append /spec/image: it is not a list\n(the test ends)"},
		{"no pointer", crdtest.Put("spec", 1), "crdtest: \"spec\" is not a JSON pointer to a part of an object\n(the test ends)"},
		{"no JSON", crdtest.Put("/spec", func() {}), "crdtest: json: unsupported type: func()\n(the test ends)"},
		{"no edits", crdtest.Mutation{}, "crdtest: the mutation has no edits\n(the test ends)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := record(func(t testing.TB) { crdtest.Mutations(t, load(t), newCronTab(), tt.mutation) })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGolden compares the samples in testdata/golden. CRDTEST_UPDATE=1 writes them.
func TestGolden(t *testing.T) { crdtest.Golden(t, load(t), "testdata/golden") }

func TestGoldenReports(t *testing.T) {
	dir := t.TempDir()
	golden := func() string { return record(func(t testing.TB) { crdtest.Golden(t, load(t), dir) }) }
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(part string) {
		t.Helper()
		if got := golden(); !strings.Contains(got, part) || part == "" && got != "" {
			t.Errorf("got %q, want %q", got, part)
		}
	}
	write("other.yaml", "apiVersion: v1\nkind: Pod\n")
	expect("no object of the set in " + dir)
	write("a.yaml", validText)
	expect("there is no " + filepath.Join(dir, "a.yaml.golden") + ": write it with CRDTEST_UPDATE=1")
	t.Setenv(crdtest.UpdateVariable, "1")
	expect("")
	t.Setenv(crdtest.UpdateVariable, "")
	expect("")
	write("a.yaml", strings.Replace(validText, "image: i", "image: j", 1))
	expect("a.yaml.golden is not what the server answers")
	write("b.yaml.golden", "")
	expect("b.yaml.golden has no sample")
	write("broken.yaml", "a: [")
	expect("broken.yaml")
}
