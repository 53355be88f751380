package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/apply"
)

// managersEntry is an entry of managedFields with its manager, operation, version and fields.
const managersEntry = `{"manager":%q,"operation":%q,"apiVersion":%q,"time":"2020-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":%s}`

// wrongManagers are managedFields of a stored object, most of them wrong.
func wrongManagers() map[string]string {
	entry := func(manager, operation, version, fields string) string {
		return fmt.Sprintf(managersEntry, manager, operation, version, fields)
	}
	const v1, replicas = "rows.example.com/v1", `{"f:spec":{"f:replicas":{}}}`
	var many []string
	for i := range 40 {
		many = append(many, entry(fmt.Sprint("m", i), "Update", v1, replicas))
	}
	return map[string]string{
		"right":             entry("o", "Apply", v1, replicas),
		"empty entry":       `{}`,
		"malformed fields":  entry("o", "Update", v1, `{"x:spec":{}}`),
		"malformed keys":    entry("o", "Apply", v1, `{"f:spec":{"f:env":{"k:{\"name\":":{}}}}`),
		"unknown fields":    entry("o", "Apply", v1, `{"f:spec":{"f:none":{"f:a":{}}}}`),
		"unknown operation": entry("o", "Patch", v1, replicas),
		"unknown version":   entry("o", "Update", "rows.example.com/v0", replicas),
		"applied unknown":   entry("m", "Apply", "rows.example.com/v0", replicas),
		"other group":       entry("o", "Update", "other/v1", replicas),
		"malformed version": entry("o", "Update", "a/b/c", replicas),
		"no manager":        entry("", "Update", v1, replicas),
		"fields type":       strings.Replace(entry("o", "Update", v1, replicas), "FieldsV1", "FieldsV2", 1),
		"twice":             entry("o", "Update", v1, replicas) + "," + entry("o", "Update", v1, `{"f:spec":{"f:mode":{}}}`),
		"many":              strings.Join(many, ","),
	}
}

// TestWrongManagers compares requests on objects with wrong managedFields.
func TestWrongManagers(t *testing.T) {
	s := serveRows(t)
	appliers, err := apply.NewAll(s.ours, s.crd)
	if err != nil {
		t.Fatal(err)
	}
	side, total := &applySide{servedDefinition: s, appliers: appliers}, &applyTally{features: map[string]int{}}
	all := wrongManagers()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		entries := all[name]
		side.unexplained = strings.HasPrefix(name, "malformed")
		for _, version := range []string{"v1", "v2"} {
			for _, force := range []bool{false, true} {
				side.managersStep(t, total, name, entries, convertStep{version: version, manager: "m", apply: `{"replicas":5,"mode":"fast"}`, force: force})
			}
			side.managersStep(t, total, name, entries, convertStep{version: version, manager: "m", apply: `{"replicas":3}`})
			side.managersStep(t, total, name, entries, convertStep{version: version, manager: "m", merge: `{"spec":{"replicas":5}}`})
		}
	}
	if total.admitted < 40 || total.conflicts < 4 || total.refused < 20 || total.differences > 0 {
		t.Errorf("the requests show too little: %v", total)
	}
}

// managersStep makes one request on an object with the entries on both sides.
func (s *applySide) managersStep(t *testing.T, total *applyTally, name, entries string, row convertStep) {
	t.Helper()
	obj := map[string]any{}
	text := fmt.Sprintf(`{"apiVersion":"rows.example.com/v1","kind":"Row","metadata":{"name":"a","namespace":"ns","uid":"u-1","managedFields":[%s]},"spec":{"replicas":3,"mode":"slow"}}`, entries)
	if err := yaml.Unmarshal([]byte(text), &obj); err != nil {
		t.Fatal(err)
	}
	if err := s.server.Put(obj); err != nil {
		t.Fatal(err)
	}
	total.step(t, s, s.version(row.version), s.convertStep(t, row), name+": "+row.version+row.apply+row.merge)
}
