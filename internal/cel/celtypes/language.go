package celtypes

import (
	"errors"
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/functions"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celsyntax"
	"github.com/crdkit/crdkit/internal/kube/kubeversion"
)

const (
	Self    = "self"
	OldSelf = "oldSelf"
)

// A Language is the language of rules in one Kubernetes version. It is immutable and safe for
// concurrent use. Programs share it, because it takes longer to build than a rule; see
// [LanguageOf].
type Language struct {
	Env        *cel.Env
	checker    *checker.Env                   // declarations of Env, copied for every node
	Builtin    *apiservercel.DeclTypeProvider // types that no schema declares
	Functions  map[string]*decls.FunctionDecl // by name
	validators validatorConfig
	planner    planner
	syntax     celsyntax.Parser
	signatures signatures
	keywords   bool // reserved words need not be escaped as field names
}

func newLanguage(minor int) (*Language, error) {
	std, err := cel.NewEnv()
	if err != nil {
		return nil, err
	}
	env, err := std.Extend(cel.Lib(cellib.Language(minor)))
	if err != nil {
		return nil, err
	}
	b := &Language{Env: env, Functions: env.Functions(), syntax: celsyntax.New(env.Macros()), keywords: minor >= 31}
	if b.checker, err = declarationsOf(env); err != nil {
		return nil, err
	}
	if b.Builtin, err = apiservercel.NewDeclTypeProvider().WithTypeProvider(env.CELTypeProvider()); err != nil {
		return nil, err
	}
	if b.planner, err = newPlanner(env, b.Builtin); err != nil {
		return nil, err
	}
	b.signatures = newSignatures(b.Functions)
	b.validators, err = configure(env.Validators())
	return b, err
}

// declarationsOf returns a checker with the declarations of env, which does not export its checker.
func declarationsOf(env *cel.Env) (*checker.Env, error) {
	c, err := checker.NewEnv(env.Container, env.CELTypeProvider(), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	if err := c.AddIdents(env.Variables()...); err != nil {
		return nil, err
	}
	for name, fn := range env.Functions() {
		if fn.IsDeclarationDisabled() {
			continue
		}
		if err := c.AddFunctions(fn); err != nil {
			return nil, fmt.Errorf("function %s: %w", name, err)
		}
	}
	return c, nil
}

// A validatorConfig holds the settings of validators, as in [cel.Env.Check].
type validatorConfig map[string]any

func configure(validators []cel.ASTValidator) (validatorConfig, error) {
	config := validatorConfig{cel.HomogeneousAggregateLiteralExemptFunctions: []string{}}
	for _, v := range validators {
		c, ok := v.(cel.ASTValidatorConfigurer)
		if !ok {
			continue
		}
		if err := c.Configure(config); err != nil {
			return nil, err
		}
	}
	return config, nil
}

func (c validatorConfig) GetOrDefault(name string, value any) any {
	if v, ok := c[name]; ok {
		return v
	}
	return value
}

func (c validatorConfig) Set(name string, value any) error {
	if name == "" {
		return errors.New("setting of a validator without a name")
	}
	c[name] = value
	return nil
}

// New rules may use only features of the previous version. So the language of a minor version is
// for its stored rules, and for new rules of the next version.

// The minor versions for which there is a CEL language. The language of OldestMinor is used only
// for new rules of the version after it.
const (
	OldestMinor = int(kubeversion.Oldest) - 1
	NewestMinor = int(kubeversion.Newest)
)

var languages = func() (all [NewestMinor - OldestMinor + 1]func() (*Language, error)) {
	for i := range all {
		all[i] = sync.OnceValues(func() (*Language, error) { return newLanguage(OldestMinor + i) })
	}
	return all
}()

// LanguageOf returns the language of stored rules of 1.minor. minor is from OldestMinor to
// NewestMinor.
func LanguageOf(minor int) (*Language, error) { return languages[minor-OldestMinor]() }

// A planner makes programs of checked expressions. It is immutable.
type planner struct {
	env      *cel.Env
	bindings map[string]*functions.Overload // by overload and by function
	types    *apiservercel.DeclTypeProvider
}

func newPlanner(language *cel.Env, provider *apiservercel.DeclTypeProvider) (planner, error) {
	env, err := language.Extend(orderedFunction(), cel.CustomTypeProvider(provider), cel.CustomTypeAdapter(provider))
	if err != nil {
		return planner{}, err
	}
	p := planner{env: env, types: provider, bindings: make(map[string]*functions.Overload)}
	for _, fn := range env.Functions() {
		bindings, err := fn.Bindings()
		if err != nil {
			return planner{}, err
		}
		for _, b := range bindings {
			p.bindings[b.Operator] = b
		}
	}
	return p, nil
}

// implementation returns the function that a program calls for the matching overloads. It is nil if
// a method of an argument is called.
func (p *planner) implementation(name string, ids []string) *functions.Overload {
	if len(ids) == 1 {
		if b, ok := p.bindings[ids[0]]; ok {
			return b
		}
	}
	return p.bindings[name]
}

func (p *planner) plan(checked *ast.AST, opts ...cel.ProgramOption) (_ cel.Program, err error) {
	defer Recover(func(p error) { err = p })
	tree := orderLoops(checked)
	return p.env.PlanProgram(tree, append(opts, cel.CustomDecoratorV2(p.guard(optionalLiterals(tree))))...)
}
