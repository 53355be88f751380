package conversion_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

func definition(strategy apiextensionsv1.ConversionStrategyType) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "crontabs.stable.example.com"
	crd.Spec.Group = "stable.example.com"
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1"}, {Name: "v1beta1"}}
	if strategy != "" {
		crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: strategy}
	}
	return crd
}

func object(apiVersion string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion,
		"kind":       "CronTab",
		"metadata":   map[string]any{"name": "a"},
		"spec":       map[string]any{"list": []any{int64(1)}},
	}}
}

func TestNone(t *testing.T) {
	for _, tt := range []struct {
		name, from, to, wantErr string
	}{
		{name: "to another version", from: "stable.example.com/v1beta1", to: "v1"},
		{name: "to the same version", from: "stable.example.com/v1", to: "v1"},
		{name: "to a version that does not exist", from: "stable.example.com/v1", to: "v2",
			wantErr: "request to convert CR to an invalid group/version: stable.example.com/v2"},
		{name: "from a version that does not exist", from: "stable.example.com/v3", to: "v1",
			wantErr: "request to convert CR from an invalid group/version: stable.example.com/v3"},
		{name: "from another group", from: "example.org/v1", to: "v1",
			wantErr: `example.org/v1, Kind=CronTab is unstructured and is not suitable for converting to "stable.example.com/v1"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := conversion.New(definition(""))
			if err != nil {
				t.Fatal(err)
			}
			in := object(tt.from)
			out, err := c.Convert(context.Background(), []*unstructured.Unstructured{in}, tt.to)
			if got := fmt.Sprint(err); tt.wantErr != "" && got != tt.wantErr {
				t.Fatalf("Convert error %q, want %q", got, tt.wantErr)
			}
			if diff := cmp.Diff(object(tt.from), in); diff != "" {
				t.Errorf("Convert changed its input (-want +got):\n%s", diff)
			}
			if tt.wantErr != "" {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(object("stable.example.com/"+tt.to), out[0]); diff != "" {
				t.Errorf("Convert (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewStrategies(t *testing.T) {
	if _, err := conversion.New(definition(apiextensionsv1.NoneConverter)); err != nil {
		t.Errorf("New(None): %v", err)
	}
	if _, err := conversion.New(definition(apiextensionsv1.WebhookConverter)); !errors.Is(err, conversion.ErrNoWebhook) {
		t.Errorf("New(Webhook): %v, want ErrNoWebhook", err)
	}
	want := `unknown conversion strategy "Magic" for CRD crontabs.stable.example.com`
	if _, err := conversion.New(definition("Magic")); err == nil || err.Error() != want {
		t.Errorf("New(Magic): %v, want %s", err, want)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := conversion.None(definition("")).Convert(ctx, []*unstructured.Unstructured{object("stable.example.com/v1")}, "v1")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Convert after cancel: %v, want context.Canceled", err)
	}
}

// objects returns n objects.
func objects(n int, apiVersion string) []*unstructured.Unstructured {
	out := make([]*unstructured.Unstructured, n)
	for i := range out {
		out[i] = named(fmt.Sprint("object-", i), apiVersion)
	}
	return out
}

// TestSharing checks the contract of Converter: a result is an object of its
// own, but may share its values below the top level with the input.
func TestSharing(t *testing.T) {
	in := object(beta)
	out, err := convert(conversion.None(definition("")), "v1", in)
	if err != nil {
		t.Fatal(err)
	}
	out[0].Object["added"] = true
	out[0].SetKind("Other")
	if diff := cmp.Diff(object(beta), in); diff != "" {
		t.Errorf("a change of the result changes the input (-want +got):\n%s", diff)
	}
}

func TestNoneAllocations(t *testing.T) {
	const n = 100
	c, objs, ctx := conversion.None(definition("")), objects(n, beta), context.Background()
	got := testing.AllocsPerRun(20, func() {
		if _, err := c.Convert(ctx, objs, "v1"); err != nil {
			t.Fatal(err)
		}
	})
	// Each object needs a map and its table; the call needs a few more.
	if got > 2*n+10 {
		t.Errorf("Convert of %d objects allocates %v times, want at most %d", n, got, 2*n+10)
	}
}

// TestConvertList compares lists with objects, for converters of this package
// and for a converter of another program.
func TestConvertList(t *testing.T) {
	list := &unstructured.UnstructuredList{
		Object: map[string]any{"apiVersion": beta, "kind": "CronTabList", "metadata": map[string]any{"continue": "x"}},
		Items:  []unstructured.Unstructured{*named("a", beta), *named("b", stable)},
	}
	before := list.DeepCopy()
	want := list.DeepCopy()
	want.SetAPIVersion(stable)
	want.Items[0].SetAPIVersion(stable)
	want.Items[0].Object["spec"] = map[string]any{"items": []any{int64(1)}}
	ctx := context.Background()
	local := conversion.Local(definition(""), renaming)
	for name, c := range map[string]conversion.Converter{"Local": local, "another": other{local}} {
		got, err := conversion.ConvertList(ctx, c, list, "v1")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ConvertList with %s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(before, list); diff != "" {
			t.Errorf("ConvertList with %s changed its input (-want +got):\n%s", name, diff)
		}
	}
	wrong := &unstructured.UnstructuredList{Object: list.Object, Items: []unstructured.Unstructured{*named("a", "stable.example.com/v7")}}
	for _, tt := range []struct {
		name string
		c    conversion.Converter
		want string
	}{
		{"None", conversion.None(definition("")), "request to convert CR list failed, list index 0 has invalid group/version: stable.example.com/v7"},
		{"Local", local, "request to convert CR list failed, list index 0 has invalid group/version: stable.example.com/v7"},
		{"another", other{local}, "request to convert CR from an invalid group/version: stable.example.com/v7"},
		{"silent", other{}, "conversion: the converter returned 0 objects for 1"},
	} {
		if _, err := conversion.ConvertList(ctx, tt.c, wrong, "v1"); fmt.Sprint(err) != tt.want {
			t.Errorf("ConvertList with %s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// other is a converter of another program.
type other struct{ next conversion.Converter }

func (o other) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	if o.next == nil {
		return nil, nil
	}
	return o.next.Convert(ctx, objs, to)
}
