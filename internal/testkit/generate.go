package testkit

import (
	"math/rand/v2"

	"github.com/crdkit/crdkit/internal/generate"
)

// A Class is a class of objects that a [Generator] makes.
type Class = generate.Class

// The classes; see package generate.
const (
	Valid    = generate.Valid
	Boundary = generate.Boundary
	Fault    = generate.Fault
	Hostile  = generate.Hostile
)

// A Target describes the objects that a [Generator] makes.
type Target = generate.Target

// A Generator makes objects for a target.
type Generator = generate.Generator

// NewGenerator returns a generator. It uses values, and sometimes whole
// objects, of the samples with the apiVersion of the target.
func NewGenerator(t Target, samples ...map[string]any) *Generator {
	return generate.New(t, samples...)
}

// Mutate returns a changed copy of an object, such as an update would send.
func Mutate(rng *rand.Rand, obj map[string]any) map[string]any { return generate.Mutate(rng, obj) }
