package crdkit_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestPathsAgreeOnMetadata updates objects with valid and with invalid metadata, with and
// without a namespace. The fast path handles those that are admitted as they are.
func TestPathsAgreeOnMetadata(t *testing.T) {
	crd := mustParse(t, ratchetCRD)
	fast, reference := compileBoth(t, crd)
	v := versionPair{fast: testkit.Must(fast.Version("v1")), reference: testkit.Must(reference.Version("v1"))}
	const spec = `,"spec":{"n":1}}`
	object := func(metadata string) []byte {
		return []byte(`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{` + metadata + `}` + spec)
	}
	for _, tt := range []struct {
		name, new, old string
		admitted       bool
	}{
		{"a namespace in both", `"name":"a","namespace":"n"`, `"name":"a","namespace":"n"`, true},
		{"a namespace in none", `"name":"a"`, `"name":"a"`, true},
		{"a namespace in the old object", `"name":"a"`, `"name":"a","namespace":"n"`, true},
		{"a namespace in the new object", `"name":"a","namespace":"n"`, `"name":"a"`, true},
		{"another namespace", `"name":"a","namespace":"m"`, `"name":"a","namespace":"n"`, false},
		{"another name", `"name":"b"`, `"name":"a"`, false},
		{"no name", `"labels":{"a":"b"}`, `"name":"a"`, false},
		{"a name to generate", `"generateName":"a-"`, `"name":"a"`, false},
		{"an invalid label", `"name":"a","labels":{"a":"-"}`, `"name":"a"`, false},
		{"an unknown field", `"name":"a","labels":{"a":"b"},"unknown":1`, `"name":"a"`, true},
		{"a field of the wrong type", `"name":"a","labels":[]`, `"name":"a"`, false},
		{"a conflict", `"name":"a","resourceVersion":"1"`, `"name":"a","resourceVersion":"2"`, false},
		{"another uid", `"name":"a","uid":"1"`, `"name":"a","uid":"2"`, false},
		{"an owner twice", `"name":"a","ownerReferences":[` + owner + `,` + owner + `]`, `"name":"a"`, true},
		{"managed fields", `"name":"a","managedFields":[` + manager + `]`, `"name":"a","managedFields":[` + manager + `,` + manager + `]`, true},
		{"a name written with an escape", `"n\u0061me":"a"`, `"name":"a"`, true},
		{"texts of another encoder", `"annotations":{"a\/b":"<\u00fc>"},"name":"\u0061","uid":"\u003D"`, `"name":"a","uid":"=","annotations":{"k":"&"}`, true},
		{"a finalizer that is not qualified", `"name":"a","finalizers":["x"]`, `"name":"a"`, true},
	} {
		for _, do := range []verb{updating, updatingStatus} {
			for _, fields := range fieldValidations {
				want := tt.admitted || do.name == "status" && keptByStatus[tt.name]
				if handled := onBothPaths(t, v, do, object(tt.new), object(tt.old), fields); handled != (want && !repaired[tt.name]) {
					t.Errorf("%s %s %s: handled by the fast path: %t", do.name, tt.name, fields, handled)
				}
				res := resultOf(t, v.fast, do, object(tt.new), object(tt.old), fields)
				if want = want && (fields != crdkit.Strict || tt.name != "an unknown field"); res.Admitted() != want {
					t.Errorf("%s %s %s: %v", do.name, tt.name, fields, res.Err())
				}
			}
		}
		onBothPaths(t, v, creating, object(tt.new), nil, crdkit.Warn)
	}
}

// Keys with escapes, in a value that an update compares with the old one, may be anything.
func TestPathsAgreeOnEscapedKeys(t *testing.T) {
	crd := mustParse(t, strings.Replace(ratchetCRD, "              m: *n\n", "              q: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}\n", 1))
	fast, reference := compileBoth(t, crd)
	v := versionPair{fast: testkit.Must(fast.Version("v1")), reference: testkit.Must(reference.Version("v1"))}
	object := func(members string) []byte {
		return []byte(`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a"},"spec":{"n":1,"q":{"apiVersion":"v1","kind":"K","metadata":{"name":"n",` + members + `}}}}`)
	}
	for _, key := range []string{`a\u002fb`, `a\/b`, `\u0061`, `\u0061\"b`} {
		for _, value := range []string{"c", "d"} {
			onBothPaths(t, v, updating, object(`"labels":{"`+key+`":"c"}`), object(`"labels":{"a/b":"`+value+`"}`), crdkit.Warn)
		}
	}
}

