package cellib

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// cel-go prints values in a few errors, with maps in random order and without a limit. The errors
// of this file are always the same for equal values, and bounded.

// maxText limits the bytes of a value in an error.
const maxText = 1 << 20

const tooLong = "value of more than 1 MiB"

// A printer is a value with its own text in errors. cel-go would print it as a struct.
type printer interface{ Printed() string }

// textOf returns the text of a value as in cel-go. Entries of maps are sorted by their texts.
func textOf(v ref.Val) string {
	left := maxText
	if text := boundedText(v, &left); left >= 0 {
		return text
	}
	return tooLong
}

// boundedText returns the text of a value and subtracts its length from *left. If *left falls below
// 0, the text may be incomplete.
func boundedText(v ref.Val, left *int) string {
	var parts []string
	*left -= 2
	switch v := v.(type) {
	case printer:
		return v.Printed()
	case apiservercel.Format:
		return "named format"
	case *types.Optional:
		if v.HasValue() {
			return "optional(" + boundedText(v.GetValue(), left) + ")"
		}
	case traits.Lister:
		for it := v.Iterator(); *left >= 0 && it.HasNext() == types.True; {
			parts = append(parts, boundedText(it.Next(), left))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case traits.Mapper:
		for it := v.Iterator(); *left >= 0 && it.HasNext() == types.True; {
			key := it.Next()
			value, _ := v.Find(key)
			parts = append(parts, boundedText(key, left)+": "+boundedText(value, left))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	text := fmt.Sprint(v)
	*left -= len(text)
	return text
}

// RepeatedKey returns the error of inserting entries into a map, nil if no key is repeated. The
// error names the first repeated key. If keys have no order, it names the key with the smallest
// text.
func RepeatedKey(m, entries ref.Val) ref.Val {
	into, isMap := m.(traits.Mapper)
	from, areEntries := entries.(traits.Mapper)
	if !isMap || !areEntries {
		return nil
	}
	var first string
	found := false
	for it := from.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		if _, repeated := into.Find(key); !repeated {
			continue
		}
		if text := textOf(key); !found || text < first {
			found, first = true, text
		}
		if isOrdered(key) {
			break
		}
	}
	if !found {
		return nil
	}
	return types.NewErr("insert failed: key %s already exists", first)
}

// PrintsElement reports whether the error of a function prints the first element that the function
// does not accept.
func PrintsElement(function string) bool {
	return function == "join" || function == "unwrapOpt" || function == "optional.unwrap"
}

// Printing returns the arguments for a function of [PrintsElement]. It replaces an element that
// cel-go would print without a limit.
func Printing(function string, args []ref.Val) []ref.Val {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return args
	}
	takes := types.OptionalType
	if function == "join" {
		takes = types.StringType
	}
	at := 0
	for e := range each(list) {
		if e.Type() == takes {
			at++
			continue
		}
		switch e.(type) {
		case traits.Lister, traits.Mapper, *types.Optional, apiservercel.Format, printer:
			elements := slices.Collect(each(list))
			elements[at] = shownValue{e, textOf(e)}
			return append([]ref.Val{types.NewRefValList(types.DefaultTypeAdapter, elements)}, args[1:]...)
		}
		break
	}
	return args
}

// A shownValue is a value with its text for errors.
type shownValue struct {
	ref.Val
	text string
}

func (s shownValue) String() string { return s.text }

// NotOptional returns the error about a value in [?v] that is not an optional. If key is not nil,
// the error is about {?key: v}.
func NotOptional(key, v ref.Val) ref.Val {
	if key == nil {
		return types.NewErr("cannot initialize optional list element from non-optional value %s", textOf(v))
	}
	return types.NewErr("cannot initialize optional entry '%s' from non-optional value %s", textOf(key), textOf(v))
}
