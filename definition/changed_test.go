package definition_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A change replaces a value of a document. replace returns false if the change
// does not apply to values of this kind.
type change struct {
	name    string
	replace func(v any) (any, bool)
}

var changes = []change{
	{"empty", func(v any) (any, bool) {
		switch v.(type) {
		case map[string]any:
			return map[string]any{}, true
		case []any:
			return []any{}, true
		case string:
			return "", true
		}
		return nil, false
	}},
	{"other", func(v any) (any, bool) {
		switch v := v.(type) {
		case string:
			return "Not " + v, true
		case bool:
			return !v, true
		case int64:
			return v - 7, true
		case float64:
			return -v, true
		}
		return nil, false
	}},
	{"twice", func(v any) (any, bool) {
		list, ok := v.([]any)
		return append(list, list...), ok && len(list) > 0
	}},
	{"less", func(v any) (any, bool) {
		list, ok := v.([]any)
		if !ok || len(list) < 2 {
			return nil, false
		}
		return list[1:], true
	}},
}

// TestChangedDefinitions checks definitions that differ from those in testdata
// in one value. It checks them as new definitions and as updates of the
// original, and compares errors and warnings with recorded ones.
// internal/oracle compares changed definitions with the server.
//
//	go test ./definition -run TestChangedDefinitions -update
//
// records them again.
func TestChangedDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	for _, name := range []string{"crontab", "route", "webhook"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("../testdata", name, "crd.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := testkit.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			c := &changer{t: t, doc: doc, original: string(testkit.Encode(doc))}
			c.visit("spec", doc["spec"], func(v any) { doc["spec"] = v })
			testkit.Recorded(t, filepath.Join("testdata/changed", name+".txt"), c.out.String())
		})
	}
}

// A changer makes changes one after the other and reverts each of them.
type changer struct {
	t        *testing.T
	doc      map[string]any
	original string
	out      strings.Builder
	last     string
}

// visit changes v and everything in it. It calls set to change v and to restore
// it.
func (c *changer) visit(path string, v any, set func(any)) {
	for _, change := range changes {
		if changed, ok := change.replace(v); ok {
			set(changed)
			c.judge(path + " " + change.name)
		}
	}
	set(v)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			e := v[name]
			delete(v, name)
			c.judge(path + "." + name + " absent")
			v[name] = e
			c.visit(path+"."+name, e, func(e any) { v[name] = e })
		}
	case []any:
		for i, e := range v {
			c.visit(fmt.Sprintf("%s[%d]", path, i), e, func(e any) { v[i] = e })
		}
	}
}

// judge records the reports on the document as it is now. It omits a report
// that equals the one before it.
func (c *changer) judge(name string) {
	crd, err := definition.Parse(testkit.Encode(c.doc))
	if err != nil {
		fmt.Fprintf(&c.out, "%s: %v\n", name, err)
		return
	}
	old, err := definition.Parse([]byte(c.original))
	if err != nil {
		c.t.Fatal(err)
	}
	created, updated := summary(definition.Check(crd)), summary(definition.CheckUpdate(crd, old))
	if created == updated {
		updated = "  as an update too\n"
	}
	if created+updated == c.last {
		return
	}
	c.last = created + updated
	fmt.Fprintf(&c.out, "%s\n%s%s", name, created, updated)
}

func summary(r *definition.Report) string {
	var b strings.Builder
	for _, err := range r.Errors {
		fmt.Fprintf(&b, "  %.140s at %s\n", strings.ReplaceAll(err.Error(), "\n", `\n`), err.Pointer)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "  warning: %s at %s\n", w, w.Pointer)
	}
	return b.String()
}
