package apply_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestChanges tests the changes of a preview.
func TestChanges(t *testing.T) {
	first := applied(nil, `spec: {replicas: 1, mode: fast, env: [{name: A, value: x}, {name: B}]}`, "deployer")
	both := applied(first, `spec: {replicas: 1}`, "other")
	tests := []struct {
		name   string
		live   *unstructured.Unstructured
		config string
		force  bool
		want   []string
	}{
		{"no object", nil, `spec: {replicas: 1}`, false, nil},
		{"nothing", first, `spec: {replicas: 1, mode: fast, env: [{name: A, value: x}, {name: B}]}`, false, nil},
		{"a conflict", both, `spec: {replicas: 2, mode: fast, env: [{name: A, value: x}, {name: B}]}`, false, nil},
		{"a value", first, `spec: {replicas: 2, mode: fast, env: [{name: A, value: x}, {name: B}]}`, false,
			[]string{`.spec.replicas: 1 -> 2, owned by deployer (Apply)`}},
		{"a value and an owner", both, `spec: {replicas: 2, mode: fast, env: [{name: A, value: x}, {name: B}]}`, true,
			[]string{`.spec.replicas: 1 -> 2, owned by other (Apply) and deployer (Apply) -> deployer (Apply)`}},
		{"an owner", both, `spec: {mode: fast, env: [{name: A, value: x}, {name: B}]}`, false,
			[]string{`.spec.replicas: 1, owned by other (Apply) and deployer (Apply) -> other (Apply)`}},
		{"items", first, `spec: {replicas: 1, mode: fast, env: [{name: B, value: w}, {name: C, value: z}]}`, false, []string{
			`.spec.env[name="A",protocol="TCP"]: {"name":"A","protocol":"TCP","value":"x"} -> absent, owned by deployer (Apply) -> nobody`,
			`.spec.env[name="B",protocol="TCP"].value: absent -> "w", owned by nobody -> deployer (Apply)`,
			`.spec.env[name="C",protocol="TCP"]: absent -> {"name":"C","protocol":"TCP","value":"z"}, owned by nobody -> deployer (Apply)`,
		}},
		{"a default", first, `spec: {replicas: 1, env: [{name: A, value: x}, {name: B}]}`, false,
			[]string{`.spec.mode: "fast" -> "slow", owned by deployer (Apply) -> nobody`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var live []*unstructured.Unstructured
			before := ""
			if tt.live != nil {
				live = append(live, tt.live)
				before = encode(t, tt.live)
			}
			steps, err := appliers()["v1"].Preview(context.Background(), live, []*unstructured.Unstructured{widget(tt.config)}, "deployer", tt.force)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range steps[0].Changes {
				got = append(got, c.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if tt.live != nil && encode(t, tt.live) != before {
				t.Error("the live object changed")
			}
		})
	}
}
