package definition

import (
	"fmt"
	"strings"
	"testing"
)

// TestDefaultsInsideMetadata: a default inside of the metadata, kind or apiVersion of an
// embedded resource must result in a resource with valid metadata.
func TestDefaultsInsideMetadata(t *testing.T) {
	const resource = `{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"properties":{%s}}`
	const metadata = `"metadata":{"type":"object","properties":{%s}}`
	for _, tt := range []struct{ name, properties, want string }{
		{"a name", fmt.Sprintf(metadata, `"name":{"type":"string","default":"a"}`), ""},
		{"a name that is none", fmt.Sprintf(metadata, `"name":{"type":"string","default":"a/b"}`), "properties[metadata].properties[name].default: Invalid value: \"a/b\": must result in valid metadata: "},
		{"a name that is no text", fmt.Sprintf(metadata, `"name":{"type":"integer","default":5}`), "properties[metadata].properties[name].default: Invalid value: 5: must result in valid metadata: "},
		{"a label that is none", fmt.Sprintf(metadata, `"labels":{"type":"object","additionalProperties":{"type":"string"},"default":{"a b":"c"}}`), "must result in valid metadata: "},
		{"a kind", `"kind":{"type":"string","default":"A"}`, ""},
		{"a kind that is none", `"kind":{"type":"string","default":"A/B"}`, "properties[kind].default: Invalid value: \"A/B\": must result in valid metadata: "},
		{"an apiVersion that is none", `"apiVersion":{"type":"string","default":"a/b/c"}`, "properties[apiVersion].default: Invalid value: \"a/b/c\": must result in valid metadata: "},
		{"a value of another type", fmt.Sprintf(metadata, `"name":{"type":"string","maxLength":1,"default":"ab"}`), "properties[name].default: Too long: "},
	} {
		crd := decodeCRD(t, fmt.Sprintf(checkCRD, "", fmt.Sprintf(propertyX, fmt.Sprintf(resource, tt.properties))))
		got := Check(crd).Err()
		switch {
		case tt.want == "" && got != nil:
			t.Errorf("%s: %v", tt.name, got)
		case tt.want != "" && (got == nil || !strings.Contains(got.Error(), tt.want)):
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
	}
}
