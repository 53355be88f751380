package schema

import (
	"iter"
	"slices"
	"sort"
)

// A Branch is the compiled form of a schema below allOf, anyOf, oneOf or not.
// It constrains values whose structure is declared by a [Node]. In a structural
// schema, a Branch declares a type only in the int-or-string pattern anyOf:
// [{type: integer}, {type: string}]. It is not nullable, and its
// additionalProperties can only be false.
//
// A Branch never changes and is safe for concurrent use. All methods accept a
// nil receiver, which stands for a schema that declares nothing.
type Branch struct {
	kind  Kind
	flags flags
	id    uint32
	typ   string
	names []string
	props []*Branch
	items *Branch

	additional *Branch

	limits   *Limits
	junctors *junctors
}

// Kind returns the declared type.
func (b *Branch) Kind() Kind { return b.orEmpty().kind }

// Type returns the declared type as it is written, "" if there is none.
func (b *Branch) Type() string { return b.orEmpty().typ }

// Nullable reports whether the schema admits null (nullable: true).
func (b *Branch) Nullable() bool { return b.orEmpty().flags&flagNullable != 0 }

// IntOrString reports whether the value is an integer or a string
// (x-kubernetes-int-or-string: true).
func (b *Branch) IntOrString() bool { return b.orEmpty().flags&flagIntOrString != 0 }

// AdditionalProperties returns the constraints on properties that are not named,
// nil if there are none, and reports whether additionalProperties is declared
// at all; see [Branch.AllowsAdditionalProperties].
func (b *Branch) AdditionalProperties() (*Branch, bool) {
	b = b.orEmpty()
	return b.additional, b.flags&flagAdditional != 0
}

// AllowsAdditionalProperties reports whether additionalProperties is declared
// as true or as a schema.
func (b *Branch) AllowsAdditionalProperties() bool {
	return b.orEmpty().flags&flagAdditionalAllowed != 0
}

// Len returns the number of constrained properties.
func (b *Branch) Len() int { return len(b.orEmpty().names) }

// Property returns the constraints on a property, nil if there are none.
func (b *Branch) Property(name string) *Branch {
	b = b.orEmpty()
	i := sort.SearchStrings(b.names, name)
	if i < len(b.names) && b.names[i] == name {
		return b.props[i]
	}
	return nil
}

// Properties yields the constrained properties in increasing order of name.
func (b *Branch) Properties() iter.Seq2[string, *Branch] {
	b = b.orEmpty()
	return func(yield func(string, *Branch) bool) {
		for i, name := range b.names {
			if !yield(name, b.props[i]) {
				return
			}
		}
	}
}

// Items returns the constraints on the elements of an array, nil if there are
// none.
func (b *Branch) Items() *Branch { return b.orEmpty().items }

// Limits returns the value validations of the branch.
func (b *Branch) Limits() Limits {
	b = b.orEmpty()
	if b.limits == nil {
		return Limits{}
	}
	return *b.limits
}

// AllOf returns the branches of allOf in their order, nil if there are none.
func (b *Branch) AllOf() []*Branch {
	b = b.orEmpty()
	if b.junctors == nil {
		return nil
	}
	return slices.Clone(b.junctors.allOf)
}

// AnyOf returns the branches of anyOf in their order, nil if there are none.
func (b *Branch) AnyOf() []*Branch {
	b = b.orEmpty()
	if b.junctors == nil {
		return nil
	}
	return slices.Clone(b.junctors.anyOf)
}

// OneOf returns the branches of oneOf in their order, nil if there are none.
func (b *Branch) OneOf() []*Branch {
	b = b.orEmpty()
	if b.junctors == nil {
		return nil
	}
	return slices.Clone(b.junctors.oneOf)
}

// Not returns the branch of not, nil if there is none.
func (b *Branch) Not() *Branch {
	b = b.orEmpty()
	if b.junctors == nil {
		return nil
	}
	return b.junctors.not
}

// emptyBranch is what a nil Branch stands for. It never changes.
var emptyBranch Branch

func (b *Branch) orEmpty() *Branch {
	if b == nil {
		return &emptyBranch
	}
	return b
}