// An object whose name the server generates has one for its rules and their messages
// on both paths, and none when it is stored.
func TestPathsAgreeOnGeneratedNames(t *testing.T) {
	for _, tt := range []struct {
		rule, message string
		admitted      bool
	}{
		{"true", "'unused'", true},
		{"self.spec.n > 5", "self.metadata.name + ' of ' + self.metadata.generateName", false},
		{"self.metadata.name == 'a-00000'", "self.metadata.name", true},
		{"self.metadata.name.size() < 3", "'too long'", false},
		{"self.metadata.generateName == 'a-'", "'unused'", true},
		{"!has(self.metadata.name)", "'named'", false},
	} {
		v := ruledCrates(t, tt.rule, tt.message)
		raw := []byte(`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"generateName":"a-"},"spec":{"n":1}}`)
		onBothPaths(t, v, creating, raw, nil, crdkit.Warn)
		out, res, err := v.fast.CreateJSON(context.Background(), raw, crdkit.InNamespace("n"))
		if err != nil || res.Admitted() != tt.admitted {
			t.Errorf("%s: %v, %v", tt.rule, err, res.Err())
		}
		const stored = `"metadata":{"generateName":"a-","generation":1,"namespace":"n"}`
		if tt.admitted && !bytes.Contains(out, []byte(stored)) {
			t.Errorf("%s: stored %s", tt.rule, out)
		}
	}
}

// ruledCrates returns the versions of a definition of crates with a rule for the whole
// object.
func ruledCrates(t *testing.T, rule, message string) versionPair {
	t.Helper()
	crd := mustParse(t, strings.Replace(ratchetCRD, "      openAPIV3Schema:\n        type: object\n",
		fmt.Sprintf("      openAPIV3Schema:\n        type: object\n        x-kubernetes-validations: [{rule: %q, messageExpression: %q}]\n", rule, message), 1))
	fast, reference := compileBoth(t, crd)
	return versionPair{fast: testkit.Must(fast.Version("v1")), reference: testkit.Must(reference.Version("v1"))}
}

// The rules of an update read the metadata of both objects, and may make messages of it.
func TestPathsAgreeOnMetadataInRules(t *testing.T) {
	const members = `"generateName":"a-","managedFields":[` + manager + `],"name":"a-1","resourceVersion":"7"`
	object := func(metadata, spec string) []byte {
		return []byte(`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{` + metadata + `},"spec":` + spec + `}`)
	}
	for _, tt := range []struct {
		rule, message string
		admitted      bool
	}{
		{"self.metadata.name == 'a-1'", "'unused'", true},
		{"!has(self.metadata.generateName)", "self.metadata.generateName", false},
		{"!has(self.metadata.generateName) || self.spec.n > 5", "self.spec.s", false},
		{"self.spec.n > 5", "self.metadata.name + ' of ' + self.metadata.generateName", false},
		{"self.metadata == oldSelf.metadata", "'another generation'", false},
		{"self.metadata.generateName != oldSelf.metadata.generateName", "oldSelf.metadata.generateName", false},
		{"!has(oldSelf.metadata.generateName) || self.spec.n > 5", "oldSelf.spec.s", false},
		{"self.spec.s == oldSelf.spec.s", "oldSelf.spec.s", false},
		{"self.spec.s == oldSelf.spec.s", "self.spec.s", false},
		{"self == oldSelf", "'changed'", false},
		{"self.spec.n == 2", "self.spec.s", false},
	} {
		v := ruledCrates(t, tt.rule, tt.message)
		old, raw := object(members, `{"n":1,"s":"before"}`), object(members, `{"n":1,"s":"after"}`)
		if handled := onBothPaths(t, v, updating, raw, old, crdkit.Warn); handled != tt.admitted {
			t.Errorf("%s: handled by the fast path: %t", tt.rule, handled)
		}
		if res := resultOf(t, v.fast, updating, raw, old, crdkit.Warn); res.Admitted() != tt.admitted {
			t.Errorf("%s: %v", tt.rule, res.Err())
		}
		stored := object(members, `{"n":1,"s":"before"},"status":{}`)
		onBothPaths(t, v, updatingStatus, stored, stored, crdkit.Warn)
	}
}

// repaired names the cases whose metadata the server changes and warns about.
var repaired = map[string]bool{"an unknown field": true, "an owner twice": true}

// keptByStatus names the cases whose metadata an update of the status ignores.
var keptByStatus = map[string]bool{"an invalid label": true}

