package depcheck

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

const module = "github.com/crdkit/crdkit"

const (
	apiextensions         = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsInternal = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsHelpers  = "k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apimachinery          = "k8s.io/apimachinery/pkg/"
	apimachineryErrors    = "k8s.io/apimachinery/pkg/util/errors"
	equality              = "k8s.io/apimachinery/pkg/api/equality"
	field                 = "k8s.io/apimachinery/pkg/util/validation/field"
	utiljson              = "k8s.io/apimachinery/pkg/util/json"
	strfmt                = "k8s.io/kube-openapi/pkg/validation/strfmt"
	sigsJSON              = "sigs.k8s.io/json"
	sigsYAML              = "sigs.k8s.io/yaml"
	celGo                 = "github.com/google/cel-go/"
	apiserverCEL          = "k8s.io/apiserver/pkg/cel" // without the packages below it; see unreachable
	jsonPatch             = "gopkg.in/evanphx/json-patch.v4"
	jsonPath              = "k8s.io/client-go/util/jsonpath"
	jsonPathValues        = "k8s.io/client-go/third_party/forked/golang/template" // compares values in filters
)

// A rule lists what a package may import in addition to the standard library. A
// package that is not a leaf may also import packages below internal. A name
// that ends in a slash allows everything below it.
type rule struct {
	ours   []string // packages of this module, relative to it; "." is the root
	others []string // packages of other modules
	leaf   bool     // may not import packages below internal
}

var engines = []string{"schema", "pruning", "defaulting", "validation", "validation/cel", "conversion", "versionsort"}

// rules has an entry for each package outside internal. The test fails for an
// entry without a package, and for a package without an entry.
var rules = map[string]rule{
	".": {
		ours:   engines,
		others: []string{apiextensions, apimachinery},
	},
	"definition": {
		ours: []string{"schema", "pruning", "validation", "validation/cel"},
		// The server stores the result of conversions between its types. The helpers need
		// nothing but the types of v1.
		others: []string{apiextensions, apiextensionsInternal, apiextensionsHelpers, apimachinery, sigsJSON, sigsYAML},
	},
	"migration": {
		ours:   []string{".", "definition", "schema", "versionsort"},
		others: []string{apiextensions, apimachinery},
	},
	"explanation": {
		ours:   []string{".", "schema", "validation"},
		others: []string{apiextensions, apimachinery, apiserverCEL},
	},
	"compat": {
		ours:   []string{".", "conversion", "definition", "schema", "validation"},
		others: []string{apiextensions, apimachinery},
	},
	"crdtest": {
		ours:   []string{".", "definition", "explanation", "patch", "schema", "validation", "validation/cel"},
		others: []string{apiextensions, apimachinery, sigsYAML, "github.com/google/go-cmp/cmp"},
	},
	// Merges with the field manager of the server, over typed schemas from OpenAPI.
	"apply": {
		ours: []string{".", "defaulting", "patch", "schema", "serving/openapi", "serving/scale"},
		others: []string{
			apiextensions, apimachinery, "k8s.io/api/autoscaling/v1", "k8s.io/kube-openapi/pkg/validation/spec",
			"sigs.k8s.io/structured-merge-diff/v6/", csaUpgrade,
		},
	},
	"patch":      {ours: []string{"."}, others: []string{apimachinery}},
	"schema":     {others: []string{apiextensions, field, utiljson}},
	"pruning":    {ours: []string{"schema"}},
	"defaulting": {ours: []string{"schema"}},
	"validation": {ours: []string{"schema"}, others: []string{field, apimachineryErrors}},
	"validation/cel": {
		ours:   []string{"schema", "validation"},
		others: []string{apiextensions, field, celGo, apiserverCEL},
	},
	"conversion": {others: []string{apiextensions, apimachinery}},
	"conversion/conversiontest": {
		ours:   []string{".", "conversion", "defaulting", "pruning", "schema"},
		others: []string{apiextensions, apimachinery},
	},
	"versionsort":       {leaf: true},
	"serving/discovery": {ours: []string{"versionsort"}, others: []string{apiextensions, apimachinery}},
	// Not k8s.io/kube-openapi: its types link gnostic, protobuf and go-openapi.
	"serving/openapi":    {ours: []string{"schema"}, others: []string{apiextensions, utiljson}},
	"serving/scale":      {others: []string{apiextensions, apimachinery, "k8s.io/api/autoscaling/v1"}},
	"serving/table":      {others: []string{apiextensions, apimachinery}},
	"serving/jsonschema": {ours: []string{"schema"}, others: []string{apiextensions}},
	"serving/selection":  {others: []string{apiextensions, apimachinery}},
	"cmd/crdkit": {
		ours:   append([]string{".", "apply", "compat", "definition", "explanation", "migration", "serving/jsonschema", "serving/openapi", "serving/selection", "serving/table"}, engines...),
		others: []string{apiextensions, apimachinery, sigsYAML, "github.com/spf13/cobra"},
	},
}

