package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// Reruns is the number of times that upstream may answer before its answer counts
// as different.
const Reruns = 200

// randomReruns is the number of times for a request to which upstream gave several
// answers, and rulesReruns for the rules of an object. The cost of a rule that iterates
// over a map and stops early depends on the order of the map: for a map of 16 keys in the
// corpus one run of some 600 costs what it costs in increasing order of keys.
const (
	randomReruns = 10 * Reruns
	rulesReruns  = 1000 * Reruns
)

// check compares the two sides on one version.
type check struct {
	tally       *Tally
	def         *testkit.Definition
	up          *upstream.Version
	ours        *Ours
	name        string // of the case at hand
	comparisons int
}

func (c *check) differ(op, what, detail string, input any) {
	c.tally.add(Difference{
		Op: op, What: what, Definition: c.def.Path, Version: c.up.Name, Kind: c.up.Kind.Kind, Case: c.name,
		Detail: detail, Object: encode(input),
	})
}

// encode is testkit.Encode. For a value of upstream that no decoder returns it
// returns a text that describes the failure.
func encode(v any) (out []byte) {
	defer func() {
		if p := recover(); p != nil {
			out = fmt.Append(nil, p)
		}
	}()
	return testkit.Encode(v)
}

// guard turns a panic of ours into a difference.
func (c *check) guard(op string, input any, f func()) {
	defer func() {
		if p := recover(); p != nil {
			c.differ(op, "panic", fmt.Sprintf("  +ours panics: %v\n", p), input)
		}
	}()
	c.comparisons++
	f()
}

// mutation compares a step that changes an object, and the paths that it reports.
func (c *check) mutation(op string, obj map[string]any, up, ours func(map[string]any) []string) {
	c.guard(op, obj, func() {
		a, b := testkit.Clone(obj), testkit.Clone(obj)
		removed, removedOurs := up(a), ours(b)
		if x, y := encode(a), encode(b); !bytes.Equal(x, y) {
			c.differ(op, "object", fmt.Sprintf("  -upstream %s\n  +ours     %s\n", x, y), obj)
		}
		slices.Sort(removedOurs)
		if !slices.Equal(removed, removedOurs) {
			c.differ(op, "paths", upstream.Diff(removed, removedOurs), obj)
		}
	})
}

func silent(f func(map[string]any)) func(map[string]any) []string {
	return func(obj map[string]any) []string {
		f(obj)
		return nil
	}
}

// errors compares lists of errors.
func (c *check) errors(op string, obj map[string]any, up, ours func() field.ErrorList) {
	c.guard(op, obj, func() {
		before := encode(obj)
		mine := upstream.Lines(ours())
		if after := encode(obj); !bytes.Equal(before, after) {
			c.differ(op, "object", fmt.Sprintf("  +ours changed the object to %s\n", after), obj)
		}
		var diff string
		for range c.tally.patience(op, 1) {
			theirs := upstream.Lines(up())
			if slices.Equal(theirs, mine) {
				return
			}
			diff = upstream.Diff(theirs, mine)
		}
		c.differ(op, "errors", diff, obj)
	})
}

// A side is an outcome in comparable form.
type side struct {
	panic, refusal, object string
	errors, warnings       []string
	cost                   string
}

func sideOf(out upstream.Outcome, costs bool) side {
	s := side{
		panic: out.Panic, refusal: upstream.Normal(out.Refusal), object: string(encode(out.Object)),
		errors: upstream.Lines(out.Errors),
	}
	for _, w := range out.Warnings {
		s.warnings = append(s.warnings, upstream.Normal(w))
	}
	slices.Sort(s.warnings)
	s.warnings = slices.Compact(s.warnings)
	if costs && !out.Exhausted {
		s.cost = fmt.Sprint(out.Cost)
	}
	return s
}

