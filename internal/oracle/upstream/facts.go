package upstream

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// Facts describes the structural schema that serves the version. It returns a line for
// each node of the spine, parents first and properties sorted: the location of the node,
// then its structural keywords. Defaults are those that remain after pruning.
func (v *Version) Facts() []string {
	if v.structural == nil {
		return nil
	}
	return facts(nil, "", v.structural)
}

func facts(lines []string, location string, s *structuralschema.Structural) []string {
	lines = append(lines, location+": "+describe(s))
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		child := s.Properties[name]
		lines = facts(lines, location+"."+name, &child)
	}
	if s.Items != nil {
		lines = facts(lines, location+"[]", s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Structural != nil {
		lines = facts(lines, location+"{}", a.Structural)
	}
	return lines
}

func describe(s *structuralschema.Structural) string {
	var b strings.Builder
	b.WriteString(s.Type)
	flag := func(set bool, name string) {
		if set {
			b.WriteString(" " + name)
		}
	}
	flag(s.Nullable, "nullable")
	flag(s.XPreserveUnknownFields, "preserve")
	flag(s.XEmbeddedResource, "embedded")
	flag(s.XIntOrString, "int-or-string")
	flag(s.AdditionalProperties != nil && s.AdditionalProperties.Structural == nil && s.AdditionalProperties.Bool, "additional")
	flag(s.AdditionalProperties != nil && s.AdditionalProperties.Structural == nil && !s.AdditionalProperties.Bool, "none-additional")
	if s.XListType != nil {
		fmt.Fprintf(&b, " list-type=%s%v", *s.XListType, s.XListMapKeys)
	}
	if s.XMapType != nil {
		fmt.Fprintf(&b, " map-type=%s", *s.XMapType)
	}
	if s.Default.Object != nil {
		text, _ := json.Marshal(s.Default.Object)
		fmt.Fprintf(&b, " default=%s", text)
	}
	if len(s.XValidations) > 0 {
		fmt.Fprintf(&b, " rules=%d", len(s.XValidations))
	}
	return b.String()
}