// internalRule is the rule of packages below internal. They serve the engines
// and import none of them.
var internalRule = rule{
	ours:   []string{"schema"},
	others: []string{apiextensions, apimachinery, strfmt, sigsJSON},
}

// internalRules are the exceptions to internalRule.
var internalRules = map[string]rule{
	"internal/value/pattern": {leaf: true},
	// The schema tree of a version has pruned defaults.
	"internal/crdversion":    {ours: []string{"schema", "pruning"}, others: []string{apiextensions, apimachinery}},
	"internal/text/jsonscan": {},
	// Types of a server, which depend on nothing of this module.
	"internal/review/v1beta1": {leaf: true, others: []string{apiextensions, apimachinery}},
	"internal/value/jsonval":  {},
	"internal/heapsize":       {leaf: true},
	// Decodes the field sets of managers with the library of the server.
	"internal/metadata/objectmeta": {ours: []string{"schema"}, others: []string{apimachinery, sigsJSON, "sigs.k8s.io/structured-merge-diff/v6/fieldpath"}},
	"internal/metadata/objectname": {leaf: true},
	"internal/failure/errorlimit":  {others: []string{field}},
	"internal/failure/errorlist":   {leaf: true, others: []string{apimachinery}},
	"internal/value/format":        {others: []string{strfmt}},
	"internal/path/crdpath":        {ours: []string{"schema"}, others: []string{apiextensions, field, apimachinery}},
	// A package of its own, because only programs that evaluate JSON paths link
	// client-go.
	"internal/path/crdpath/jsonpath": {leaf: true, others: []string{jsonPath, jsonPathValues}},
	"internal/cel/cellib": {
		leaf:   true,
		ours:   []string{"internal/metadata/objectname"},
		others: []string{celGo, apiserverCEL, apimachinery, strfmt, "github.com/blang/semver/v4"},
	},
	// yaml/v3 reports positions; sigsYAML uses yaml/v2, which thus costs nothing more.
	"internal/text/document": {others: []string{apiextensions, apimachinery + "apis/meta/v1", sigsJSON, "go.yaml.in/yaml/v2", "go.yaml.in/yaml/v3"}},
	"internal/text/manifest": {others: []string{apimachinery, sigsYAML}},
	"internal/cel/celsyntax": {leaf: true, others: []string{celGo}},
	"internal/cel/celcond":   {ours: []string{"schema"}, others: []string{celGo, apiserverCEL, apiextensions}},
	"internal/cel/celtypes":  {ours: []string{"schema"}, others: []string{celGo, apiserverCEL}},
	"internal/cel/celvalue":  {ours: []string{"schema"}, others: []string{celGo, apiserverCEL, equality, strfmt}},
	"internal/cel/celeval": {
		ours: []string{"schema"},
		// Types of the values that functions take and return without boxing.
		others: []string{celGo, apiserverCEL, "k8s.io/apimachinery/pkg/api/resource", "github.com/blang/semver/v4"},
	},
	"internal/cel/celtrace": {ours: []string{"schema"}, others: []string{celGo, apiserverCEL}},
	"internal/gittree":      {leaf: true},
	// Decodes patches with the library of the server.
	"internal/patching":       {ours: []string{"."}, others: []string{apimachinery, sigsJSON, jsonPatch}},
	"internal/names/nearname": {leaf: true},
	"internal/search": {
		ours:   []string{"schema", "validation"},
		others: []string{apiextensions, field},
	},
	"internal/coverage": {
		ours:   []string{"definition", "schema", "validation", "validation/cel"},
		others: []string{apiextensions, utiljson},
	},
	"internal/cel/celcost":     {ours: []string{"schema"}, others: []string{celGo, apiserverCEL, apiextensions, field}},
	"internal/cel/fieldaccess": {ours: []string{"schema"}, others: []string{celGo, apiserverCEL}},
	// Not go-cmp: it looks up methods by reflection, so that the linker keeps every exported
	// method of every type, 7 MB in the command.
	"internal/suite": {
		ours:   []string{".", "definition"},
		others: []string{apiextensions, apimachinery, jsonPatch, sigsJSON, sigsYAML},
	},
	"internal/test/release": {leaf: true, others: []string{"github.com/blang/semver/v4"}},
	// Only tests import it; see TestTestHelpers.
	"internal/test/testkit": {
		ours:   []string{"schema"},
		others: []string{apiextensions, apimachinery, sigsYAML, "github.com/google/go-cmp/cmp", "golang.org/x/tools/txtar"},
	},
	"internal/test/testkit/hostile": {
		ours:   append([]string{".", "compat", "definition", "migration", "serving/jsonschema", "serving/openapi", "serving/table"}, engines...),
		others: []string{apiextensions, apimachinery},
	},
	"internal/test/testkit/hostile/attack":     {},
	"internal/test/testkit/hostile/rules":      {ours: []string{"schema", "validation/cel"}, others: []string{apiextensions, apimachinery}},
	"internal/test/testkit/hostile/statements": {},
	"internal/test/testkit/generate":           {ours: []string{"schema"}, others: []string{apiextensions}},
	"internal/test/testkit/fuzz":               {others: []string{"github.com/google/go-cmp/cmp"}},
	"internal/test/testkit/enginetest": {
		ours:   []string{"schema"},
		others: []string{apiextensions, apimachinery, sigsYAML},
	},
}

