package objectmeta

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// maxFieldsDepth is the deepest nesting of field sets. JSON decoders allow more.
const maxFieldsDepth = 200

// ReadMap replaces m by the metadata of obj. Members that cannot be decoded are absent in m. They
// stay in obj until they are set, and [Meta.Validate] reports them.
func (m *Meta) ReadMap(obj map[string]any) {
	m.Reset()
	raw := obj["metadata"]
	if raw != nil && m.read(input{v: raw}) < 0 {
		m.Reset()
		m.unusual = true
		values, _ := raw.(map[string]any)
		m.readUnusual(values)
	}
	m.raw = raw
}

// Read reads the metadata at s[i] and returns the index after it. It returns a negative number if
// the text is wrong, or if ObjectMeta would write it in another form. m must be empty.
func (m *Meta) Read(s string, i int) int { return m.read(input{s: s, i: i}) }

// OmitsNothing reports whether all members that were read are written again.
func (m *Meta) OmitsNothing() bool { return !m.omits }

// readUnusual reads metadata that ObjectMeta writes in another form, or cannot decode. It does not
// read labels and annotations.
func (m *Meta) readUnusual(values map[string]any) {
	u := unstructured.Unstructured{Object: map[string]any{"metadata": values}}
	for k := range memberUnknown {
		if into := m.text(k); into != nil {
			*into = textOf(values, k)
		}
	}
	m.Generation, m.gracePeriod = u.GetGeneration(), optionalOf(u.GetDeletionGracePeriodSeconds())
	m.finalizers = append(m.finalizers, u.GetFinalizers()...)
	m.owners = append(m.owners, ownersOf(u.GetOwnerReferences())...)
	var typed metav1.ObjectMeta
	if convert(map[string]any{"managedFields": values["managedFields"]}, &typed) != nil {
		return
	}
	written, err := encode(&typed)
	list, _ := written["managedFields"].([]any)
	if err != nil || len(list) != len(typed.ManagedFields) {
		return
	}
	for i, e := range typed.ManagedFields {
		raw, _ := list[i].(map[string]any)
		m.managed = append(m.managed, managedEntry{
			apiVersion: e.APIVersion, fieldsType: e.FieldsType, manager: e.Manager, operation: string(e.Operation), subresource: e.Subresource,
			fields: raw["fieldsV1"], raw: raw, members: len(raw),
		})
	}
}

// textOf returns a member that is a string or a time, as ObjectMeta writes it. It returns "" for
// other values.
func textOf(values map[string]any, k member) string {
	s, _ := values[memberNames[k]].(string)
	if !k.isTime() || s == "" || canonicalTime(s) {
		return s
	}
	var t metav1.Time
	if t.UnmarshalQueryParameter(s) != nil {
		return ""
	}
	s, _ = t.ToUnstructured().(string) // nil for the zero time
	return s
}

// read reads metadata that ObjectMeta writes unchanged, apart from omitted members. It declines all
// other metadata.
func (m *Meta) read(in input) int { return in.object(m.readMember) }

func (m *Meta) readMember(key string, in input) (end int) {
	k := memberOf(key)
	if k == memberUnknown || !m.seen.add(k) {
		return declined
	}
	if end, null := in.null(); null {
		m.omits = true
		return end
	}
	empty := false
	switch k {
	case memberGeneration:
		m.Generation, end = in.number()
		empty = m.Generation == 0
	case memberDeletionGracePeriodSeconds:
		m.gracePeriod.set = true
		m.gracePeriod.value, end = in.number()
	case memberLabels:
		m.labels, end = readPairs(m.labels, in)
		empty = len(m.labels) == 0
	case memberAnnotations:
		m.annotations, end = readPairs(m.annotations, in)
		empty = len(m.annotations) == 0
	case memberFinalizers:
		end = in.list(m.readFinalizer)
		empty = len(m.finalizers) == 0
	case memberOwnerReferences:
		end = in.list(m.readOwner)
		empty = len(m.owners) == 0
	case memberManagedFields:
		end = in.list(m.readManaged)
		empty = len(m.managed) == 0
	default:
		into := m.text(k)
		*into, end = in.string()
		if empty = *into == ""; k.isTime() && !canonicalTime(*into) {
			return declined
		}
	}
	m.omits = m.omits || empty
	return end
}

// readPairs reads an object of strings. From JSON text it sorts the keys, and keeps the values as
// JSON text.
func readPairs(list []pair, in input) ([]pair, int) {
	end := in.object(func(key string, in input) int {
		value, end := in.written()
		if !utf8.ValidString(key) {
			return declined
		}
		list = append(list, pair{key, value})
		return end
	})
	if in.s != "" && !sortPairs(list) {
		return list, declined
	}
	return list, end
}

func (m *Meta) readFinalizer(in input) int {
	name, end := in.string()
	m.finalizers = append(m.finalizers, name)
	return end
}

