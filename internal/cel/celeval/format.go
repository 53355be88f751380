package celeval

import (
	"math"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// formatCall compiles format.NAME(), format.named and validate. It returns an
// operand without kind for other calls.
func (x *compiler) formatCall(name, overload string, args []operand) operand {
	switch {
	case len(args) == 0 && isFormat(name):
		return x.knownFormat(name[len("format."):])
	case overload == "format-named" && len(args) == 1:
		text, ok := args[0].constant.(types.String)
		if !ok {
			return operand{}
		}
		f := x.knownFormat(string(text))
		if f.kind() == kindNone {
			return optionalNone()
		}
		f.cost = 0
		return operand{cost: 1, value: &optional{pure: true, value: f, has: func(*Frame) bool { return true }}}
	case overload == "format-validate" && len(args) == 2 && args[0].extras().format != nil && args[1].kind() == kindString:
		return x.validated(args[0], args[1])
	}
	return operand{}
}

// knownFormat returns the operand of a format, which costs one unit, or one
// without kind if the format does not exist.
func (x *compiler) knownFormat(name string) operand {
	fn := x.language.Functions["format."+name]
	if fn == nil || name == "named" {
		return operand{}
	}
	impl := implementation(fn, "format."+name, fn.OverloadDecls()[0].ID())
	if impl == nil || impl.Function == nil {
		return operand{}
	}
	v := impl.Function()
	f, ok := v.Value().(apiservercel.Format)
	if !ok {
		return operand{}
	}
	return operand{cost: 1, typ: apiservercel.FormatType, box: func(*Frame) ref.Val { return v }, extra: &extras{format: &f}}
}

// validated compiles validate. It costs like matching a regular expression of the
// size of the format. The optional has a value if the string is invalid.
func (x *compiler) validated(a, b operand) operand {
	format, s := a.extras().format, closureOf[string](b)
	validate, each := format.ValidateFunc, uint64(math.Ceil(float64(format.MaxRegexSize)*0.25))
	read := x.effect(a)
	value := operand{typ: types.NewListType(types.StringType), value: as(kindStrings, func(f *Frame) []string { return f.formatErrors })}
	return operand{cost: costs(a, b, 0), value: &optional{pure: true, value: value, has: func(f *Frame) bool {
		read(f)
		v := s(f)
		if f.failed {
			f.failedAt = 0
			return false
		}
		if f.pay(searchCost(v) * each); f.failed {
			return false
		}
		f.formatErrors, f.rare = validate(v), true
		return len(f.formatErrors) > 0
	}}}
}