// unreachable packages must not be linked, not even indirectly.
var unreachable = []string{
	"k8s.io/apiextensions-apiserver/pkg/apiserver",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1", // all of its definitions; see internal/review
	"k8s.io/apiserver/pkg/cel/environment",                          // prometheus and otel
	"k8s.io/apiserver/pkg/cel/library",                              // all of k8s.io/api/core/v1, for the values of authorization
	"github.com/prometheus/",
	"go.opentelemetry.io/",
	"google.golang.org/grpc",
	"go.etcd.io/",
	"k8s.io/component-base/",
	"testing",
}

// unused packages of the standard library must not be imported by packages of
// this module: results would be random, or the library would write logs.
var unused = []string{"math/rand", "math/rand/v2", "log", "log/slog", "expvar", "plugin"}

// seeded packages generate objects from a random source that the caller seeds.
var seeded = []string{"internal/test/testkit", "internal/test/testkit/fuzz", "internal/test/testkit/generate", "internal/search", "crdtest", "conversion/conversiontest", "internal/test/mutate", "compat"}

// clientGo may be linked only by the evaluation of JSON paths, and only these
// packages of it, which import only the standard library.
const clientGo = "k8s.io/client-go/"

// csaUpgrade migrates what client-side apply has managed. It imports apimachinery and
// structured-merge-diff only.
const csaUpgrade = clientGo + "util/csaupgrade"

var applyUsers = []string{"apply", "cmd/crdkit"}

var pathUsers = []string{"internal/path/crdpath/jsonpath", "serving/table", "serving/selection", "cmd/crdkit"}

