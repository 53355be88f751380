package compat

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

type listCheck struct {
	*comparison
	steps    []step
	pointer  string // below the schema of the new version
	inherits bool   // a list around the values makes the values keep unknown fields
	found    []Finding
}

func (c *comparison) listFindings() []Finding {
	l := &listCheck{comparison: c}
	if !c.old.Spec.PreserveUnknownFields && !c.crd.Spec.PreserveUnknownFields {
		l.compare(c.before.node, c.after.node)
	}
	return l.found
}

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

// add adds a warning about a keyword of the new node. isSet says that the node has it.
func (l *listCheck) add(code Code, keyword string, isSet bool, before, after, text string) *Finding {
	f := l.finding(code, VerdictIncompatible, SeverityWarning, RoleLists)
	f.Field, f.Pointer = fieldOf(l.steps), pointerIf(f.Pointer+l.pointer, keyword, isSet)
	f.Old, f.New, f.Text = before, after, text
	l.found = append(l.found, f)
	return &l.found[len(l.found)-1]
}

// An identity says when two elements of a list are the same.
type identity struct {
	listType string   // atomic, set or map
	keys     []string // for map
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

// repeated returns the condition that a list has two equal elements. It returns nil for atomic
// lists, which may always have them.
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
	text, code, keyword := "the list type changes: server-side apply and merging clients find other elements to be the same", CodeListType, "x-kubernetes-list-type"
	switch {
	case before.listType == after.listType:
		text, code, keyword = "the keys of a list change: server-side apply and merging clients find other elements to be the same", CodeListMapKeys, "x-kubernetes-list-map-keys"
	case before.listType == "atomic":
		text = fmt.Sprintf("an atomic list becomes a %s list: server-side apply gives each element owners of its own and does not know which of its clients owned the elements before", typ)
	case after.listType == "atomic":
		text = fmt.Sprintf("a %s list becomes atomic: a client that applied one element owns the whole list, and the next apply conflicts or replaces the elements of others", before.listType)
	}
	f := l.add(code, keyword, has, before.String(), after.String(), text)
	duplicate := func(e *validation.Error) bool { return e.Type == field.ErrorTypeDuplicate }
	switch {
	case l.refuse(f, false, after.repeated(), duplicate):
		f.Severity = SeverityError
		f.Text += "; lists with two elements that are the same are refused"
	case l.refuse(f, true, before.repeated(), duplicate):
		f.Text += "; lists may have two elements that the old definition found to be the same"
	}
}

// refuse adds a witness whose value at the path satisfies c, and reports whether it finds one. The
// old definition admits the witness, and the new one refuses it with a matching error at the path.
// If byOld is true, the new definition admits it and the old one refuses it.
func (l *listCheck) refuse(f *Finding, byOld bool, c *search.Cond, matches func(*validation.Error) bool) bool {
	refused := l.show(f, byOld, c, func(_, second *outcome) bool {
		return slices.ContainsFunc(second.result.Errors, func(e *validation.Error) bool {
			return matches(e) && strings.Count(e.Pointer, "/") >= len(l.steps) && onWay(e.Pointer, l.steps)
		})
	})
	if refused == nil {
		return false
	}
	if f.Old, f.New = "admitted", refused.answer(); byOld {
		f.Old, f.New = f.New, f.Old
	}
	return true
}

// show adds a witness whose value at the path satisfies c, and for which shows is true. The old
// definition admits it. If byOld is true, the new one admits it instead. show returns the outcome
// at the other definition, or nil if it finds no witness. It finds none if the versions have
// different names.
func (l *listCheck) show(f *Finding, byOld bool, c *search.Cond, shows func(first, second *outcome) bool) *outcome {
	if c == nil || !l.sameName() {
		return nil
	}
	admitting, other := l.side(byOld), l.side(!byOld)
	var second *outcome
	holds := func(obj map[string]any) bool {
		first, err := l.write(l.ctx, admitting.version, obj, nil)
		if err != nil || first.object == nil {
			return false
		}
		second, err = l.write(l.ctx, other.version, obj, nil)
		return err == nil && shows(first, second)
	}
	obj := admitting.find(l.ctx, within(l.steps, c), holds)
	if obj == nil || !holds(obj) {
		return nil
	}
	// Clients change the status only through its subresource.
	if f.Witness = (&Witness{Object: obj}); len(l.steps) > 0 && l.steps[0].name == "status" && l.before.version.HasStatus() && l.after.version.HasStatus() {
		f.Witness.Old = withoutStatus(obj)
	}
	return second
}

func (l *listCheck) checkMap(old, v *schema.Node) {
	before, _ := old.MapType()
	after, has := v.MapType()
	if atomic := "atomic"; (before == atomic) == (after == atomic) || old.Kind() != schema.KindObject || v.Kind() != schema.KindObject {
		return
	}
	text, was, is := "an object becomes atomic: a client that applied one field owns the whole object, and the next apply conflicts or replaces the fields of others", "granular", "atomic"
	if before == "atomic" {
		text, was, is = "an object is not atomic any more: server-side apply gives each field owners of its own and does not know which of its clients owned the fields before", is, was
	}
	l.add(CodeMapType, "x-kubernetes-map-type", has, was, is, text)
}

func (l *listCheck) checkEmbedded(old, v *schema.Node) {
	if old.EmbeddedResource() == v.EmbeddedResource() {
		return
	}
	text := "a value is not an embedded resource any more: it may lack apiVersion, kind and valid metadata"
	if v.EmbeddedResource() {
		text = "a value becomes an embedded resource: it must have apiVersion and kind, and its metadata is checked and pruned"
	}
	f := l.add(CodeEmbedded, "x-kubernetes-embedded-resource", v.EmbeddedResource(), fmt.Sprint(old.EmbeddedResource()), fmt.Sprint(v.EmbeddedResource()), text)
	noKind := search.And(search.Types(search.Object), search.Not(search.At("kind", search.True)))
	if l.refuse(f, old.EmbeddedResource(), noKind, func(*validation.Error) bool { return true }) && v.EmbeddedResource() {
		f.Severity = SeverityError
	}
}

const unknownField = "unknownToTheSchema"

func (l *listCheck) checkPreserved(old, v *schema.Node) {
	before, after := keepsUnknown(old), keepsUnknown(v)
	if before == after || old.Kind() != schema.KindObject || v.Kind() != schema.KindObject {
		return
	}
	text, was, is, severity := "unknown fields are preserved: clients with the types of the old schema lose them when they write an object back", "removed", "kept", SeverityWarning
	if before {
		text, was, is, severity = "unknown fields are not preserved any more: the server removes them from requests and from stored objects", is, was, SeverityError
	}
	f := l.add(CodePreserveUnknownFields, "x-kubernetes-preserve-unknown-fields", v.PreserveUnknownFields() && !l.inherits, was, is, text)
	f.Severity = severity
	kept := func(out *outcome) bool {
		return slices.ContainsFunc(partsAt(out.object, l.steps), func(part any) bool {
			value, _ := part.(map[string]any)
			return value[unknownField] != nil
		})
	}
	l.show(f, after, search.At(unknownField, search.Enum("a")), func(first, second *outcome) bool {
		return second.object != nil && kept(first) && !kept(second)
	})
}

func keepsUnknown(n *schema.Node) bool {
	return n.PreserveUnknownFields() || n.AllowsAdditionalProperties()
}
