package definition_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
)

// v1beta1Tests are specs of v1beta1 with the result of converting them to v1:
// the spec or, if there is none, the error.
var v1beta1Tests = []struct{ name, beta, v1, err string }{{
	name: "defaults",
	beta: `{group: example.com, version: v1, names: {plural: jobs, kind: Job}}`,
	v1: `{group: example.com, names: {plural: jobs, singular: job, kind: Job, listKind: JobList}, scope: Namespaced,
		versions: [{name: v1, served: true, storage: true}], conversion: {strategy: None}, preserveUnknownFields: true}`,
}, {
	name: "nothing",
	beta: `{group: "", names: {plural: "", kind: ""}}`,
	v1: `{group: "", names: {plural: "", kind: ""}, scope: Namespaced, versions: null,
		conversion: {strategy: None}, preserveUnknownFields: true}`,
}, {
	name: "what is said of all versions is said of each",
	beta: `{group: example.com, names: {plural: jobs, kind: Job}, scope: Cluster, preserveUnknownFields: false,
		versions: [{name: v2, served: true, storage: false, deprecated: true, deprecationWarning: old}, {name: v1, served: false, storage: true}],
		validation: {openAPIV3Schema: {type: object, properties: {n: {type: integer, default: 1.0}}}},
		subresources: {status: {}, scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n}},
		additionalPrinterColumns: [{name: A, type: integer, JSONPath: .n, description: d, format: int32, priority: 1}],
		selectableFields: [{jsonPath: .n}]}`,
	v1: `{group: example.com, names: {plural: jobs, singular: job, kind: Job, listKind: JobList}, scope: Cluster, conversion: {strategy: None},
		versions: [{name: v2, served: true, storage: false, deprecated: true, deprecationWarning: old,
			schema: {openAPIV3Schema: {type: object, properties: {n: {type: integer, default: 1.0}}}},
			subresources: {status: {}, scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n}},
			additionalPrinterColumns: [{name: A, type: integer, jsonPath: .n, description: d, format: int32, priority: 1}],
			selectableFields: [{jsonPath: .n}]},
		{name: v1, served: false, storage: true,
			schema: {openAPIV3Schema: {type: object, properties: {n: {type: integer, default: 1.0}}}},
			subresources: {status: {}, scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n}},
			additionalPrinterColumns: [{name: A, type: integer, jsonPath: .n, description: d, format: int32, priority: 1}],
			selectableFields: [{jsonPath: .n}]}]}`,
}, {
	name: "what versions say of themselves stays",
	beta: `{group: example.com, version: v1, names: {plural: jobs, kind: Job}, preserveUnknownFields: false, versions: [
		{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}, subresources: {status: {}},
			additionalPrinterColumns: [{name: A, type: string, JSONPath: .n}], selectableFields: [{jsonPath: .x}]},
		{name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, description: x}}}]}`,
	v1: `{group: example.com, names: {plural: jobs, singular: job, kind: Job, listKind: JobList}, scope: Namespaced, conversion: {strategy: None},
		versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}, subresources: {status: {}},
			additionalPrinterColumns: [{name: A, type: string, jsonPath: .n}], selectableFields: [{jsonPath: .x}]},
		{name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, description: x}}}]}`,
}, {
	name: "the webhook moves",
	beta: `{group: example.com, version: v1, names: {plural: jobs, kind: Job}, preserveUnknownFields: false,
		conversion: {strategy: Webhook, webhookClientConfig: {service: {name: a, namespace: b}}}}`,
	v1: `{group: example.com, names: {plural: jobs, singular: job, kind: Job, listKind: JobList}, scope: Namespaced,
		versions: [{name: v1, served: true, storage: true}],
		conversion: {strategy: Webhook, webhook: {clientConfig: {service: {name: a, namespace: b, port: 443}}, conversionReviewVersions: [v1beta1]}}}`,
}, {
	name: "the address of a webhook that is not used",
	beta: `{group: example.com, version: v1, names: {plural: jobs, kind: Job}, preserveUnknownFields: false,
		conversion: {strategy: None, webhookClientConfig: {url: "https://a"}}}`,
	v1: `{group: example.com, names: {plural: jobs, singular: job, kind: Job, listKind: JobList}, scope: Namespaced,
		versions: [{name: v1, served: true, storage: true}],
		conversion: {strategy: None, webhook: {clientConfig: {url: "https://a"}, conversionReviewVersions: null}}}`,
}, {
	name: "review versions that are given",
	beta: `{group: example.com, version: v1, names: {plural: jobs, kind: Job}, preserveUnknownFields: false,
		conversion: {strategy: None, conversionReviewVersions: [v1]}}`,
	v1: `{group: example.com, names: {plural: jobs, singular: job, kind: Job, listKind: JobList}, scope: Namespaced,
		versions: [{name: v1, served: true, storage: true}], conversion: {strategy: None, webhook: {conversionReviewVersions: [v1]}}}`,
}, {
	name: "both for all versions and for one",
	beta: `{group: example.com, names: {plural: jobs, kind: Job}, validation: {}, subresources: {},
		additionalPrinterColumns: [{name: A, type: string, JSONPath: .n}], selectableFields: [{jsonPath: .x}],
		versions: [{name: v1, served: true, storage: true, schema: {}, subresources: {}, selectableFields: [{jsonPath: .x}],
			additionalPrinterColumns: [{name: A, type: string, JSONPath: .n}]}]}`,
	err: `crdkit: definition jobs.example.com: [spec.validation: Forbidden: top-level and per-version schemas are mutually exclusive, ` +
		`spec.subresources: Forbidden: top-level and per-version subresources are mutually exclusive, ` +
		`spec.additionalPrinterColumns: Forbidden: top-level and per-version additionalPrinterColumns are mutually exclusive, ` +
		`spec.selectableFields: Forbidden: top-level and per-version selectableFields are mutually exclusive]`,
}, {
	name: "another version first",
	beta: `{group: example.com, version: v2, names: {plural: jobs, kind: Job}, versions: [{name: v1, served: true, storage: true}, {name: v2, served: true, storage: false}]}`,
	err:  `crdkit: definition jobs.example.com: spec.version: Invalid value: "v2": must match the first version in spec.versions`,
}, {
	name: "a schema of no version",
	beta: `{group: example.com, names: {plural: jobs, kind: Job}, validation: {}}`,
	err:  `crdkit: definition jobs.example.com: spec.versions: Required value: there is no version for what is said of all`,
}, {
	name: "columns without versions",
	beta: `{group: example.com, names: {plural: jobs, kind: Job}, additionalPrinterColumns: [{name: A, type: string, JSONPath: .n}]}`,
	err:  `crdkit: definition jobs.example.com: spec.versions: Required value: there is no version for what is said of all`,
}, {
	name: "selectable fields without versions",
	beta: `{group: example.com, names: {plural: jobs, kind: Job}, selectableFields: [{jsonPath: .a}]}`,
	err:  `crdkit: definition jobs.example.com: spec.versions: Required value: there is no version for what is said of all`,
}, {
	name: "subresources without versions",
	beta: `{group: example.com, names: {plural: jobs, kind: Job}, subresources: {status: {}}}`,
	err:  `crdkit: definition jobs.example.com: spec.versions: Required value: there is no version for what is said of all`,
}, {
	name: "what is said of all and of one version",
	beta: `{group: example.com, names: {plural: jobs, kind: Job}, validation: {}, subresources: {}, additionalPrinterColumns: [{name: A, type: string, JSONPath: .n}],
		selectableFields: [{jsonPath: .a}], versions: [{name: v1, served: true, storage: true},
		{name: v2, schema: {}, subresources: {}, additionalPrinterColumns: [{name: A, type: string, JSONPath: .n}], selectableFields: [{jsonPath: .a}]}]}`,
	err: `crdkit: definition jobs.example.com: [` +
		`spec.validation: Forbidden: top-level and per-version schemas are mutually exclusive, ` +
		`spec.subresources: Forbidden: top-level and per-version subresources are mutually exclusive, ` +
		`spec.additionalPrinterColumns: Forbidden: top-level and per-version additionalPrinterColumns are mutually exclusive, ` +
		`spec.selectableFields: Forbidden: top-level and per-version selectableFields are mutually exclusive]`,
}, {
	name: "a field of v1",
	beta: `{group: example.com, version: v1, names: {plural: jobs, kind: Job}, additionalPrinterColumns: [{name: A, type: string, jsonPath: .n}]}`,
	err:  `crdkit: definition jobs.example.com: unknown field "spec.additionalPrinterColumns[0].jsonPath"`,
}}

