package definition_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdkit/crdkit/definition"
)

// definitionText returns a definition with these names. change lists
// replacements for the text.
func definitionText(plural, names string, change ...string) string {
	text := fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: %s, %s}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
`, plural, plural, names)
	return strings.NewReplacer(change...).Replace(text)
}

func parse(t *testing.T, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// conditions writes conditions as text.
func conditions(s apiextensionsv1.CustomResourceDefinitionStatus) []string {
	var out []string
	for _, c := range s.Conditions {
		out = append(out, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	return out
}

const (
	accepted    = "NamesAccepted=True NoConflicts: no conflicts found"
	established = "Established=True InitialNamesAccepted: the initial names have been accepted"
	notAccepted = "Established=False NotAccepted: not all names are accepted"
)

var reconciledTests = []struct {
	name   string
	crd    string
	others []string
	want   []string
	names  string // the accepted names
}{{
	name: "alone", crd: definitionText("as", "kind: A"),
	want: []string{accepted, established}, names: "as a [] A AList",
}, {
	name: "among others of the group", crd: definitionText("as", "kind: A, shortNames: [x]"),
	others: []string{definitionText("bs", "kind: B, shortNames: [z]"), definitionText("as", "kind: A"), definitionText("cs", "kind: A", "example.com", "other.com")},
	want:   []string{accepted, established}, names: "as a [x] A AList",
}, {
	name: "a kind that is taken", crd: definitionText("as", "kind: B"),
	others: []string{definitionText("bs", "kind: B, singular: other")},
	want:   []string{`NamesAccepted=False ListKindConflict: "BList" is already in use`, notAccepted}, names: "as b []  ",
}, {
	name: "a plural that is a short name", crd: definitionText("as", "kind: A"),
	others: []string{definitionText("bs", "kind: B, shortNames: [as]")},
	want:   []string{`NamesAccepted=False PluralConflict: "as" is already in use`, notAccepted}, names: " a [] A AList",
}, {
	name: "short names", crd: definitionText("as", "kind: A, shortNames: [q, r, w, q]"),
	others: []string{definitionText("bs", "kind: B, shortNames: [q, w]")},
	want:   []string{`NamesAccepted=False ShortNamesConflict: ["q" is already in use, "w" is already in use]`, notAccepted}, names: "as a [] A AList",
}, {
	name: "a certificate that is none", crd: definitionText("as", "kind: A", "scope:",
		"conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://x', caBundle: eA==}}}\n  scope:"),
	want: []string{accepted, "Established=False InvalidCABundle: The conversion webhook CABundle is invalid"}, names: "as a [] A AList",
}, {
	name: "not structural", crd: definitionText("as", "kind: A", "{type: object}", "{properties: {x: {type: string, anyOf: [{title: t}]}}}", "scope:", "preserveUnknownFields: true\n  scope:"),
	want: []string{accepted, established, "NonStructuralSchema=True Violations: [spec.preserveUnknownFields: Invalid value: true: must be false, " +
		"spec.versions[0].schema.openAPIV3Schema.properties[x].anyOf[0].title: Forbidden: must be empty to be structural, " +
		"spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root]"}, names: "as a [] A AList",
}, {
	name: "not even that", crd: definitionText("as", "kind: A", "{type: object}", "{$schema: x}"),
	want: []string{accepted, established, "NonStructuralSchema=Unknown StructuralError: failed to check validation schema for version v1: OpenAPIV3Schema 'schema' is not supported"}, names: "as a [] A AList",
}, {
	name: "approved", crd: definitionText("as", "kind: A", "example.com", "x.k8s.io", "metadata: {", "metadata: {annotations: {api-approved.kubernetes.io: 'https://example.com/1'}, "),
	want: []string{accepted, established, "KubernetesAPIApprovalPolicyConformant=True ApprovedAnnotation: approved in https://example.com/1"}, names: "as a [] A AList",
}, {
	name: "not approved", crd: definitionText("as", "kind: A", "example.com", "x.k8s.io", "metadata: {", "metadata: {annotations: {api-approved.kubernetes.io: 'unapproved, x'}, "),
	want: []string{accepted, established, `KubernetesAPIApprovalPolicyConformant=False UnapprovedAnnotation: not approved: "unapproved, x"`}, names: "as a [] A AList",
}, {
	name: "an annotation that is none", crd: definitionText("as", "kind: A", "example.com", "x.k8s.io", "metadata: {", "metadata: {annotations: {api-approved.kubernetes.io: odd}, "),
	want: []string{accepted, established, `KubernetesAPIApprovalPolicyConformant=False InvalidAnnotation: protected groups must have approval annotation "api-approved.kubernetes.io" ` +
		`with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`}, names: "as a [] A AList",
}, {
	name: "no annotation", crd: definitionText("as", "kind: A", "example.com", "x.k8s.io"),
	want: []string{accepted, established, `KubernetesAPIApprovalPolicyConformant=False MissingAnnotation: protected groups must have approval annotation ` +
		`"api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`}, names: "as a [] A AList",
}}