// readOwner reads an owner reference. All four strings must be there, because ObjectMeta always
// writes them.
func (m *Meta) readOwner(in input) int {
	var o owner
	end := in.object(func(key string, in input) int {
		switch key {
		case "apiVersion":
			return in.readOnce(&o.apiVersion)
		case "kind":
			return in.readOnce(&o.kind)
		case "name":
			return in.readOnce(&o.name)
		case "uid":
			return in.readOnce(&o.uid)
		case "controller":
			return in.readBool(&o.controller)
		case "blockOwnerDeletion":
			return in.readBool(&o.blockDeletion)
		}
		return declined
	})
	if o.apiVersion == "" || o.kind == "" || o.name == "" || o.uid == "" {
		return declined
	}
	m.owners = append(m.owners, o)
	return end
}

func (m *Meta) readManaged(in input) int {
	var e managedEntry
	e.raw, _ = in.v.(map[string]any)
	end := in.object(func(key string, in input) int {
		e.members++
		switch key {
		case "apiVersion":
			return in.readOnce(&e.apiVersion)
		case "fieldsType":
			return in.readOnce(&e.fieldsType)
		case "fieldsV1":
			return e.readFields(in)
		case "manager":
			return in.readOnce(&e.manager)
		case "operation":
			return in.readOnce(&e.operation)
		case "subresource":
			return in.readOnce(&e.subresource)
		case "time":
			end := in.readOnce(&e.time)
			if !canonicalTime(e.time) {
				return declined
			}
			return end
		}
		return declined
	})
	m.managed = append(m.managed, e)
	return end
}

func (e *managedEntry) readFields(in input) int {
	if in.s == "" {
		if !isFieldSet(in.v, maxFieldsDepth) {
			return declined
		}
		e.fields = in.v
		return 0
	}
	end := fieldsEnd(in.s, in.i, maxFieldsDepth)
	if end < 0 || e.fieldsText != "" {
		return declined
	}
	e.fieldsText = in.s[in.i:end]
	return end
}

func isFieldSet(v any, depth int) bool {
	values, ok := v.(map[string]any)
	if !ok || values == nil || depth == 0 {
		return false
	}
	for key, v := range values {
		if !utf8.ValidString(key) || !isFieldSet(v, depth-1) {
			return false
		}
	}
	return true
}

// fieldsEnd returns the index after the field set at s[i]. It declines a text that the server
// cannot decode, or would write in another form.
func fieldsEnd(s string, i, depth int) int {
	switch {
	case depth == 0 || !strings.HasPrefix(s[i:], "{"):
		return declined
	case strings.HasPrefix(s[i:], "{}"):
		return i + len("{}")
	}
	for before := ""; ; {
		text, as, end := readText(s, i+1)
		key, ok := decoded(text, as)
		if !ok || as&jsonscan.Respelled != 0 || key <= before || !strings.HasPrefix(s[end:], ":") {
			return declined
		}
		if decodes, _ := decodesElement(key); !decodes {
			return declined
		}
		if i = fieldsEnd(s, end+1, depth-1); i < 0 || i >= len(s) {
			return declined
		}
		switch before = key; s[i] {
		case ',':
		case '}':
			return i + 1
		default:
			return declined
		}
	}
}

// canonicalTime reports whether s is a time in RFC 3339, UTC and whole seconds, other than the zero
// time.
func canonicalTime(s string) bool {
	if len(s) != len("2006-01-02T15:04:05Z") || s[len(s)-1] != 'Z' {
		return false
	}
	t, err := time.Parse(time.RFC3339, s)
	return err == nil && !t.IsZero()
}

// unknownPaths returns a path for each strict decoding error. A path prints like the path in the
// error. If raw has no field at the path, because a key is not valid UTF-8, the path has one step
// below metadata.
func unknownPaths(raw any, strict []error) []schema.Path {
	if len(strict) == 0 {
		return nil
	}
	found := unknownFields(raw)
	paths := make([]schema.Path, 0, len(strict))
	for _, err := range strict {
		fieldErr, ok := err.(kjson.FieldError)
		if !ok {
			continue
		}
		p := schema.Path{schema.Field("metadata"), schema.Field(fieldErr.FieldPath())}
		if exact, ok := found[p.String()]; ok {
			p = exact
		}
		paths = append(paths, p)
	}
	return paths
}

func unknownFields(raw any) map[string]schema.Path {
	found := map[string]schema.Path{}
	add := func(p schema.Path) { found[p.String()] = p }
	m, _ := raw.(map[string]any)
	for name, v := range m {
		switch memberOf(name) {
		case memberUnknown:
			add(schema.Path{schema.Field("metadata"), schema.Field(name)})
		case memberOwnerReferences:
			unknownOfEntries(name, v, "apiVersion kind name uid controller blockOwnerDeletion", add)
		case memberManagedFields:
			unknownOfEntries(name, v, "manager operation apiVersion time fieldsType fieldsV1 subresource", add)
		}
	}
	return found
}

