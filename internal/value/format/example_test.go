package format_test

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/value/format"
)

func ExampleLookup() {
	f, ok := format.Lookup("date-time", format.DefaultMinor)
	fmt.Println(ok, f("2026-01-31T12:00:00Z"), f("2026-02-31T12:00:00Z"))

	_, ok = format.Lookup("k8s-short-name", 33)
	fmt.Println(ok)
	// Output:
	// true true false
	// false
}

func ExampleRegistered() {
	f, ok := format.Registered("ipv4")
	fmt.Println(ok, f("010.0.0.1"))
	// Output: true true
}

func ExampleSupported() {
	fmt.Println(format.Supported("integer", "int32", format.DefaultMinor))
	fmt.Println(format.Supported("integer", "date", format.DefaultMinor))
	// Output:
	// true
	// false
}
