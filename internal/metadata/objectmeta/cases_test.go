package objectmeta

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// The files in testdata/coerce have these sections. Options are drop and
// repair; route is how the metadata is written again.
var coerceSections = []string{"options", "object", "route", "coerced", "unknown", "error"}

func TestCoerce(t *testing.T) {
	testkit.RunTxtar(t, "testdata/coerce/*.txtar", coerceSections, func(t *testing.T, c *testkit.Case) {
		for _, copied := range []bool{false, true} {
			obj := object(t, c, "object")
			if !copied {
				c.Want(t, "route", route(obj))
			}
			o := Options{DropInvalid: hasWord(c, "drop"), ReportUnknown: true}
			meta, unknown, err := decodeMetadata(obj, o, copied)
			if err == nil {
				meta.Restore(obj)
				if hasWord(c, "repair") {
					RepairGeneration(obj)
				}
			}
			c.Want(t, "coerced", string(testkit.Encode(obj)))
			c.Want(t, "unknown", pathLines(unknown))
			c.Want(t, "error", errorText(err))
		}
	})
}

// route returns how the metadata of obj is written again.
func route(obj map[string]any) string {
	raw, found := obj["metadata"]
	if !found {
		return "none"
	}
	switch read := new(Meta); {
	case read.read(input{v: raw}) < 0:
		return "round trip"
	case read.omits:
		return "thinned"
	}
	return "same"
}

// The files in testdata/embedded have these sections. Options are drop and
// root, and path= with the path of the root. The object is coerced and then
// validated.
var embeddedSections = []string{"schema.yaml", "options", "object", "coerced", "unknown", "error", "invalid"}

func TestEmbedded(t *testing.T) {
	testkit.RunTxtar(t, "testdata/embedded/*.txtar", embeddedSections, func(t *testing.T, c *testkit.Case) {
		n := enginetest.MustCompileYAML(t, c.Section("schema.yaml"))
		e := caseResources(c, n)
		obj := object(t, c, "object")
		unknown, err := e.Coerce(obj, Options{DropInvalid: hasWord(c, "drop"), ReportUnknown: true})
		c.Want(t, "unknown", pathLines(unknown))
		if err != nil {
			c.Want(t, "error", err.Error())
			obj = object(t, c, "object")
		} else {
			c.Want(t, "coerced", string(testkit.Encode(obj)))
		}
		problems := e.Validate(obj)
		c.Want(t, "invalid", problemLines(problems))
		if e.Valid(obj) != (len(problems) == 0) {
			t.Errorf("Valid is %v with problems %v", e.Valid(obj), problems)
		}
	})
}

func caseResources(c *testkit.Case, n *schema.Node) *Embedded {
	e := &Embedded{Schema: n, IsResource: hasWord(c, "root")}
	for _, word := range strings.Fields(c.Section("options")) {
		if path, ok := strings.CutPrefix(word, "path="); ok {
			e.At = pathstack.At(field.NewPath(path))
		}
	}
	return e
}

// The files in testdata/validate have these sections. There is an update only
// if there is an old object. Fast says whether the fast checks accept the
// metadata.
var validateSections = []string{"scope", "object", "old", "fast", "create", "update", "common-create", "common-update", "create-warnings", "update-warnings"}

func TestValidate(t *testing.T) {
	testkit.RunTxtar(t, "testdata/validate/*.txtar", validateSections, func(t *testing.T, c *testkit.Case) {
		obj := object(t, c, "object")
		namespaced := strings.TrimSpace(c.Section("scope")) == "namespaced"
		fast := fmt.Sprint("create ", validCreate(obj, namespaced))
		c.Want(t, "create", problemLines(readMap(obj).Validate(nil, namespaced, nil)))
		c.Want(t, "create", problemLines(createProblems(obj, namespaced, nil)))
		c.Want(t, "common-create", problemLines(readMap(obj).ValidateCommon(nil, namespaced, nil)))
		c.Want(t, "create-warnings", strings.Join(finalizerWarningsOf(obj, nil), "\n"))
		if c.Has("old") {
			old := object(t, c, "old")
			fast += fmt.Sprint(" update ", validUpdate(obj, old, namespaced))
			c.Want(t, "update", problemLines(readMap(obj).Validate(readMap(old), namespaced, nil)))
			c.Want(t, "update", problemLines(updateProblems(obj, old, namespaced, nil)))
			c.Want(t, "common-update", problemLines(readMap(obj).ValidateCommon(readMap(old), namespaced, nil)))
			c.Want(t, "update-warnings", strings.Join(finalizerWarningsOf(obj, old), "\n"))
		}
		c.Want(t, "fast", fast)
	})
}

// The files in testdata/prepare have these sections.
var prepareSections = []string{"object", "old", "created", "created-warnings", "updated", "updated-warnings", "status"}

func TestPrepare(t *testing.T) {
	testkit.RunTxtar(t, "testdata/prepare/*.txtar", prepareSections, func(t *testing.T, c *testkit.Case) {
		obj, old := object(t, c, "object"), object(t, c, "old")
		warnings := prepareCreate(obj)
		c.Want(t, "created", string(testkit.Encode(obj)))
		c.Want(t, "created-warnings", strings.Join(warnings, "\n"))
		obj = object(t, c, "object")
		warnings = prepareUpdate(obj, old)
		c.Want(t, "updated", string(testkit.Encode(obj)))
		c.Want(t, "updated-warnings", strings.Join(warnings, "\n"))
		obj = object(t, c, "object")
		prepareStatusUpdate(obj, old)
		c.Want(t, "status", string(testkit.Encode(obj)))
		if !jsonval.Equal(old, object(t, c, "old")) {
			t.Error("the old object was changed")
		}
	})
}

// object decodes a section that is JSON, in which 1.0 and 1 differ.
func object(t testing.TB, c *testkit.Case, section string) map[string]any {
	t.Helper()
	v, err := testkit.DecodeJSON([]byte(c.Section(section)))
	if err != nil {
		t.Fatalf("section %q: %v", section, err)
	}
	return v.(map[string]any)
}

func hasWord(c *testkit.Case, word string) bool {
	for _, w := range strings.Fields(c.Section("options")) {
		if w == word {
			return true
		}
	}
	return false
}

func pathLines(paths []schema.Path) string {
	var b strings.Builder
	for _, p := range paths {
		fmt.Fprintf(&b, "%s %s\n", p, p.Pointer())
	}
	return b.String()
}

func problemLines(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "%s\n  at %q, schema %q\n", p.Err, p.Pointer, p.SchemaPointer)
	}
	return b.String()
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
