package celrules

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	upstreamcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

const (
	grammarShare = 100_000 // evaluations of TestGrammar without -full

	bundleFields, bundleRules, bundleInputs = 7, 12, 24
	// Runs of the other side before a difference of many rules, or of one rule, counts.
	bundlePatience, rulePatience = 20, 3000
	shrinkSteps                  = 400
)

// A fieldKind is an entry of testdata/fields.yaml.
type fieldKind struct {
	Name   string                          `json:"name"`
	Schema apiextensionsv1.JSONSchemaProps `json:"schema"`
	Values []any                           `json:"values"`
}

var fieldKinds = sync.OnceValue(func() []fieldKind {
	var list []fieldKind
	data, err := os.ReadFile("testdata/fields.yaml")
	if err == nil {
		err = yaml.UnmarshalStrict(data, &list)
	}
	if err != nil {
		panic(err)
	}
	for _, k := range list {
		for i, v := range k.Values {
			decoded, err := testkit.DecodeJSON(testkit.Encode(v))
			if err != nil {
				panic(err)
			}
			k.Values[i] = decoded
		}
	}
	return list
})

// A site is a schema that can have rules.
type site struct {
	path []step
	at   *field.Path
	typ  *apiservercel.DeclType
}

// A generated is a generated rule.
type generated struct {
	*site
	rule, message *term // message may be nil
	optional      bool  // optionalOldSelf
}

func (r *generated) validation() apiextensionsv1.ValidationRule {
	v := apiextensionsv1.ValidationRule{Rule: r.rule.String()}
	if r.message != nil {
		v.MessageExpression = r.message.String()
	}
	if r.optional {
		v.OptionalOldSelf = &r.optional
	}
	return v
}

// A bundle is a schema with generated rules, and objects for it.
type bundle struct {
	t     testing.TB
	rng   *rand.Rand
	kinds []fieldKind
	props *apiextensionsv1.JSONSchemaProps // without rules
	sites []*site
	rules []*generated
}

// newBundle makes a schema of some of the fields, and rules for it.
func newBundle(t testing.TB, rng *rand.Rand) *bundle {
	b := &bundle{t: t, rng: rng, props: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}}
	all := fieldKinds()
	for _, i := range rng.Perm(len(all))[:bundleFields] {
		b.kinds = append(b.kinds, all[i])
		b.props.Properties[all[i].Name] = all[i].Schema
	}
	s, err := structural(b.props)
	if err != nil {
		t.Fatal(err)
	}
	b.visit(s, model.SchemaDeclType(s, true), nil, nil)
	grammars := map[string]*grammar{}
	for range bundleRules {
		at := b.sites[0]
		if rng.IntN(5) < 2 {
			at = b.sites[rng.IntN(len(b.sites))]
		}
		b.rules = append(b.rules, b.generate(at, grammars))
	}
	return b
}

