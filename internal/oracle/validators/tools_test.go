package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse checks what the verdicts in the outputs of the tools are read as.
func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parse func([]byte) (map[string]string, error)
		out   string
		want  map[string]string // nil for an error
	}{
		{"crdkit", parseCrdkit, `{"file":"a","decided":true,"admitted":true}` + "\n" + `{"file":"b","decided":true,"admitted":false}` + "\n",
			map[string]string{"a": admitted, "b": refused}},
		{"crdkit without a verdict", parseCrdkit, `{"file":"a","decided":false}`, nil},
		{"kubectl-validate", parseKubectlValidate, `{"a": [{"status": "Success"}], "b": [{"status": "Success"}, {"status": "Failure"}]}`,
			map[string]string{"a": admitted, "b": refused}},
		{"kubeconform", parseKubeconform, `{"resources": [{"filename": "a", "status": "statusValid"}, {"filename": "b", "status": "statusInvalid"}, {"filename": "c", "status": "statusError"}]}`,
			map[string]string{"a": admitted, "b": refused, "c": refused}},
		{"kubeconform skips", parseKubeconform, `{"resources": [{"filename": "a", "status": "statusSkipped"}]}`, nil},
		{"no JSON", parseKubeconform, `panic`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.parse([]byte(tt.out))
			if (err != nil) != (tt.want == nil) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
		})
	}
}
