package celtypes

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// validate runs the validators of cel-go, and returns the reason if the expression is
// wrong.
func (x *Checker) validate(checked *ast.AST, text string) string {
	issues := cel.NewIssuesWithSourceInfo(common.NewErrors(nil), checked.SourceInfo())
	for _, v := range x.Language.Env.Validators() {
		if x.Reference || !x.literals(v.Name(), checked, issues) {
			v.Validate(x.Language.Env, x.Language.validators, checked, issues)
		}
	}
	switch {
	case len(issues.Errors()) == 0:
		return ""
	case x.Reference:
		return textOf(issues, text)
	}
	return x.worded(issues, text)
}

// literals does what the validators of literal arguments do. The ones of cel-go make a
// program for each call. It reports false for other validators.
func (x *Checker) literals(validator string, checked *ast.AST, issues *cel.Issues) bool {
	var function string
	switch validator {
	case "cel.validator.duration":
		function = overloads.TypeConvertDuration
	case "cel.validator.timestamp":
		function = overloads.TypeConvertTimestamp
	case "cel.validator.matches":
		function = overloads.Matches
	default:
		return false
	}
	ast.PostOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != function {
			return
		}
		args, r := e.AsCall().Args(), checked.ReferenceMap()[e.ID()]
		if len(args) > 0 && args[0].Kind() == ast.LiteralKind && r != nil && !x.valid(function, args[0].AsLiteral(), r) {
			issues.ReportErrorAtID(args[0].ID(), "invalid %s argument", function)
		}
	}))
	return true
}

// valid reports whether a function takes a literal.
func (x *Checker) valid(function string, v ref.Val, r *ast.ReferenceInfo) bool {
	if function == overloads.Matches {
		text, ok := v.(types.String)
		return ok && compiles(x.regexes, string(text))
	}
	return converted(x.Language.planner.implementation(function, r.OverloadIDs), v) != nil
}
