package cel

import (
	"math"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// Formats by name, and what validates a string against them.

// formatCall compiles format.NAME(), format.named and validate. It returns no
// code for others.
func (x *executor) formatCall(name, overload string, args []code) code {
	switch {
	case len(args) == 0 && isFormat(name):
		return x.knownFormat(name[len("format."):])
	case overload == "format-named" && len(args) == 1:
		text, ok := args[0].constant.(types.String)
		if !ok {
			return code{}
		}
		f := x.knownFormat(string(text))
		if f.kind == kindNone {
			return optionalNone()
		}
		f.cost = 0
		return code{kind: kindMaybe, cost: 1, maybe: &maybe{plain: true, value: f, has: func(*frame) bool { return true }}}
	case overload == "format-validate" && len(args) == 2 && args[0].format != nil && args[1].kind == kindString:
		return x.validated(args[0], args[1])
	}
	return code{}
}

// knownFormat returns a format, which costs one unit. It is no code if there is
// no such format.
func (x *executor) knownFormat(name string) code {
	fn := x.base.functions["format."+name]
	if fn == nil || name == "named" {
		return code{}
	}
	impl := implementation(fn, "format."+name, fn.OverloadDecls()[0].ID())
	if impl == nil || impl.Function == nil {
		return code{}
	}
	v := impl.Function()
	f, ok := v.Value().(apiservercel.Format)
	if !ok {
		return code{}
	}
	return code{kind: kindBox, cost: 1, typ: apiservercel.FormatType, box: func(*frame) ref.Val { return v }, opaque: opaque{format: &f}}
}

// validated compiles validate, which costs as an expression of the size of the
// format does. The result is there if there are faults.
func (x *executor) validated(a, b code) code {
	faults, each, s := a.format.ValidateFunc, uint64(math.Ceil(float64(a.format.MaxRegexSize)*0.25)), b.string
	read := x.reading(a)
	value := code{kind: kindBox, typ: types.NewListType(types.StringType),
		box:    func(f *frame) ref.Val { return types.NewStringList(types.DefaultTypeAdapter, f.faults) },
		opaque: opaque{texts: func(f *frame) []string { return f.faults }}}
	return code{kind: kindMaybe, cost: costs(a, b, 0), maybe: &maybe{plain: true, value: value, has: func(f *frame) bool {
		read(f)
		v := s(f)
		if f.bail {
			f.at = 0
			return false
		}
		f.cost += searchCost(v) * each
		f.faults, f.rare = faults(v), true
		return len(f.faults) > 0
	}}}
}
