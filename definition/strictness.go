package definition

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// A strictness says which rules apply. An update may keep a fault of the old definition. The rule
// is then skipped for the whole definition.
type strictness struct {
	recognizedReviews bool // one of the conversionReviewVersions must be known to the server
	immutableNames    bool // scope and kind cannot change
	schemas           bool // all versions must have a schema, not only served versions
	knownTypes        bool // types must be in typeNames
	structural        bool // schemas must be structural
	prunedDefaults    bool // defaults must not have unknown fields
	atomicSets        bool // elements of sets must be atomic
	validKeys         bool // keys of map lists must be required or have defaults; elements must not be nullable
	checkedBundle     bool // the CA bundle of a webhook must be valid
	noDefaults        bool // schemas cannot have defaults
	preserves         bool // preserveUnknownFields may be true
	unapproved        bool // groups of the community need no approval

	// stored has the expressions of the old definition. They may use functions that new expressions
	// cannot use yet.
	stored expressions
	// unchanged has the versions with an unchanged schema. The cost of a single expression in them
	// has no limit.
	unchanged map[string]bool
	// manySelectable has the versions that may keep too many selectable fields; "" stands for all
	// versions.
	manySelectable map[string]bool
}

// expressions are sets of CEL expressions by text.
type expressions struct {
	rules, messages map[string]bool
}

func createStrictness() strictness {
	return strictness{
		recognizedReviews: true,
		schemas:           true,
		knownTypes:        true,
		structural:        true,
		prunedDefaults:    true,
		atomicSets:        true,
		validKeys:         true,
	}
}

func updateStrictness(s, old *internalForm) strictness {
	return strictness{
		recognizedReviews: recognizesReviews(old.crd.Spec.Conversion),
		immutableNames:    established(old.crd),
		schemas:           hasSchemas(old),
		knownTypes:        !old.any(func(v *internalVersion) bool { return v.facts.unknownType }),
		structural:        !old.any(isNotStructural),
		prunedDefaults:    !old.any(hasUnprunedDefaults),
		atomicSets:        !old.any(func(v *internalVersion) bool { return v.facts.nonAtomicSet }),
		validKeys:         !old.any(func(v *internalVersion) bool { return v.facts.invalidKeys }),
		checkedBundle:     checksBundle(old.crd),
		stored:            expressionsOf(old),
		unchanged:         unchangedVersions(s, old),
		manySelectable:    versionsWithManySelectable(s, old),
	}
}

// forV1beta1 returns o with the weaker rules for v1beta1 of servers up to 1.21. old is nil for a
// new definition.
func (o strictness) forV1beta1(old *internalForm) strictness {
	o.schemas, o.knownTypes, o.structural = false, false, false
	o.preserves, o.unapproved = true, true
	o.noDefaults = old == nil || !old.any(func(v *internalVersion) bool { return v.facts.defaults })
	return o
}

func recognizesReviews(c *apiextensionsv1.CustomResourceConversion) bool {
	if c == nil || c.Webhook == nil || len(c.Webhook.ConversionReviewVersions) == 0 {
		return true
	}
	return slices.ContainsFunc(c.Webhook.ConversionReviewVersions, isReviewVersion)
}

func established(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established)
}

func hasSchemas(s *internalForm) bool {
	if s.common.root() != nil {
		return true
	}
	for i := range s.versions {
		if s.versions[i].root() == nil {
			return false
		}
	}
	return true
}

func isNotStructural(v *internalVersion) bool {
	_, errs := v.compile()
	return len(errs) > 0
}

// hasUnprunedDefaults reports whether the server would prune a default of a structural schema.
func hasUnprunedDefaults(v *internalVersion) bool {
	n, _ := v.compile()
	return n != nil && crdversion.PruneDefaults(n) != n
}

func hasInvalidKeys(s *apiextensionsv1.JSONSchemaProps) bool {
	var c checker
	c.validKeys(s, nil)
	return c.errs.Added() > 0
}

// checksBundle reports whether an update must have a valid CA bundle.
func checksBundle(old *apiextensionsv1.CustomResourceDefinition) bool {
	return established(old) && hasValidBundle(old)
}

func expressionsOf(s *internalForm) expressions {
	e := expressions{rules: map[string]bool{}, messages: map[string]bool{}}
	for _, v := range s.schemas {
		for _, rules := range v.facts.rules {
			for i := range rules {
				e.rules[rules[i].Rule] = true
				if text := rules[i].MessageExpression; text != "" {
					e.messages[text] = true
				}
			}
		}
	}
	return e
}

func unchangedVersions(s, old *internalForm) map[string]bool {
	out := map[string]bool{}
	for i := range s.versions {
		name := s.versions[i].name
		now, ok := s.schemaOf(name)
		before, was := old.schemaOf(name)
		if ok && was && sameSchema(now, before) {
			out[name] = true
		}
	}
	return out
}

func versionsWithManySelectable(s, old *internalForm) map[string]bool {
	out := map[string]bool{}
	if len(old.common.selectable) > maxSelectable && slices.Equal(s.common.selectable, old.common.selectable) {
		out[""] = true
	}
	before := map[string]*internalVersion{}
	for i := range old.versions {
		before[old.versions[i].name] = &old.versions[i]
	}
	for i := range s.versions {
		v := &s.versions[i]
		was := before[v.name]
		if was != nil && len(was.selectable) > maxSelectable && slices.Equal(v.selectable, was.selectable) {
			out[v.name] = true
		}
	}
	return out
}

func (c *config) strictness(opts strictness, old *internalForm) strictness {
	if c.v1beta1 {
		return opts.forV1beta1(old)
	}
	return opts
}
