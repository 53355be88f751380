package conversion

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Typed returns the ConvertFunc of a conversion between two Go structs, such as
// one that conversion-gen writes, which has a scope as another parameter:
//
//	conversion.Typed(func(in *v1beta1.CronTab, out *v1.CronTab) error {
//		return v1beta1.Convert_v1beta1_CronTab_To_v1_CronTab(in, out, nil)
//	})
//
// It converts one pair of versions; [Hub] combines several. Structs are
// converted by their json tags, as package runtime of apimachinery does.
// convert need not set kind and apiVersion.
//
// A field of the object that In does not have is an error, because the
// conversion would lose it silently.
func Typed[In, Out any](convert func(in *In, out *Out) error) ConvertFunc {
	return func(_ context.Context, obj *unstructured.Unstructured, _ string) (*unstructured.Unstructured, error) {
		in, out := new(In), new(Out)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, in, true); err != nil {
			return nil, fmt.Errorf("decoding as %T: %w", in, err)
		}
		if err := convert(in, out); err != nil {
			return nil, err
		}
		converted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(out)
		if err != nil {
			return nil, fmt.Errorf("encoding %T: %w", out, err)
		}
		converted["kind"] = obj.GetKind()
		delete(converted, "apiVersion")
		return &unstructured.Unstructured{Object: converted}, nil
	}
}
