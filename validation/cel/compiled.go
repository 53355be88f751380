package cel

import (
	"sync"
	"sync/atomic"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/cel/celeval"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// An expression is a compiled rule or messageExpression: its closure, and what is
// needed to make the program of cel-go. A program is many times larger and most
// expressions never need one, so it is made lazily, from the text. An expression
// is safe for concurrent use.
type expression struct {
	fast        *celeval.Closure // nil if cel-go evaluates it
	declined    string           // why there is no closure
	usesOldSelf bool

	optional bool // oldSelf is an optional
	text     string
	origin   *celtypes.Origin

	once sync.Once
	made atomic.Pointer[program]
}

// A program is what cel-go makes of an expression.
type program struct {
	cel.Program
	err error
}

// expression returns the expression of a checked tree, without a closure.
func (b *builder) expression(s *celtypes.Scope, tree *ast.AST, text string, optional bool) *expression {
	return &expression{text: text, optional: optional, origin: b.Origin(s), usesOldSelf: celtypes.MentionsOldSelf(tree)}
}

// accelerate compiles the closure of a rule.
func (b *builder) accelerate(e *expression, tree *ast.AST, self *celvalue.DeclaredType) {
	defer celtypes.Recover(func(err error) { e.declined = err.Error() })
	if !b.Reference {
		e.fast, e.declined = celeval.CompileRule(b.Language, tree, self, e.optional)
	}
}

// accelerateMessage compiles the closure of a messageExpression. cel-go evaluates
// one that uses an optional oldSelf, as it runs with an oldSelf that is not an
// optional.
func (b *builder) accelerateMessage(e *expression, tree *ast.AST, self *celvalue.DeclaredType) {
	defer celtypes.Recover(func(err error) { e.declined = err.Error() })
	switch {
	case b.Reference:
	case e.optional && e.usesOldSelf:
		e.declined = "message on an optional oldSelf"
	default:
		e.fast, e.declined = celeval.CompileMessage(b.Language, tree, self)
	}
}

// program returns the program of cel-go. It returns no error for an expression
// that compiled before.
func (e *expression) program() (cel.Program, error) {
	e.once.Do(func() {
		made, err := e.origin.Program(e.text, e.optional)
		e.made.Store(&program{Program: made, err: err})
	})
	p := e.made.Load()
	return p.Program, p.err
}
