package celtypes

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
)

// validate runs the validators of cel-go, and returns the reason if the expression is
// wrong.
func (x *Checker) validate(checked *ast.AST, text string) string {
	issues := cel.NewIssuesWithSourceInfo(common.NewErrors(nil), checked.SourceInfo())
	for _, v := range x.Language.Env.Validators() {
		v.Validate(x.Language.Env, x.Language.validators, checked, issues)
	}
	if len(issues.Errors()) == 0 {
		return ""
	}
	return textOf(issues, text)
}
