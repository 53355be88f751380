package objectmeta

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

const entry = `{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":{"k:{\"b\":\"c\"}":{}}},"manager":"m","operation":"Update","time":"2024-01-02T03:04:05Z"}`

const storedMembers = `"name":"a","namespace":"n","uid":"u","resourceVersion":"7","generation":3,"creationTimestamp":"2024-02-29T23:59:59Z"`

// fastUpdateCases are metadata of a new object and of the old one. namespaced and not say
// whether Meta accepts them for objects with and without a namespace.
var fastUpdateCases = []struct {
	text, old       string
	namespaced, not bool
}{
	{`{"name":"a"}`, `{"name":"a"}`, true, true},
	{`{` + storedMembers + `}`, `{` + storedMembers + `}`, true, false},
	{`{"name":"a"}`, `{` + storedMembers + `}`, true, false},
	{`{"name":"a","labels":{"b":"2","a":"1"},"annotations":{"k":"v"},"managedFields":[` + entry + `]}`, `{` + storedMembers + `,"managedFields":[` + entry + `,` + entry + `]}`, true, false},
	{`{` + storedMembers + `}`, `{"name":"a","labels":{"a":"b"},"annotations":{"a":"b"},"managedFields":[` + entry + `]}`, false, false},
	{`{"name":"a","uid":"u"}`, `{"name":"a","uid":"u"}`, true, true},
	{`{"name":"a","uid":"v"}`, `{"name":"a","uid":"u"}`, false, false},
	{`{"name":"a","uid":""}`, `{"name":"a","uid":"u"}`, true, true},
	{`{"name":"a","uid":"u"}`, `{"name":"a"}`, false, false},
	{`{"name":"b"}`, `{"name":"a"}`, false, false},
	{`{"name":""}`, `{"name":""}`, false, false},
	{`{}`, `{"name":"a"}`, false, false},
	{`{"generateName":"a-"}`, `{"name":"a"}`, false, false},
	{`{"generateName":"a-","name":"a-b"}`, `{"name":"a-b"}`, true, true},
	{`{"generateName":"a/","name":"a"}`, `{"name":"a"}`, false, false},
	{`{"name":"a%"}`, `{"name":"a%"}`, false, false},
	{`{"name":".."}`, `{"name":".."}`, false, false},
	{`{"name":"a\n"}`, `{"name":"a\n"}`, true, true},
	{`{"name":"A_"}`, `{"name":"A_"}`, true, true}, // a path segment is enough
	{`{"name":"a","namespace":"n"}`, `{"name":"a"}`, true, true},
	{`{"name":"a"}`, `{"name":"a","namespace":"n"}`, true, false},
	{`{"name":"a","namespace":"n"}`, `{"name":"a","namespace":"m"}`, false, false},
	{`{"name":"a","namespace":"N"}`, `{"name":"a","namespace":"N"}`, false, false},
	{`{"name":"a","resourceVersion":"1"}`, `{"name":"a","resourceVersion":"2"}`, false, false},
	{`{"name":"a","resourceVersion":"1"}`, `{"name":"a","resourceVersion":"1"}`, true, true},
	{`{"name":"a","resourceVersion":"1"}`, `{"name":"a"}`, true, true},
	{`{"name":"a"}`, `{"name":"a","resourceVersion":"1"}`, true, true},
	{`{"name":"a","generation":9}`, `{"name":"a","generation":3}`, true, true},
	{`{"name":"a","generation":9}`, `{"name":"a"}`, true, true},
	{`{"name":"a"}`, `{"name":"a","generation":999999999999999999}`, true, true},
	{`{"name":"a","creationTimestamp":"2024-02-29T23:59:59Z"}`, `{"name":"a","creationTimestamp":"2024-02-29T23:59:58Z"}`, true, true},
	{`{"name":"a","creationTimestamp":null}`, `{"name":"a","creationTimestamp":"2024-02-29T23:59:58Z"}`, true, true},
	{`{"name":"a","creationTimestamp":"2024-02-29T23:59:59Z"}`, `{"name":"a"}`, false, false},
	{`{"name":"a","creationTimestamp":""}`, `{"name":"a","creationTimestamp":"2024-02-29T23:59:58Z"}`, false, false},
	{`{"name":"a"}`, `{"name":"a","creationTimestamp":"2024-02-29T23:59:59+01:00"}`, false, false},
	{`{"name":"a","deletionTimestamp":"2024-02-29T23:59:59Z"}`, `{"name":"a"}`, false, false},
	{`{"name":"a","finalizers":["x/y"]}`, `{"name":"a","finalizers":["x/y"],"deletionTimestamp":"2024-02-29T23:59:59Z","deletionGracePeriodSeconds":0}`, true, true},
	{`{"name":"a"}`, `{"name":"a","finalizers":["x/y"],"deletionTimestamp":"2024-02-29T23:59:59Z"}`, false, false}, // valid
	{`{"name":"a","finalizers":["x/y"]}`, `{"name":"a","deletionTimestamp":"2024-02-29T23:59:59Z"}`, false, false},
	{`{"name":"a","deletionGracePeriodSeconds":1}`, `{"name":"a"}`, false, false},
	{`{"name":"a","deletionGracePeriodSeconds":1}`, `{"name":"a","deletionGracePeriodSeconds":2}`, false, false},
	{`{"name":"a","deletionGracePeriodSeconds":2}`, `{"name":"a","deletionGracePeriodSeconds":2}`, true, true},
	{`{"name":"a","selfLink":"/a"}`, `{"name":"a"}`, true, true},
	{`{"name":"a"}`, `{"name":"a","selfLink":"/b"}`, true, true},
	{`{"name":"a","finalizers":["x/y","z"]}`, `{"name":"a","finalizers":["z"]}`, true, true}, // warned of before
	{`{"name":"a","finalizers":["x.y"]}`, `{"name":"a","finalizers":["z"]}`, true, true},     // warned of now
	{`{"name":"a","finalizers":["z","b","z"]}`, `{"name":"a","finalizers":["z"]}`, true, true},
	{`{"name":"a","finalizers":["z"]}`, `{"name":"a","finalizers":["z"]}`, true, true},
	{`{"name":"a","finalizers":["orphan"]}`, `{"name":"a","finalizers":["orphan"]}`, true, true},
	{`{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1"}]}`, `{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"2"}]}`, true, true},
	{`{"name":"a","labels":{},"finalizers":null}`, `{"name":"a"}`, true, true},
	{`{"name":"a"}`, `{"name":"a","labels":{}}`, false, false},
	{`{"name":"a"}`, `{"name":"a","labels":null}`, false, false},
	{`{"name":"a"}`, `{"name":"a","finalizers":[]}`, false, false},
	{`{"name":"a"}`, `{"name":"a","generation":0}`, false, false},
	{`{"name":"a"}`, `{"name":"a","uid":""}`, false, false},
	{`{"name":"a"}`, `{"name":"a","creationTimestamp":null}`, false, false},
	{`{"name":"a"}`, `{"name":"a","labels":{"-":""}}`, true, true},
	{`{"name":"a"}`, `{"name":"a","more":""}`, false, false},
	{`{"name":"a","more":""}`, `{"name":"a"}`, false, false},
	{`{"name":"a","labels":{"a":"-"}}`, `{"name":"a"}`, false, false},
	{`{"name":"\u0061","annotations":{"k":"<"}}`, `{"name":"a","annotations":{"k":"\u003c"}}`, true, true},
	{`{"name":"a","annotations":{"k":"\u003c"}}`, `{"name":"a","annotations":{"k":"<"}}`, true, true},
	{`{"name":"a","resourceVersion":"<","uid":"\u0026"}`, `{"name":"a","resourceVersion":"\u003c","uid":"&"}`, true, true},
	{`{"name":"<"}`, `{"name":"<"}`, true, true},
}

