package crdkit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestRequestSize pins that a body of just MaxRequestBytes is read, on the fast
// path too, and that a larger one is refused.
func TestRequestSize(t *testing.T) {
	p, sample := cronTabPair(t)
	text := string(testkit.Encode(sample))
	for more, admitted := range map[int]bool{-1: true, 0: true, 1: false} {
		raw := []byte(text + strings.Repeat(" ", crdkit.MaxRequestBytes+more-len(text)))
		if taken := onBothPaths(t, p, creating, raw, nil, crdkit.Warn); taken != admitted {
			t.Errorf("%+d bytes: the fast path accepts: %v, want %v", more, taken, admitted)
		}
		res := resultOf(t, p.fast, creating, raw, nil)
		if res.Admitted() != admitted || !admitted && res.Refusal.Code != 413 {
			t.Errorf("%+d bytes: %v, want admitted %v", more, res.Err(), admitted)
		}
	}
}

// TestUnreadableRequest pins how a refusal shows a body that cannot be read: its first
// 30 bytes, as text only if it starts like an object of JSON.
func TestUnreadableRequest(t *testing.T) {
	p, _ := cronTabPair(t)
	for text, want := range map[string]string{
		"":                                  "<empty>",
		`{"a`:                               `{"a`,
		`{` + strings.Repeat("x", 29):       `{` + strings.Repeat("x", 29),
		`{` + strings.Repeat("x", 30):       `{` + strings.Repeat("x", 29) + " ...",
		"[" + strings.Repeat("1", 29):       "5b" + strings.Repeat("31", 29),
		"[" + strings.Repeat("1", 29) + "2": "5b" + strings.Repeat("31", 29) + " ...",
	} {
		res := resultOf(t, p.fast, creating, []byte(text), nil)
		if res.Refusal == nil || !strings.HasSuffix(res.Refusal.Message, " ("+want+")") {
			t.Errorf("%q: %+v, want a message that ends in %q in brackets", text, res.Refusal, want)
		}
	}
}

// TestCompileRefusesIncompleteDefinitions pins the errors of definitions that were
// not checked: each missing part is named, all at once.
func TestCompileRefusesIncompleteDefinitions(t *testing.T) {
	whole := func() *apiextensionsv1.CustomResourceDefinition {
		return &apiextensionsv1.CustomResourceDefinition{
			ObjectMeta: metav1.ObjectMeta{Name: "as.example.org"},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{
				Group: "example.org", Scope: apiextensionsv1.NamespaceScoped,
				Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "as", Singular: "a", Kind: "A", ListKind: "AList"},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}, {Name: "v2", Served: true}},
			},
		}
	}
	if _, err := crdkit.Compile(whole()); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(*apiextensionsv1.CustomResourceDefinitionSpec)
		want   []string
	}{
		{"group", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Group = "" }, []string{"spec.group: Required"}},
		{"kind", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Names.Kind = "" }, []string{"spec.names.kind: Required"}},
		{"plural", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Names.Plural = "" }, []string{"spec.names.plural: Required"}},
		{"no scope", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Scope = "" }, []string{"spec.scope: Required"}},
		{"unknown scope", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Scope = "World" }, []string{`spec.scope: Unsupported value: "World"`}},
		{"versions of one name", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Versions[1].Name = "v1" }, []string{"must contain unique version names"}},
		{"no stored version", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Versions[0].Storage = false }, []string{"exactly one version marked as storage"}},
		{"two stored versions", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Versions[1].Storage = true }, []string{"exactly one version marked as storage"}},
		{"several", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Group, s.Names.Plural, s.Scope = "", "", "" },
			[]string{"spec.group: Required", "spec.names.plural: Required", "spec.scope: Required"}},
	} {
		crd := whole()
		tt.change(&crd.Spec)
		_, err := crdkit.Compile(crd)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", tt.name, err, want)
			}
		}
	}
}