// unknownOfEntries calls add with the path of each unknown member of the entries in v, which is
// metadata[key]. known has the known names, separated by spaces.
func unknownOfEntries(key string, v any, known string, add func(schema.Path)) {
	names := strings.Fields(known)
	entries, _ := v.([]any)
	for i, e := range entries {
		m, _ := e.(map[string]any)
		for name := range m {
			if !slices.Contains(names, name) {
				add(schema.Path{schema.Field("metadata"), schema.Field(key), schema.Index(i), schema.Field(name)})
			}
		}
	}
}

// An input is a value to read: v, or the JSON text at s[i] if s is not empty. Functions that read
// an input return the index after the text, or declined. For v they return 0 or declined.
type input struct {
	v any
	s string
	i int
}

const declined = -1

func (in input) object(member func(key string, in input) int) int {
	s, i := in.s, in.i
	if s == "" {
		values, _ := in.v.(map[string]any)
		if values == nil {
			return declined
		}
		for key, v := range values {
			if member(key, input{v: v}) < 0 {
				return declined
			}
		}
		return 0
	}
	i, more := opened(s, i, '{', '}')
	for more {
		key, at := jsonscan.DecodedKey(s, i)
		if at < 0 || at >= len(s) {
			return declined
		}
		end := member(key, input{s: s, i: at})
		if end < 0 {
			return declined
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return i
}

func (in input) list(element func(in input) int) int {
	s, i := in.s, in.i
	if s == "" {
		list, ok := in.v.([]any)
		for _, e := range list {
			ok = ok && element(input{v: e}) >= 0
		}
		if !ok {
			return declined
		}
		return 0
	}
	i, more := opened(s, i, '[', ']')
	for more {
		end := element(input{s: s, i: i})
		if end < 0 {
			return declined
		}
		i, more = jsonscan.Next(s, end, ']')
	}
	return i
}

// opened returns the index of the first element of the object or list at s[i], and true. If there
// are no elements, it returns the index after the object or list, and false.
func opened(s string, i int, opening, closing byte) (int, bool) {
	if i >= len(s) || s[i] != opening {
		return declined, false
	}
	i = jsonscan.Space(s, i+1)
	if i < len(s) && s[i] == closing {
		return i + 1, false
	}
	return i, true
}

// null reports whether the value is null. For JSON text, ok says only that the value begins with
// n. If it is not the word null, end is negative.
func (in input) null() (end int, ok bool) {
	if in.s == "" {
		return 0, in.v == nil
	}
	return jsonscan.Literal(in.s, in.i, "null"), in.s[in.i] == 'n'
}

func (in input) number() (n int64, end int) {
	if in.s == "" {
		n, ok := in.v.(int64)
		if !ok {
			return 0, declined
		}
		return n, 0
	}
	end, num := jsonscan.Number(in.s, in.i)
	if num.IsFloat {
		return 0, declined
	}
	return num.Int, end
}

// readBool reads a boolean. It declines a repeated member.
func (in input) readBool(into *optional[bool]) int {
	if into.set {
		return declined
	}
	into.set = true
	if in.s == "" {
		var ok bool
		if into.value, ok = in.v.(bool); !ok {
			return declined
		}
		return 0
	}
	if into.value = in.s[in.i] == 't'; into.value {
		return jsonscan.Literal(in.s, in.i, "true")
	}
	return jsonscan.Literal(in.s, in.i, "false")
}

// string reads a string. It declines invalid UTF-8.
func (in input) string() (string, int) {
	if in.s == "" {
		s, ok := in.v.(string)
		if !ok || !utf8.ValidString(s) {
			return "", declined
		}
		return s, 0
	}
	text, as, end := readText(in.s, in.i)
	value, ok := decoded(text, as)
	if !ok {
		return "", declined
	}
	return value, end
}

// written is [input.string], but returns JSON text as the encoder writes it, without quotes.
func (in input) written() (string, int) {
	if in.s == "" {
		return in.string()
	}
	text, as, end := readText(in.s, in.i)
	if as&jsonscan.Respelled == 0 {
		return text, end
	}
	text, ok := jsonscan.Respell(text)
	if !ok {
		return "", declined
	}
	return text, end
}

// readOnce sets *into to a string. It declines an empty or second string.
func (in input) readOnce(into *string) int {
	text, end := in.string()
	if text == "" || *into != "" {
		return declined
	}
	*into = text
	return end
}

func readText(s string, at int) (text string, as jsonscan.Text, end int) {
	if at >= len(s) || s[at] != '"' {
		return "", 0, declined
	}
	if end, as = jsonscan.String(s, at+1); end < 0 {
		return "", 0, declined
	}
	return s[at+1 : end], as, end + 1
}

func decoded(text string, as jsonscan.Text) (string, bool) {
	if as&jsonscan.Escaped == 0 {
		return text, true
	}
	var short [64]byte // saves an allocation for most strings
	out, ok := jsonscan.Unescape(short[:0], text)
	return string(out), ok
}

func sortPairs(list []pair) bool {
	slices.SortFunc(list, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	for i := 1; i < len(list); i++ {
		if list[i].key == list[i-1].key {
			return false
		}
	}
	return true
}
