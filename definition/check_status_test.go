package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// checkStatusTests are updates of the status of a definition with the storage
// version v1, and the expected reports.
var checkStatusTests = []struct {
	name     string
	metadata string // members of the metadata, after a comma
	status   string
	want     []string // pointer, type, field and detail
	warn     []string
	notes    []string // code, pointer and text
}{{
	name:   "nothing but a name is asked of a status",
	status: `{"acceptedNames":{"plural":"others","kind":"Other"},"conditions":[{"type":"Odd","status":"Perhaps"}],"storedVersions":["v1"]}`,
}, {
	name:   "names that are none",
	status: `{"acceptedNames":{"plural":"A","kind":"A","listKind":"A","shortNames":["a","B"]},"storedVersions":["v1"]}`,
	want: []string{
		`/status/acceptedNames/listKind: Invalid value: status.acceptedNames.listKind: kind and listKind may not be the same`,
		`/status/acceptedNames/plural: Invalid value: status.acceptedNames.plural: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
		`/status/acceptedNames/shortNames/1: Invalid value: status.acceptedNames.shortNames[1]: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
	},
}, {
	name:   "stored versions may be any",
	status: `{"storedVersions":["v0","v0"]}`,
	notes: []string{
		`StoredVersionsUnsound /status/storedVersions: the storage version v1 is not among them, though objects are stored at it`,
		`StoredVersionsUnsound /status/storedVersions/0: spec.versions has no v0, so that the server refuses every update of the spec that does not bring it back`,
		`StoredVersionsUnsound /status/storedVersions/1: spec.versions has no v0, so that the server refuses every update of the spec that does not bring it back`,
	},
}, {
	name:   "without stored versions there are those of the spec that is sent",
	status: `{}`,
	notes: []string{
		`StoredVersionsUnsound /status/storedVersions: the storage version v1 is not among them, though objects are stored at it`,
		`StoredVersionsUnsound /status/storedVersions/0: spec.versions has no v2, so that the server refuses every update of the spec that does not bring it back`,
	},
}, {
	name: "metadata is written, too, and judged more than once",
	metadata: `,"labels":{"a":"-"},"uid":"8","ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},` +
		`{"apiVersion":"v1","kind":"A","name":"a","uid":"1"},{"apiVersion":"v1","kind":"","name":"b","uid":"2"}]`,
	status: `{"storedVersions":["v1"]}`,
	want: []string{
		`/metadata/labels/a: Invalid value: metadata.labels: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
		`/metadata/labels/a: Invalid value: metadata.labels: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
		`/metadata/labels/a: Invalid value: metadata.labels: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
		`/metadata/ownerReferences/2/kind: Required value: metadata.ownerReferences[1].kind: must not be empty`,
		`/metadata/ownerReferences/2/kind: Required value: metadata.ownerReferences[1].kind: must not be empty`,
		`/metadata/ownerReferences/2/kind: Required value: metadata.ownerReferences[1].kind: must not be empty`,
		`/metadata/uid: Invalid value: metadata.uid: field is immutable`,
		`/metadata/uid: Invalid value: metadata.uid: field is immutable`,
	},
	warn: []string{`/metadata/ownerReferences: .metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1`},
}}

func TestCheckStatus(t *testing.T) {
	old := decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object"}`))
	old.UID = "7"
	for _, tt := range checkStatusTests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.NewReplacer(
				`"widgets.example.com"}`, `"widgets.example.com"`+tt.metadata+`}`,
				`"name":"v1"`, `"name":"v2"`, // the server ignores the spec of the request
				"]}}", `]},"status":`+tt.status+"}",
			).Replace(fmt.Sprintf(checkCRD, "", `{"type":"nonsense"}`))
			crd := decodeCRD(t, text)
			before, beforeOld := crd.DeepCopy(), old.DeepCopy()
			report := CheckStatus(crd, old, WithNotes())
			if diff := cmp.Diff([]any{before, beforeOld}, []any{crd, old}); diff != "" {
				t.Errorf("CheckStatus changed a definition (-before +after):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, reportLines(report)); diff != "" {
				t.Errorf("CheckStatus errors (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warn, warningLines(report)); diff != "" {
				t.Errorf("CheckStatus warnings (-want +got):\n%s", diff)
			}
			var notes []string
			for _, n := range report.Notes {
				notes = append(notes, fmt.Sprintf("%s %s: %s", n.Code, n.Pointer, n.Text))
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("CheckStatus notes (-want +got):\n%s", diff)
			}
			if got := CheckStatus(crd, old).Notes; len(got) > 0 {
				t.Errorf("CheckStatus has notes without WithNotes: %v", got)
			}
		})
	}
}

func TestCheckStatusOfNothing(t *testing.T) {
	crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object"}`))
	for _, pair := range [][2]*apiextensionsv1.CustomResourceDefinition{{nil, crd}, {crd, nil}, {nil, nil}} {
		if CheckStatus(pair[0], pair[1]).Accepted() {
			t.Errorf("CheckStatus(%v, %v) is accepted", pair[0] != nil, pair[1] != nil)
		}
	}
}
