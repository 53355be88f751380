package conversion

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Typed returns the ConvertFunc of a conversion between two Go structs, such as
// one that conversion-gen writes, which takes a scope in addition:
//
//	conversion.Typed(func(in *v1beta1.CronTab, out *v1.CronTab) error {
//		return v1beta1.Convert_v1beta1_CronTab_To_v1_CronTab(in, out, nil)
//	})
//
// It is good for one pair of versions; [Hub] puts several together. Structs are
// filled and read as package runtime of apimachinery does, by their json tags.
// convert sets neither kind nor apiVersion.
//
// A field of the object that In has no place for is an error, for it would be
// lost without a word.
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
