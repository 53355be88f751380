package pattern

import (
	"regexp"
	"strings"
	"testing"
)

// BenchmarkMatch matches the first input of each table entry with the automaton
// and with package regexp.
func BenchmarkMatch(b *testing.B) {
	for _, test := range patternTests {
		if len(test.inputs) == 0 {
			continue
		}
		in := test.inputs[0]
		p, err := Compile(test.pattern)
		if err != nil {
			b.Fatal(err)
		}
		re := regexp.MustCompile(test.pattern)
		name := "case=" + strings.ReplaceAll(test.name, " ", "_")
		b.Run(name+"/way=automaton", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Match(in)
			}
		})
		b.Run(name+"/way=regexp", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				re.MatchString(in)
			}
		})
	}
}

// BenchmarkCompile compiles each table entry with this package and with package
// regexp.
func BenchmarkCompile(b *testing.B) {
	for _, test := range patternTests {
		name := "case=" + strings.ReplaceAll(test.name, " ", "_")
		b.Run(name+"/way=automaton", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(test.pattern); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/way=regexp", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := regexp.Compile(test.pattern); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
