package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// featuresDefinition has what decides how an object is merged. Its versions differ.
const featuresDefinition = `
metadata: {name: features.features.example.com}
spec:
  group: features.example.com
  scope: Namespaced
  names: {plural: features, singular: feature, kind: Feature, listKind: FeatureList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: &subresources
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: &spec
            type: object
            properties: &properties
              replicas: {type: integer, format: int32, default: 1}
              ports: &ports
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [port, protocol]
                items:
                  type: object
                  required: [port]
                  properties:
                    port: {type: integer}
                    protocol: {type: string, default: TCP}
                    hosts: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                    paths: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [path], items: {type: object, required: [path], properties: {path: {type: string}, weight: {type: integer}}}}
              args: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}
              rows: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: integer}}}}
              selector: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
              labels: {type: object, additionalProperties: {type: string}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: string}}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              limit: {x-kubernetes-int-or-string: true}
              maybe: {type: object, nullable: true, properties: {a: {type: string}, b: {type: string, nullable: true}}}
              old: {type: string, default: former}
          status: {type: object, properties: {replicas: {type: integer}, selector: {type: string}, conditions: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], items: {type: object, required: [type], properties: {type: {type: string}, status: {type: string}}}}}}
  - name: v2
    served: true
    storage: false
    subresources: *subresources
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, format: int32, default: 2}
              ports: *ports
              args: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              selector: {type: object, additionalProperties: {type: string}}
              labels: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: string, default: x}}}
              new: {type: string, default: latter}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const featuresSample = `
{replicas: 3, ports: [{port: 80, hosts: [a, b], paths: [{path: /, weight: 1}, {path: /x}]}, {port: 80, protocol: UDP}, {port: 443}], args: [x, y0],
rows: [{a: x, b: 1}, {a: z}], selector: {app: a, tier: b}, labels: {a: b, c: d}, free: {known: x, some: {deep: [1, {a: b}]}}, limit: 5, maybe: {a: x},
template: {apiVersion: v1, kind: ConfigMap, metadata: {name: t, labels: {a: b}}, data: {k: v}}}`

// features returns the definition with samples at both versions.
func features() (*testkit.Definition, error) {
	d := &testkit.Definition{Path: "features", CRD: &apiextensionsv1.CustomResourceDefinition{}}
	if err := yaml.Unmarshal([]byte(featuresDefinition), d.CRD); err != nil {
		return nil, err
	}
	for _, version := range []string{"v1", "v2"} {
		text, err := yaml.YAMLToJSON([]byte("spec: " + strings.ReplaceAll(featuresSample, "\n", " ") + "\nstatus: {replicas: 1, selector: a=b}\nmetadata: {name: a, namespace: ns}\nkind: Feature\napiVersion: features.example.com/" + version))
		if err != nil {
			return nil, err
		}
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(text); err != nil {
			return nil, err
		}
		d.Samples = append(d.Samples, testkit.Sample{Path: version, Object: u.Object})
	}
	return d, nil
}

// wantedFeatures are what the sequences must have had, each at least three times.
var wantedFeatures = []string{
	"apply", "apply of status", "apply with force", "create", "update", "update of status", "patch", "patch of status", "scale update", "scale patch",
	"finalizer", "delete", "deleted object", "last finalizer", "renamed manager", "other version", "other schema", "explained",
	"resourceVersion", "uid", "empty metadata", "hidden change", "control character", "decoded configuration", "block Warn", "JSON Strict", "repeated keys ", "repeated keys Strict", "repeated keys Warn", "repeated keys Ignore", "conflict without managers",
	"list map", "key with default", "set", "atomic list", "atomic map", "preserve unknown", "embedded resource", "int or string", "nullable",
}

// missingFeatures returns the features that the sequences have not had often enough.
func (n *applyTally) missingFeatures() []string {
	return slices.DeleteFunc(slices.Clone(wantedFeatures), func(name string) bool { return n.features[name] >= 3 })
}

// requestFeatures names the features of a request.
func requestFeatures(step applyStep) []string {
	r := step.request
	kind := map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}[r.Method]
	if r.Type == types.ApplyYAMLPatchType {
		kind = "apply"
	}
	switch r.Subresource {
	case "status":
		kind += " of status"
	case "scale":
		kind = "scale " + kind
	}
	out := []string{kind}
	if r.Force && kind == "apply" {
		out = append(out, "apply with force")
	}
	if step.live != nil && step.live.GetDeletionTimestamp() != nil && r.Method != "DELETE" {
		out = append(out, "deleted object")
	}
	return out
}

// schemaFeatures adds the features of the schemas of the values of v.
func schemaFeatures(out map[string]bool, s *apiextensionsv1.JSONSchemaProps, v any) {
	if s == nil {
		return
	}
	out["preserve unknown"] = out["preserve unknown"] || s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	out["embedded resource"] = out["embedded resource"] || s.XEmbeddedResource
	out["int or string"] = out["int or string"] || s.XIntOrString
	out["nullable"] = out["nullable"] || s.Nullable
	switch v := v.(type) {
	case map[string]any:
		out["atomic map"] = out["atomic map"] || s.XMapType != nil && *s.XMapType == "atomic"
		for name, member := range v {
			if p, ok := s.Properties[name]; ok {
				schemaFeatures(out, &p, member)
			} else if s.AdditionalProperties != nil {
				schemaFeatures(out, s.AdditionalProperties.Schema, member)
			}
		}
	case []any:
		if s.Items == nil || s.Items.Schema == nil {
			return
		}
		kind := "atomic"
		if s.XListType != nil {
			kind = *s.XListType
		}
		out[map[string]string{"map": "list map", "set": "set", "atomic": "atomic list"}[kind]] = true
		for _, key := range s.XListMapKeys {
			out["key with default"] = out["key with default"] || s.Items.Schema.Properties[key].Default != nil
		}
		for _, item := range v {
			schemaFeatures(out, s.Items.Schema, item)
		}
	}
}

// tellStep counts what a step has.
func (n *applyTally) tellStep(s *applySide, step applyStep) {
	names := requestFeatures(step)
	had := map[string]bool{}
	if r := step.request; r.Type == types.ApplyYAMLPatchType {
		obj := map[string]any{}
		if json.Unmarshal(r.Body, &obj) == nil {
			schemaFeatures(had, schemaOf(s.crd, r.Version), obj)
		}
	}
	for name, has := range had {
		if has {
			names = append(names, name)
		}
	}
	n.tell(names...)
}

// finalize makes the next request of the way from a finalizer over the deletion to the end
// of the object.
func (s *applySide) finalize(step *applyStep) (feature string) {
	r, live := &step.request, step.live
	r.Method, r.Type = "PATCH", types.MergePatchType
	switch {
	case live.GetDeletionTimestamp() != nil:
		r.Body = []byte(`{"metadata":{"finalizers":null}}`)
		return "last finalizer"
	case len(live.GetFinalizers()) == 0:
		r.Body = []byte(`{"metadata":{"finalizers":["example.com/wait"]}}`)
		return "finalizer"
	}
	r.Method, r.Type = "DELETE", ""
	return "delete"
}

// scaleBody returns the body of a write of the scale.
func scaleBody(rng *rand.Rand, namespace, name string) (*autoscalingv1.Scale, []byte) {
	target := &autoscalingv1.Scale{}
	target.Kind, target.APIVersion, target.Name, target.Namespace = "Scale", "autoscaling/v1", name, namespace
	target.Spec.Replicas = int32(rng.IntN(5))
	return target, []byte(encodeText(target))
}

// scalePatch returns a patch of the scale.
func scalePatch(rng *rand.Rand) (types.PatchType, []byte) {
	if rng.IntN(4) == 0 {
		return types.JSONPatchType, fmt.Appendf(nil, `[{"op":"replace","path":"/spec/replicas","value":%d}]`, rng.IntN(5))
	}
	return types.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, rng.IntN(5))
}

// renameManager renames one of the managers that a client sends.
func renameManager(rng *rand.Rand, list []any) []any {
	if len(list) == 0 {
		return list
	}
	list = slices.Clone(list)
	i := rng.IntN(len(list))
	entry := map[string]any{}
	for name, v := range list[i].(map[string]any) {
		entry[name] = v
	}
	entry["manager"] = strings.TrimSuffix(fmt.Sprint(entry["manager"]), "-renamed") + "-renamed"
	list[i] = entry
	return list
}
