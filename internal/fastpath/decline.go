package fastpath

// A decline is a reason why the fast path leaves an object, or all objects of a
// schema, to the pipeline. TestDeclines shows for each reason an input that is
// declined for it, and a similar one that is not.
type decline uint8

const (
	accepted decline = iota // no reason

	// Texts.

	unreadable    // the text is not JSON, or JSON that package jsonscan does not read
	tooDeep       // objects and lists are nested more deeply than jsonscan.MaxDepth
	repeatedKey   // an object has two members of the same key
	integralFloat // a float64 is written like an integer, so that the output could not tell

	// The members that all objects have.

	otherHead     // apiVersion, kind or metadata is absent or not what the plan is for
	likeTypeKey   // a key differs from kind or apiVersion in nothing but case
	otherMetadata // the metadata may be invalid, or has members that [objectmeta.Meta] does not know
	wrongStatus   // the new status cannot be inserted or would be changed
	wrongOld      // the old object is not one that the server returns, or cannot be compared

	// Values that package validation refuses, or may refuse.

	wrongType       // the schema does not admit values of this type
	wrongScalar     // a scalar or opaque value is not schema valid
	wrongWhole      // an object or list fails enum, allOf, anyOf, oneOf or not
	wrongCount      // an object or list has too few or too many members or elements
	missingMember   // a required member is absent, or null and dropped
	closedObject    // a member is not declared and additionalProperties is false
	equalElements   // the elements of a list are not distinct as its type demands
	wrongScale      // a field of the scale subresource is not valid
	brokenRule      // a rule does not hold
	wrongResource   // an embedded resource is not what the server would write
	undeclaredField // a field is not declared, and the server would say so

	// Defaults that would have to be set.

	wrongDefault    // it is not schema valid, or holds a float64 that is written like an integer
	largeDefault    // it grows beyond maxFilled values
	resourceDefault // it may hold an embedded resource

	// Schemas of single values. Other values of the same objects are accepted.

	propertiesAndOthers // properties are declared beside additionalProperties
	undeclaredRequired  // a property is required but not declared
	unwritableName      // the name of a property is not UTF-8
	changingResource    // members of an embedded resource have defaults or drop nulls
	droppedResource     // an embedded resource is in a status that is dropped

	// Schemas of whole objects. Compile returns nil.

	rootResource     // the root is an embedded resource
	rootEntries      // the root declares additionalProperties
	rootNames        // a property has a name at which validation reports more errors
	rootWhole        // the schema has enum, allOf, anyOf, oneOf or not for the whole object
	checkedMetadata  // the schema restricts the metadata
	keptRoot         // only the status counts, and the root keeps undeclared fields
	requiredStatus   // the status is dropped and required
	refusedType      // the schema refuses the apiVersion or kind of its objects
	changingMetadata // metadata has defaults or drops nulls
	declaredLikeType // a property differs from kind or apiVersion in nothing but case
	declines         // the number of reasons
)

// A verdict notes the innermost reason why a walk declines. It is set only when
// a walk declines, so that it costs accepted objects nothing.
type verdict struct{ why decline }

// refuse notes a reason, and returns refused.
func (v *verdict) refuse(why decline) int {
	v.why = why
	return refused
}

// not notes a reason, and returns false.
func (v *verdict) not(why decline) bool {
	v.why = why
	return false
}

// reason returns the reason of a walk that has declined. Only package jsonscan
// declines without a reason.
func (v *verdict) reason() decline {
	if v.why == accepted {
		return unreadable
	}
	return v.why
}
