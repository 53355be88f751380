package conversion_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// Three versions of a machine. The hub, v2, has a field for every value.
type (
	machineV1 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              struct {
			HostPort string `json:"hostPort"`
		} `json:"spec"`
	}
	machineV2 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              struct {
			Host string `json:"host"`
			Port string `json:"port"`
		} `json:"spec"`
	}
	machineV3 struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              struct {
			Endpoint struct {
				Host string `json:"host"`
				Port string `json:"port"`
			} `json:"endpoint"`
		} `json:"spec"`
	}
)

func v1ToV2(in *machineV1, out *machineV2) error {
	out.ObjectMeta = in.ObjectMeta
	var ok bool
	if out.Spec.Host, out.Spec.Port, ok = strings.Cut(in.Spec.HostPort, ":"); !ok {
		return errors.New("spec.hostPort has no colon")
	}
	return nil
}

func v2ToV1(in *machineV2, out *machineV1) error {
	out.ObjectMeta = in.ObjectMeta
	out.Spec.HostPort = in.Spec.Host + ":" + in.Spec.Port
	return nil
}

func v3ToV2(in *machineV3, out *machineV2) error {
	out.ObjectMeta = in.ObjectMeta
	out.Spec.Host, out.Spec.Port = in.Spec.Endpoint.Host, in.Spec.Endpoint.Port
	return nil
}

func v2ToV3(in *machineV2, out *machineV3) error {
	out.ObjectMeta = in.ObjectMeta
	out.Spec.Endpoint.Host, out.Spec.Endpoint.Port = in.Spec.Host, in.Spec.Port
	return nil
}

func machines() conversion.ConvertFunc {
	return conversion.Hub("v2", map[string]conversion.Spoke{
		"v1": conversion.TypedSpoke(v1ToV2, v2ToV1),
		"v3": conversion.TypedSpoke(v3ToV2, v2ToV3),
	})
}

func machine(version string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/" + version, "kind": "Machine",
		"metadata": map[string]any{"name": "m", "labels": map[string]any{"a": "b"}},
		"spec":     spec,
	}}
}

func TestHub(t *testing.T) {
	specs := map[string]map[string]any{
		"v1": {"hostPort": "h:80"},
		"v2": {"host": "h", "port": "80"},
		"v3": {"endpoint": map[string]any{"host": "h", "port": "80"}},
	}
	convert := machines()
	for from := range specs {
		for to := range specs {
			if from == to {
				continue
			}
			out, err := convert(context.Background(), machine(from, specs[from]), to)
			if err != nil {
				t.Errorf("%s to %s: %v", from, to, err)
				continue
			}
			// The caller of a ConvertFunc sets the version if the function does
			// not.
			out.SetAPIVersion("example.com/" + to)
			if diff := cmp.Diff(machine(to, specs[to]), out); diff != "" {
				t.Errorf("%s to %s (-want +got):\n%s", from, to, diff)
			}
		}
	}
}

// A spoke may lack the function of a direction that no request needs.
func TestHubWithoutFunction(t *testing.T) {
	convert := conversion.Hub("v1", map[string]conversion.Spoke{"v2": {}})
	for from, to := range map[string]string{"v1": "v2", "v2": "v1"} {
		_, err := convert(context.Background(), machine(from, nil), to)
		want := fmt.Sprintf(`there is no conversion from "example.com/%s" to "example.com/%s"`, from, to)
		if err == nil || err.Error() != want {
			t.Errorf("%s to %s: %v, want %s", from, to, err, want)
		}
	}
}

func TestHubErrors(t *testing.T) {
	for _, tt := range []struct {
		name     string
		obj      *unstructured.Unstructured
		to, want string
	}{
		{"from an unknown version", machine("v9", nil), "v2", `version "v9" is neither the hub nor a spoke`},
		{"to an unknown version", machine("v2", nil), "v9", `version "v9" is neither the hub nor a spoke`},
		{"a failure on the way", machine("v1", map[string]any{"hostPort": "h"}), "v3", "spec.hostPort has no colon"},
		{"an unknown field", machine("v1", map[string]any{"hostPort": "h:1", "more": true}), "v3", `decoding as *conversion_test.machineV1: strict decoding error: unknown field "spec.more"`},
		{"a wrong type", machine("v1", map[string]any{"hostPort": int64(5)}), "v3", "decoding as *conversion_test.machineV1: "},
	} {
		_, err := machines()(context.Background(), tt.obj, tt.to)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}