// visit lists the schemas that can have rules, and their types.
func (b *bundle) visit(s *structuralschema.Structural, typ *apiservercel.DeclType, path []step, at *field.Path) {
	if typ == nil {
		return
	}
	b.sites = append(b.sites, &site{path: path, at: at, typ: typ})
	below := func(s *structuralschema.Structural, typ *apiservercel.DeclType, to step, at *field.Path) {
		b.visit(s, typ, append(slices.Clip(path), to), at)
	}
	if s.Items != nil {
		below(s.Items, typ.ElemType, step{items: true}, at.Child("items"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		child := s.Properties[name]
		below(&child, propertyType(typ, name, &child), step{name: name}, at.Child("properties").Key(name))
	}
	if a := s.AdditionalProperties; a != nil && a.Structural != nil {
		below(a.Structural, typ.ElemType, step{values: true}, at.Child("additionalProperties"))
	}
}

// generate makes a rule for a site.
func (b *bundle) generate(at *site, grammars map[string]*grammar) *generated {
	r := &generated{site: at, optional: b.rng.IntN(8) == 0}
	name := at.at.String()
	withOld := r.optional || b.rng.IntN(4) == 0
	if withOld {
		name += fmt.Sprint(" old ", r.optional)
	}
	g := grammars[name]
	if g == nil {
		g = &grammar{rng: b.rng}
		self := at.typ.MaybeAssignTypeName("selfType")
		g.declare("self", self, 3)
		switch {
		case r.optional:
			g.paths = append(g.paths, known{name: "oldSelf", typ: types.NewOptionalType(self.CelType())})
			g.declare("oldSelf.value()", self, 2)
		case withOld:
			g.declare("oldSelf", self, 3)
		}
		grammars[name] = g
	}
	depth := 1 + b.rng.IntN(4)
	r.rule = g.rule(depth)
	if b.rng.IntN(6) == 0 {
		r.message = g.expr(types.StringType, depth)
		if b.rng.IntN(2) == 0 {
			r.rule = &term{typ: types.BoolType, texts: []string{"false"}}
		}
	}
	return r
}

// with returns the schema with rules.
func (b *bundle) with(rules []*generated) *apiextensionsv1.JSONSchemaProps {
	props := b.props.DeepCopy()
	for _, r := range rules {
		place(props, r.path, r.validation())
	}
	return props
}

func place(props *apiextensionsv1.JSONSchemaProps, path []step, rule apiextensionsv1.ValidationRule) {
	if len(path) == 0 {
		props.XValidations = append(props.XValidations, rule)
		return
	}
	switch s := path[0]; {
	case s.items:
		place(props.Items.Schema, path[1:], rule)
	case s.values:
		place(props.AdditionalProperties.Schema, path[1:], rule)
	default:
		p := props.Properties[s.name]
		place(&p, path[1:], rule)
		props.Properties[s.name] = p
	}
}

// input makes an object, and for half of them an old object.
func (b *bundle) input() *input {
	obj := map[string]any{}
	for _, k := range b.kinds {
		if b.rng.IntN(6) > 0 {
			obj[k.Name] = k.Values[b.rng.IntN(len(k.Values))]
		}
	}
	if b.rng.IntN(3) == 0 {
		obj["apiVersion"], obj["kind"], obj["metadata"] = "example.com/v1", "A", map[string]any{"name": "a"}
	}
	in := &input{obj: testkit.Clone(obj), budget: budget}
	if b.rng.IntN(2) == 0 {
		for _, k := range b.kinds {
			if b.rng.IntN(3) == 0 {
				obj[k.Name] = k.Values[b.rng.IntN(len(k.Values))]
			}
		}
		in.old = testkit.Clone(obj)
		if b.rng.IntN(6) == 0 {
			in.old = harm(b.rng, in.old)
		}
	}
	if b.rng.IntN(6) == 0 {
		in.obj = harm(b.rng, in.obj)
	}
	return in
}

// upstreamCompiles returns upstream's compile errors of rules of one site, in the form of
// compileLines, for each rule. A panic is the line "panic".
func (b *bundle) upstreamCompiles(at *site, rules []*generated) (lines [][]string) {
	defer func() {
		if recover() == nil {
			return
		}
		if lines = nil; len(rules) == 1 {
			lines = [][]string{{"panic"}}
			return
		}
		for _, r := range rules {
			lines = append(lines, b.upstreamCompiles(at, []*generated{r})...)
		}
	}()
	s, err := structural(b.with(rules))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, to := range at.path {
		switch {
		case to.items:
			s = s.Items
		case to.values:
			s = s.AdditionalProperties.Structural
		default:
			child := s.Properties[to.name]
			s = &child
		}
	}
	results, err := upstreamcel.Compile(s, at.typ, celconfig.PerCallLimit, upstreamLanguage(), upstreamcel.StoredExpressionsEnvLoader())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range results {
		var list []string
		if r.Error != nil {
			list = append(list, upstream.Normal("rule | "+r.Error.Detail))
		}
		if r.MessageExpressionError != nil {
			list = append(list, upstream.Normal("messageExpression | "+r.MessageExpressionError.Detail))
		}
		lines = append(lines, list)
	}
	return lines
}

// ourCompiles returns our compile errors in the same form.
func (b *bundle) ourCompiles(rules []*generated) [][]string {
	n, errs := schema.Compile(b.with(rules))
	if len(errs) > 0 {
		b.t.Fatal(errs.ToAggregate())
	}
	lines, next := make([][]string, len(rules)), map[*site]int{}
	errs, panicked := compiles(n)
	if panicked != "" && len(rules) == 1 {
		return [][]string{{panicked}}
	} else if panicked != "" {
		for i := range rules {
			lines[i] = b.ourCompiles(rules[i : i+1])[0]
		}
		return lines
	}
	for i, r := range rules {
		prefix := r.at.Child("x-kubernetes-validations").Index(next[r.site]).String() + "."
		next[r.site]++
		for _, e := range errs {
			if name, ok := strings.CutPrefix(e.Field, prefix); ok {
				lines[i] = append(lines[i], upstream.Normal(name+" | "+e.Detail))
			}
		}
	}
	return lines
}

// compiles returns our errors about the rules of a schema, or our panic.
func compiles(n *schema.Node) (errs field.ErrorList, panicked string) {
	defer func() {
		if p := recover(); p != nil {
			panicked = fmt.Sprint("our panic: ", p)
		}
	}()
	_, errs = cel.Compile(n)
	return errs, ""
}

// compileDifference describes how the compile errors of a rule differ.
func compileDifference(theirs, ours []string) string {
	if slices.Equal(theirs, ours) || slices.Equal(theirs, []string{"panic"}) && len(ours) > 0 && !strings.HasPrefix(ours[0], "our panic") {
		return ""
	}
	return upstream.Diff(theirs, ours)
}

// subject compiles rules for all sides.
func (b *bundle) subject(rules []*generated) *subject {
	n, s := bothSchemas(b.t, "generated", b.with(rules))
	return subjectOf(b.t, "generated", n, s, celconfig.PerCallLimit)
}

// A findings collects the differences of generated rules, one of each kind.
type findings struct {
	*tally
	kinds            map[string]int
	compiled, others atomic.Int64 // rules that compile, rules that both sides refuse
	all, fast        atomic.Int64
}

// run compares everything about a bundle.
func (b *bundle) run(f *findings) {
	theirs := map[*generated][]string{}
	for _, at := range b.sites {
		var here []*generated
		for _, r := range b.rules {
			if r.site == at {
				here = append(here, r)
			}
		}
		if len(here) > 0 {
			for i, lines := range b.upstreamCompiles(at, here) {
				theirs[here[i]] = lines
			}
		}
	}
	var rules []*generated
	for i, ours := range b.ourCompiles(b.rules) {
		r := b.rules[i]
		if compileDifference(theirs[r], ours) != "" {
			f.compileFinding(b, r)
		} else if len(ours) > 0 {
			f.others.Add(1)
		} else {
			rules = append(rules, r)
		}
	}
	f.compiled.Add(int64(len(rules)))
	f.tally.rules.Add(int64(len(rules)))
	sub := b.subject(rules)
	for i := 0; i < bundleInputs && sub != nil; i++ {
		in := b.input()
		count := evaluations(sub.node, in.obj, oldOf(in))
		f.evaluations.Add(int64(count))
		f.third.Add(int64(count))
		f.inputs.Add(1)
		if len(ours(sub.fast, in).errors) == 0 {
			f.ok.Add(1)
		}
		if compared(b.t, sub, in, bundlePatience) == "" {
			continue
		}
		if left := b.blame(f, rules, in); len(left) < len(rules) {
			rules, sub = left, b.subject(left)
		}
	}
	if sub != nil {
		f.all.Add(sub.count.All.Load())
		f.fast.Add(sub.count.Fast.Load())
	}
}

// blame reports the rules on which the sides differ for an input, and returns the others.
func (b *bundle) blame(f *findings, rules []*generated, in *input) []*generated {
	var left, steady []*generated
	for _, r := range rules {
		one := b.subject([]*generated{r})
		if compared(b.t, one, in, 1) == "" {
			left, steady = append(left, r), append(steady, r)
		} else if diff := compared(b.t, one, in, rulePatience); diff != "" {
			f.finding(b, r, in, diff)
		} else {
			f.chance.Add(1)
			left = append(left, r)
		}
	}
	if len(steady) == len(rules) {
		if diff := compared(b.t, b.subject(rules), in, rulePatience); diff != "" {
			f.finding(b, nil, in, diff)
		}
	} else if len(steady) > 0 {
		if diff := compared(b.t, b.subject(steady), in, bundlePatience); diff != "" {
			f.finding(b, nil, in, diff)
		}
	}
	return left
}

// compared describes the differences between the sides.
func compared(t testing.TB, s *subject, in *input, patience int) string {
	quiet := &counter{TB: t}
	c := newTally(quiet, "generated", "three sides")
	c.runs = patience
	c.three(s, in, "generated", 1)
	return strings.Join(quiet.texts, "\n")
}

// finding reports an input on which the sides differ. r is nil if several rules together
// cause the difference.
func (f *findings) finding(b *bundle, r *generated, in *input, diff string) {
	f.differences.Add(1)
	if r == nil {
		f.once("many rules", diff)
		return
	}
	small := b.shrink(r, func(r *generated) bool {
		if len(b.upstreamCompiles(r.site, []*generated{r})[0]) > 0 {
			return false // upstream may panic
		}
		one := b.subject([]*generated{r})
		return one != nil && compared(b.t, one, in, rulePatience/20) != ""
	})
	one := b.subject([]*generated{small})
	for i, name := range slices.Sorted(maps.Keys(in.obj)) {
		less := &input{obj: maps.Clone(in.obj), old: in.old, budget: budget}
		if delete(less.obj, name); i < 20 && compared(b.t, one, less, rulePatience/20) != "" {
			in = less
		}
	}
	if less := (&input{obj: in.obj, budget: budget}); compared(b.t, one, less, rulePatience/20) != "" {
		in = less
	}
	text := small.validation()
	diff = compared(b.t, one, in, rulePatience/20)
	f.once(sort(text.Rule+" "+text.MessageExpression, diff), fmt.Sprintf("at %q %s\n  messageExpression %s\n%s", small.at, text.Rule, text.MessageExpression, cmp.Or(diff, "not found again")))
}

// compileFinding reports a rule whose compile errors differ.
func (f *findings) compileFinding(b *bundle, r *generated) {
	f.differences.Add(1)
	differs := func(r *generated) string {
		return compileDifference(b.upstreamCompiles(r.site, []*generated{r})[0], b.ourCompiles([]*generated{r})[0])
	}
	small := b.shrink(r, func(r *generated) bool { return differs(r) != "" })
	text := small.validation()
	kind := sort(text.Rule+" "+text.MessageExpression, "compile")
	if diff := differs(small); strings.Contains(diff, "our panic") {
		kind = diff
	} else if strings.Contains(diff, "upstream panic") {
		kind = "upstream panics"
	}
	f.once(kind, fmt.Sprintf("compiling at %q %s\n  messageExpression %s\n%s", small.at, text.Rule, text.MessageExpression, differs(small)))
}

var called = regexp.MustCompile(`[a-zA-Z]+\(| in |\[\?|\{\?`)

// sort names the kind of a difference: the functions of the rule, and what differs.
func sort(rule, diff string) string {
	names := slices.DeleteFunc(called.FindAllString(rule, -1), func(s string) bool { return s == "dyn(" })
	slices.Sort(names)
	if diff != "compile" {
		switch {
		case strings.Contains(diff, "our panic"):
			diff = "panic"
		case strings.Count(diff, "-upstream") != strings.Count(diff, "+ours"):
			diff = "verdict"
		case strings.Contains(diff, "-upstream"):
			diff = "text"
		default:
			diff = "cost"
		}
	}
	return diff + " " + strings.Join(slices.Compact(names), " ")
}

// once prints the first difference of each kind.
func (f *findings) once(kind, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kinds[kind]++; f.kinds[kind] == 1 && len(f.kinds) <= 150 {
		f.t.Errorf("%s: %s", kind, text)
	}
}

// shrink returns a rule that is as small as possible and still bad.
func (b *bundle) shrink(r *generated, bad func(*generated) bool) *generated {
	small := *r
	steps := 0
	try := func(r *generated) bool {
		steps++
		return steps < shrinkSteps && bad(r)
	}
	if small.message != nil {
		if less := small; true {
			if less.message = nil; try(&less) {
				small = less
			} else if less = small; try(&less) {
				less.rule = &term{typ: types.BoolType, texts: []string{"false"}}
				if try(&less) {
					small = less
				}
			}
		}
	}
	if less := small; less.optional {
		if less.optional = false; try(&less) {
			small = less
		}
	}
	root := &term{texts: []string{"", ""}, operands: []*term{small.rule.clone()}}
	if small.message != nil {
		root = &term{texts: []string{"", "", ""}, operands: []*term{small.rule.clone(), small.message.clone()}}
	}
	current := func() *generated {
		r := small
		if r.rule = root.operands[0]; len(root.operands) > 1 {
			r.message = root.operands[1]
		}
		return &r
	}
	g := &grammar{rng: rand.New(rand.NewPCG(1, 1)), paths: []known{{name: "self", typ: types.DynType}}}
	for smaller := true; smaller && steps < shrinkSteps; {
		smaller = false
		for _, e := range root.all()[1:] {
			size := len(e.String())
			candidates := e.all()[1:]
			for range 3 {
				candidates = append(candidates, g.literal(e.typ))
			}
			slices.SortStableFunc(candidates, func(a, b *term) int { return cmp.Compare(len(a.String()), len(b.String())) })
			for _, c := range candidates {
				if len(c.String()) >= size || !c.typ.IsExactType(e.typ) && e.typ.Kind() != types.DynKind {
					continue
				}
				saved := *e
				if *e = *c.clone(); try(current()) {
					smaller = true
					break
				}
				*e = saved
			}
		}
	}
	return current()
}

func (e *term) clone() *term {
	c := *e
	c.operands = make([]*term, len(e.operands))
	for i, o := range e.operands {
		c.operands[i] = o.clone()
	}
	return &c
}

// all returns an expression and those below it.
func (e *term) all() []*term {
	list := []*term{e}
	for _, o := range e.operands {
		list = append(list, o.all()...)
	}
	return list
}

// TestGrammar compares the sides on generated rules: the errors of rules that do not
// compile, and the answers of the others on generated objects.
func TestGrammar(t *testing.T) {
	want := int64(grammarShare)
	if testing.Short() {
		want /= 10
	}
	if *full {
		want = *evaluationsWanted
	}
	f := &findings{tally: newTally(t, "grammar", "three sides"), kinds: map[string]int{}}
	for next := 0; f.evaluations.Load() < want; next += 64 {
		parallel(64, func(i int) {
			newBundle(t, rand.New(rand.NewPCG(uint64(next+i), *seed))).run(f)
		})
	}
	fmt.Printf("cel grammar: %d rules compiled, %d refused; %.1f%% of the evaluations on the executor\n",
		f.compiled.Load(), f.others.Load(), 100*float64(f.fast.Load())/float64(max(f.all.Load(), 1)))
	for _, kind := range slices.Sorted(maps.Keys(f.kinds)) {
		fmt.Printf("cel grammar: %d times %s\n", f.kinds[kind], kind)
	}
	f.report()
}
