package cellib

import (
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// regex returns the library of search functions. A program compiles a literal expression once, and
// is refused if the expression is invalid.
func regex() cel.EnvOption {
	s, list := cel.StringType, cel.ListType(cel.StringType)
	return cel.Lib(&library{
		name: "kubernetes.regex",
		declare: []cel.EnvOption{
			define("find", declare("string_find_string", s, s, s).method(binary(func(s, expr string) ref.Val {
				return withRegexp(expr, func(re *regexp.Regexp) ref.Val { return first(re, s) })
			}))),
			define("findAll",
				declare("string_find_all_string", list, s, s).method(binary(func(s, expr string) ref.Val {
					return withRegexp(expr, func(re *regexp.Regexp) ref.Val { return all(re, s, -1) })
				})),
				declare("string_find_all_string_int", list, s, s, cel.IntType).method(bindAny(func(args ...ref.Val) ref.Val {
					return withText(args, 1, func(expr string) ref.Val {
						return withRegexp(expr, func(re *regexp.Regexp) ref.Val { return findAll(re, args) })
					})
				}))),
		},
		program: []cel.ProgramOption{cel.OptimizeRegex(compiledOnce("find", find), compiledOnce("findAll", findAll))},
	})
}

func withRegexp(expr string, search func(*regexp.Regexp) ref.Val) ref.Val {
	re, err := regexp.Compile(expr)
	if err != nil {
		return types.NewErr("Illegal regex: %v", err.Error())
	}
	return search(re)
}

func first(re *regexp.Regexp, s string) ref.Val { return types.String(re.FindString(s)) }

func all(re *regexp.Regexp, s string, most int64) ref.Val {
	return texts(re.FindAllString(s, int(most)))
}

func find(re *regexp.Regexp, args []ref.Val) ref.Val {
	if len(args) != 2 {
		return types.NoSuchOverloadErr()
	}
	return withText(args, 0, func(s string) ref.Val { return first(re, s) })
}

// findAll evaluates a call of findAll. A third argument is the maximum number of matches.
func findAll(re *regexp.Regexp, args []ref.Val) ref.Val {
	if len(args) < 2 || len(args) > 3 {
		return types.NoSuchOverloadErr()
	}
	return withText(args, 0, func(s string) ref.Val {
		if len(args) == 2 {
			return all(re, s, -1)
		}
		most, ok := args[2].Value().(int64)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[2])
		}
		return all(re, s, most)
	})
}

// withText calls f with argument i. If the argument is not a string, it returns an error.
func withText(args []ref.Val, i int, f func(string) ref.Val) ref.Val {
	s, ok := args[i].Value().(string)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[i])
	}
	return f(s)
}

// compiledOnce compiles a literal regular expression once for all evaluations.
func compiledOnce(name string, search func(*regexp.Regexp, []ref.Val) ref.Val) *interpreter.RegexOptimization {
	return &interpreter.RegexOptimization{
		Function:   name,
		RegexIndex: 1,
		Factory: func(call interpreter.InterpretableCall, expr string) (interpreter.InterpretableCall, error) {
			re, err := regexp.Compile(expr)
			if err != nil {
				return nil, err
			}
			compiled := func(args ...ref.Val) ref.Val { return search(re, args) }
			return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), compiled), nil
		},
	}
}