func TestReconciledStatus(t *testing.T) {
	for _, tt := range reconciledTests {
		t.Run(tt.name, func(t *testing.T) {
			crd := parse(t, tt.crd)
			before := crd.DeepCopy()
			var others []*apiextensionsv1.CustomResourceDefinition
			for _, text := range tt.others {
				others = append(others, parse(t, text))
			}
			got := definition.ReconciledStatus(crd, others...)
			if diff := cmp.Diff(tt.want, conditions(got)); diff != "" {
				t.Errorf("conditions mismatch (-want +got):\n%s", diff)
			}
			n := got.AcceptedNames
			if names := fmt.Sprint(n.Plural, " ", n.Singular, " ", n.ShortNames, " ", n.Kind, " ", n.ListKind); names != tt.names {
				t.Errorf("accepted names %q, want %q", names, tt.names)
			}
			if diff := cmp.Diff([]string{"v1"}, got.StoredVersions); diff != "" {
				t.Errorf("storedVersions mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, crd); diff != "" {
				t.Errorf("ReconciledStatus changed the definition:\n%s", diff)
			}
		})
	}
	if got := definition.ReconciledStatus(nil); len(got.Conditions) > 0 {
		t.Errorf("the status of nil is %v", got)
	}
}

// TestReconciledStatusUpdate checks that a definition keeps its accepted names,
// and stays established, when an update adds a name that conflicts.
func TestReconciledStatusUpdate(t *testing.T) {
	old := parse(t, definitionText("as", "kind: A", "{type: object}", "{}"))
	old.Status = definition.ReconciledStatus(old)
	if got := conditions(old.Status); len(got) != 3 {
		t.Fatalf("conditions %v, want three", got)
	}
	crd := parse(t, definitionText("as", "kind: A, shortNames: [b]"))
	stored, err := definition.StoredDefinition(crd, old)
	if err != nil {
		t.Fatal(err)
	}
	got := definition.ReconciledStatus(stored, parse(t, definitionText("bs", "kind: B")))
	want := []string{`NamesAccepted=False ShortNamesConflict: "b" is already in use`, established}
	if diff := cmp.Diff(want, conditions(got)); diff != "" {
		t.Errorf("conditions mismatch (-want +got):\n%s", diff)
	}
	if got.AcceptedNames.Plural != "as" || got.AcceptedNames.ShortNames != nil {
		t.Errorf("accepted names are %v", got.AcceptedNames)
	}
}

// TestReconciledStatusFollowsEachName: the accepted names follow a change of any one name.
func TestReconciledStatusFollowsEachName(t *testing.T) {
	const names = "singular: a, kind: A, listKind: AList, shortNames: [s], categories: [c]"
	old := parse(t, definitionText("as", names))
	old.Status = definition.ReconciledStatus(old)
	for name, set := range map[string]func(*apiextensionsv1.CustomResourceDefinitionNames){
		"plural":      func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.Plural = "bs" },
		"singular":    func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.Singular = "b" },
		"kind":        func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.Kind = "B" },
		"list kind":   func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.ListKind = "BList" },
		"short names": func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.ShortNames = []string{"t"} },
		"categories":  func(n *apiextensionsv1.CustomResourceDefinitionNames) { n.Categories = []string{"d"} },
	} {
		crd := old.DeepCopy()
		set(&crd.Spec.Names)
		got := definition.ReconciledStatus(crd)
		if diff := cmp.Diff(crd.Spec.Names, got.AcceptedNames); diff != "" {
			t.Errorf("accepted names after a change of the %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]string{accepted, established}, conditions(got)); diff != "" {
			t.Errorf("conditions after a change of the %s (-want +got):\n%s", name, diff)
		}
	}
}

