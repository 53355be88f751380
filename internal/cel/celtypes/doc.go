// Package celtypes turns schemas into CEL types and checks expressions against them.
//
// A [Language] is the language of rules in one Kubernetes version: functions, types, macros and
// validators. A [Provider] returns the types of one schema, and a [Checker] checks its expressions.
//
//	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
//	if err != nil {
//		return err
//	}
//	checker := celtypes.NewChecker(language, limit, false)
//	scope := checker.Scope(language.NewProvider().TypeOf(celtypes.SelfType, node, true))
//	tree, text := checker.Check(scope, "self.min <= self.max", false, cel.BoolType, &celtypes.RuleWording)
//	if text != "" {
//		return errors.New(text) // why the server refuses the rule
//	}
//
// [Checker.Check] has a fast path and a reference:
//
//   - fast: package celsyntax parses the text, infer.go finds the types bottom-up, and one
//     walk decides whether the validators and the planner of cel-go could object. An
//     expression that passes all three is correct.
//   - reference: the parser, checker, validators and planner of cel-go. They check all other
//     expressions, and word the errors.
//
// Object types are named by their path below the value that a rule is on. So equal schemas at
// different locations have different types.
package celtypes
