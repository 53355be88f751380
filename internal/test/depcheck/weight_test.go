//go:build weight

package depcheck

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// budgets are upper bounds for each program in testdata, and for the command. A megabyte is 10^6
// bytes. The binaries are stripped and built for linux/amd64 without cgo, so
// that their sizes are the same on every machine.
var budgets = []struct {
	program   string
	modules   int // number of modules in the build, with this one
	megabytes float64
}{
	{"versionsort", 1, 1.6},
	{"types", 19, 8}, // without this module: a lower bound for the others
	{"schema", 19, 8.2},
	{"pruning", 19, 8.2},
	{"defaulting", 19, 8.2},
	{"validation", 19, 8.9},
	{"crdkit", 30, 20.0},
	{"patch", 31, 20.1},
	{"apply", 48, 25.8},
	{"explanation", 30, 20.7},
	{"compat", 30, 21.5},
	{"crdtest", 32, 21.3},
	{"definition", 30, 18.6},
	{"migration", 30, 20.1},
	{"openapi", 19, 8.5},
	{"scale", 20, 9.5},
	{"discovery", 19, 8.1},
	{"table", 20, 8.3},
	{"selection", 20, 8.3},
	{"jsonschema", 19, 8.3},
	{theCommand, 50, 30.0},
}

// theCommand is the program whose sources are not in testdata.
const theCommand = "cmd/crdkit"

func TestWeight(t *testing.T) {
	t.Logf("%-12s %8s %6s %10s %8s", "program", "modules", "most", "megabytes", "most")
	for _, budget := range budgets {
		binary := build(t, budget.program)
		modules := linkedModules(t, binary)
		info, err := os.Stat(binary)
		if err != nil {
			t.Fatal(err)
		}
		megabytes := float64(info.Size()) / 1e6
		t.Logf("%-12s %8d %6d %10.2f %8.1f", budget.program, len(modules), budget.modules, megabytes, budget.megabytes)
		if len(modules) > budget.modules {
			t.Errorf("%s is built from %d modules, want at most %d:\n%s",
				budget.program, len(modules), budget.modules, strings.Join(modules, "\n"))
		}
		if megabytes > budget.megabytes {
			t.Errorf("%s is %.2f MB, want at most %.1f", budget.program, megabytes, budget.megabytes)
		}
	}
}

// TestEveryProgramHasABudget fails for a program without a budget.
func TestEveryProgramHasABudget(t *testing.T) {
	files, err := filepath.Glob("testdata/*.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(files)+1 != len(budgets) {
		t.Errorf("testdata has %d programs, but there are %d budgets, with the command", len(files), len(budgets))
	}
}

// build links a program of testdata, or the command, and returns the name of the binary.
func build(t *testing.T, program string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	source := filepath.Join("testdata", program+".go")
	if program == theCommand {
		source = "../../../" + theCommand
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, source)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", source, err, out)
	}
	return binary
}

// linkedModules returns the modules that the build information of a binary
// lists.
func linkedModules(t *testing.T, binary string) []string {
	t.Helper()
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	modules := []string{module}
	for _, dep := range info.Deps {
		modules = append(modules, dep.Path)
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}