// TestReconciledStatusHalf checks an incomplete status: ReconciledStatus adds
// only what the server would add.
func TestReconciledStatusHalf(t *testing.T) {
	bs := definitionText("bs", "kind: B, shortNames: [q]")
	conflict := `NamesAccepted=False ShortNamesConflict: "q" is already in use`
	both := `NamesAccepted=False ShortNamesConflict: ["as" is already in use, "q" is already in use]`
	full := "acceptedNames: {plural: as, singular: a, kind: A, listKind: AList}"
	for _, tt := range []struct {
		name, names, status string
		want                []string
	}{
		{"names alone", "kind: A", "{" + full + "}", nil},
		{"names and one condition", "kind: A", "{" + full + ", conditions: [{type: NamesAccepted, status: 'True', reason: R, message: m}]}",
			[]string{"NamesAccepted=True R: m", established}},
		{"names that are not accepted", "kind: A", "{" + full + ", conditions: [{type: NamesAccepted, status: 'False', reason: R, message: m}]}",
			[]string{"NamesAccepted=False R: m"}},
		{"other names alone", "kind: A, categories: [c]", "{" + full + "}", []string{accepted, established}},
		{"a conflict that is known", "kind: A, shortNames: [q]",
			"{" + full + `, conditions: [{type: NamesAccepted, status: 'False', reason: ShortNamesConflict, message: '"q" is already in use'}]}`,
			[]string{conflict}},
		{"a conflict that is new", "kind: A, shortNames: [q]", "{" + full + "}", []string{conflict, notAccepted}},
		{"a conflict with itself, seen the second time", "kind: A, shortNames: [as, q]", "{}", []string{both, notAccepted}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			crd := parse(t, definitionText("as", tt.names)+"status: "+tt.status+"\n")
			got := definition.ReconciledStatus(crd, parse(t, bs))
			if diff := cmp.Diff(tt.want, conditions(got)); diff != "" {
				t.Errorf("conditions mismatch (-want +got):\n%s", diff)
			}
		})
	}
	// The accepted names of another definition count even if it has no
	// conditions. Its other names do not.
	half := parse(t, bs+"status: {acceptedNames: {plural: bs, kind: B}}\n")
	got := definition.ReconciledStatus(parse(t, definitionText("as", "kind: A, shortNames: [q]")), half)
	if diff := cmp.Diff([]string{accepted, established}, conditions(got)); diff != "" {
		t.Errorf("conditions mismatch (-want +got):\n%s", diff)
	}
}

func TestStoredDefinition(t *testing.T) {
	crd := parse(t, definitionText("as", "kind: A", "{type: object}", `{type: object, properties: {size: {type: number, default: 1.0}}}`,
		"metadata: {", "metadata: {uid: u, resourceVersion: '7', generation: 9, "))
	crd.Status.StoredVersions = []string{"v0"}
	crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established}}
	stored, err := definition.StoredDefinition(crd, nil)
	if err != nil {
		t.Fatal(err)
	}
	if stored.Generation != 1 || stored.UID != "" || stored.Spec.Names.ListKind != "AList" || len(stored.Status.Conditions) > 0 {
		t.Errorf("stored as new: %+v", stored)
	}
	if diff := cmp.Diff([]string{"v1"}, stored.Status.StoredVersions); diff != "" {
		t.Errorf("storedVersions mismatch (-want +got):\n%s", diff)
	}
	if got := string(stored.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["size"].Default.Raw); got != "1" {
		t.Errorf("the default is stored as %s, want 1", got)
	}

	next := parse(t, definitionText("as", "kind: A", "name: v1", "name: v2"))
	stored.UID, stored.ResourceVersion = "u", "12"
	updated, err := definition.StoredDefinition(next, stored)
	if err != nil {
		t.Fatal(err)
	}
	if updated.Generation != 2 || updated.UID != "u" || updated.ResourceVersion != "12" {
		t.Errorf("stored as an update: %+v", updated.ObjectMeta)
	}
	if diff := cmp.Diff([]string{"v1", "v2"}, updated.Status.StoredVersions); diff != "" {
		t.Errorf("storedVersions mismatch (-want +got):\n%s", diff)
	}
	// An update keeps what only the server sets.
	deleted := metav1.Unix(7, 0)
	grace := int64(3)
	stored.CreationTimestamp, stored.DeletionTimestamp, stored.DeletionGracePeriodSeconds = metav1.Unix(5, 0), &deleted, &grace
	kept, err := definition.StoredDefinition(next, stored)
	if err != nil {
		t.Fatal(err)
	}
	if kept.CreationTimestamp != metav1.Unix(5, 0) || kept.DeletionTimestamp == nil || *kept.DeletionTimestamp != deleted ||
		kept.DeletionGracePeriodSeconds == nil || *kept.DeletionGracePeriodSeconds != grace {
		t.Errorf("an update changes the times: %+v", kept.ObjectMeta)
	}
	again, err := definition.StoredDefinition(updated, updated)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(updated, again); diff != "" {
		t.Errorf("storing it again changes it:\n%s", diff)
	}

	next.Status.StoredVersions = []string{"v2"}
	next.Spec.Scope, next.ResourceVersion = "Cluster", "other"
	status, err := definition.StoredStatus(next, updated)
	if err != nil {
		t.Fatal(err)
	}
	if status.Spec.Scope != "Namespaced" || status.Generation != 2 || len(status.Status.StoredVersions) != 1 ||
		status.ResourceVersion != updated.ResourceVersion {
		t.Errorf("stored status: %+v", status)
	}

	without := parse(t, definitionText("as", "kind: A"))
	without.Spec.Versions[0].Schema = nil
	if _, err := definition.StoredDefinition(without, nil); err != nil {
		t.Errorf("a version without a schema: %v", err)
	}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Default = &apiextensionsv1.JSON{Raw: []byte("{")}
	if _, err := definition.StoredDefinition(crd, nil); err == nil {
		t.Error("a default that is not JSON is stored")
	}
	if got, err := definition.StoredDefinition(nil, nil); got != nil || err == nil {
		t.Errorf("StoredDefinition(nil, nil) = %v, %v, want an error", got, err)
	}
}

