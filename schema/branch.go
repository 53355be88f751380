package schema

import "iter"

// A Branch is the compiled form of a schema below allOf, anyOf, oneOf or not.
// It constrains values whose structure is declared by a [Node]. In a structural
// schema, a Branch declares a type only in the int-or-string pattern anyOf:
// [{type: integer}, {type: string}]. It is not nullable, and its
// additionalProperties can only be false.
//
// A Branch never changes and is safe for concurrent use. All methods accept a
// nil receiver, which stands for a schema that declares nothing.
type Branch Node

func (b *Branch) node() *Node { return (*Node)(b) }

// Kind returns the declared type.
func (b *Branch) Kind() Kind { return b.node().Kind() }

// Type returns the declared type as it is written, "" if there is none.
func (b *Branch) Type() string { return b.node().Type() }

// Nullable reports whether the schema admits null (nullable: true).
func (b *Branch) Nullable() bool { return b.node().Nullable() }

// IntOrString reports whether the value is an integer or a string
// (x-kubernetes-int-or-string: true).
func (b *Branch) IntOrString() bool { return b.node().IntOrString() }

// AdditionalProperties returns the constraints on properties that are not named,
// nil if there are none, and reports whether additionalProperties is declared
// at all; see [Branch.AllowsAdditionalProperties].
func (b *Branch) AdditionalProperties() (*Branch, bool) {
	n, ok := b.node().AdditionalProperties()
	return (*Branch)(n), ok
}

// AllowsAdditionalProperties reports whether additionalProperties is declared
// as true or as a schema.
func (b *Branch) AllowsAdditionalProperties() bool { return b.node().AllowsAdditionalProperties() }

// Len returns the number of constrained properties.
func (b *Branch) Len() int { return b.node().Len() }

// Property returns the constraints on a property, nil if there are none.
func (b *Branch) Property(name string) *Branch { return (*Branch)(b.node().Property(name)) }

// Properties yields the constrained properties in increasing order of name.
func (b *Branch) Properties() iter.Seq2[string, *Branch] {
	return func(yield func(string, *Branch) bool) {
		for name, n := range b.node().Properties() {
			if !yield(name, (*Branch)(n)) {
				return
			}
		}
	}
}

// Items returns the constraints on the elements of an array, nil if there are
// none.
func (b *Branch) Items() *Branch { return (*Branch)(b.node().Items()) }

// Limits returns the value validations of the branch.
func (b *Branch) Limits() Limits { return b.node().Limits() }

// AllOf returns the branches of allOf in their order, nil if there are none.
func (b *Branch) AllOf() []*Branch { return b.node().AllOf() }

// AnyOf returns the branches of anyOf in their order, nil if there are none.
func (b *Branch) AnyOf() []*Branch { return b.node().AnyOf() }

// OneOf returns the branches of oneOf in their order, nil if there are none.
func (b *Branch) OneOf() []*Branch { return b.node().OneOf() }

// Not returns the branch of not, nil if there is none.
func (b *Branch) Not() *Branch { return b.node().Not() }