// outcome compares the outcome of a step or request. Rules that iterate over a map
// have random results on both sides, so our side sometimes runs again, too. Some run
// of upstream must give exactly the result of a run of ours.
func (c *check) outcome(op string, input any, costs bool, up, ours func() upstream.Outcome) upstream.Outcome {
	mine := sideOf(ours(), costs)
	seen := map[string]bool{}
	var (
		theirs upstream.Outcome
		what   string
		detail string
	)
	for i := 0; i < c.tally.patience(op, len(seen)); i++ {
		theirs = upstream.Catch(up)
		other := sideOf(theirs, costs)
		if what, detail = compareSides(other, mine); what == "" {
			return theirs
		}
		seen[fmt.Sprint(other)] = true
		if i%10 == 9 {
			if mine = sideOf(ours(), costs); seen[fmt.Sprint(mine)] {
				return theirs
			}
		}
	}
	c.differ(op, what, detail, input)
	return theirs
}

// compareSides returns the first part in which the sides differ, and the difference.
func compareSides(theirs, mine side) (what, detail string) {
	texts := []struct{ what, theirs, mine string }{
		{"panic", theirs.panic, mine.panic},
		{"refusal", theirs.refusal, mine.refusal},
		{"errors", strings.Join(theirs.errors, "\n"), strings.Join(mine.errors, "\n")},
		{"object", theirs.object, mine.object},
		{"warnings", strings.Join(theirs.warnings, "\n"), strings.Join(mine.warnings, "\n")},
		{"cost", theirs.cost, mine.cost},
	}
	for _, t := range texts {
		if t.theirs == t.mine {
			continue
		}
		if t.what == "errors" {
			return t.what, upstream.Diff(theirs.errors, mine.errors)
		}
		return t.what, fmt.Sprintf("  -upstream %s\n  +ours     %s\n", t.theirs, t.mine)
	}
	return "", ""
}

// steps compares each step alone, first on the given object and then in the order of a
// request.
func (c *check) steps(obj map[string]any) {
	up, ours := c.up, c.ours
	c.mutation("prune", obj, silent(up.Prune), silent(ours.Prune))
	c.mutation("report", obj, up.Report, ours.Report)
	c.mutation("nulls", obj, silent(up.DropNulls), silent(ours.DropNulls))
	c.mutation("default", obj, silent(up.Default), silent(ours.Default))
	c.schema("validate raw", obj)
	done := testkit.Clone(obj)
	up.Prune(done)
	c.mutation("nulls", done, silent(up.DropNulls), silent(ours.DropNulls))
	up.DropNulls(done)
	c.mutation("default", done, silent(up.Default), silent(ours.Default))
	up.Default(done)
	c.rules("rules", done, nil, c.schema("validate", done))
}

// schema compares validation, and returns upstream's errors.
func (c *check) schema(op string, obj map[string]any) field.ErrorList {
	var theirs field.ErrorList
	c.errors(op, obj, func() field.ErrorList {
		theirs = c.up.Schema(obj)
		return theirs
	}, func() field.ErrorList { return c.ours.Schema(obj) })
	c.guard(op, obj, func() {
		if valid := c.ours.Valid(obj); valid != (len(theirs) == 0) {
			c.differ(op, "verdict", fmt.Sprintf("  -upstream has %d errors\n  +ours says %v\n", len(theirs), valid), obj)
		}
	})
	return theirs
}

// rules compares the evaluation of rules, if errs has no error that keeps the rules
// from running.
func (c *check) rules(op string, obj, old map[string]any, errs field.ErrorList) {
	if !c.up.HasRules() || blocking(errs) {
		return
	}
	again := false
	up := func() upstream.Outcome {
		if !again {
			again = true
			return c.up.Rules(obj, old)
		}
		// Our side takes the keys of a map in increasing order. A small map has a good
		// chance to be walked in the order of insertion, and a copy of a large one to be
		// walked in another order than the map.
		return c.up.Rules(upstream.Inserted(obj), upstream.Inserted(old))
	}
	c.guard(op, obj, func() {
		c.outcome(op, obj, true, up, func() upstream.Outcome { return c.ours.Rules(obj, old) })
	})
}

func blocking(errs field.ErrorList) bool {
	return slices.ContainsFunc(errs, func(e *field.Error) bool {
		switch e.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
		return false
	})
}