// TestStoredDefinitionCoercesDefaults checks that defaults are stored with the
// metadata of embedded resources in the form of ObjectMeta.
func TestStoredDefinitionCoercesDefaults(t *testing.T) {
	const (
		given  = `{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "unknown": 1, "labels": null, "finalizers": [], "creationTimestamp": null}}`
		stored = `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}`
		any    = `type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true`
	)
	for name, tt := range map[string]struct{ schema, want string }{
		"at the root":                 {`{type: object, default: ` + given + `}`, `"default":` + stored},
		"on a property":               {`{type: object, properties: {a: {` + any + `, default: ` + given + `}}}`, `"default":` + stored},
		"on items":                    {`{type: object, properties: {a: {type: array, items: {` + any + `, default: ` + given + `}}}}`, `"default":` + stored},
		"on an enclosing object":      {`{type: object, properties: {a: {type: object, default: {b: ` + given + `}, properties: {b: {` + any + `}}}}}`, `"default":{"b":` + stored + `}`},
		"not an embedded resource":    {`{type: object, properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true, default: {"metadata":{"finalizers":[]}}}}}`, `"default":{"metadata":{"finalizers":[]}}`},
		"below additional properties": {`{type: object, properties: {a: {type: object, additionalProperties: {` + any + `, default: {"metadata":{"finalizers":[]}}}}}}`, `"default":{"metadata":{"finalizers":[]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			crd := parse(t, definitionText("as", "kind: A", "{type: object}", tt.schema))
			for _, old := range []*apiextensionsv1.CustomResourceDefinition{nil, parse(t, definitionText("as", "kind: A"))} {
				before := crd.DeepCopy()
				out, err := definition.StoredDefinition(crd, old)
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(out.Spec.Versions[0].Schema)
				if err != nil || !strings.Contains(string(text), tt.want) {
					t.Errorf("stored %s, %v, want %s in it", text, err, tt.want)
				}
				if diff := cmp.Diff(before, crd); diff != "" {
					t.Errorf("StoredDefinition changed the definition:\n%s", diff)
				}
			}
		})
	}
}

// A definition with a schema that does not compile is not accepted. Its other schemas keep
// their defaults too.
func TestStoredDefinitionKeepsDefaultsIfRefused(t *testing.T) {
	const schema = `{type: object, default: {"metadata":{"finalizers":[]}}}`
	crd := parse(t, definitionText("as", "kind: A", "{type: object}", schema))
	second := crd.Spec.Versions[0].DeepCopy()
	second.Name, second.Storage = "v2", false
	crd.Spec.Versions = append(crd.Spec.Versions, *second)
	for _, tt := range []struct{ second, want string }{
		{"object", `{"metadata":{}}`},
		{"text", `{"metadata":{"finalizers":[]}}`},
	} {
		crd.Spec.Versions[1].Schema.OpenAPIV3Schema.Type = tt.second
		stored, err := definition.StoredDefinition(crd, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(stored.Spec.Versions[0].Schema.OpenAPIV3Schema.Default.Raw)); diff != "" {
			t.Errorf("beside a schema of type %s, the default is stored so (-want +got):\n%s", tt.second, diff)
		}
	}
}

// SetDefaults keeps an empty list of stored versions if there is no storage version.
func TestSetDefaultsKeepsEmptyStoredVersions(t *testing.T) {
	for _, given := range [][]string{nil, {}} {
		crd := parse(t, definitionText("as", "kind: A", "storage: true", "storage: false"))
		crd.Status.StoredVersions = given
		definition.SetDefaults(crd)
		if diff := cmp.Diff(given, crd.Status.StoredVersions); diff != "" {
			t.Errorf("storedVersions mismatch (-want +got):\n%s", diff)
		}
	}
}

func TestStoredStatusDropsDuplicateOwners(t *testing.T) {
	old := parse(t, definitionText("as", "kind: A"))
	crd := old.DeepCopy()
	owner := metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "u"}
	crd.OwnerReferences = []metav1.OwnerReference{owner, owner}
	stored, err := definition.StoredStatus(crd, old)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]metav1.OwnerReference{owner}, stored.OwnerReferences); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
}
