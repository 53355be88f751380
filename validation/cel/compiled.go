package cel

import (
	"sync"
	"sync/atomic"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/celeval"
	"github.com/crdkit/crdkit/internal/celtypes"
	"github.com/crdkit/crdkit/internal/celvalue"
)

// An expression is what a rule or a messageExpression is compiled to: the form
// of the executor, and what it takes to make the program of cel-go, which most
// rules never need and which is many times larger. The tree that both are made
// of is not kept.
type expression struct {
	fast        *celeval.Closure // nil if cel-go evaluates it
	declined    string           // why it does
	usesOldSelf bool

	optional bool // oldSelf is an optional
	text     string
	origin   *celtypes.Origin

	detail atomic.Pointer[detail] // of the first fault

	once sync.Once
	made cel.Program
	err  error
}

// expression returns the expression of a checked tree, without a form of the
// executor.
func (b *builder) expression(s *celtypes.Scope, tree *ast.AST, text string, optional bool) *expression {
	return &expression{text: text, optional: optional, origin: b.Origin(s), usesOldSelf: celtypes.MentionsOldSelf(tree)}
}

// accelerate adds to a condition the form of the executor.
func (b *builder) accelerate(e *expression, tree *ast.AST, self *celvalue.DeclaredType) {
	if !b.Reference {
		e.fast, e.declined = celeval.CompileRule(b.Language, tree, self, e.optional)
	}
}

// accelerateMessage adds it to a messageExpression. One that takes oldSelf for
// an optional is left to cel-go, as it is run with an oldSelf that is none.
func (b *builder) accelerateMessage(e *expression, tree *ast.AST, self *celvalue.DeclaredType) {
	switch {
	case b.Reference:
	case e.optional && e.usesOldSelf:
		e.declined = "message on an optional oldSelf"
	default:
		e.fast, e.declined = celeval.CompileMessage(b.Language, tree, self)
	}
}

// program returns the program of cel-go. It can be called by several goroutines
// at once. There is no error, as the same was compiled before.
func (e *expression) program() (cel.Program, error) {
	e.once.Do(func() { e.made, e.err = e.origin.Program(e.text, e.optional) })
	return e.made, e.err
}
