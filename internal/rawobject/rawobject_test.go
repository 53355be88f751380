package rawobject_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/rawobject"
)

// list returns the list of members with these names, whose values are the names.
func list(t *testing.T, names ...string) *rawobject.List {
	t.Helper()
	l := &rawobject.List{}
	for _, name := range names {
		l.Add(name, name)
	}
	if !l.Complete() {
		t.Fatal("a name is repeated:", names)
	}
	return l
}

func TestListIsReadLikeAMap(t *testing.T) {
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint((i * 37) % 100)
	}
	for _, names := range [][]string{nil, {""}, {"a", "b"}, {"b", "a"}, many[:12], many[:13], many} {
		m := make(map[string]any)
		for _, name := range names {
			m[name] = name
		}
		l, isList := rawobject.Of(list(t, names...))
		of, isMap := rawobject.Of(m)
		if !isList || !isMap || l.Len() != of.Len() {
			t.Fatalf("%v: %t, %t, %d members", names, isList, isMap, l.Len())
		}
		for _, name := range append(many, "", "a", "b", "zz", "!") {
			got, found := l.Get(name)
			want, there := of.Get(name)
			if got != want || found != there {
				t.Errorf("%v: %q is %v, %t, want %v, %t", names, name, got, found, want, there)
			}
			for _, o := range []rawobject.Object{l, of} {
				if got, found, ok := rawobject.Lookup(o.Raw(), name); got != want || found != there || !ok {
					t.Errorf("Lookup of %q in %v: %v, %t, %t, want %v, %t", name, names, got, found, ok, want, there)
				}
			}
		}
		for _, o := range []rawobject.Object{l, of} {
			got, all := slices.Sorted(o.Names()), o.AppendNames(nil)
			slices.Sort(all)
			parts, object := o.Parts()
			if want := slices.Sorted(slices.Values(names)); !slices.Equal(got, want) || !slices.Equal(all, want) || len(parts)+len(object) != len(want) {
				t.Errorf("names %q and %q, want %q", got, all, want)
			}
			if diff := cmp.Diff(m, o.Map()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
}

func TestCompleteReportsRepeatedNames(t *testing.T) {
	for _, names := range [][]string{{"a", "a"}, {"a", "b", "a"}, {"b", "a", "b"}} {
		l := &rawobject.List{}
		for _, name := range names {
			l.Add(name, nil)
		}
		if l.Complete() {
			t.Errorf("%q are different", names)
		}
	}
}

func TestOfRefusesOtherValues(t *testing.T) {
	for _, v := range []any{nil, "a", int64(1), []any{}, true} {
		if _, _, ok := rawobject.Lookup(v, "a"); ok || rawobject.Is(v) {
			t.Errorf("%v is an object", v)
		}
	}
}

func TestClearKeepsNoValues(t *testing.T) {
	for _, n := range []int{1, 2000} {
		l := &rawobject.List{}
		for i := range n {
			l.Add(fmt.Sprint(i), i)
		}
		l.Clear()
		o, _ := rawobject.Of(l)
		if members, _ := o.Parts(); o.Len() > 0 || cap(members) > 1024 || slices.ContainsFunc(members[:cap(members)], func(m rawobject.Member) bool { return m != rawobject.Member{} }) {
			t.Errorf("of %d members %v stay", n, members[:cap(members)])
		}
	}
}

func TestWithMaps(t *testing.T) {
	object, shared := list(t, "b", "a"), []any{map[string]any{"k": "v"}}
	nested := &rawobject.List{}
	nested.Add("list", []any{nil, object})
	nested.Add("lists", []any{[]any{}, []any{nil}, []any{object}})
	nested.Add("map", shared)
	want := map[string]any{"a": "a", "b": "b"}
	for _, tt := range []struct{ v, want any }{
		{nil, nil},
		{"text", "text"},
		{object, want},
		{[]any{nil, object, nil}, []any{nil, want, nil}},
		{[]any{"text", nil}, []any{"text", nil}},
		{nested, map[string]any{"list": []any{nil, want}, "lists": []any{[]any{}, []any{nil}, []any{want}}, "map": shared}},
	} {
		if diff := cmp.Diff(tt.want, rawobject.WithMaps(tt.v)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
