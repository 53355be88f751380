package crdkit

import (
	"errors"
	"maps"
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/validation"
)

// A jsonCarrier holds the object as JSON text. A walk of the fast path, in read,
// prunes, defaults and validates it. The objects of the run are heads:
// they have apiVersion, kind and metadata only. It declines unless the walk finds
// the object valid.
type jsonCarrier struct {
	*request
	plan *fastpath.Plan
	// out is the result of the walk. It holds memory of the plan if open is set.
	out  fastpath.Output
	open bool
	// newText and oldText are the texts of the objects. They share the memory of the input,
	// which nothing may refer to after the request.
	newText, oldText string
	sent             unstructured.Unstructured // the head of the object
	stored           unstructured.Unstructured // the head of the old object
	oldDocument      fastpath.Document

	unknownFields []string // complaints
	sentStatus    string   // the text of the status that the client sends, "" for none
	hasStatus     bool     // the object may have a status
	ratcheted     validation.ErrorList
}

func (c *jsonCarrier) read() (*Refusal, error) {
	c.plan, c.hasStatus = c.version.objectPlan(), !c.version.status
	c.newText, c.oldText = view(c.raw), view(c.oldRaw)
	var ok bool
	switch c.verb {
	case creating:
		ok = c.readNew()
	case updating:
		ok = c.readOld() && c.readUpdate()
	default:
		ok = c.readOld() && c.readStatus()
	}
	if !ok || c.report && c.obj != nil && hasNull(c.obj.Object["metadata"]) {
		return nil, errDeclined
	}
	return nil, nil
}

// view returns b as a string that shares its memory.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// hasNull reports whether a member of metadata is null. Which step drops it depends
// on the schema.
func hasNull(metadata any) bool {
	m, _ := metadata.(map[string]any)
	for _, v := range m {
		if v == nil {
			return true
		}
	}
	return false
}

// readNew reads the object of a create. The walk prepares the metadata of most.
func (c *jsonCarrier) readNew() bool {
	if !c.walk(c.plan, c.newText, &fastpath.Request{
		Report: c.fields != Ignore,
		Splice: c.splice,
		Create: true, Namespaced: c.version.def.namespaced, Namespace: c.namespace,
	}) {
		return false
	}
	if c.headDone = c.out.Metadata() == nil; c.headDone {
		c.complaints = c.unknownFields // of which the head has none
		return true
	}
	c.obj = c.head(&c.sent, c.out.Metadata())
	return true
}

// readOld reads the old object, apart from its metadata.
func (c *jsonCarrier) readOld() (ok bool) {
	c.oldDocument, ok = c.plan.Document(c.oldText)
	return ok
}

// setHeads sets the objects of the run.
func (c *jsonCarrier) setHeads(metadata, before map[string]any) {
	c.obj, c.old, c.copied = c.head(&c.sent, metadata), c.head(&c.stored, before), true
}

// preparing adds to the request of an update what the walk needs to prepare metadata: the
// text of that of the other object, in the field at which other points.
func (c *jsonCarrier) preparing(request *fastpath.Request, other *string, text string) {
	*other, request.SameVersion, request.SameMetadata = text, c.origin != fromClient, c.report
	request.Namespaced, request.Namespace = c.version.def.namespaced, c.namespace
}

// readUpdate reads the object that replaces the old one. The status of the output
// is that of the old object if the version has the subresource.
func (c *jsonCarrier) readUpdate() bool {
	request := &fastpath.Request{Report: c.fields != Ignore, Splice: c.splice && !c.report, NoteWrong: true, NoteEqual: true}
	if c.version.status {
		request.Status = c.oldDocument.Status
		c.hasStatus = request.Status != ""
	}
	c.preparing(request, &request.Replaced, c.oldDocument.Metadata)
	if !c.walkUpdate(c.plan, request, 0, (*validation.Validator).ValidateParts) {
		return false
	}
	if c.out.Metadata() == nil {
		same, ok := c.out.SameAs(c.oldDocument)
		c.finishHead(!same)
		return ok && c.keepsForReport()
	}
	before, ok := c.oldDocument.DecodeMetadata(c.watch)
	c.setHeads(c.out.Metadata(), before)
	return ok && c.keepsForReport()
}

// keepsForReport reports whether a report on the object would name no change, apart from
// those of the status and of metadata that has a head.
func (c *jsonCarrier) keepsForReport() bool {
	return !c.report || c.out.Unchanged() && c.readSentStatus()
}