// create compares the request that creates an object. It returns the object that
// upstream creates, nil if upstream could not decode the request.
func (c *check) create(obj map[string]any, fields string) map[string]any {
	body := upstream.Body{Data: testkit.Encode(obj), Fields: fields}
	up := func() upstream.Outcome { return c.up.Create(body) }
	var made map[string]any
	c.guard("create", obj, func() {
		if !typed(obj) {
			made = up().Object // an object without kind comes from no decoder
			return
		}
		made = c.outcome("create", obj, false, up, func() upstream.Outcome { return c.ours.Create(testkit.Clone(obj), fields) }).Object
	})
	c.guard("create json", obj, func() {
		c.bytes("create json", obj, up, func() (upstream.Outcome, []byte) { return c.ours.CreateJSON(body) })
	})
	return made
}

// typed reports whether apiVersion and kind of an object are well-formed.
func typed(obj map[string]any) bool {
	kind, _ := obj["kind"].(string)
	apiVersion, versioned := obj["apiVersion"].(string)
	_, found := obj["apiVersion"]
	return kind != "" && strings.Count(apiVersion, "/") <= 1 && (versioned || !found)
}

// bytes compares a request on bytes: the outcome, and the bytes to store.
func (c *check) bytes(op string, input any, up func() upstream.Outcome, ours func() (upstream.Outcome, []byte)) {
	c.outcome(op, input, false, func() upstream.Outcome {
		out := up()
		if out.Panic == "" && out.Refusal == "" && len(out.Errors) == 0 {
			want, err := json.Marshal(out.Object)
			if err != nil {
				out.Panic = err.Error()
			}
			out.Object = map[string]any{"stored": string(want)}
			return out
		}
		out.Object = nil
		return out
	}, func() upstream.Outcome { return withStored(ours()) })
}

func withStored(out upstream.Outcome, stored []byte) upstream.Outcome {
	out.Object = nil
	if stored != nil {
		out.Object = map[string]any{"stored": string(stored)}
	}
	return out
}

// update compares the steps and requests that replace old.
func (c *check) update(kind string, obj, old map[string]any, fields string) {
	c.errors("validate "+kind, obj, func() field.ErrorList { return c.up.SchemaUpdate(obj, old) },
		func() field.ErrorList { return c.ours.SchemaUpdate(obj, old) })
	c.rules("rules "+kind, obj, old, c.up.SchemaUpdate(obj, old))
	body := upstream.Body{Data: testkit.Encode(obj), Fields: fields}
	up := func() upstream.Outcome { return c.up.Update(body, old) }
	c.guard(kind, obj, func() {
		before := encode(old)
		c.outcome(kind, pair(obj, old), false, up, func() upstream.Outcome { return c.ours.Update(testkit.Clone(obj), old, fields) })
		if !bytes.Equal(before, encode(old)) {
			c.differ(kind, "object", "  +ours changed the old object\n", pair(obj, old))
		}
	})
	c.guard(kind+" json", obj, func() {
		c.bytes(kind+" json", pair(obj, old), up, func() (upstream.Outcome, []byte) { return c.ours.UpdateJSON(body, testkit.Encode(old)) })
	})
}

func pair(obj, old map[string]any) map[string]any {
	return map[string]any{"new": obj, "old": old}
}

// status compares the steps and requests of the status subresource.
func (c *check) status(obj, old map[string]any, fields string) {
	if !c.up.HasStatus {
		return
	}
	c.errors("validate status", obj, func() field.ErrorList { return c.up.SchemaStatus(obj, old) },
		func() field.ErrorList { return c.ours.SchemaStatus(obj, old) })
	body := upstream.Body{Data: testkit.Encode(obj), Fields: fields}
	c.guard("status", obj, func() {
		c.outcome("status", pair(obj, old), false, func() upstream.Outcome { return c.up.UpdateStatus(body, old) },
			func() upstream.Outcome { return c.ours.UpdateStatus(testkit.Clone(obj), old, fields) })
	})
}

// read compares how a stored object is served. An object that cannot be served is an
// internal error of the server; read does not compare the text of that error.
func (c *check) read(stored map[string]any) {
	c.guard("read", stored, func() {
		c.outcome("read", stored, false, func() upstream.Outcome { return refused(c.up.Read(testkit.Encode(stored))) },
			func() upstream.Outcome { return refused(c.ours.Read(testkit.Clone(stored))) })
	})
}

func refused(out upstream.Outcome) upstream.Outcome {
	if out.Refusal != "" {
		out.Refusal = "refused"
	}
	return out
}
