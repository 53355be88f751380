package celeval

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/crdkit/crdkit/internal/celtypes"
)

// formatOfLanguage returns the function format of cel-go.
func formatOfLanguage(t *testing.T) func(...ref.Val) ref.Val {
	t.Helper()
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	return implementation(language.Functions["format"], "format", "string_format").Function
}

func listOf(values ...ref.Val) ref.Val {
	return types.NewRefValList(types.DefaultTypeAdapter, values)
}

// TestFormat compares formats with those of cel-go.
func TestFormat(t *testing.T) {
	slow := formatOfLanguage(t)
	values := []ref.Val{types.String("text"), types.String(""), types.String("NaN"), types.String("Infinity"), types.String("-Infinity"), types.True, types.Int(0), types.Int(-255), types.Int(math.MinInt64),
		types.Uint(8), types.Double(1.5), types.NullValue, types.Bytes("b"), listOf(types.IntOne), types.Duration{Duration: 1}}
	known := 0
	for _, text := range []string{"", "%", "a%%b", "%s", "a %s b", "%s%s", "%d", "-%d-", "%b", "%o", "%x", "%X", "%f", "%.2f", "%.0f", "%.f", "%.",
		"%.2", "%.2s", "%.2d", "%.-1f", "%.99f", "%.99999999999999999999f", "%e", "%.3e", "%q", "%5d", "%é", "é%sé", "%s %%", "%d%%"} {
		for _, v := range values {
			for _, list := range []ref.Val{listOf(), listOf(v), listOf(v, v), listOf(v, v, v)} {
				got, ok := format([]ref.Val{types.String(text), list})
				if !ok {
					continue
				}
				known++
				if want := slow(types.String(text), list); want.Equal(got) != types.True {
					t.Errorf("%q of %v: %v, want %v", text, list.Value(), got, want)
				}
			}
		}
	}
	only := quicker("string_format", &functions.Overload{Function: func(args ...ref.Val) ref.Val { return types.String("slow") }}).Function
	for text, want := range map[types.String]ref.Val{"%s": types.String("v"), "%q": types.String("slow")} {
		if got := only(text, listOf(types.String("v"))); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if known != 396 {
		t.Errorf("%d formats are known, want 396", known)
	}
}

// TestFormatFixed compares %f and %e with those of cel-go for numbers of all sizes.
func TestFormatFixed(t *testing.T) {
	slow := formatOfLanguage(t)
	numbers := []float64{0, math.Copysign(0, -1), 0.5, 1.5, 2.5, -2.5, 0.125, 2.675, 999.9999, 999.5, 1000, -1000, 999999.5, 1e6, 1e15, -1e15, maxFixed - 1,
		maxFixed, 1e300, 5e-324, -1e-9, 0.1 + 0.2, math.MaxInt32, math.Pi * 1e6, math.Inf(1), math.Inf(-1), math.NaN()}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		numbers = append(numbers, (rng.Float64()-0.5)*math.Pow(10, float64(rng.IntN(24)-4)))
	}
	formats := []types.String{"%f", "%.0f", "%.1f", "%.2f", "<%.3f>", "%.20f", "%e", "%.0e", "%.20e"}
	for i, x := range numbers {
		for j, text := range formats {
			if i >= 27 && i%len(formats) != j {
				continue
			}
			got, ok := format([]ref.Val{text, listOf(types.Double(x))})
			known := !(math.Abs(x) >= maxFixed) || math.IsInf(x, 0) || strings.HasSuffix(string(text), "e")
			if ok != known {
				t.Errorf("%s of %v is known: %v", text, x, ok)
			}
			if want := slow(text, listOf(types.Double(x))); ok && want.Equal(got) != types.True {
				t.Errorf("%s of %v: %v, want %v", text, x, got, want)
			}
		}
	}
}