// finishHead completes metadata of an update that the walk has prepared.
func (c *jsonCarrier) finishHead(changed bool) {
	c.out.CountGeneration(changed)
	c.headDone, c.complaints = true, c.unknownFields // of which the head has none
}

// walkUpdate walks over the new object of an update, which may keep wrong values. The
// first walk notes them. Where that does not tell whether they are unchanged, a second
// one ratchets. Validation begins after start steps of a path.
func (c *jsonCarrier) walkUpdate(plan *fastpath.Plan, request *fastpath.Request, start int, errorsOf errorsOf) bool {
	if c.walk(plan, c.newText, request) && c.keepsWrong(start, errorsOf) {
		return true
	}
	c.newText, request.Status = strings.Clone(c.newText), strings.Clone(request.Status) // errors refer to the values
	c.unknownFields, request.NoteWrong, request.NoteEqual, request.Ratchet = nil, false, false, c.newRatchet(start)
	return c.walk(plan, c.newText, request) && c.keepsForgiven(request.Ratchet.Forgiven, errorsOf)
}

// readSentStatus reads the status that the walk has dropped. It reports false if
// other steps would change that.
func (c *jsonCarrier) readSentStatus() (ok bool) {
	if !c.version.status {
		return true
	}
	c.sentStatus, ok = jsonscan.Lookup(c.newText, "status")
	return ok && c.plan.KeepsStatus(c.sentStatus, c.watch)
}

// readStatus reads the status that a client sends, and puts it into the old object.
func (c *jsonCarrier) readStatus() bool {
	plan := c.version.statusPlan()
	request := &fastpath.Request{Report: c.fields != Ignore, NoteWrong: true, LeaveMetadata: true}
	if !c.walkUpdate(plan, request, 1, (*validation.Validator).ValidateStatusParts) {
		return false
	}
	metadata := c.out.MetadataText()
	c.sentStatus = c.out.Member("status")
	c.hasStatus = c.sentStatus != ""
	if c.report {
		sent, ok := plan.Document(c.newText)
		if !ok || !c.out.Unchanged() || !plan.SameOutsideStatus(c.oldDocument, sent, c.watch) {
			return false
		}
	}
	if !c.walkOld(metadata) {
		return false
	}
	if c.out.Metadata() == nil {
		c.finishHead(false)
		return true
	}
	sent, ok := jsonscan.DecodeUntil(strings.Clone(metadata), c.watch)
	m, isObject := sent.(map[string]any)
	c.setHeads(m, c.out.Metadata())
	return ok && isObject
}

// walkOld walks over the old object with the status and the text of the metadata that the
// client sends. The object must need no change otherwise. The ratchet forgives all its values: the
// update does not change them, and the status was judged before.
func (c *jsonCarrier) walkOld(metadata string) bool {
	request := &fastpath.Request{Status: c.sentStatus, NoteWrong: true}
	if !c.report { // which names all metadata that differs from the old one
		c.preparing(request, &request.Sent, metadata)
	}
	if !c.walk(c.plan, c.oldText, request) {
		request.NoteWrong, request.Ratchet = false, &fastpath.Ratchet{All: true, Typed: c.version.rules != nil}
		if !c.walk(c.plan, c.oldText, request) {
			return false
		}
	}
	return c.out.Unchanged()
}

// walk walks over a text, and adds its unknown fields.
func (c *jsonCarrier) walk(plan *fastpath.Plan, text string, request *fastpath.Request) bool {
	c.release()
	request.Watch = c.watch
	if c.out, c.open = plan.JSON(text, request); c.open {
		c.unknownFields = joined(c.unknownFields, c.out.Unknown(unknownField, `"`))
	}
	return c.open
}

// head makes obj an object of the version with the given metadata and nothing
// else.
func (c *jsonCarrier) head(obj *unstructured.Unstructured, metadata map[string]any) *unstructured.Unstructured {
	v := c.version
	obj.Object = map[string]any{"apiVersion": v.apiVersion(), "kind": v.def.kind, "metadata": metadata}
	return obj
}

// conform adds the complaints of the walk, which has done the rest.
func (c *jsonCarrier) conform(*Version, coercion) error {
	c.complaints = joined(c.complaints, c.unknownFields)
	return nil
}

func (c *jsonCarrier) setDefaults() {}

// setStatus records what the walk did to the status.
func (c *jsonCarrier) setStatus() error {
	sent, old := c.sentStatus, c.oldDocument.Status
	if c.report && c.version.status && sent != old && (sent == "" || old == "" || !c.plan.SameValue(sent, old, c.watch)) {
		c.reset("status")
	}
	return nil
}

