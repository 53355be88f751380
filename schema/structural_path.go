package schema

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A structuralPath is the way from the root of a schema to the schema that is
// being looked at. It becomes a [field.Path] only when there is an error to
// report, so that checking a correct schema makes none.
type structuralPath []structuralStep

// A structuralStep leads from a schema to a schema directly below it.
type structuralStep struct {
	keyword string
	key     string // for structuralKey
	index   int    // for structuralIndex
	kind    structuralStepKind
}

// A structuralStepKind says what tells the schemas below a keyword apart.
type structuralStepKind uint8

const (
	structuralKeyword structuralStepKind = iota // nothing, there is one at most
	structuralKey
	structuralIndex
)

func (p *structuralPath) push(keyword string) {
	*p = append(*p, structuralStep{keyword: keyword})
}

func (p *structuralPath) pushKey(keyword, key string) {
	*p = append(*p, structuralStep{keyword: keyword, key: key, kind: structuralKey})
}

func (p *structuralPath) pushIndex(keyword string, index int) {
	*p = append(*p, structuralStep{keyword: keyword, index: index, kind: structuralIndex})
}

func (p *structuralPath) pop() {
	*p = (*p)[:len(*p)-1]
}

// path returns the place as a path below base, which may be nil.
func (p structuralPath) path(base *field.Path) *field.Path {
	for _, s := range p {
		base = base.Child(s.keyword)
		switch s.kind {
		case structuralKey:
			base = base.Key(s.key)
		case structuralIndex:
			base = base.Index(s.index)
		}
	}
	return base
}

// sortByText sorts errs by what they print. Errors that print the same only
// because the name of a property imitates a path are ordered by their parts.
func sortByText(errs field.ErrorList) {
	if len(errs) < 2 {
		return
	}
	type entry struct {
		text string
		err  *field.Error
	}
	entries := make([]entry, len(errs))
	for i, err := range errs {
		entries[i] = entry{err.Error(), err}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(
			cmp.Compare(a.text, b.text),
			cmp.Compare(a.err.Field, b.err.Field),
			cmp.Compare(a.err.Type, b.err.Type),
			cmp.Compare(a.err.Detail, b.err.Detail),
		)
	})
	for i, e := range entries {
		errs[i] = e.err
	}
}
