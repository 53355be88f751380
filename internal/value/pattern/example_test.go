package pattern_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/value/pattern"
)

func ExampleCompile() {
	p, err := pattern.Compile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Match("my-name"), p.Match("my-"), p.Fast())

	_, err = pattern.Compile(`[z-a]`)
	fmt.Println(err)
	// Output:
	// true false true
	// error parsing regexp: invalid character class range: `z-a`
}

func ExampleMaxStates() {
	p, err := pattern.Compile(`^a{20}$`, pattern.MaxStates(8))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Match("aaaaaaaaaaaaaaaaaaaa"), p.Fast())
	// Output: true false
}
