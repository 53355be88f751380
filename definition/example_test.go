package definition_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/crdkit/crdkit/definition"
)

const crateCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crates, kind: Crate}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: string, format: metric, default: 5}
`

func ExampleParse() {
	_, err := definition.Parse([]byte("apiVersion: v1\nkind: Pod\n"))
	fmt.Println(err)
	// Output:
	// crdkit: not a definition: kind is "Pod", want "CustomResourceDefinition"
}

func ExampleParseAll() {
	bundle := "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---" + crateCRD +
		"---" + strings.ReplaceAll(crateCRD, "crate", "box")
	crds, err := definition.ParseAll([]byte(bundle))
	if err != nil {
		panic(err)
	}
	for _, crd := range crds {
		fmt.Println(crd.Name)
	}
	// Output:
	// crates.example.com
	// boxs.example.com
}

func ExampleRead() {
	crds, err := definition.Read(os.DirFS("../testdata"), "crontab")
	if err != nil {
		panic(err)
	}
	fmt.Println(len(crds), crds[0].Name)
	// Output:
	// 1 crontabs.jobs.example.org
}

func ExampleCheck() {
	crd, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		panic(err)
	}
	report := definition.Check(crd)
	for _, e := range report.Errors {
		fmt.Println(e.Pointer)
		fmt.Println(e.FieldError())
	}
	fmt.Println(report.Warnings)
	// Output:
	// /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/default
	// spec.validation.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: "int64":  in body must be of type metric: "int64"
	// [unrecognized format "metric"]
}

func ExampleCheckUpdate() {
	old, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		panic(err)
	}
	crd := old.DeepCopy()
	crd.Spec.Names.Plural = "boxes"
	for _, e := range definition.CheckUpdate(crd, old).Errors {
		if e.Pointer == "/spec/names/plural" {
			fmt.Println(e.FieldError())
		}
	}
	// Output:
	// spec.names.plural: Invalid value: "boxes": field is immutable
}

// All objects are stored at v2, so the update of the status removes v1. By
// mistake it names v3 instead of v2. The server does not notice that.
func ExampleCheckStatus() {
	old, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		fmt.Println(err)
		return
	}
	old.Spec.Versions[0].Name = "v2"
	old.Status.StoredVersions = []string{"v1", "v2"}

	crd := old.DeepCopy()
	crd.Status.StoredVersions = []string{"v3"}
	report := definition.CheckStatus(crd, old, definition.WithNotes())
	fmt.Println("accepted:", report.Accepted())
	for _, n := range report.Notes {
		fmt.Println(n.Text)
	}

	crd.Status.AcceptedNames.Plural = "no name"
	crd.Spec.Scope = "Nowhere" // CheckStatus ignores the spec
	for _, e := range definition.CheckStatus(crd, old).Errors {
		fmt.Println(e.Pointer, e.Type)
	}
	// Output:
	// accepted: true
	// the storage version v2 is not among them, though objects are stored at it
	// spec.versions has no v3, so that the server refuses every update of the spec that does not bring it back
	// /status/acceptedNames/plural Invalid value
}

// StoredStatus stores the status of the request and keeps the spec.
func ExampleStoredStatus() {
	old, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		fmt.Println(err)
		return
	}
	crd := old.DeepCopy()
	crd.Spec.Scope = "Cluster"
	crd.Labels = map[string]string{"migrated": "yes"}
	crd.Status.StoredVersions = []string{"v1"}
	stored, err := definition.StoredStatus(crd, old)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stored.Spec.Scope, stored.Labels, stored.Status.StoredVersions)
	// Output:
	// Namespaced map[migrated:yes] [v1]
}

func ExampleSetDefaults() {
	crd, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		panic(err)
	}
	definition.SetDefaults(crd)
	fmt.Println(crd.Spec.Names.Singular, crd.Spec.Names.ListKind, crd.Spec.Conversion.Strategy, crd.Status.StoredVersions)
	// Output:
	// crate CrateList None [v1]
}

// V1beta1Rules applies the rules of servers before 1.22: a definition keeps
// unknown fields unless it says otherwise. Current servers refuse that.
func ExampleV1beta1Rules() {
	crd, err := definition.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: backups.example.com}
spec:
  group: example.com
  version: v1
  names: {plural: backups, kind: Backup}
  validation: {openAPIV3Schema: {properties: {spec: {required: [target]}}}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("then:", definition.Check(crd, definition.V1beta1Rules()).Accepted())
	for _, err := range definition.Check(crd).Errors {
		fmt.Println("now:", err)
	}
	// Output:
	// then: true
	// now: spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead
	// now: spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields
	// now: spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root
}

// NewSource finds the lines of errors, warnings and notes in the text.
func ExampleNewSource() {
	crd, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		panic(err)
	}
	report := definition.Check(crd)
	source := definition.NewSource([]byte(crateCRD), definition.Position{})
	for _, e := range report.Errors {
		fmt.Printf("crd.yaml:%v: error: %s\n", source.Position(e.Pointer), e.Detail)
	}
	for _, w := range report.Warnings {
		fmt.Printf("crd.yaml:%v: warning: %s\n", source.Position(w.Pointer), w.Text)
	}
	// Output:
	// crd.yaml:20:52: error:  in body must be of type metric: "int64"
	// crd.yaml:20:36: warning: unrecognized format "metric"
}

// Two definitions claim the same short name. The server stores both, but does
// not serve the later one.
func ExampleReconciledStatus() {
	first, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		fmt.Println(err)
		return
	}
	first.Spec.Names.ShortNames = []string{"cr"}
	later := first.DeepCopy()
	later.Name, later.Spec.Names.Plural, later.Spec.Names.Kind = "crews.example.com", "crews", "Crew"
	for _, c := range definition.ReconciledStatus(later, first).Conditions {
		fmt.Println(c.Type, c.Status, c.Message)
	}
	// Output:
	// NamesAccepted False "cr" is already in use
	// Established False not all names are accepted
}

// StoredDefinition ignores the status of the request and records the versions
// at which objects were stored.
func ExampleStoredDefinition() {
	crd, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		fmt.Println(err)
		return
	}
	stored, err := definition.StoredDefinition(crd, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stored.Generation, stored.Spec.Names.ListKind, stored.Status.StoredVersions)

	crd.Spec.Versions[0].Name = "v2"
	stored, err = definition.StoredDefinition(crd, stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stored.Generation, stored.Spec.Names.ListKind, stored.Status.StoredVersions)
	// Output:
	// 1 CrateList [v1]
	// 2 CrateList [v1 v2]
}

func ExampleKubernetesVersion() {
	const rule = `, x-kubernetes-validations: [{rule: isIP(self)}]}`
	crd, err := definition.Parse([]byte(strings.Replace(crateCRD, "format: metric, default: 5}", "maxLength: 40"+rule, 1)))
	if err != nil {
		panic(err)
	}
	for _, version := range []string{"1.29", "1.31"} {
		report := definition.Check(crd, definition.KubernetesVersion(version))
		fmt.Printf("accepted by %s: %t\n", version, report.Accepted())
	}
	// Output:
	// accepted by 1.29: false
	// accepted by 1.31: true
}

// StoredVersions keeps a version at which objects were stored.
func ExampleStoredVersions() {
	old, err := definition.Parse([]byte(crateCRD))
	if err != nil {
		panic(err)
	}
	old.Status.StoredVersions = definition.StoredVersions(old, nil)
	crd := old.DeepCopy()
	crd.Spec.Versions[0].Name = "v2"
	fmt.Println(definition.StoredVersions(crd, old))
	// Output:
	// [v1 v2]
}
