package main

// charted are the operations that the chart shows, in groups.
var charted = []group{
	{"Requests, bytes to bytes", []named{
		{"request", "create, with rules"},
		{"replace", "update, with rules"},
		{"status", "update of the status"},
		{"patch-merge", "merge patch"},
		{"apply-change", "server-side apply"},
		{"refuse", "refused create, all errors"},
	}},
	{"Single steps", []named{
		{"prune", "prune"},
		{"default", "set defaults"},
		{"validate", "validate"},
		{"cel-eval", "evaluate rules"},
		{"convert", "convert a list, strategy None"},
	}},
	{"Definitions", []named{
		{"check", "check"},
		{"compile", "compile, ready to serve"},
	}},
}

type group struct {
	title string
	rows  []named
}

type named struct{ name, label string }

// labels describe the operations in the table. Others have the description of compare.
var labels = map[string]string{
	"prune":           "prune a map",
	"report":          "prune a map, and report what was removed",
	"nulls":           "drop nulls",
	"default":         "set defaults",
	"validate":        "validate a valid object",
	"invalid":         "validate an invalid object, all errors",
	"update":          "validate an update, with ratcheting",
	"bytes":           "create without rules, bytes to bytes in a buffer",
	"request":         "create with rules, bytes to bytes",
	"request-spelled": "create from text that encoders of other languages write",
	"refuse":          "create of an invalid object, bytes to all errors",
	"replace":         "update with rules, bytes to bytes",
	"replace-kept":    "update that keeps one wrong value",
	"replace-many":    "update that keeps many wrong values",
	"replace-rules":   "update of real samples with transition rules",
	"replace-report":  "update, and report what was changed",
	"status":          "update of the status, bytes to bytes",
	"patch-json":      "JSON patch of a label",
	"patch-merge":     "merge patch of a label",
	"apply-noop":      "apply that changes nothing",
	"apply-change":    "apply that changes a label",
	"apply-conflict":  "apply of a field that another manager owns",
	"cel-eval":        "evaluate the rules of an object",
	"cel-update":      "evaluate the rules of an update",
	"cel-forms":       "evaluate rules of unusual forms",
	"cel-compile":     "compile the rules of a version",
	"cel-refused":     "compile rules that are refused",
	"cel-unusual":     "compile rules of unusual forms",
	"compile":         "compile a definition, ready to serve",
	"compile-create":  "compile a definition, and create the first object",
	"check":           "check a definition",
	"check-small":     "check one of the smallest definitions",
	"check-refused":   "check a definition whose rules are all refused",
	"texts":           "read, check and compile a definition from YAML",
	"convert":         "convert a list of 50 objects, strategy None",
	"convert-webhook": "convert a list of 500 objects with a webhook",
	"json-suite":      "validate the values of the JSON Schema Test Suite",
}
