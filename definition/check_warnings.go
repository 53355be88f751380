package definition

import (
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// warnings finds the places that texts warn of. There are few definitions with
// any, so looking for formats need not remember where it is.
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

// owners tells what became of the owner references of a definition.
type owners struct {
	was      []int // where each was that is left; nil if none is gone
	warnings []Warning
}

// dropDuplicateOwners drops owner references that equal an earlier one, as the
// server does before it looks at what it is sent. crd is a copy of our own, but
// its owner references are not.
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

// pointer makes a pointer into the owner references that are left one into
// those that were given.
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
