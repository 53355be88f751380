package crdkit

import (
	"errors"

	"github.com/crdkit/crdkit/internal/fastpath"
)

// A carrier is the representation of an object during a request: a map that the
// engines change, or a text that the fast path rewrites in one walk. Steps do
// not know which carrier they run on.
//
// A carrier may decline by returning errDeclined until the rules have run. The
// request then drops the [run] and begins anew on the map carrier, which never
// declines. After the rules, a carrier declines only a second ruleInput, so that a
// request never runs its rules more often because a carrier declined.
type carrier interface {
	// read sets the objects of the run.
	read() (*Refusal, error)
	// conform prunes the object, drops nulls and coerces the metadata of
	// embedded resources. d is the version of the object, nil if the definition
	// has no such version. It adds complaints about unknown fields to the run. The
	// error says why embedded metadata cannot be decoded.
	conform(d *Version, c coercion) error
	// setDefaults sets the defaults of the object.
	setDefaults()
	// setStatus makes the status what the verb sets it to.
	setStatus() error
	// restoreRest makes all members but metadata and status those of the old
	// object.
	restoreRest() error
	// specChanged reports whether the object and the old one differ in more
	// than metadata.
	specChanged() (bool, error)
	// checkScale adds the errors of the scale subresource to the result.
	checkScale() error
	// checkSchema adds the errors of the schema to the result.
	checkSchema() error
	// ruleInput returns the objects that rules evaluate. The input may be partial:
	// without what rules do not read as long as none fails, such as an old object that
	// no rule refers to. If rules fail on it, they run once more, with whole, on input
	// that is not partial.
	ruleInput(whole bool) (in ruleInput, err error)
	// name returns the name of an object if the run has no obj.
	name() string
	// finalizerWarnings returns the warnings about finalizers of an admitted object.
	finalizerWarnings() []string
	// output returns the admitted object as JSON. It does not decline.
	output() ([]byte, error)
	// release gives memory back at the end of the run.
	release()
}

// A form is what the fast path walks over.
type form uint8

const (
	asText form = iota // on the JSON carrier
	asMap              // on the map carrier
)

// takesFastPath reports whether the fast path may take the request: whether the
// definition, the options and the verb are some that it knows. It then depends on
// the object.
func (r *request) takesFastPath(f form) bool {
	v := r.version
	if v.def.reference || v.def.preserve || r.mutate != nil {
		return false
	}
	var takes bool
	switch f {
	case asText:
		takes = r.encoded && !r.yaml && (len(r.raw) <= MaxRequestBytes || r.origin == fromPatch) && !(r.report && r.verb == creating)
	case asMap:
		takes = !r.report && r.verb&(creating|updating) != 0
	}
	return takes && v.objectPlan() != nil && (r.verb != updatingStatus || v.statusPlan() != nil)
}

// errDeclined is the error of a carrier that leaves the request to another one.
var errDeclined = errors.New("crdkit: the carrier declines")

// A ruleInput holds the objects that rules evaluate.
type ruleInput struct {
	obj, old map[string]any
	partial  bool
	memory   *fastpath.Values // of the objects, nil if they need not be released
}

// A coercion says how an object is brought into the form of its schema.
type coercion struct {
	report bool // complain of unknown fields
	stored bool // the object comes from storage: drop malformed metadata, repair the generation
}

// unknownField begins the server's complaint about an unknown field.
const unknownField = `unknown field "`
