package fuzz

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// maxBytes is the largest text that mutations produce, unless a seed is larger.
const maxBytes = 16 << 10

// An inputs generates the arguments of executions from seeds.
type inputs struct {
	seeds [][]any
	args  []any // of the last execution
	pcg   *rand.PCG
	rng   *rand.Rand
}

func newInputs(seeds [][]any) *inputs {
	pcg := rand.NewPCG(0, 0)
	return &inputs{seeds: seeds, args: make([]any, len(seeds[0])), pcg: pcg, rng: rand.New(pcg)}
}

// next sets args to those of execution k. They depend on k and the seeds only.
func (in *inputs) next(k uint64) {
	in.pcg.Seed(k, 0x9e3779b97f4a7c15)
	copy(in.args, in.seeds[in.rng.IntN(len(in.seeds))])
	// At least one argument changes, on average half of them.
	always := in.rng.IntN(len(in.args))
	for i := range in.args {
		if i == always || in.rng.IntN(2) == 0 {
			in.args[i] = in.mutated(i, in.args[i])
		}
	}
}

func (in *inputs) mutated(i int, v any) any {
	switch v := v.(type) {
	case string:
		return string(in.text([]byte(v), i))
	case []byte:
		return in.text(append([]byte(nil), v...), i)
	case bool:
		return in.rng.IntN(2) == 0
	case int:
		return int(in.number(int64(v)))
	case int64:
		return in.number(v)
	case uint8:
		return uint8(in.rng.Uint64())
	case uint16:
		return uint16(in.number(int64(v)))
	case uint64:
		return in.rng.Uint64()
	}
	panic(fmt.Sprintf("fuzz: no mutation for arguments of type %T", v))
}

func (in *inputs) number(n int64) int64 {
	switch in.rng.IntN(5) {
	case 0:
		return n ^ 1<<in.rng.IntN(64)
	case 1:
		return n + int64(in.rng.IntN(33)) - 16
	case 2:
		return int64(in.rng.Uint64())
	}
	return int64(in.rng.IntN(64))
}

// text returns b after one change, or after several.
func (in *inputs) text(b []byte, i int) []byte {
	for {
		b = in.change(b, i)
		if in.rng.IntN(3) == 0 {
			return b
		}
	}
}

// tokens are parts of JSON, YAML, patterns, rules and names.
var tokens = []string{
	"null", "true", "{}", "[]", `""`, `"a":`, ",", ":", "\n", "- ", "  ", "#", "*", "&a ", "\\", `\u0000`, `\ud800`, "\x00", "\xff", "é", "\U0001f600",
	"0", "-1", "1.0", "1e3", "-0", "9223372036854775807", "18446744073709551616", "1e400", "(", ")", "[^", "]", "|", "?", "+", "{2,3}", "{0,1000}", "^", "$", ".", "..", "/", "~1", "%", "-",
	"self", "oldSelf", " == ", " && ", "!", ".size()", ".all(x, x)", "has(", "type: ", "items: ", "properties: ", "default: ",
}

// change returns b with one change. It may overwrite b.
func (in *inputs) change(b []byte, i int) []byte {
	from, to := in.part(b)
	switch in.rng.IntN(8) {
	case 0:
		if len(b) > 0 {
			b[in.rng.IntN(len(b))] ^= 1 << in.rng.IntN(8)
		}
		return b
	case 1:
		return append(b[:from], b[to:]...)
	case 2:
		return in.insert(b, from, b[from:to])
	case 3:
		return in.insert(b, from, []byte(tokens[in.rng.IntN(len(tokens))]))
	case 4:
		return in.renumber(b, from)
	case 5:
		if len(b) > 0 {
			b[in.rng.IntN(len(b))] = b[in.rng.IntN(len(b))]
		}
		return b
	case 6:
		return in.insert(b, from, []byte{byte(in.rng.Uint64())})
	}
	other := in.other(i)
	oFrom, oTo := in.part(other)
	return in.insert(append(b[:from], b[to:]...), from, other[oFrom:oTo])
}

// part returns the limits of a part of b, which is usually short.
func (in *inputs) part(b []byte) (from, to int) {
	from = in.rng.IntN(len(b) + 1)
	n := 1 << in.rng.IntN(10)
	return from, from + in.rng.IntN(min(n, len(b)-from)+1)
}

// other returns argument i of some seed, which must not be changed.
func (in *inputs) other(i int) []byte {
	switch v := in.seeds[in.rng.IntN(len(in.seeds))][i].(type) {
	case string:
		return []byte(v)
	case []byte:
		return v
	}
	return nil
}

func (in *inputs) insert(b []byte, at int, part []byte) []byte {
	if len(b)+len(part) > maxBytes {
		return b
	}
	out := make([]byte, 0, len(b)+len(part))
	return append(append(append(out, b[:at]...), part...), b[at:]...)
}

// renumber replaces the first digits at or after a position.
func (in *inputs) renumber(b []byte, at int) []byte {
	from := at + max(0, bytes.IndexAny(b[at:], "0123456789"))
	to := from
	for to < len(b) && '0' <= b[to] && b[to] <= '9' {
		to++
	}
	if from == to {
		return b
	}
	n := []int64{0, 1, 2, 10, 100, 1000, math.MaxInt32, math.MaxInt64, int64(in.rng.IntN(256))}[in.rng.IntN(9)]
	tail := append([]byte(nil), b[to:]...)
	return in.insert(append(b[:from], tail...), from, strconv.AppendInt(nil, n, 10))
}

// encode writes arguments in the format of files below testdata/fuzz.
func encode(args []any) string {
	out := "go test fuzz v1\n"
	for _, arg := range args {
		switch v := arg.(type) {
		case []byte:
			out += fmt.Sprintf("[]byte(%q)\n", v)
		case uint8:
			out += fmt.Sprintf("byte(%q)\n", v)
		case string:
			out += fmt.Sprintf("string(%q)\n", v)
		default:
			out += fmt.Sprintf("%T(%v)\n", v, v)
		}
	}
	return out
}