func TestUpdateOfText(t *testing.T) {
	for _, c := range fastUpdateCases {
		for _, namespace := range []string{"", "n"} {
			if got := updateAgreesWithMaps(t, c.text, c.old, true, namespace); got != c.namespaced {
				t.Errorf("Meta accepts %t for %s after %s", got, c.text, c.old)
			}
			if got := updateAgreesWithMaps(t, c.text, c.old, false, namespace); got != c.not {
				t.Errorf("Meta without namespaces accepts %t for %s after %s", got, c.text, c.old)
			}
		}
	}
	if updateAgreesWithMaps(t, `{"name":"a"}`, `{"name":"a","namespace":"m"}`, true, "n") {
		t.Error("Meta accepts another namespace than that of the request")
	}
}

// updateAgreesWithMaps reports whether Meta accepts an update, and checks that the
// functions for maps then have the same result.
func updateAgreesWithMaps(t *testing.T, text, old string, namespaced bool, namespace string) bool {
	t.Helper()
	var p, before Meta
	if end := p.Read(text, 0); end != len(text) || before.Read(old, 0) != len(old) {
		return false
	}
	sent := p
	if !before.OmitsNothing() || !replace(&p, &before, namespaced, namespace) {
		return false
	}
	obj, stored := decodedMetadata(t, text), decodedMetadata(t, old)
	if !updatedByMaps(obj, stored, namespaced, namespace) {
		t.Errorf("%s may not replace %s", text, old)
		return true
	}
	if diff := gocmp.Diff(finalizerWarningsOf(obj, stored), p.FinalizerWarnings(&before)); diff != "" {
		t.Errorf("%s after %s: warnings of maps (-) and of text (+):\n%s", text, old, diff)
	}
	sameText := func(metadata any, m *Meta) {
		t.Helper()
		if want, ok := jsonscan.Append(nil, metadata); !ok || string(m.Append(nil)) != string(want) {
			t.Errorf("%s after %s becomes %s, but by way of maps %s", text, old, m.Append(nil), want)
		}
	}
	sameText(obj["metadata"], &p)
	sameText(stored["metadata"], &before)
	keepManaged(obj, stored, true)
	prepareStatusUpdate(obj, stored)
	sent.KeepManaged(&before, true)
	sent.PrepareStatusUpdate(&before)
	sameText(obj["metadata"], &sent)
	return true
}

