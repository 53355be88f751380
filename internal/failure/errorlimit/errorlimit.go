// Package errorlimit bounds the number of errors that a check collects. The errors over
// the limit are counted.
//
// A check makes one [Limit] and hands it down. Each part collects its errors in a [List]
// and returns [List.Errors]. The check joins these lists with [Limit.Cut].
//
// A List keeps the errors that come first by field, type, detail and value.
//
// A Limit also keeps the JSON pointers of errors for a check that asks for them.
package errorlimit

import (
	"cmp"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/test/testopt"
)

// Default is the number of errors of a request or of a report without an option.
const Default = 100_000

// A Limit is a number of errors, and the count of those over it, for one goroutine. Nil
// admits any number. It is an option of schema and validation/cel, which share it with the
// caller.
type Limit struct {
	most     int
	omitted  int
	pointers map[*field.Error]string // nil unless the check asks for them
}

// New returns a limit of most errors, of [Default] if most is 0.
func New(most int) *Limit { return &Limit{most: cmp.Or(most, Default)} }

// KeepPointers makes l keep the pointers of errors.
func (l *Limit) KeepPointers() { l.pointers = map[*field.Error]string{} }

// Separate returns a limit of as many errors, with the pointers of l and a count of its own.
func (l *Limit) Separate() *Limit { return &Limit{most: l.most, pointers: l.pointers} }

// At returns err, which is about the location at.
func (l *Limit) At(at *pathstack.Chain, err *field.Error) *field.Error {
	if l != nil && l.pointers != nil {
		l.pointers[err] = at.Pointer()
	}
	return err
}

// AtPointer returns err, which is about the location with the pointer.
func (l *Limit) AtPointer(pointer string, err *field.Error) *field.Error {
	if l != nil && l.pointers != nil {
		l.pointers[err] = pointer
	}
	return err
}

// Pointer returns the pointer of an error, "" if l does not know it.
func (l *Limit) Pointer(err *field.Error) string { return l.pointers[err] }

// Most returns the largest number of errors.
func (l *Limit) Most() int {
	if l == nil {
		return math.MaxInt
	}
	return l.most
}

// Omit counts n errors that are not kept.
func (l *Limit) Omit(n int) {
	if l != nil {
		l.omitted += n
	}
}

// Omitted returns the number of errors that were not kept.
func (l *Limit) Omitted() int {
	if l == nil {
		return 0
	}
	return l.omitted
}

// Cut removes and counts the errors over the limit. It sorts errs if there are any.
func (l *Limit) Cut(errs field.ErrorList) field.ErrorList {
	if len(errs) <= l.Most() {
		return errs
	}
	slices.SortStableFunc(errs, compare)
	l.Omit(len(errs) - l.Most())
	for _, err := range errs[l.Most():] {
		delete(l.pointers, err)
	}
	clear(errs[l.Most():])
	return errs[:l.Most()]
}

// compare also compares values that are strings: errors about labels have no other place.
func compare(a, b *field.Error) int {
	c := cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Detail, b.Detail))
	if c == 0 {
		first, _ := a.BadValue.(string)
		second, _ := b.BadValue.(string)
		c = cmp.Compare(first, second)
	}
	return c
}

// A List collects errors within a limit. The zero List has no limit.
type List struct {
	Limit *Limit
	// Watch is that of the check which collects the errors. The List does not look at it.
	Watch *interrupt.Watch

	errs    field.ErrorList
	removed int
}

// Add adds errors, which must not be nil.
func (l *List) Add(errs ...*field.Error) {
	l.errs = append(l.errs, errs...)
	if most := l.Limit.Most(); len(l.errs)/2 >= most {
		before := len(l.errs)
		l.errs = l.Limit.Cut(l.errs)
		l.removed += before - len(l.errs)
	}
}

// AddAt adds an error about the location at.
func (l *List) AddAt(at *pathstack.Chain, err *field.Error) { l.Add(l.Limit.At(at, err)) }

// Added returns the number of errors that were added.
func (l *List) Added() int { return len(l.errs) + l.removed }

// Errors returns the errors within the limit, in order, or sorted if some were removed. The
// List must not be used afterwards.
func (l *List) Errors() field.ErrorList { return l.Limit.Cut(l.errs) }

// SchemaOption makes a Limit an option of package schema.
func (*Limit) SchemaOption(testopt.Sealed) {}

// CELOption makes a Limit an option of package validation/cel.
func (*Limit) CELOption(testopt.Sealed) {}