const (
	owner   = `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}`
	manager = `{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{"k:{\"b\":\"c\"}":{".":{},"f:d":{}}}},"manager":"m","operation":"Update","time":"2024-01-02T03:04:05Z"}`
)

func resultOf(t *testing.T, v *crdkit.Version, do verb, raw, old []byte, opts ...crdkit.JSONOption) *crdkit.Result {
	t.Helper()
	out, res, err := do.do(v, raw, old, opts...)
	if err != nil || (out != nil) != res.Admitted() {
		t.Fatalf("%s: output %s, %v, %v", do.name, out, res, err)
	}
	return res
}

// TestUpdateWithoutNamespace checks that an update of objects without a
// namespace uses the namespace that they have in the server: that of the
// request, or "default".
func TestUpdateWithoutNamespace(t *testing.T) {
	v := testkit.Must(compileText(t, ratchetCRD).Version("v1"))
	const text = `{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a"%s},"spec":{"n":%d}}`
	for _, tt := range []struct {
		namespace string
		opts      []crdkit.JSONOption
	}{
		{"default", nil},
		{"ns", []crdkit.JSONOption{crdkit.InNamespace("ns")}},
	} {
		for _, do := range []verb{updating, updatingStatus} {
			for _, how := range [][]crdkit.JSONOption{nil, {crdkit.YAML()}} {
				named := fmt.Sprintf(`,"namespace":%q`, tt.namespace)
				opts := append(how, tt.opts...)
				want, _, err := do.do(v, fmt.Appendf(nil, text, named, 2), fmt.Appendf(nil, text, named, 1), opts...)
				if err != nil || want == nil {
					t.Fatal(err)
				}
				got, res, err := do.do(v, fmt.Appendf(nil, text, "", 2), fmt.Appendf(nil, text, "", 1), opts...)
				if err != nil || canonical(t, got) != canonical(t, want) {
					t.Errorf("%s in %s: %s, %v, %v; want %s", do.name, tt.namespace, got, res.Err(), err, want)
				}
			}
		}
	}
}

// TestWrongOptions checks that every verb returns an error for option values
// that no server has.
func TestWrongOptions(t *testing.T) {
	namespaced := testkit.Must(compileText(t, ratchetCRD).Version("v1"))
	global := testkit.Must(compileText(t, strings.Replace(ratchetCRD, "scope: Namespaced", "scope: Cluster", 1)).Version("v1"))
	raw := []byte(`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"a"},"spec":{"n":1}}`)
	for _, tt := range []struct {
		name string
		v    *crdkit.Version
		opt  crdkit.JSONOption
		want string
	}{
		{"a namespace of a cluster-scoped object", global, crdkit.InNamespace("n"), `the request is in namespace "n", but a Crate has no namespace`},
		{"no namespace", global, crdkit.InNamespace(""), ""},
		{"a nil mutation", namespaced, crdkit.Mutate(nil), "mutating: the function is nil"},
		{"a field validation that does not exist", namespaced, crdkit.FieldValidation("warn"), `field validation is "warn"`},
	} {
		for _, do := range []verb{creating, updating, updatingStatus} {
			_, _, err := do.do(tt.v, raw, raw, tt.opt)
			wantError(t, do.name+" with "+tt.name, err, tt.want)
		}
	}
}

// TestOldOfAnotherVersion checks that an update returns an error if the old
// object has another version: the server converts the old object first. An old
// object of another kind is judged as the server judges it.
func TestOldOfAnotherVersion(t *testing.T) {
	v := testkit.Must(compiled().Version("v1"))
	const text = `{"apiVersion":%q,"kind":%q,"metadata":{"name":"a"},"spec":{"cronSpec":"* * * * *"}}`
	raw := fmt.Appendf(nil, text, "example.com/v1", "CronTab")
	for _, tt := range []struct{ apiVersion, kind, want string }{
		{"example.com/v1", "CronTab", ""},
		{"example.com/v1beta1", "CronTab", `the old object is at version "example.com/v1beta1", want "example.com/v1"`},
		{"example.com/v1", "Other", ""},
	} {
		old := fmt.Appendf(nil, text, tt.apiVersion, tt.kind)
		for _, opts := range [][]crdkit.JSONOption{nil, {crdkit.YAML()}} {
			_, _, err := v.UpdateJSON(context.Background(), raw, old, opts...)
			wantError(t, "UpdateJSON of "+tt.apiVersion+" "+tt.kind, err, tt.want)
		}
	}
}
