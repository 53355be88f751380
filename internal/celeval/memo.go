package celeval

import (
	"net/netip"
	"net/url"

	"github.com/blang/semver/v4"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crdkit/crdkit/internal/cellib"
)

// Rules mostly parse a string more than once: they test it, and then read it. A frame
// remembers the values of the last strings that it has parsed, until it is released. Nothing
// changes these values.
type memos struct {
	quantities memo[resource.Quantity]
	addresses  memo[netip.Addr]
	networks   memo[netip.Prefix]
	urls       memo[*url.URL]
	versions   memo[semver.Version]
}

// A memo has the values of some strings. The empty string has none.
type memo[T any] struct {
	texts  [4]string
	values [4]T
	next   uint8 // index of the oldest one
	used   bool  // a string was added
}

// find returns the value of a string, nil if it has none. The value is good until the next
// string is added.
func (m *memo[T]) find(s string) *T {
	for i := range m.texts {
		if m.texts[i] == s && s != "" {
			return &m.values[i]
		}
	}
	return nil
}

// add adds the value of a string, and returns it like find.
func (m *memo[T]) add(s string, v T) *T {
	value := &m.values[m.next]
	m.texts[m.next], *value = s, v
	m.next, m.used = (m.next+1)%uint8(len(m.texts)), true
	return value
}

// release removes all strings.
func (m *memo[T]) release() {
	if m.used {
		*m = memo[T]{}
	}
}

// memo returns the memos of the frame.
func (f *Frame) memo() *memos {
	if f.memos == nil {
		f.memos = new(memos)
	}
	f.rare = true
	return f.memos
}

func (m *memos) release() {
	m.quantities.release()
	m.addresses.release()
	m.networks.release()
	m.urls.release()
	m.versions.release()
}

// A parser returns the value of a string, or nil and an error. The value is good until the
// parser is called for another string.
type parser[T any] func(*Frame, string) (*T, error)

// remembering returns a parser that parses a string once while a memo has its value.
func remembering[T any](of func(*memos) *memo[T], parse func(string) (T, error)) parser[T] {
	return func(f *Frame, s string) (*T, error) {
		m := of(f.memo())
		if v := m.find(s); v != nil {
			return v, nil
		}
		v, err := parse(s)
		if err != nil {
			return nil, err
		}
		return m.add(s, v), nil
	}
}

var (
	quantityOf = remembering(func(m *memos) *memo[resource.Quantity] { return &m.quantities }, cellib.ParseQuantity)
	addressOf  = remembering(func(m *memos) *memo[netip.Addr] { return &m.addresses }, parseAddress)
	networkOf  = remembering(func(m *memos) *memo[netip.Prefix] { return &m.networks }, parseNetwork)
	urlOf      = remembering(func(m *memos) *memo[*url.URL] { return &m.urls }, parseURL)
	versionOf  = remembering(func(m *memos) *memo[semver.Version] { return &m.versions }, parseVersion)
)

// requestURIOf parses a URL that may not have a fragment. A URL that urlOf has parsed is
// such a URL, and most of these are the same for urlOf.
func requestURIOf(f *Frame, s string) (**url.URL, error) {
	m := &f.memo().urls
	if v := m.find(s); v != nil {
		return v, nil
	}
	v, err := url.ParseRequestURI(s)
	if err != nil {
		return nil, err
	}
	if isWholeURL(v, s) {
		return m.add(s, v), nil
	}
	other := v // allocated only here
	return &other, nil
}
