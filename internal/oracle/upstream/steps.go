package upstream

import (
	"context"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	structuraldefaulting "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// Prune removes the fields that the schema does not declare. It does not report them.
func (v *Version) Prune(obj map[string]any) {
	pruning.Prune(obj, v.structural, true)
}

// Report prunes and returns the sorted paths of the removed fields.
func (v *Version) Report(obj map[string]any) []string {
	return pruning.PruneWithOptions(obj, v.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
}

// DropNulls removes nulls that are neither admitted nor defaulted.
func (v *Version) DropNulls(obj map[string]any) {
	structuraldefaulting.PruneNonNullableNullsWithoutDefaults(obj, v.structural)
}

// Default sets defaults.
func (v *Version) Default(obj map[string]any) {
	structuraldefaulting.Default(obj, v.structural)
}

// Values validates the values of an object.
func (v *Version) Values(obj map[string]any) field.ErrorList {
	return validation.ValidateCustomResource(nil, obj, v.values)
}

// ListTypes checks list types of an object.
func (v *Version) ListTypes(obj map[string]any) field.ErrorList {
	return listtype.ValidateListSetsAndMaps(nil, v.structural, obj)
}

// Embedded validates embedded resources of an object.
func (v *Version) Embedded(obj map[string]any) field.ErrorList {
	return objectmeta.Validate(context.Background(), nil, obj, v.structural, false)
}

// Schema validates an object against the whole schema, except for rules.
func (v *Version) Schema(obj map[string]any) field.ErrorList {
	errs := v.Values(obj)
	errs = append(errs, v.Embedded(obj)...)
	return append(errs, v.ListTypes(obj)...)
}

// SchemaUpdate is Schema for an object that replaces old.
func (v *Version) SchemaUpdate(obj, old map[string]any) field.ErrorList {
	errs := validation.ValidateCustomResourceUpdate(nil, obj, old, v.values, validation.WithRatcheting(v.correlate(obj, old)))
	errs = append(errs, v.Embedded(obj)...)
	if len(v.ListTypes(old)) == 0 {
		errs = append(errs, v.ListTypes(obj)...)
	}
	return errs
}

// SchemaStatus is Schema for an object whose status replaces that of old.
func (v *Version) SchemaStatus(obj, old map[string]any) field.ErrorList {
	var opts []validation.ValidationOption
	if v.structural != nil {
		opts = append(opts, validation.WithRatcheting(v.correlate(obj, old).Key("status")))
	}
	var errs field.ErrorList
	if status, ok := obj["status"]; ok {
		errs = validation.ValidateCustomResourceUpdate(field.NewPath("status"), status, old["status"], v.status, opts...)
	}
	if found := v.ListTypes(obj); len(found) > 0 && len(v.ListTypes(old)) == 0 {
		errs = append(errs, found...)
	}
	return errs
}

func (v *Version) correlate(obj, old map[string]any) *common.CorrelatedObject {
	return common.NewCorrelatedObject(obj, old, &model.Structural{Structural: v.structural})
}

// HasRules reports whether the server has rules to evaluate.
func (v *Version) HasRules() bool { return v.rules != nil }

// Rules evaluates the rules of an object, and its transition rules if old is not nil.
func (v *Version) Rules(obj, old map[string]any) Outcome {
	recorder := &recorder{}
	ctx := recorder.attach(context.Background())
	if v.rules == nil {
		return Outcome{}
	}
	var (
		errs field.ErrorList
		left int64
	)
	if old == nil {
		errs, left = v.rules.Validate(ctx, nil, v.structural, obj, nil, celconfig.RuntimeCELCostBudget)
	} else {
		errs, left = v.rules.Validate(ctx, nil, v.structural, obj, old, celconfig.RuntimeCELCostBudget, cel.WithRatcheting(v.correlate(obj, old)))
	}
	out := Outcome{Errors: errs, Warnings: recorder.texts, Cost: celconfig.RuntimeCELCostBudget - left}
	if left < 0 {
		out.Cost, out.Exhausted = celconfig.RuntimeCELCostBudget, true
	}
	return out
}

// Convert converts a list of objects to another version, as the server does between the
// store and a client. It does not prune and sets no defaults.
func (v *Version) Convert(objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{Items: make([]unstructured.Unstructured, len(objs))}
	list.SetGroupVersionKind(v.Kind.GroupVersion().WithKind(v.Definition.CRD.Spec.Names.ListKind))
	for i, u := range objs {
		list.Items[i] = *u
	}
	gv := v.Kind.GroupVersion()
	gv.Version = to
	out, err := v.convertor.ConvertToVersion(list, gv)
	if err != nil {
		return nil, err
	}
	converted := make([]*unstructured.Unstructured, len(objs))
	for i := range out.(*unstructured.UnstructuredList).Items {
		converted[i] = &out.(*unstructured.UnstructuredList).Items[i]
	}
	return converted, nil
}
