package cel

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celeval"
	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/internal/value/correlate"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A Program is the compiled form of all x-kubernetes-validations of a schema. It
// is safe for concurrent use. The nil Program has no rules.
type Program struct {
	root      *node
	correlate *correlate.Schema
	limit     uint64               // cost units of one evaluation
	count     *testopt.Evaluations // for tests

	runs sync.Pool // of *run
}

// A Result is the verdict of a [Program] on one object.
type Result struct {
	// Errors are the errors of rules, sorted. It is empty if the object is valid.
	Errors validation.ErrorList
	// Ratcheted are the errors of unchanged values, sorted. The server returns them as
	// warnings.
	Ratcheted validation.ErrorList
	// Omitted is the number of errors that are not in Errors because of [MaxErrors].
	Omitted int
	// Cost is the cost of all rules, in cost units. If the run ended early, it is the whole
	// budget.
	Cost uint64
}

// Compile compiles the rules of n and below. It returns a program or errors, never both. If
// there are no rules or n is nil, it returns a nil Program, which is valid.
//
// There is an error for each rule and messageExpression that does not compile, with the text
// of kube-apiserver. There are internal errors for rules on values without a CEL type. Errors
// are in the order of the schema: a node, its items, its properties by name, its
// additionalProperties. Rules may use all functions of the version, like stored rules in the
// server. [Check] also checks syntax and costs.
func Compile(n *schema.Node, opts ...Option) (*Program, field.ErrorList) {
	o := newCompileOptions(opts)
	if o.wrong != nil {
		return nil, field.ErrorList{o.wrong}
	}
	if !celtypes.HasRules(n) {
		return nil, nil
	}
	base, err := celtypes.LanguageOf(o.Minor)
	if err != nil {
		return nil, field.ErrorList{field.InternalError(o.At.Path(), err)}
	}
	b := &builder{
		Checker:  celtypes.NewChecker(base, o.PerCall, o.Reference),
		types:    base.NewProvider(),
		declared: make(celvalue.Types),
		memo:     make(map[buildKey]*node),
		reads:    fieldaccess.New(),
		stored:   o.Stored || o.AtFirstUse,
		lazy:     o.AtFirstUse,
		watch:    o.Watch,
		errs:     errorlimit.List{Limit: o.Limit, Watch: o.Watch},
	}
	root := b.buildNode(n, b.types.TypeOf(celtypes.SelfType, n, !o.Fragment), !o.Fragment, false, o.At.Path())
	if err := o.Watch.Err(); err != nil {
		return nil, field.ErrorList{field.InternalError(o.At.Path(), err)}
	}
	b.watch = nil // the context of Compile does not end later compilation
	if b.errs.Added() > 0 {
		return nil, b.errs.Errors()
	}
	if root == nil {
		return nil, nil
	}
	b.memo = nil
	p := &Program{root: root, correlate: correlate.New(n), limit: o.PerCall, count: o.count}
	if o.reads != nil {
		o.reads.NeedsOld = root.needsOld
		if !o.AtFirstUse {
			o.reads.Sets = b.reads.Sets
		}
	}
	return p, nil
}

// Eval runs the rules on obj. Call it only if [validation.ErrorList.BlocksRules] is false.
// It does not change obj and the old object, which must not change during the call either.
// Errors may refer to parts of obj.
//
// If ctx ends, the run ends within some milliseconds. [Result.Errors] then has an error that
// says so. A nil ctx never ends.
func (p *Program) Eval(ctx context.Context, obj map[string]any, opts ...EvalOption) Result {
	if p == nil || obj == nil {
		return Result{}
	}
	r := p.begin(opts)
	var old any
	if r.options.old != nil {
		old = r.options.old
	}
	r.ratchets = old != nil
	if r.options.isDefault {
		old = obj
	}
	return r.eval(ctx, p, obj, old)
}

func (p *Program) begin(opts []EvalOption) *run {
	r, ok := p.runs.Get().(*run)
	if !ok {
		r = new(run)
	}
	r.options = evalOptions{budget: DefaultBudget, memory: DefaultMemory}
	for _, opt := range opts {
		r.options.apply(opt)
	}
	return r
}

func (r *run) eval(ctx context.Context, p *Program, value, old any) Result {
	budget := r.options.budget
	if ctx == nil {
		ctx = context.Background()
	}
	r.program, r.object = p, value
	r.ctx, r.cancelable = ctx, ctx.Done() != nil
	r.frame.Limit, r.visits = p.limit, 0
	r.frame.Memory = cellib.Meter{Limit: r.options.memory, CostLimit: p.limit, Cost: celeval.KnownCost}
	if r.cancelable {
		r.frame.Ctx = ctx
	}
	r.remaining = int64(min(budget, math.MaxInt64))
	r.visit(p.root, value, old)
	res := Result{Cost: budget}
	if r.remaining >= 0 {
		res.Cost = min(budget, math.MaxInt64) - uint64(r.remaining)
	}
	r.errors.Sort()
	r.ratcheted.Sort()
	res.Errors, res.Ratcheted, res.Omitted = r.errors, r.ratcheted, r.failed-len(r.errors)
	r.release()
	p.runs.Put(r)
	return res
}

// An expression is a compiled rule or messageExpression, safe for concurrent use. The program
// of cel-go is large. It is made only if there is no closure or the closure declines.
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

// A program is the result of compiling an expression with cel-go.
type program struct {
	cel.Program
	err error
}

// expression returns the expression of a checked tree. accelerate adds its closure.
func (b *builder) expression(s *celtypes.Scope, tree *ast.AST, text string, optional bool) *expression {
	return &expression{text: text, optional: optional, origin: b.Origin(s), usesOldSelf: celtypes.MentionsOldSelf(tree)}
}

func (b *builder) accelerate(e *expression, tree *ast.AST, self *celvalue.DeclaredType) {
	defer celtypes.Recover(func(err error) { e.declined = err.Error() })
	if !b.Reference {
		e.fast, e.declined = celeval.CompileRule(b.Language, tree, self, e.optional)
	}
}

// accelerateMessage compiles the closure of a messageExpression. It compiles none if oldSelf
// is declared as an optional, because oldSelf is not an optional when the message is
// evaluated.
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

func (e *expression) program() (cel.Program, error) {
	e.once.Do(func() {
		made, err := e.origin.Program(e.text, e.optional)
		e.made.Store(&program{Program: made, err: err})
	})
	p := e.made.Load()
	return p.Program, p.err
}

// A lazyRules compiles the rules of a node at its first value.
type lazyRules struct {
	once    sync.Once
	builder *builder
	schema  *schema.Node
	self    *celtypes.Type
	root    bool
}

// ready compiles the rules of n if they are not compiled yet.
func (n *node) ready() {
	l := n.lazy
	if l == nil {
		return
	}
	l.once.Do(func() {
		l.builder.mu.Lock()
		defer l.builder.mu.Unlock()
		l.builder.compile(n, l.schema, l.schema.Rules(), l.self, l.root, nil)
		l.builder, l.schema, l.self = nil, nil, nil
	})
}

// mayUseOld reports whether a rule that is not compiled yet may refer to oldSelf.
func (l *lazyRules) mayUseOld() bool {
	return l != nil && slices.ContainsFunc(l.schema.Rules(), func(r schema.Rule) bool { return strings.Contains(r.Rule, celtypes.OldSelf) })
}
