package definition

import (
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// warnings returns the warnings with their pointers. Few definitions have any, so the
// scan does not record pointers and warningPointers walks the schemas again.
func warnings(form *internalForm, texts []string) []Warning {
	if len(texts) == 0 {
		return nil
	}
	out := make([]Warning, len(texts))
	for i, pointer := range warningPointers(form, texts) {
		out[i] = Warning{Text: texts[i], Pointer: pointer}
	}
	return out
}

// owners describes the duplicate owner references of a definition.
type owners struct {
	was      []int // the original index of each that is kept; nil if all are
	warnings []Warning
}

// dropDuplicateOwners removes owner references that equal an earlier one from crd, as the
// server does before validation. It does not change the slice that crd has.
func dropDuplicateOwners(crd *apiextensionsv1.CustomResourceDefinition) owners {
	kept, was, texts := objectmeta.UniqueOwners(crd.OwnerReferences)
	if len(texts) == 0 {
		return owners{}
	}
	crd.OwnerReferences = kept
	o := owners{was: was}
	for _, text := range texts {
		o.warnings = append(o.warnings, Warning{Text: text, Pointer: ownersPointer})
	}
	return o
}

const ownersPointer = "/metadata/ownerReferences"

// pointer converts a pointer into the kept owner references to one into the given owner
// references.
func (o owners) pointer(p string) string {
	rest, ok := strings.CutPrefix(p, ownersPointer+"/")
	if !ok {
		return p
	}
	number, rest, more := strings.Cut(rest, "/")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(o.was) {
		return p
	}
	p = ownersPointer + "/" + strconv.Itoa(o.was[i])
	if more {
		p += "/" + rest
	}
	return p
}
