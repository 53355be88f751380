// Package errorlimit bounds the number of errors that a check collects. It counts the errors over
// the limit.
//
// A check makes one [Limit] and passes it down. Each part collects its errors in a [List] and
// returns [List.Errors]. The check joins these lists with [Limit.Cut].
//
// If there are too many errors, a List keeps the first in the order of field, type, detail and
// value.
//
// A Limit can also record the JSON pointers of errors.
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

// Default is the limit of a request or a report, unless an option sets another limit.
const Default = 100_000

// A Limit bounds the number of errors to keep, and counts the errors over the limit. It belongs to
// one goroutine. A nil Limit keeps all errors. Packages schema and validation/cel take a Limit as
// an option.
type Limit struct {
	most     int
	omitted  int
	pointers map[*field.Error]string // nil unless KeepPointers was called
}

// New returns a limit of n errors. If n is 0, the limit is [Default].
func New(n int) *Limit { return &Limit{most: cmp.Or(n, Default)} }

// KeepPointers makes l record the pointers of errors.
func (l *Limit) KeepPointers() { l.pointers = map[*field.Error]string{} }

// Separate returns a limit of the same size with its own count. It shares the pointers of l.
func (l *Limit) Separate() *Limit { return &Limit{most: l.most, pointers: l.pointers} }

// At records the pointer of a location for err, and returns err.
func (l *Limit) At(at *pathstack.Chain, err *field.Error) *field.Error {
	if l != nil && l.pointers != nil {
		l.pointers[err] = at.Pointer()
	}
	return err
}

// AtPointer records a pointer for err, and returns err.
func (l *Limit) AtPointer(pointer string, err *field.Error) *field.Error {
	if l != nil && l.pointers != nil {
		l.pointers[err] = pointer
	}
	return err
}

// Pointer returns the pointer of an error, "" if it was not recorded.
func (l *Limit) Pointer(err *field.Error) string { return l.pointers[err] }

// Most returns the limit.
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

// If errs is longer than the limit, Cut sorts errs, and removes and counts the errors over the
// limit.
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

// compare compares field, type, detail and value. Values count only if they are strings: errors
// about two labels may differ in nothing else.
func compare(a, b *field.Error) int {
	c := cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Detail, b.Detail))
	if c == 0 {
		first, _ := a.BadValue.(string)
		second, _ := b.BadValue.(string)
		c = cmp.Compare(first, second)
	}
	return c
}

// A List collects errors up to a limit. The zero List has no limit.
type List struct {
	Limit *Limit
	// Watch is for the owner of the List. No method uses it.
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

func (l *List) AddAt(at *pathstack.Chain, err *field.Error) { l.Add(l.Limit.At(at, err)) }

// Added returns the number of errors that were added.
func (l *List) Added() int { return len(l.errs) + l.removed }

// Errors returns the errors within the limit. They are in the order of adding, or sorted if some
// were removed. The List must not be used afterwards.
func (l *List) Errors() field.ErrorList { return l.Limit.Cut(l.errs) }

func (*Limit) SchemaOption(testopt.Sealed) {}

func (*Limit) CELOption(testopt.Sealed) {}