// replace prepares the metadata of an object that replaces old, apart from counting the
// generation. It reports false unless the metadata is certainly valid.
func replace(m, old *Meta, namespaced bool, namespace string) bool {
	if !m.EnterNamespace(namespaced, cmp.Or(namespace, old.Namespace)) {
		return false
	}
	old.Namespace = cmp.Or(old.Namespace, m.Namespace)
	m.ResourceVersion = cmp.Or(m.ResourceVersion, old.ResourceVersion)
	if old.ResourceVersion != "" && m.ResourceVersion != old.ResourceVersion {
		return false
	}
	m.KeepManaged(old, false)
	return len(m.PrepareUpdate(old)) == 0 && m.ValidUpdate(old, namespaced)
}

func decodedMetadata(t *testing.T, text string) map[string]any {
	t.Helper()
	v, ok := jsonscan.Decode(text)
	if !ok {
		t.Fatalf("Meta accepts what is not JSON, or repeats members: %s", text)
	}
	return map[string]any{"metadata": v}
}

// updatedByMaps prepares both objects as the server does, apart from counting the
// generation. It reports whether the server admits the update without warnings but those
// about finalizers.
func updatedByMaps(obj, old map[string]any, namespaced bool, namespace string) bool {
	if unknown, err := roundTrip(obj, Options{ReportUnknown: true}); err != nil || len(unknown) > 0 {
		return false
	}
	next, before := &unstructured.Unstructured{Object: obj}, &unstructured.Unstructured{Object: old}
	if !enterNamespace(obj, namespaced, cmp.Or(namespace, before.GetNamespace())) || next.GetName() != before.GetName() {
		return false
	}
	if namespaced && before.GetNamespace() == "" {
		before.SetNamespace(next.GetNamespace())
	}
	switch want, got := before.GetResourceVersion(), next.GetResourceVersion(); {
	case got == "" && want != "":
		next.SetResourceVersion(want)
	case want != "" && got != want:
		return false
	}
	keepManaged(obj, old, false)
	if len(prepareUpdate(obj, old)) > 0 {
		return false
	}
	standIn := next.GetResourceVersion() == ""
	if standIn {
		next.SetResourceVersion("1")
		before.SetResourceVersion("1")
	}
	valid := len(updateProblems(obj, old, namespaced, nil)) == 0 && len(commonProblems(obj, old, namespaced, nil)) == 0
	if standIn {
		next.SetResourceVersion("")
		before.SetResourceVersion("")
	}
	return valid
}

func FuzzUpdateOfText(f *testing.F) {
	for _, c := range fastUpdateCases {
		f.Add(c.text, c.old, true, "")
		f.Add(c.text, c.old, false, "n")
	}
	for _, c := range fastMetaCases {
		f.Add(c.text, `{`+storedMembers+`}`, true, "")
		f.Add(c.text, c.text, true, "")
	}
	fuzz.Run(f, func(t *testing.T, text, old string, namespaced bool, namespace string) {
		updateAgreesWithMaps(t, text, old, namespaced, namespace)
	})
}
