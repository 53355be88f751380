package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A listCheck compares what two versions say about merging: list types, map types and
// keys, embedded resources, and whether unknown fields are kept.
type listCheck struct {
	*pair
	*versionPair
	ctx      context.Context
	path     []schemaStep
	field    string // the path in the words of the server
	pointer  string // into the new definition
	inherits bool   // a list around the values makes them keep unknown fields
	findings []Finding
}

// listFindings returns the findings about the list types and map types of one
// version.
func listFindings(ctx context.Context, p *pair, v *versionPair) []Finding {
	l := &listCheck{
		pair: p, versionPair: v, ctx: ctx,
		pointer: versionPointer(v.newIndex, "schema/openAPIV3Schema"),
	}
	if !p.old.Spec.PreserveUnknownFields && !p.crd.Spec.PreserveUnknownFields {
		l.compare(v.oldNode, v.newNode)
	}
	return l.findings
}

// compare compares two nodes and what both declare below them.
func (l *listCheck) compare(old, v *schema.Node) {
	if old == v || old == nil || v == nil {
		return
	}
	l.checkList(old, v)
	l.checkMap(old, v)
	l.checkEmbedded(old, v)
	l.checkPreserved(old, v)
	for name, child := range v.Properties() {
		l.descend(schemaStep{property: name}, old.Property(name), child)
	}
	l.inherits = v.PreserveUnknownFields()
	l.descend(schemaStep{kind: toItems}, old.Items(), v.Items())
	l.inherits = false
	before, _ := old.AdditionalProperties()
	after, _ := v.AdditionalProperties()
	l.descend(schemaStep{kind: toAdditional}, before, after)
}

func (l *listCheck) descend(step schemaStep, old, v *schema.Node) {
	field, pointer, depth := l.field, l.pointer, len(l.path)
	switch step.kind {
	case toProperty:
		l.field, l.pointer = joinField(field, step.property), pointer+"/properties/"+schema.EscapePointer(step.property)
	case toItems:
		l.field, l.pointer = field+"[*]", pointer+"/items"
	case toAdditional:
		l.field, l.pointer = field+"[*]", pointer+"/additionalProperties"
	}
	l.path = append(l.path, step)
	l.compare(old, v)
	l.field, l.pointer, l.path = field, pointer, l.path[:depth]
}

// finding returns a finding about a keyword of the new node, which may lack it.
func (l *listCheck) finding(code Code, keyword string, has bool) Finding {
	f := Finding{
		Code: code, Verdict: Incompatible, Severity: Warning, Role: Lists,
		Version: l.newVersion.Name(), Field: l.field, Pointer: l.pointer,
	}
	if old := l.oldVersion.Name(); old != f.Version {
		f.OldVersion = old
	}
	if has {
		f.Pointer += "/" + keyword
	}
	return f
}

// An identity says what makes two elements of a list the same.
type identity struct {
	listType string   // atomic, set or map
	keys     []string // of a map
}

func identityOf(n *schema.Node) identity {
	typ, _ := n.ListType()
	if typ == "" {
		typ = "atomic"
	}
	id := identity{listType: typ}
	if typ == "map" {
		id.keys = n.ListMapKeys()
	}
	return id
}

func (id identity) String() string {
	if len(id.keys) == 0 {
		return id.listType
	}
	return id.listType + " with " + strings.Join(id.keys, ", ")
}

// merge gives the second element of a list the identity of the first one, and reports
// whether it can.
func (id identity) merge(list []any) bool {
	if len(list) < 2 || id.listType == "atomic" {
		return false
	}
	if id.listType == "set" {
		list[1] = jsonval.Clone(list[0])
		return true
	}
	first, ok := list[0].(map[string]any)
	second, isMap := list[1].(map[string]any)
	if !ok || !isMap {
		return false
	}
	for _, key := range id.keys {
		if v, ok := first[key]; ok {
			second[key] = v
		} else {
			delete(second, key)
		}
	}
	return true
}

func (l *listCheck) checkList(old, v *schema.Node) {
	before, after := identityOf(old), identityOf(v)
	if old.Kind() != schema.KindArray || v.Kind() != schema.KindArray || before.listType == after.listType && slices.Equal(before.keys, after.keys) {
		return
	}
	typ, has := v.ListType()
	f := l.finding(CodeListType, "x-kubernetes-list-type", has)
	f.Old, f.New = before.String(), after.String()
	switch {
	case before.listType == after.listType:
		f.Code, f.Pointer = ListMapKeys, l.pointer+"/x-kubernetes-list-map-keys"
		f.Text = "the keys of a list change: server-side apply and merging clients find other elements to be the same"
	case before.listType == "atomic":
		f.Text = fmt.Sprintf("an atomic list becomes a %s list: server-side apply gives each element owners of its own and does not know which of its clients owned the elements before", typ)
	case after.listType == "atomic":
		f.Text = fmt.Sprintf("a %s list becomes atomic: a client that applied one element owns the whole list, and the next apply conflicts or replaces the elements of others", before.listType)
	default:
		f.Text = "the list type changes: server-side apply and merging clients find other elements to be the same"
	}
	l.addListWitness(&f, before, after)
	l.findings = append(l.findings, f)
}

