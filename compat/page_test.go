package compat_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

const page = "../docs/compat-codes.md"

// TestPage checks that the tables of docs/compat-codes.md have every code, and every row of
// testdata/checks.yaml. With -update it writes them.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	rows := documentedChecks(t)
	got := string(text)
	for name, table := range map[string]string{
		"codes": codeTable(rows, false), "conventions": codeTable(rows, true), "checks": checkTable(rows),
	} {
		section := regexp.MustCompile("(?s)(<!-- " + name + "[^\n]*-->\n).*?(<!-- end -->)")
		if !section.MatchString(got) {
			t.Fatalf("no section %s", name)
		}
		got = section.ReplaceAllStringFunc(got, func(s string) string {
			parts := section.FindStringSubmatch(s)
			return parts[1] + table + parts[2]
		})
	}
	if testkit.Update() {
		if err := os.WriteFile(page, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(got, string(text)); diff != "" {
		t.Errorf("%s is not current; run go test ./compat -run TestPage -update (-want +page):\n%s", page, diff)
	}
}

// codeTable returns a table of the codes with the roles and severities that the rows have
// for them.
func codeTable(rows []documentedCheck, conventions bool) string {
	found := map[compat.Code]map[string]bool{}
	for i := range rows {
		for _, want := range rows[i].Want {
			fields := strings.Fields(want)
			code := compat.Code(fields[0])
			if found[code] == nil {
				found[code] = map[string]bool{}
			}
			found[code][fields[1]+": "+fields[2]] = true
		}
	}
	var b strings.Builder
	b.WriteString("\n| code | role: severity | says |\n|---|---|---|\n")
	for _, code := range compat.Codes() {
		if strings.HasPrefix(string(code), "new") == conventions {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", code, strings.Join(slices.Sorted(maps.Keys(found[code])), ", "), code.Description())
		}
	}
	return b.String() + "\n"
}

// checkTable returns a table of the checks of other tools.
func checkTable(rows []documentedCheck) string {
	var b strings.Builder
	b.WriteString("\n| tool | check | change | crdkit: code (role, severity) | witness |\n|---|---|---|---|---|\n")
	for _, row := range rows {
		if row.Tool == "crdkit" {
			continue
		}
		var found []string
		witness := ""
		for _, want := range row.Want {
			fields := strings.Fields(want)
			found = append(found, fmt.Sprintf("`%s` (%s, %s)", fields[0], fields[1], fields[2]))
			if len(fields) > 3 {
				witness = "yes"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.Tool, row.Check, row.Change, strings.Join(found, ", "), witness)
	}
	return b.String() + "\n"
}