// TestReadRefusesMalformedObjects pins that stored objects whose metadata or type
// cannot be decoded are errors, which say what is wrong.
func TestReadRefusesMalformedObjects(t *testing.T) {
	def := compileText(t, cronTab)
	v := testkit.Must(def.Version("v1"))
	for _, tt := range []struct {
		name   string
		change func(map[string]any)
		want   string
	}{
		{"metadata of the wrong type", func(m map[string]any) { m["metadata"] = "a" }, "cannot be handled as a"},
		{"another kind", func(m map[string]any) { m["kind"] = "Other" }, "the stored object is a Other"},
		{"an unknown version", func(m map[string]any) { m["apiVersion"] = v.GroupVersionKind().Group + "/v0" }, "request to convert CR from an invalid group/version"},
		{"an apiVersion of three parts", func(m map[string]any) { m["apiVersion"] = "a/b/c" }, "request to convert CR from an invalid group/version"},
	} {
		object := map[string]any{"apiVersion": v.GroupVersionKind().GroupVersion().String(), "kind": v.GroupVersionKind().Kind, "metadata": map[string]any{"name": "a"}}
		if _, _, err := v.Read(context.Background(), &unstructured.Unstructured{Object: object}); err != nil {
			t.Fatal(err)
		}
		tt.change(object)
		out, res, err := v.Read(context.Background(), &unstructured.Unstructured{Object: object})
		if err == nil || !strings.Contains(err.Error(), tt.want) || out != nil || res != nil {
			t.Errorf("%s: Read = %v, %v, want an error with %q", tt.name, out, err, tt.want)
		}
	}
}

// manyErrors is a definition whose objects can have errors of every step.
const manyErrors = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
	"types":{"type":"array","items":{"type":"string"}},
	"patterns":{"type":"array","items":{"type":"string","pattern":"^[a-z]*$"}},
	"branches":{"type":"array","items":{"type":"integer","anyOf":[{"minimum":5},{"minimum":6}]}},
	"set":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
	"embedded":{"type":"array","items":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}},
	"rules":{"type":"array","maxItems":1000,"items":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 5"}]}}}}}}]}}`

// many returns an object whose field is a list of n elements.
func many(field, element string, n int) []byte {
	elements := strings.Repeat(element+",", n)
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"%s":[%s]}`,
		field, strings.TrimSuffix(elements, ","))
}

// pairs returns an object whose set has each of n values twice.
func pairs(n int) []byte {
	var b strings.Builder
	for i := range 2 * n {
		b.WriteString(strconv.Quote(strconv.Itoa(i/2)) + ",")
	}
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"set":[%s]}`,
		strings.TrimSuffix(b.String(), ","))
}

// labelled returns an object with n wrong labels.
func labelled(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"-%d":""`, i)
	}
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n","labels":{%s}}}`, b.String()[1:])
}

// TestErrorsOverLimitAreCounted checks errors of every step, on both implementations:
// those within the limit are in the result, and the others are counted.
func TestErrorsOverLimitAreCounted(t *testing.T) {
	const n, most = 40, 7
	objects := map[string][]byte{
		"types":              many("types", "1", n),
		"patterns":           many("patterns", `"A"`, n),
		"set":                pairs(n),
		"embedded":           many("embedded", `{"apiVersion":"v1"}`, n),
		"rules":              many("rules", "1", n),
		"labels":             labelled(n),
		"types after labels": []byte(strings.Replace(string(many("types", "1", n)), `"namespace":"n"`, `"namespace":"n","labels":{"-":"","a":"-","b":"-"}`, 1)),
	}
	for _, opts := range [][]crdkit.Option{nil, {crdkit.Reference()}} {
		v := storageOf(t, manyErrors, opts...)
		for name, raw := range objects {
			all := refusalOf(t, v, raw)
			some := refusalOf(t, v, raw, crdkit.MaxErrors(most))
			if len(all.Errors) < n || all.Omitted != 0 {
				t.Fatalf("%s: %d errors, %d omitted, want at least %d", name, len(all.Errors), all.Omitted, n)
			}
			more := len(all.Errors) - most
			if len(some.Errors) != most || some.Omitted != more {
				t.Errorf("%s: %d errors, %d omitted, want %d and %d", name, len(some.Errors), some.Omitted, most, more)
			}
			known := map[string]bool{}
			for _, e := range all.Errors {
				known[e.Error()] = true
			}
			for _, e := range some.Errors {
				if !known[e.Error()] {
					t.Errorf("%s: an error that is not there without a limit: %v", name, e)
				}
			}
			if want := fmt.Sprintf(", and %d more errors]", more); !strings.HasSuffix(some.Err().Error(), want) {
				t.Errorf("%s: the text does not end in %q", name, want)
			}
			if diff := cmp.Diff(some.Err().Error(), refusalOf(t, v, raw, crdkit.MaxErrors(most)).Err().Error()); diff != "" {
				t.Errorf("%s: a second request differs:\n%s", name, diff)
			}
		}
	}
}

