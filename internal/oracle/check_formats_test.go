package oracle

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// The tests of this file validate the SARIF and JUnit output of crdkit check and crdkit admit
// for mutants, undecided documents and the corpus.

// sarifModule has the official schema of SARIF 2.1.0, errata 01, in a constant
// of its source.
const sarifModule = "github.com/owenrumney/go-sarif/v3"

// sarifSchema returns the schema as the module cache has it.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", sarifModule).Output()
	if err != nil {
		t.Fatalf("looking for %s: %v", sarifModule, err)
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report", "v210", "sarif", "schema.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "schema" {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				text, err = strconv.Unquote(literal.Value)
			}
		}
		return true
	})
	if err != nil || text == "" {
		t.Fatalf("no schema in %s: %v", name, err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "uri-reference", Validate: uriReference})
	if err := c.AddResource("sarif.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// uriReference checks that a string has only characters that RFC 3986 admits. The schema
// uses draft 4, which does not have this format.
func uriReference(v any) error {
	s, _ := v.(string)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])):
			return fmt.Errorf("%q is not encoded at %d", s, i)
		case c == '%', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case !strings.ContainsRune("-._~:/?#[]@!$&'()*+,;=", rune(c)):
			return fmt.Errorf("%q has %q", s, c)
		}
	}
	if first, _, _ := strings.Cut(s, "/"); strings.Contains(first, ":") && !strings.HasPrefix(s, "file:///") {
		return fmt.Errorf("%q has another scheme than file", s)
	}
	return nil
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// A builtCommand is a built crdkit command, and the command line of a subcommand.
type builtCommand struct {
	binary, dir string
	args        []string
}

// awkwardNames are formats of file names with characters that URIs and XML escape.
var awkwardNames = []string{"plain%d.json", "a b%d.json", "ü#%d.json", "100%%?%d.json", "x:%d.json", "<&\"'>%d.json"}

