package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A listCheck compares what two versions say about merging: list types, map types and
// keys, embedded resources, and whether unknown fields are kept.
type listCheck struct {
	*pair
	*versionPair
	ctx      context.Context
	steps    []step
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
		l.descend(step{name: name}, propertyPointer("", name), old.Property(name), child)
	}
	l.inherits = v.PreserveUnknownFields()
	l.descend(step{item: true}, "/items", old.Items(), v.Items())
	l.inherits = false
	before, _ := old.AdditionalProperties()
	after, _ := v.AdditionalProperties()
	l.descend(step{others: []string{}}, "/additionalProperties", before, after)
}

func (l *listCheck) descend(s step, keyword string, old, v *schema.Node) {
	steps, pointer := l.steps, l.pointer
	l.steps, l.pointer = extend(steps, s), pointer+keyword
	l.compare(old, v)
	l.steps, l.pointer = steps, pointer
}

// finding returns a finding about a keyword of the new node, which may lack it.
func (l *listCheck) finding(code Code, keyword string, has bool) Finding {
	f := Finding{
		Code: code, Verdict: Incompatible, Severity: Warning, Role: Lists,
		Version: l.newVersion.Name(), Field: fieldOf(l.steps), Pointer: l.pointer,
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

// repeated is the condition of lists with two elements that are the same, nil if all lists may
// have them.
func (id identity) repeated() *search.Cond {
	if id.listType == "atomic" {
		return nil
	}
	return search.And(search.Types(search.Array), search.Not(search.Distinct(id.keys...)))
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
	duplicate := func(e *validation.Error) bool { return e.Type == field.ErrorTypeDuplicate }
	if l.refuse(f, false, after.repeated(), duplicate) {
		f.Severity = Error
		f.Text += "; lists with two elements that are the same are refused"
		return
	}
	if l.refuse(f, true, before.repeated(), duplicate) {
		f.Text += "; lists may have two elements that the old definition found to be the same"
	}
}

// refuse adds an object with a value at the path that satisfies a condition. The old
// definition admits it, and the new one refuses it with such an error at the path, or, if
// byOld is true, the other way round. It reports whether there is one.
func (l *listCheck) refuse(f *Finding, byOld bool, c *search.Cond, such func(*validation.Error) bool) bool {
	admitting, refusing := l.side(l.versionPair, byOld), l.side(l.versionPair, !byOld)
	if c == nil || admitting.version.Name() != refusing.version.Name() {
		return false // clients cannot send one object to both
	}
	var refused *outcome
	holds := func(obj map[string]any) bool {
		out, err := l.write(admitting.version, obj)
		if err != nil || out.object == nil {
			return false
		}
		refused, err = l.write(refusing.version, obj)
		return err == nil && slices.ContainsFunc(refused.result.Errors, func(e *validation.Error) bool {
			return such(e) && strings.Count(e.Pointer, "/") >= len(l.steps) && onWay(e.Pointer, l.steps)
		})
	}
	obj := admitting.find(l.ctx, within(l.steps, c), holds)
	if obj == nil || !holds(obj) {
		return false
	}
	f.Witness, f.Old, f.New = l.witness(obj), "admitted", refused.answer()
	if byOld {
		f.Old, f.New = f.New, f.Old
	}
	return true
}

// inStatus reports whether the path is in the status, which only writes to the status
// subresource change.
func (l *listCheck) inStatus() bool {
	return len(l.steps) > 0 && l.steps[0].name == "status" && l.oldVersion.HasStatus() && l.newVersion.HasStatus()
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
	noKind := search.And(search.Types(search.Object), search.Not(search.At("kind", search.True)))
	if v.EmbeddedResource() {
		f.Text = "a value becomes an embedded resource: it must have apiVersion and kind, and its metadata is checked and pruned"
		if l.refuse(&f, false, noKind, anyError) {
			f.Severity = Error
		}
	} else {
		f.Text = "a value is not an embedded resource any more: it may lack apiVersion, kind and valid metadata"
		l.refuse(&f, true, noKind, anyError)
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
		f.Witness = l.unknownWitness(true)
	} else {
		f.Old, f.New = f.New, f.Old
		f.Text = "unknown fields are preserved: clients with the types of the old schema lose them when they write an object back"
		f.Witness = l.unknownWitness(false)
	}
	l.findings = append(l.findings, f)
}

// keepsUnknown reports whether an object may have fields that the schema does not name.
func keepsUnknown(n *schema.Node) bool {
	return n.PreserveUnknownFields() || n.AllowsAdditionalProperties()
}

// unknownWitness returns an object whose unknown field one definition keeps: the old
// one, or the new one.
func (l *listCheck) unknownWitness(keptByOld bool) *Witness {
	if l.oldVersion.Name() != l.newVersion.Name() {
		return nil
	}
	kept := func(out *outcome) bool {
		return slices.ContainsFunc(partsAt(out.object, l.steps), func(part any) bool {
			value, _ := part.(map[string]any)
			return value[unknownField] != nil
		})
	}
	obj := l.side(l.versionPair, !keptByOld).find(l.ctx, within(l.steps, search.At(unknownField, search.Enum("a"))), func(obj map[string]any) bool {
		was, err := l.write(l.oldVersion, obj)
		if err != nil || was.object == nil {
			return false
		}
		is, err := l.write(l.newVersion, obj)
		return err == nil && is.object != nil && kept(was) == keptByOld && kept(is) != keptByOld
	})
	if obj == nil {
		return nil
	}
	return l.witness(obj)
}
