package cellib

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

var epoch = time.Unix(0, 0)

// TestLanguages compares everything that an environment exports about its
// declarations.
func TestLanguages(t *testing.T) {
	languages, overloads := 0, 0
	compare := func(name string, want, got side) {
		for _, part := range []struct {
			name string
			list func(testing.TB, *cel.Env) []string
		}{
			{"functions", listFunctions}, {"macros", listMacros}, {"names", listNames}, {"libraries", listLibraries},
			{"validators", listValidators}, {"settings", listSettings},
		} {
			want, got := part.list(t, want.env), part.list(t, got.env)
			if len(want) == 0 {
				t.Errorf("%s: upstream has no %s", name, part.name)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s of upstream (-) and ours (+):\n%s", name, part.name, d)
			}
			if part.name == "functions" {
				overloads += len(want)
			}
		}
		languages++
	}
	for minor := oldest; minor <= newest; minor++ {
		compare(fmt.Sprintf("new rules of 1.%d", minor), theirs(minor), ours(t, minor))
		compare(fmt.Sprintf("stored rules in a server compatible with 1.%d", minor), theirStored(minor), ours(t, newest))
	}
	fmt.Printf("cel language: %d languages with %d overloads and implementations in all\n", languages, overloads)
}

// listFunctions returns a line for each overload, in their order within a
// function.
func listFunctions(t testing.TB, env *cel.Env) []string {
	var list []string
	all := env.Functions()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fn := all[name]
		for _, o := range fn.OverloadDecls() {
			var params []string
			for _, p := range o.ArgTypes() {
				params = append(params, fmt.Sprintf("%v %v", p, p.Kind()))
			}
			list = append(list, fmt.Sprintf("%s disabled=%t %s(%s) -> %v %v method=%t nonStrict=%t late=%t trait=%d params=%v", name, fn.IsDeclarationDisabled(),
				o.ID(), strings.Join(params, ", "), o.ResultType(), o.ResultType().Kind(),
				o.IsMemberFunction(), o.IsNonStrict(), o.HasLateBinding(), o.OperandTrait(), slices.Sorted(slices.Values(o.TypeParams()))))
		}
		bindings, err := fn.Bindings()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, b := range bindings {
			list = append(list, fmt.Sprintf("%s bound to %s %s trait=%d nonStrict=%t", name, b.Operator, arities(b), b.OperandTrait, b.NonStrict))
		}
	}
	return list
}

func arities(b *functions.Overload) string {
	return fmt.Sprintf("unary=%t binary=%t any=%t", b.Unary != nil, b.Binary != nil, b.Function != nil)
}

func listMacros(_ testing.TB, env *cel.Env) []string {
	var list []string
	for _, m := range env.Macros() {
		list = append(list, fmt.Sprintf("%s %s args=%d receiver=%t", m.MacroKey(), m.Function(), m.ArgCount(), m.IsReceiverStyle()))
	}
	return list
}

// listNames returns a line for each variable and for each known name of a type.
// An environment does not list its types.
func listNames(_ testing.TB, env *cel.Env) []string {
	var list []string
	for _, v := range env.Variables() {
		list = append(list, fmt.Sprintf("variable %s %v", v.Name(), v.Type()))
	}
	slices.Sort(list)
	for _, name := range []string{
		"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.URL", "kubernetes.Semver", "kubernetes.NamedFormat",
		"kubernetes.authorization.Authorizer", "kubernetes.authorization.PathCheck", "kubernetes.authorization.GroupCheck",
		"kubernetes.authorization.ResourceCheck", "kubernetes.authorization.Decision", "optional_type", "int", "google.protobuf.Timestamp",
	} {
		v, ok := env.CELTypeProvider().FindIdent(name)
		_, isStruct := env.CELTypeProvider().FindStructType(name)
		list = append(list, fmt.Sprintf("%s %v %t struct=%t", name, v, ok, isStruct))
	}
	return list
}

func listLibraries(_ testing.TB, env *cel.Env) []string {
	return slices.Sorted(slices.Values(env.Libraries()))
}

func listValidators(_ testing.TB, env *cel.Env) []string {
	var list []string
	for _, v := range env.Validators() {
		list = append(list, fmt.Sprintf("%T %s", v, v.Name()))
	}
	return append(list, "and no more")
}

// listSettings returns the lines of the configuration of an environment.
func listSettings(t testing.TB, env *cel.Env) []string {
	config, err := env.ToConfig("language")
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	slices.Sort(lines) // the configuration has the order of a map
	return lines
}