// addListWitness adds a list of two elements that are the same in one definition only.
func (l *listCheck) addListWitness(f *Finding, before, after identity) {
	edit := func(id identity) func(map[string]any) bool {
		path := slices.Clone(l.path)
		return func(obj map[string]any) bool {
			list, _ := valueAt(obj, path).([]any)
			return id.merge(list)
		}
	}
	duplicate := func(e *validation.Error) bool { return e.Type == field.ErrorTypeDuplicate }
	if l.refuse(f, &probe{items: 2, edit: edit(after)}, duplicate) {
		f.Severity = Error
		f.Text += "; lists with two elements that are the same are refused"
		return
	}
	if l.admit(f, &probe{items: 2, edit: edit(before)}, duplicate) {
		f.Text += "; lists may have two elements that the old definition found to be the same"
	}
}

// refuse adds an edited object that the old definition admits and the new one refuses
// with such an error at the path.
func (l *listCheck) refuse(f *Finding, p *probe, such func(*validation.Error) bool) bool {
	p.crd, p.index = l.old, l.oldIndex
	refused := l.probe(p, l.oldVersion, l.newVersion, such)
	if refused != nil {
		f.Witness, f.Old, f.New = refused.witness, "admitted", refused.answer()
	}
	return refused != nil
}

// admit adds an edited object that the new definition admits and the old one refuses.
func (l *listCheck) admit(f *Finding, p *probe, such func(*validation.Error) bool) bool {
	p.crd, p.index = l.crd, l.newIndex
	refused := l.probe(p, l.newVersion, l.oldVersion, such)
	if refused != nil {
		f.Witness, f.Old, f.New = refused.witness, refused.answer(), "admitted"
	}
	return refused != nil
}

// A refusedWitness is an object that one definition refuses.
type refusedWitness struct {
	*outcome
	witness *Witness
}

// probe searches for an object that one version admits and the other refuses with such an
// error at the path, nil if none is found.
func (l *listCheck) probe(p *probe, admitting, refusing *crdkit.Version, such func(*validation.Error) bool) *refusedWitness {
	if admitting.Name() != refusing.Name() {
		return nil // clients cannot send one object to both
	}
	p.path = slices.Clone(l.path)
	var refused *outcome
	p.holds = func(obj map[string]any) bool {
		out, err := l.write(admitting, obj)
		if err != nil || out.object == nil {
			return false
		}
		refused, err = l.write(refusing, obj)
		return err == nil && slices.ContainsFunc(refused.result.Errors, func(e *validation.Error) bool {
			return such(e) && isBelow(e.Pointer, p.path)
		})
	}
	obj := p.find(l.ctx)
	if obj == nil || !p.holds(obj) {
		return nil
	}
	return &refusedWitness{refused, l.witness(obj)}
}

// inStatus reports whether the path is in the status, which only writes to the status
// subresource change.
func (l *listCheck) inStatus() bool {
	return len(l.path) > 0 && l.path[0].property == "status" && l.oldVersion.HasStatus() && l.newVersion.HasStatus()
}

// write sends an object to a version: as a new object, or, if the path is in the status, as
// the first status of an object without one.
func (l *listCheck) write(v *crdkit.Version, obj map[string]any) (*outcome, error) {
	if !l.inStatus() {
		return l.create(l.ctx, v, obj)
	}
	out, err := l.create(l.ctx, v, withoutStatus(obj))
	if err != nil || out.object == nil {
		return out, err
	}
	u := unstructuredCopy(obj)
	result, err := v.UpdateStatus(l.ctx, u, unstructuredCopy(withoutStatus(obj)), crdkit.ReportChanges())
	return l.outcome(l.ctx, v, u, result, err)
}

// witness returns an object as write sends it.
func (l *listCheck) witness(obj map[string]any) *Witness {
	if l.inStatus() {
		return &Witness{Object: obj, Old: withoutStatus(obj)}
	}
	return &Witness{Object: obj}
}