func (c *jsonCarrier) restoreRest() error { return nil }

func (c *jsonCarrier) specChanged() (bool, error) {
	same, ok := c.out.SameAs(c.oldDocument)
	if !ok {
		return false, errDeclined
	}
	return !same, nil
}

func (c *jsonCarrier) checkScale() error {
	if !c.out.AdmitsScale(c.hasStatus) {
		return errDeclined
	}
	return nil
}

// checkSchema judges the metadata. The walk has judged the rest.
func (c *jsonCarrier) checkSchema() error {
	if metadata, ok := c.metadata(); ok && !c.out.Admits(metadata) {
		return errDeclined
	}
	c.request.forgive(c.ratcheted)
	return nil
}

// metadata returns the metadata of the object. It reports false if the walk has
// prepared it.
func (c *jsonCarrier) metadata() (map[string]any, bool) {
	if c.headDone {
		return nil, false
	}
	metadata, _ := c.obj.Object["metadata"].(map[string]any)
	return metadata, true
}

// ruleInput decodes of the texts what rules read. All else that they read is in
// the heads. Without transition rules, the old object counts only if a rule fails. There
// is no object if no rule has an effect.
func (c *jsonCarrier) ruleInput(whole bool) (ruleInput, error) {
	switch {
	case c.verb != creating && (whole || c.version.rules.NeedsOld()):
		return c.updateInput()
	case whole:
		return c.wholeInput()
	}
	if c.verb == creating && !c.out.Ruled() {
		return ruleInput{}, nil
	}
	in := ruleInput{partial: true, memory: c.plan.Values(c.watch)}
	var ok bool
	if in.obj, ok = c.out.RuleInput(in.memory); !ok {
		return ruleInput{}, errDeclined
	}
	if c.verb != creating && !c.headsForRules(false) {
		return ruleInput{}, errDeclined
	}
	if c.obj != nil {
		maps.Copy(in.obj, c.obj.Object)
	}
	return in, nil
}

// headsForRules makes the heads of both objects of an update if rules may read metadata
// that the walk has prepared.
func (c *jsonCarrier) headsForRules(both bool) bool {
	if !c.headDone || !c.plan.RulesReadMetadata(both) {
		return true
	}
	metadata, replaced, ok := c.out.HeadsOfUpdate()
	c.setHeads(metadata, replaced)
	return ok
}

// updateInput decodes both objects of an update.
func (c *jsonCarrier) updateInput() (ruleInput, error) {
	in := ruleInput{memory: c.plan.Values(c.watch)}
	var okNew, okOld bool
	in.obj, okNew = in.memory.RuleInput(c.out.Text(), true) // the errors refer to the values
	in.old, okOld = in.memory.RuleInput(strings.Clone(c.oldText), true)
	if !okNew || !okOld || !c.headsForRules(true) {
		return ruleInput{}, errDeclined
	}
	if c.obj != nil {
		maps.Copy(in.obj, c.obj.Object)
		maps.Copy(in.old, c.old.Object)
	}
	return in, nil
}

// wholeInput decodes the object. It becomes that of the run if there is none.
func (c *jsonCarrier) wholeInput() (ruleInput, error) {
	v, ok := jsonscan.DecodeUntil(c.out.Text(), c.watch)
	obj, isObject := v.(map[string]any)
	if !ok || !isObject {
		return ruleInput{}, errDeclined
	}
	if c.headDone {
		c.sent.Object = obj
		c.obj = &c.sent
		c.standInName() // which messages may read
	} else {
		maps.Copy(obj, c.obj.Object)
	}
	return ruleInput{obj: obj}, nil
}

func (c *jsonCarrier) name() string {
	if c.headDone {
		return c.out.Name()
	}
	return ""
}

func (c *jsonCarrier) finalizerWarnings() []string {
	if c.headDone {
		return c.out.FinalizerWarnings()
	}
	return c.run.finalizerWarnings()
}

// output writes the metadata. It was decoded from JSON and is valid, so that
// SetMetadata fails only if a step has put a value into it that JSON does not have.
func (c *jsonCarrier) output() ([]byte, error) {
	if metadata, ok := c.metadata(); ok && !c.out.SetMetadata(metadata) {
		return nil, errors.New("crdkit: the metadata cannot be encoded")
	}
	if !c.appends && c.out.Unmodified() {
		c.result.Aliased = true
		return c.raw, nil
	}
	return c.out.Append(c.buffer), nil
}

func (c *jsonCarrier) release() {
	if c.open {
		c.out.Release()
		c.open = false
	}
}