func TestParseV1beta1(t *testing.T) {
	for _, tt := range v1beta1Tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := strings.ReplaceAll(tt.beta, "\t", " ")
			crd, err := definition.Parse(fmt.Appendf(nil,
				"apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: jobs.example.com}\nspec: %s\n", spec))
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("Parse fails with %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if crd.APIVersion != "apiextensions.k8s.io/v1" || crd.Kind != "CustomResourceDefinition" || crd.Name != "jobs.example.com" {
				t.Errorf("Parse returns %s of %s named %s", crd.Kind, crd.APIVersion, crd.Name)
			}
			var got, want any
			text, err := json.Marshal(crd.Spec)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte(strings.ReplaceAll(tt.v1, "\t", " ")), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("spec mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// v1beta1RuleTests are specs of v1beta1 with the errors of version 1.37 and
// those of servers that served v1beta1. Both list how the error texts begin.
var v1beta1RuleTests = []struct {
	name, group, spec string
	now, then         []string
}{{
	name: "no schema",
	spec: `version: v1`,
	now: []string{
		`spec.preserveUnknownFields: Invalid value: true: cannot set to true`,
		`spec.versions[0].schema.openAPIV3Schema: Required value`,
	},
}, {
	name: "no schema and pruning",
	spec: `version: v1, preserveUnknownFields: false`,
	now:  []string{`spec.versions[0].schema.openAPIV3Schema: Required value`},
	then: []string{`spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned`},
}, {
	name: "not structural",
	spec: `version: v1, validation: {openAPIV3Schema: {properties: {a: {type: whatever, anyOf: [{type: string, nullable: true}]}}}}`,
	now: []string{
		`spec.preserveUnknownFields: Invalid value: true: cannot set to true`,
		`spec.validation.openAPIV3Schema.properties[a].anyOf[0].nullable: Forbidden`,
		`spec.validation.openAPIV3Schema.properties[a].anyOf[0].type: Forbidden`,
		`spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: "whatever"`,
		`spec.validation.openAPIV3Schema.type: Required value`,
	},
}, {
	name: "not structural and pruning",
	spec: `version: v1, preserveUnknownFields: false, validation: {openAPIV3Schema: {properties: {a: {type: string}}}}`,
	now:  []string{`spec.validation.openAPIV3Schema.type: Required value`},
	then: []string{`spec.validation.openAPIV3Schema.type: Required value`},
}, {
	name: "an extension needs structure",
	spec: `version: v1, validation: {openAPIV3Schema: {properties: {a: {x-kubernetes-int-or-string: true}}}}`,
	now: []string{
		`spec.preserveUnknownFields: Invalid value: true: cannot set to true`,
		`spec.validation.openAPIV3Schema.type: Required value`,
	},
	then: []string{`spec.validation.openAPIV3Schema.type: Required value`},
}, {
	name: "a default",
	spec: `version: v1, preserveUnknownFields: false, validation: {openAPIV3Schema: {type: object, properties: {a: {type: string, default: x}}}}`,
	then: []string{`spec.validation.openAPIV3Schema.properties[a].default: Forbidden: must not be set (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)`},
}, {
	name: "a default where unknown fields are kept",
	spec: `version: v1, validation: {openAPIV3Schema: {type: object, properties: {a: {type: string, default: x}}}}`,
	now: []string{
		`spec.preserveUnknownFields: Invalid value: true: cannot set to true`,
		`spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema`,
	},
	then: []string{`spec.validation.openAPIV3Schema.properties[a].default: Forbidden`},
}, {
	name:  "no approval",
	group: "x.k8s.io",
	spec:  `version: v1, preserveUnknownFields: false, validation: {openAPIV3Schema: {type: object}}`,
	now:   []string{`metadata.annotations[api-approved.kubernetes.io]: Required value`},
}, {
	name: "what was never allowed",
	spec: `version: V1, validation: {openAPIV3Schema: {uniqueItems: true, definitions: {a: {type: string}}}}`,
	now: []string{
		`spec.preserveUnknownFields: Invalid value: true: cannot set to true`,
		`spec.validation.openAPIV3Schema.definitions: Forbidden`,
		`spec.validation.openAPIV3Schema.uniqueItems: Forbidden`,
		`spec.version: Invalid value: "V1"`,
		`spec.versions[0].name: Invalid value: "V1"`,
	},
	then: []string{
		`spec.validation.openAPIV3Schema.definitions: Forbidden`,
		`spec.validation.openAPIV3Schema.uniqueItems: Forbidden`,
		`spec.version: Invalid value: "V1"`,
		`spec.versions[0].name: Invalid value: "V1"`,
	},
}}

func TestV1beta1Rules(t *testing.T) {
	for _, tt := range v1beta1RuleTests {
		t.Run(tt.name, func(t *testing.T) {
			group := tt.group
			if group == "" {
				group = "example.com"
			}
			crd, err := definition.Parse(fmt.Appendf(nil, "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n"+
				"metadata: {name: jobs.%s}\nspec: {group: %s, names: {plural: jobs, kind: Job}, %s}\n", group, group, tt.spec))
			if err != nil {
				t.Fatal(err)
			}
			begins(t, "Check", definition.Check(crd), tt.now)
			begins(t, "Check of v1beta1", definition.Check(crd, definition.V1beta1Rules()), tt.then)
		})
	}
}

// begins compares the beginnings of the errors in a report.
func begins(t *testing.T, what string, r *definition.Report, want []string) {
	t.Helper()
	var got []string
	for i, err := range r.Errors {
		text := err.Error()
		if i < len(want) && strings.HasPrefix(text, want[i]) {
			text = want[i]
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: errors mismatch (-want +got):\n%s", what, diff)
	}
}

// TestV1beta1RulesUpdate checks that an update may keep what the old definition
// has.
func TestV1beta1RulesUpdate(t *testing.T) {
	parse := func(preserve, more string) string {
		return "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: jobs.example.com}\n" +
			"spec: {group: example.com, version: v1, names: {plural: jobs, kind: Job}, preserveUnknownFields: " + preserve +
			", validation: {openAPIV3Schema: {type: object, properties: {a: {type: string" + more + "}}}}}\n"
	}
	for _, tt := range []struct {
		name, old, crd string
		want           []string
	}{
		{"a new default", parse("false", ""), parse("false", ", default: x"), []string{`spec.validation.openAPIV3Schema.properties[a].default: Forbidden`}},
		{"another default", parse("false", ", default: y"), parse("false", ", default: x"), nil},
		{"begin to keep unknown fields", parse("false", ""), parse("true", ""), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old, err := definition.Parse([]byte(tt.old))
			if err != nil {
				t.Fatal(err)
			}
			crd, err := definition.Parse([]byte(tt.crd))
			if err != nil {
				t.Fatal(err)
			}
			begins(t, "CheckUpdate", definition.CheckUpdate(crd, old, definition.V1beta1Rules()), tt.want)
		})
	}
}