type goPackage struct {
	ImportPath   string
	Standard     bool
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

// list runs go list on the packages of this module. It needs no network,
// because building this test has downloaded all modules.
func list(t *testing.T) map[string]goPackage {
	t.Helper()
	testkit.DependOnSources(t)
	cmd := exec.Command("go", "list", "-json=ImportPath,Standard,Imports,TestImports,XTestImports,Deps", "./...")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr(err))
	}
	packages := map[string]goPackage{}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("decoding the output of go list: %v", err)
		}
		packages[relative(p.ImportPath)] = p
	}
}

func stderr(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(exit.Stderr)
	}
	return ""
}

// relative returns the name of a package within this module, "." for the root,
// and "" for a package of another module.
func relative(path string) string {
	if path == module {
		return "."
	}
	name, _ := strings.CutPrefix(path, module+"/")
	if name == path {
		return ""
	}
	return name
}

func TestImports(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go list; skipped with -short")
	}
	packages := list(t)
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		if _, ok := packages[name]; !ok {
			t.Errorf("package %s does not exist: remove its rule or restore it", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		r, ok := ruleFor(name)
		if !ok {
			t.Errorf("package %s has no rule: add it to the table with the packages that it may import", name)
			continue
		}
		for _, path := range packages[name].Imports {
			if !r.allows(path) {
				t.Errorf("package %s imports %s, which the table does not allow", name, path)
			}
			if slices.Contains(unused, path) && !slices.Contains(seeded, name) {
				t.Errorf("package %s imports %s, which no package may", name, path)
			}
		}
	}
}

func ruleFor(name string) (rule, bool) {
	for _, table := range []map[string]rule{rules, internalRules} {
		if r, ok := table[name]; ok {
			return r, true
		}
	}
	return internalRule, strings.HasPrefix(name, "internal/")
}

func (r rule) allows(path string) bool {
	if ours := relative(path); ours != "" {
		return slices.Contains(r.ours, ours) || !r.leaf && strings.HasPrefix(ours, "internal/")
	}
	return standard(path) || slices.ContainsFunc(r.others, func(pattern string) bool {
		return matches(pattern, path)
	})
}

// standard reports whether path is a package of the standard library: the first
// element of any other import path has a dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// matches reports whether path is pattern or, if pattern ends in a slash, is
// below it.
func matches(pattern, path string) bool {
	return path == pattern || strings.HasSuffix(pattern, "/") && strings.HasPrefix(path, pattern)
}

func TestUnreachable(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go list; skipped with -short")
	}
	packages := list(t)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if strings.HasPrefix(name, "internal/test/") {
			continue
		}
		for _, path := range packages[name].Deps {
			if forbidden(name, path) {
				t.Errorf("package %s reaches %s", name, path)
			}
		}
	}
}

func forbidden(name, path string) bool {
	if name == "crdtest" && path == "testing" {
		return false // its functions take a testing.TB
	}
	if path == csaUpgrade {
		return !slices.Contains(applyUsers, name)
	}
	if strings.HasPrefix(path, clientGo) {
		return !slices.Contains(pathUsers, name) || path != jsonPath && path != jsonPathValues
	}
	return slices.ContainsFunc(unreachable, func(pattern string) bool {
		return path == pattern || strings.HasPrefix(path, strings.TrimSuffix(pattern, "/")+"/")
	})
}

// TestTestHelpers checks that only tests import test helpers, and that tests
// use no assertion library.
func TestTestHelpers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go list; skipped with -short")
	}
	for name, p := range list(t) {
		for _, helper := range []string{"internal/test/testkit", "internal/test/testkit/enginetest", "internal/test/testkit/fuzz", "internal/test/testkit/generate", "internal/test/testkit/hostile"} {
			if !strings.HasPrefix(name, "internal/test/testkit") && slices.Contains(p.Imports, module+"/"+helper) {
				t.Errorf("package %s imports %s outside its tests", name, helper)
			}
		}
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if strings.HasPrefix(path, "github.com/stretchr/") || strings.HasPrefix(path, "github.com/onsi/") {
				t.Errorf("the tests of package %s import %s", name, path)
			}
		}
	}
}
