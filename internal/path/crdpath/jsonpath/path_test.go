package jsonpath

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestPaths compares the values at paths with those in the table. The oracle
// compares them with client-go.
func TestPaths(t *testing.T) {
	data, err := os.ReadFile("testdata/paths.yaml")
	if err != nil {
		t.Fatal(err)
	}
	table, err := testkit.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	obj := table["object"].(map[string]any)
	for _, row := range table["paths"].([]any) {
		row := row.(map[string]any)
		text := row["path"].(string)
		t.Run(text, func(t *testing.T) {
			p, err := Parse("test", text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Find(obj)
			first, found := p.First(obj)
			if want := len(got) > 0 && len(got[0]) > 0; found != want || found && !cmp.Equal(first, got[0][0]) {
				t.Errorf("First = %v, %v, but Find = %v", first, found, got)
			}
			if fails := row["fails"] == true; (err != nil) != fails {
				t.Fatalf("Find: %v, want a failure: %v", err, fails)
			}
			if err != nil {
				return
			}
			all := []any{}
			for _, part := range got {
				all = append(all, part)
			}
			if diff := cmp.Diff(row["want"], any(all), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Find (-want +got):\n%s", diff)
			}
		})
	}
}