// isBelow reports whether a JSON Pointer into an object leads to a value at a path of
// schemas, or below it.
func isBelow(pointer string, path []schemaStep) bool {
	tokens := strings.Split(pointer, "/")[1:]
	if len(tokens) < len(path) {
		return false
	}
	for i, step := range path {
		if step.kind == toProperty && tokens[i] != schema.EscapePointer(step.property) {
			return false
		}
	}
	return true
}

func (l *listCheck) checkMap(old, v *schema.Node) {
	before, _ := old.MapType()
	after, has := v.MapType()
	if atomic := "atomic"; (before == atomic) == (after == atomic) || old.Kind() != schema.KindObject || v.Kind() != schema.KindObject {
		return
	}
	f := l.finding(MapType, "x-kubernetes-map-type", has)
	f.Old, f.New = "granular", "atomic"
	f.Text = "an object becomes atomic: a client that applied one field owns the whole object, and the next apply conflicts or replaces the fields of others"
	if before == "atomic" {
		f.Old, f.New = f.New, f.Old
		f.Text = "an object is not atomic any more: server-side apply gives each field owners of its own and does not know which of its clients owned the fields before"
	}
	l.findings = append(l.findings, f)
}

func (l *listCheck) checkEmbedded(old, v *schema.Node) {
	if old.EmbeddedResource() == v.EmbeddedResource() {
		return
	}
	f := l.finding(CodeEmbedded, "x-kubernetes-embedded-resource", v.EmbeddedResource())
	f.Old, f.New = fmt.Sprint(old.EmbeddedResource()), fmt.Sprint(v.EmbeddedResource())
	path := slices.Clone(l.path)
	strip := func(obj map[string]any) bool {
		value, ok := valueAt(obj, path).(map[string]any)
		delete(value, "kind")
		return ok
	}
	if v.EmbeddedResource() {
		f.Text = "a value becomes an embedded resource: it must have apiVersion and kind, and its metadata is checked and pruned"
		if l.refuse(&f, &probe{edit: strip}, anyError) {
			f.Severity = Error
		}
	} else {
		f.Text = "a value is not an embedded resource any more: it may lack apiVersion, kind and valid metadata"
		l.admit(&f, &probe{edit: strip}, anyError)
	}
	l.findings = append(l.findings, f)
}

func anyError(*validation.Error) bool { return true }

// unknownField is a field that no schema declares.
const unknownField = "unknownToTheSchema"

func (l *listCheck) checkPreserved(old, v *schema.Node) {
	before, after := keepsUnknown(old), keepsUnknown(v)
	if before == after || old.Kind() != schema.KindObject || v.Kind() != schema.KindObject {
		return
	}
	f := l.finding(PreserveUnknownFields, "x-kubernetes-preserve-unknown-fields", v.PreserveUnknownFields() && !l.inherits)
	f.Old, f.New = "kept", "removed"
	if before {
		f.Text = "unknown fields are not preserved any more: the server removes them from requests and from stored objects"
		f.Severity = Error
		f.Witness = l.unknownWitness(&probe{crd: l.old, index: l.oldIndex}, true)
	} else {
		f.Old, f.New = f.New, f.Old
		f.Text = "unknown fields are preserved: clients with the types of the old schema lose them when they write an object back"
		f.Witness = l.unknownWitness(&probe{crd: l.crd, index: l.newIndex}, false)
	}
	l.findings = append(l.findings, f)
}

// keepsUnknown reports whether an object may have fields that the schema does not name.
func keepsUnknown(n *schema.Node) bool {
	return n.PreserveUnknownFields() || n.AllowsAdditionalProperties()
}

// unknownWitness returns an object whose unknown field one definition keeps: the old
// one, or the new one.
func (l *listCheck) unknownWitness(p *probe, keptByOld bool) *Witness {
	if l.oldVersion.Name() != l.newVersion.Name() {
		return nil
	}
	p.path = slices.Clone(l.path)
	p.edit = func(obj map[string]any) bool {
		value, ok := valueAt(obj, p.path).(map[string]any)
		if ok {
			value[unknownField] = "a"
		}
		return ok
	}
	kept := func(out *outcome) bool {
		value, _ := valueAt(out.object, p.path).(map[string]any)
		_, ok := value[unknownField]
		return ok
	}
	p.holds = func(obj map[string]any) bool {
		was, err := l.write(l.oldVersion, obj)
		if err != nil || was.object == nil {
			return false
		}
		is, err := l.write(l.newVersion, obj)
		return err == nil && is.object != nil && kept(was) == keptByOld && kept(is) != keptByOld
	}
	if obj := p.find(l.ctx); obj != nil {
		return l.witness(obj)
	}
	return nil
}
