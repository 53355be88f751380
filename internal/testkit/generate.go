package testkit

import (
	"math/rand/v2"

	"github.com/crdkit/crdkit/internal/generate"
)

// A Class says what kind of object a [Generator] makes.
type Class = generate.Class

// The classes; see package generate.
const (
	Valid    = generate.Valid
	Boundary = generate.Boundary
	Fault    = generate.Fault
	Hostile  = generate.Hostile
)

// A Target says what objects a [Generator] makes.
type Target = generate.Target

// A Generator makes objects of a target.
type Generator = generate.Generator

// NewGenerator returns a generator that borrows values, and sometimes whole
// objects, from the samples whose apiVersion is the target's.
func NewGenerator(t Target, samples ...map[string]any) *Generator {
	return generate.New(t, samples...)
}

// Mutate returns a changed copy of an object, such as an update would send.
func Mutate(rng *rand.Rand, obj map[string]any) map[string]any { return generate.Mutate(rng, obj) }
