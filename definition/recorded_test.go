package definition_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/definition"
)

// TestRecordedDefinitions compares the reports of Check with those of
// kube-apiserver, which are recorded at the top of the definitions in
// testdata/nonstructural. Check accepts all other definitions in testdata, as
// the server does.
func TestRecordedDefinitions(t *testing.T) {
	for _, pattern := range []string{"../testdata/nonstructural/*.yaml", "../testdata/*/crd.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("found %d definitions in %s: %v", len(files), pattern, err)
		}
		for _, file := range files {
			t.Run(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), func(t *testing.T) { testRecordedDefinition(t, file) })
		}
	}
}

func testRecordedDefinition(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	crd, err := definition.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var recorded, got []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "# error: ") {
			recorded = append(recorded, withoutPart(strings.TrimSuffix(line, "\n")))
		}
	}
	for _, err := range definition.Check(crd).Errors {
		got = append(got, withoutPart("# error: "+err.Error()))
	}
	slices.Sort(got)
	got = slices.Compact(got)
	if diff := cmp.Diff(recorded, got); diff != "" {
		t.Errorf("errors mismatch (-recorded +got):\n%s", diff)
	}
	if refused := strings.Contains(file, "nonstructural"); refused != (len(recorded) > 0) {
		t.Errorf("%d errors are recorded", len(recorded))
	}
}

// withoutPart removes the invalid value from an error text if that is an object
// or a list of objects. The server prints such values in its internal form,
// Check as they were given.
func withoutPart(text string) string {
	before, value, found := strings.Cut(text, "Invalid value: ")
	if !found || !strings.HasPrefix(strings.TrimLeft(value, "["), `{"`) {
		return text
	}
	d := json.NewDecoder(strings.NewReader(value))
	var part any
	if err := d.Decode(&part); err != nil {
		return text
	}
	return before + "Invalid value: ..." + value[d.InputOffset():]
}