// TestLimitKeepsVerdictOfRules checks that rules do not run if only an omitted error
// forbids it, and run otherwise.
func TestLimitKeepsVerdictOfRules(t *testing.T) {
	v := storageOf(t, manyErrors)
	skipped := func(raw string, most int) bool {
		text := refusalOf(t, v, []byte(raw), crdkit.MaxErrors(most)).Err().Error()
		return strings.Contains(text, "some validation rules were not checked")
	}
	const head = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},`
	for _, most := range []int{2, 50} {
		if skipped(head+`"patterns":["A","A"],"rules":[1]}`, most) {
			t.Errorf("limit %d: errors of patterns keep rules from running", most)
		}
	}
	if !skipped(head+`"patterns":["A"],"rules":[1],"types":[1]}`, 50) {
		t.Error("an error of a type does not keep rules from running")
	}
	if res := refusalOf(t, v, []byte(head+`"patterns":["A"],"rules":[1],"types":[1]}`), crdkit.MaxErrors(1)); res.Cost != 0 {
		t.Errorf("rules ran for %d units though an omitted error forbids it", res.Cost)
	}
}

// TestLimitInBranches checks that a junctor fails though the limit is reached in it.
func TestLimitInBranches(t *testing.T) {
	v := storageOf(t, manyErrors)
	all := refusalOf(t, v, many("branches", "1", 10))
	some := refusalOf(t, v, many("branches", "1", 10), crdkit.MaxErrors(3))
	if len(some.Errors) != 3 || len(all.Errors) != 20 || some.Omitted != 17 {
		t.Errorf("%d of %d errors, %d omitted", len(some.Errors), len(all.Errors), some.Omitted)
	}
	if res := refusalOf(t, v, []byte(strings.Replace(string(many("branches", "1", 3)), "1,", "7,", 2)), crdkit.MaxErrors(1)); res.Omitted > 2 {
		t.Errorf("%d errors are omitted of an object with one wrong element", res.Omitted)
	}
}

// TestDifferenceErrorNumber tests errors/number of docs/DIFFERENCES.md: the server lists
// any number of errors.
func TestDifferenceErrorNumber(t *testing.T) {
	v := storageOf(t, manyErrors)
	const n = crdkit.DefaultMaxErrors + 5
	res := refusalOf(t, v, many("types", "1", n))
	if len(res.Errors) != crdkit.DefaultMaxErrors || res.Omitted != 6 { // one says that rules did not run
		t.Errorf("%d errors, %d omitted", len(res.Errors), res.Omitted)
	}
	if lifted := refusalOf(t, v, many("types", "1", n), crdkit.MaxErrors(math.MaxInt)); len(lifted.Errors) != n+1 || lifted.Omitted != 0 {
		t.Errorf("without a limit: %d errors, %d omitted, want %d", len(lifted.Errors), lifted.Omitted, n)
	}
}

// TestLimitBoundsMemory checks that errors over the limit are not made at all.
func TestLimitBoundsMemory(t *testing.T) {
	object, err := testkit.Decode(many("types", "1", 50_000))
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{Object: object}
	v := storageOf(t, manyErrors)
	allocated := func(most int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		res, err := v.Create(context.Background(), obj, crdkit.MaxErrors(most))
		runtime.ReadMemStats(&after)
		if err != nil || res.Admitted() {
			t.Fatal(res, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(10)
	if few, all := allocated(10), allocated(50_000); few*2 > all { // the object itself is decoded and copied
		t.Errorf("%d bytes for 10 errors, %d for all", few, all)
	}
}

func TestNegativeMaxErrors(t *testing.T) {
	v := storageOf(t, manyErrors)
	if _, _, err := v.CreateJSON(context.Background(), labelled(1), crdkit.MaxErrors(-1)); err == nil || !strings.Contains(err.Error(), "limit of errors is -1") {
		t.Errorf("a negative limit: %v", err)
	}
}

func storageOf(t *testing.T, text string, opts ...crdkit.Option) *crdkit.Version {
	t.Helper()
	def, err := crdkit.Compile(mustParse(t, text), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return def.Storage()
}

// refusalOf returns the result of the creation of an object that is refused.
func refusalOf(t *testing.T, v *crdkit.Version, raw []byte, opts ...crdkit.JSONOption) *crdkit.Result {
	t.Helper()
	out, res, err := v.CreateJSON(context.Background(), raw, opts...)
	if err != nil || out != nil || res.Admitted() {
		t.Fatalf("%.100s: %v, %v", raw, res, err)
	}
	return res
}

var errNested = errors.New("values are nested more than 10000 levels deep")

// TestDepth gives cyclic maps, and maps that are nested 20,000 levels deep, to
// requests. Each must end with an error or a verdict.
func TestDepth(t *testing.T) {
	yes := true
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name, crd.Spec.Group, crd.Spec.Scope = "ks.a.b", "a.b", apiextensionsv1.ClusterScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "ks", Kind: "K"}
	for i, name := range []string{"v1", "v2"} {
		free := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &yes}
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: i == 0,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"free": free, "spec": {Type: "object"}},
			}},
		})
	}
	identity := func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		return obj, nil
	}
	d, err := crdkit.Compile(crd, crdkit.WithConverter(conversion.Local(crd, identity)))
	if err != nil {
		t.Fatal(err)
	}
	v, _ := d.Version("v1")
	cyclic := func() map[string]any {
		cycle := map[string]any{}
		cycle["a"], cycle["b"] = cycle, cycle
		return cycle
	}
	deep := func() map[string]any {
		value := map[string]any{}
		for range 20_000 {
			value = map[string]any{"a": value}
		}
		return value
	}
	ctx := context.Background()
	for shape, value := range map[string]func() map[string]any{"cyclic": cyclic, "deep": deep} {
		for _, where := range []string{"free", "spec", "unknown", "metadata"} {
			object := func(apiVersion string) *unstructured.Unstructured {
				obj := map[string]any{"apiVersion": apiVersion, "kind": "K", "metadata": map[string]any{"name": "x", "resourceVersion": "1"}}
				if obj[where] = value(); where == "metadata" {
					obj[where] = map[string]any{"name": "x", "labels": value()}
				}
				return &unstructured.Unstructured{Object: obj}
			}
			for name, request := range map[string]func() error{
				"Read":  func() error { _, _, err := v.Read(ctx, object("a.b/v2")); return err },
				"Store": func() error { _, err := v.Store(ctx, object("a.b/v1")); return err },
				"Convert": func() error {
					_, err := d.Convert(ctx, []*unstructured.Unstructured{object("a.b/v2")}, "v1")
					return err
				},
				"Update": func() error {
					res, err := v.Update(ctx, object("a.b/v1"), object("a.b/v1"))
					if err == nil && (where == "unknown" || where == "spec") {
						return errNested // pruned in the new object: they differ
					}
					_ = res
					return err
				},
				"Create": func() error {
					_, err := v.Create(ctx, object("a.b/v1"))
					if err == nil && where != "metadata" {
						return errNested // admitted: no step enters the value
					}
					return err
				},
			} {
				if err := request(); err == nil || !strings.Contains(err.Error(), errNested.Error()) {
					t.Errorf("%s of a %s value in %s = %v, want %q", name, shape, where, err, errNested)
				}
			}
		}
	}
}

// TestDifferenceAliases tests yaml/aliases of docs/DIFFERENCES.md.
func TestDifferenceAliases(t *testing.T) {
	p, _ := cronTabPair(t)
	text := "apiVersion: jobs.example.org/v1\nkind: CronTab\nmetadata: {name: a}\nspec:\n  cronSpec: &long " +
		strings.Repeat("x", 100_000) + "\n  more: [" + strings.Repeat("*long, ", 1000) + "]\n"
	out, result, err := p.fast.CreateJSON(t.Context(), []byte(text), crdkit.YAML(), crdkit.Ignore)
	if err != nil || out != nil || result.Refusal == nil {
		t.Fatalf("CreateJSON = %d bytes, error %v, want a refusal", len(out), err)
	}
	if want := "the aliases of the YAML document make it larger than 8388608 bytes"; !strings.Contains(result.Refusal.Message, want) {
		t.Errorf("CreateJSON refuses with %q, want %q", result.Refusal.Message, want)
	}
}

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
