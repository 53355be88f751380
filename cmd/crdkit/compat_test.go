package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// unpack writes the files of a case of testdata into a new working directory.
func unpack(t *testing.T, name string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, f := range archive.Files {
		putFile(t, f.Name, f.Data)
	}
}

func putFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestCompatShards checks that the merged report of all shards is the report without
// shards, whatever the order in which the shards are given.
func TestCompatShards(t *testing.T) {
	unpack(t, "compat_objects")
	for i := range 7 {
		putFile(t, fmt.Sprintf("export/deep.%d/x.yaml", i), []byte("{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {mode: fast}}"))
	}
	base := []string{"compat", "--old", "old.yaml", "--new", "new.yaml", "--objects", "export", "-R"}
	for _, format := range []string{"json", "text", "markdown", "github", "sarif"} {
		wantCode, want, _ := runIn(t, append(base, "-o", format)...)
		args := []string{"compat", "-o", format, "--merge"}
		for _, i := range []int{2, 0, 1} {
			name := fmt.Sprintf("shard%d.json", i)
			_, out, _ := runIn(t, append(base, "-o", "json", "--shard", fmt.Sprintf("%d/3", i))...)
			putFile(t, name, []byte(out))
			args = append(args, name)
		}
		code, got, _ := runIn(t, args...)
		if code != wantCode {
			t.Errorf("%s: exit code %d, want %d", format, code, wantCode)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-all +merged):\n%s", format, diff)
		}
	}
}

// TestCompatWitnesses gives the witnesses of reports to crdkit admit. The old definition
// must admit each witness. The new one must refuse it if the report says so.
func TestCompatWitnesses(t *testing.T) {
	for _, name := range []string{"compat", "compat_list", "compat_update"} {
		t.Run(name, func(t *testing.T) {
			unpack(t, name)
			_, out, _ := runIn(t, "compat", "--old", "old.yaml", "--new", "new.yaml", "-o", "json")
			var report compatReport
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatal(err)
			}
			found := 0
			var findings []compat.Finding
			for _, f := range report.Findings {
				findings = append(findings, f.Finding)
			}
			for _, f := range compat.Split(findings) {
				if f.Witness == nil {
					continue
				}
				found++
				args := witnessArguments(t, f.Witness)
				if code, out, _ := runIn(t, append([]string{"admit", "-c", "old.yaml"}, args...)...); code != exitOK {
					t.Errorf("%s, %s: the old definition: exit code %d\n%s", f.Role, f.Code, code, out)
				}
				want := exitOK
				if strings.Contains(f.New, " is invalid: ") {
					want = exitRefused
				}
				if code, out, _ := runIn(t, append([]string{"admit", "-c", "new.yaml"}, args...)...); code != want && f.Role != compat.RoleStored {
					t.Errorf("%s, %s: the new definition: exit code %d\n%s", f.Role, f.Code, code, out)
				}
			}
			if found == 0 {
				t.Error("no witness")
			}
		})
	}
}

// witnessArguments writes a witness to files and returns the arguments for crdkit admit.
func witnessArguments(t *testing.T, w *compat.Witness) []string {
	t.Helper()
	putFile(t, "witness.json", testkit.Encode(w.Object))
	if w.Old == nil {
		return []string{"witness.json"}
	}
	putFile(t, "before.json", testkit.Encode(w.Old))
	return []string{"--old", "before.json", "witness.json"}
}