func newCommand(t *testing.T, args ...string) *builtCommand {
	t.Helper()
	c := &builtCommand{binary: filepath.Join(t.TempDir(), "crdkit"), dir: t.TempDir(), args: args}
	build := exec.Command("go", "build", "-o", c.binary, "./cmd/crdkit")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

// write writes a file of the directory in which the command runs.
func (c *builtCommand) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func newCheckCommand(t *testing.T) *builtCommand {
	t.Helper()
	c := newCommand(t, "check", "-R", ".")
	for i, text := range brokenDefinitions(t) {
		c.write(t, fmt.Sprintf(awkwardNames[i%len(awkwardNames)], i), text)
	}
	if dir, ok := testkit.CorpusDir(); ok && !testing.Short() {
		c.args = append(c.args, filepath.Join(dir, "crds"))
	}
	return c
}

// brokenDefinitions returns mutants, and texts that are no definitions.
func brokenDefinitions(t *testing.T) []string {
	t.Helper()
	out := []string{"{", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"\u0007<&]]>"},"spek":1}`, ""}
	small, fields := bases(t), definitionFields()
	tally := &definitionTally{fields: map[string]int{}}
	for i := range 300 {
		rng := seeded("formats", i)
		m := &definitionMutator{t: t, rng: rng, donor: reflect.ValueOf(small[0]).Elem()}
		if crd := m.mutant(tally, small[i%len(small)], fields, rng.IntN(len(fields))); crd != nil {
			crd.APIVersion, crd.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
			out = append(out, inJSON(crd))
		}
	}
	return out
}

func (c *builtCommand) run(t *testing.T, output string) []byte {
	t.Helper()
	cmd := exec.Command(c.binary, append(slices.Clone(c.args), "-o", output)...)
	cmd.Dir = c.dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		return out // some documents are undecided
	}
	t.Fatalf("crdkit %s -o %s ends with %v", c.args[0], output, err)
	return nil
}

func TestCheckFormats(t *testing.T) {
	c := newCheckCommand(t)
	t.Run("sarif", func(t *testing.T) {
		checkSARIF(t, "check", c.run(t, "sarif"), "FieldValueInvalid", "FieldValueRequired", "ServerWarning", "Undecided", string(definition.DefaultForNullOnly))
	})
	t.Run("junit", func(t *testing.T) { checkJUnit(t, "check", c.run(t, "junit"), "failure", "error", "system-out") })
}

// checkSARIF validates the output of a command by the schema, and checks that it has results
// with some codes.
func checkSARIF(t *testing.T, command string, out []byte, want ...string) {
	t.Helper()
	schema := sarifSchema(t)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("SARIF against its schema: %#v", err)
	}
	report, err := sarif.FromBytes(out)
	if err != nil {
		t.Fatalf("another reader of SARIF: %v", err)
	}
	codes := map[string]int{}
	for _, r := range report.Runs[0].Results {
		codes[*r.RuleID]++
	}
	for _, code := range want {
		if codes[code] == 0 {
			t.Errorf("no result is a %s: %v", code, codes)
		}
	}
	for good, bad := range map[string]string{`"startLine": `: `"startLine": -`, `"uri": "`: `"uri": "a b`, `"level": "`: `"level": "x`} {
		if document, err = jsonschema.UnmarshalJSON(bytes.NewReader(bytes.Replace(out, []byte(good), []byte(bad), 1))); err != nil {
			t.Fatal(err)
		}
		if schema.Validate(document) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
	fmt.Printf("oracle: crdkit %s -o sarif: %d results of %d rules, %d bytes, valid by the schema of SARIF 2.1.0\n",
		command, len(report.Runs[0].Results), len(codes), len(out))
}

// TestAdmitFormats does the same for objects: mutants of the objects in testdata, texts that
// are no objects, and the samples of the corpus.
func TestAdmitFormats(t *testing.T) {
	c := newCommand(t, "admit", "-R", "--unknown-kinds=warn", "-c", filepath.Join(t.TempDir(), "crd.yaml"), ".")
	crd, err := os.ReadFile(filepath.Join("..", "..", "testdata", "crontab", "crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.args[4], crd, 0o666); err != nil {
		t.Fatal(err)
	}
	for i, text := range brokenObjects(t) {
		c.write(t, fmt.Sprintf(awkwardNames[i%len(awkwardNames)], i), text)
	}
	if dir, ok := testkit.CorpusDir(); ok && !testing.Short() {
		c.args = append(c.args, "-c", filepath.Join(dir, "crds"), filepath.Join(dir, "samples"))
	}
	t.Run("sarif", func(t *testing.T) {
		checkSARIF(t, "admit", c.run(t, "sarif"), "FieldValueInvalid", "FieldValueRequired", "FieldValueTypeInvalid", "UnknownField", "DuplicateField", "Undecided")
	})
	t.Run("junit", func(t *testing.T) { checkJUnit(t, "admit", c.run(t, "junit"), "failure", "error") })
}

// brokenObjects returns mutants of an object, and texts that are no objects.
func brokenObjects(t *testing.T) []string {
	t.Helper()
	sample, err := os.ReadFile(filepath.Join("..", "..", "testdata", "crontab", "object.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	obj, err := testkit.Decode(sample)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{"{", `{"apiVersion":"v1"}`, `{"apiVersion":"jobs.example.org/v9","kind":"CronTab","metadata":{"name":"<&\u0007]]>"}}`}
	for i := range 300 {
		rng := seeded("admit formats", i)
		mutant := testkit.Clone(obj)
		for range 1 + i%3 {
			mutant = testkit.Mutate(rng, mutant)
		}
		mutant["apiVersion"], mutant["kind"] = obj["apiVersion"], obj["kind"]
		text := string(testkit.Encode(mutant))
		if i%10 == 0 {
			text = `{"spec":null,` + text[1:]
		}
		if i%7 == 0 {
			text = `{"<&\u2028\"'>":1,` + text[1:]
		}
		out = append(out, text)
	}
	return out
}

// A junitElement says what an element of JUnit's XML may have, as the strictest
// description in use says it, junit-10.xsd of the xUnit plugin of Jenkins:
// https://github.com/jenkinsci/xunit-plugin/tree/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd.
type junitElement struct {
	required, optional []string // attributes
	children           []string
	text               bool
}

var junitElements = map[string]junitElement{
	"testsuites": {optional: []string{"name", "time", "tests", "failures", "errors"}, children: []string{"testsuite"}},
	"testsuite": {
		required: []string{"name", "tests", "failures", "errors"},
		optional: []string{"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
		children: []string{"testsuite", "properties", "testcase", "system-out", "system-err"},
	},
	"testcase": {
		required: []string{"name"},
		// The last two are not in that description. GitLab shows the file, and
		// others the line.
		optional: []string{"time", "classname", "group", "file", "line"},
		children: []string{"skipped", "error", "failure", "system-out", "system-err"},
	},
	"failure":    {optional: []string{"type", "message"}, text: true},
	"error":      {optional: []string{"type", "message"}, text: true},
	"system-out": {text: true},
}

// checkJUnit checks the elements of the output of a command, and that some elements occur.
func checkJUnit(t *testing.T, command string, out []byte, want ...string) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(out))
	var open []string
	counts := map[string]int{}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			counts[token.Name.Local]++
			parent := ""
			if len(open) > 0 {
				parent = open[len(open)-1]
			}
			if err := junitStart(token, parent); err != nil {
				t.Error(err)
			}
			open = append(open, token.Name.Local)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 && !junitElements[open[len(open)-1]].text && len(bytes.TrimSpace(token)) > 0 {
				t.Errorf("%s has the text %q", open[len(open)-1], token)
			}
		}
	}
	for _, name := range want {
		if counts[name] == 0 {
			t.Errorf("no element is a %s: %v", name, counts)
		}
	}
	if junitStart(xml.StartElement{Name: xml.Name{Local: "testcase"}}, "testsuite") == nil {
		t.Error("a case without a name is taken")
	}
	fmt.Printf("oracle: crdkit %s -o junit: %v, %d bytes\n", command, counts, len(out))
}

func junitStart(e xml.StartElement, parent string) error {
	name := e.Name.Local
	rule, ok := junitElements[name]
	switch {
	case !ok:
		return fmt.Errorf("there is no element %s", name)
	case parent == "" && name != "testsuites", parent != "" && !slices.Contains(junitElements[parent].children, name):
		return fmt.Errorf("%s is in %q", name, parent)
	}
	var has []string
	for _, a := range e.Attr {
		has = append(has, a.Name.Local)
		if !slices.Contains(rule.required, a.Name.Local) && !slices.Contains(rule.optional, a.Name.Local) {
			return fmt.Errorf("%s has the attribute %s", name, a.Name.Local)
		}
		if slices.Contains([]string{"tests", "failures", "errors", "skipped", "line"}, a.Name.Local) {
			if _, err := strconv.ParseUint(a.Value, 10, 31); err != nil {
				return fmt.Errorf("%s of %s: %w", a.Name.Local, name, err)
			}
		}
	}
	for _, want := range rule.required {
		if !slices.Contains(has, want) {
			return fmt.Errorf("%s has no attribute %s", name, want)
		}
	}
	return nil
}
