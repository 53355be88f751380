package crdkit_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/testkit"
)

// repeated returns a text n times, with commas between them and the number of each
// for #.
func repeated(n int, text string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(text, "#", strconv.Itoa(i))
	}
	return strings.Join(list, ",")
}

// allocated returns how many values and bytes a call of f allocates if it finds no
// memory of an earlier call in a pool, which two collections empty.
func allocated(f func()) (values, bytes uint64) {
	f() // compiles lazily
	runtime.GC()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// TestGrowth checks that the memory that requests allocate grows no faster than
// their input: with eight times as many findings it grows by a factor below twelve.
func TestGrowth(t *testing.T) {
	const ruled = "{type: array, items: {type: integer, x-kubernetes-validations: [{rule: 'self > 1', message: large}]}}"
	v := testkit.Must(compileText(t, strings.Replace(ratchetCRD, "a: {type: array, items: *n}", "a: "+ruled, 1)).Version("v1"))
	object := func(spec string) []byte {
		return []byte(`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a","namespace":"default"},"spec":{` + spec + `}}`)
	}
	const times, most = 8, 12
	for _, tt := range []struct {
		name     string
		each     string // text of one member or element, with its number for #
		spec     string // with the list of them for @
		old      string // the same for the old object, "" for a create
		opts     []crdkit.JSONOption
		admitted bool
		many     bool // a slice of few values grows by another factor than one of many
	}{
		{name: "unknown fields, strict", each: `"u#":1`, spec: `@`, opts: []crdkit.JSONOption{crdkit.Strict}},
		{name: "unknown fields, strict, over maps", each: `u#: 1`, spec: `@`, opts: []crdkit.JSONOption{crdkit.Strict, crdkit.YAML()}},
		{name: "unknown fields", each: `"u#":1`, spec: `@`, admitted: true},
		{name: "unknown fields, ignored", each: `"u#":1`, spec: `@`, opts: []crdkit.JSONOption{crdkit.Ignore}, admitted: true},
		{name: "unknown fields of elements, strict", each: `{"k":"a#","u":1}`, spec: `"l":[@]`, opts: []crdkit.JSONOption{crdkit.Strict}},
		{name: "reported changes", each: `"u#":1`, spec: `@`, opts: []crdkit.JSONOption{crdkit.ReportChanges()}, admitted: true},
		{name: "rules that fail", each: `1`, spec: `"a":[@]`, many: true},
		{name: "rules that fail and are forgiven", each: `1`, spec: `"s":"b","a":[@]`, old: `"s":"a","a":[@]`, admitted: true, many: true},
		{name: "elements that are wrong", each: `{"k":"A#"}`, spec: `"l":[@]`},
		{name: "elements that are wrong and forgiven", each: `{"k":"A#"}`, spec: `"s":"b","l":[@]`, old: `"s":"a","l":[@]`, admitted: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := func(n int) (values, bytes uint64) {
				list := repeated(n, tt.each)
				raw, old := object(strings.ReplaceAll(tt.spec, "@", list)), object(strings.ReplaceAll(tt.old, "@", list))
				return allocated(func() {
					var res *crdkit.Result
					var err error
					if tt.old == "" {
						_, res, err = v.CreateJSON(context.Background(), raw, tt.opts...)
					} else {
						_, res, err = v.UpdateJSON(context.Background(), raw, old, tt.opts...)
					}
					if err != nil || res.Admitted() != tt.admitted {
						t.Fatalf("%v, admitted %t: %.200v", err, res.Admitted(), res.Err())
					}
				})
			}
			small := 250
			if tt.many {
				small = 2000
			}
			values, bytes := run(small)
			moreValues, moreBytes := run(small * times)
			if testkit.RaceDetector {
				return // pools forget at random
			}
			if moreValues > most*values || moreBytes > most*bytes {
				t.Errorf("%d: %d values, %d bytes; %d times that: %d values, %d bytes", small, values, bytes, times, moreValues, moreBytes)
			}
		})
	}
}
