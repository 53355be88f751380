package compat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// A Verdict says whether a change is compatible.
type Verdict string

const (
	// VerdictCompatible: proved for every object.
	VerdictCompatible Verdict = "compatible"
	// VerdictIncompatible: shown by a witness, or by the definitions alone.
	VerdictIncompatible Verdict = "incompatible"
	// VerdictUnknown: neither proved nor refuted.
	VerdictUnknown Verdict = "unknown"
)

// A Severity says how bad a finding is for its role.
type Severity string

const (
	// SeverityError: requests that succeeded fail, or values are lost.
	SeverityError Severity = "error"
	// SeverityWarning: some clients or some later changes fail.
	SeverityWarning Severity = "warning"
	// SeverityNote: nothing fails.
	SeverityNote Severity = "note"
)

// A Role says who is affected by a finding.
type Role string

const (
	// RoleWriters: clients that create objects.
	RoleWriters Role = "writers"
	// RoleStored: objects that the old definition admitted.
	RoleStored Role = "stored"
	// RoleReaders: clients that know the old schema.
	RoleReaders Role = "readers"
	// RoleRules: the x-kubernetes-validations themselves.
	RoleRules Role = "rules"
	// RoleLists: list types, map types and their keys.
	RoleLists Role = "lists"
	// RoleResource: the definition outside of its schemas.
	RoleResource Role = "resource"
)

// A Report is the result of a comparison. It belongs to the caller.
type Report struct {
	// Verdict is the worst verdict of the findings. Incompatible is worse than unknown, and unknown
	// is worse than compatible.
	Verdict Verdict `json:"verdict"`
	// Findings are sorted by version, role, pointer, field, code and text, and merged by [Merge].
	Findings []Finding `json:"findings"`
}

// A Finding is one answer about a change. The field Also has further findings with the same answer.
// A Finding belongs to the caller.
type Finding struct {
	Code     Code     `json:"code"`
	Verdict  Verdict  `json:"verdict"`
	Severity Severity `json:"severity"`
	// Version is the version of the new definition, or "" for the whole definition.
	Version string `json:"version,omitempty"`
	// OldVersion is set if Version serves the objects of an old version with another name.
	OldVersion string `json:"oldVersion,omitempty"`
	Role       Role   `json:"role"`
	// Field is the server's field path. [*] is any element or key. "" is the whole object.
	Field string `json:"field,omitempty"`
	// Pointer is a JSON Pointer (RFC 6901) into the new definition: to the change, or to the
	// nearest part around it.
	Pointer string `json:"pointer,omitempty"`
	// Line and Column are the position of Pointer in a text, from 1. Compare leaves them 0.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Witness is the smallest object or update found that shows the difference, or nil.
	Witness *Witness `json:"witness,omitempty"`
	// Old and New say what the old and the new definition do with the witness. Without a witness they
	// are the values at Pointer.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Ratcheted means that the server tolerates the value in an update that does not change it.
	Ratcheted bool `json:"ratcheted,omitempty"`
	// Text says what was found. Effect says what happens to the witness. The wording of both may
	// change.
	Text   string `json:"text"`
	Effect string `json:"effect,omitempty"`
	// Also has equal findings about other fields, or about stored objects. Each has its own proof
	// or witness, and no Also.
	Also []Finding `json:"also,omitempty"`
}

// A Witness is an object that a client creates. If Old is not nil, it is an update. The maps have
// the Go types of decoded JSON.
type Witness struct {
	Object map[string]any
	Old    map[string]any
}

// MarshalJSON returns the object, or {"old": ..., "new": ...} for an update.
func (w *Witness) MarshalJSON() ([]byte, error) {
	if w.Old == nil {
		return json.Marshal(w.Object)
	}
	return json.Marshal(map[string]any{"old": w.Old, "new": w.Object})
}

// UnmarshalJSON reads what [Witness.MarshalJSON] returns.
func (w *Witness) UnmarshalJSON(data []byte) error {
	var v map[string]any
	if err := utiljson.Unmarshal(data, &v); err != nil {
		return err
	}
	old, isMap := v["old"].(map[string]any)
	object, isUpdate := v["new"].(map[string]any)
	if _, isObject := v["apiVersion"]; isMap && isUpdate && !isObject {
		*w = Witness{Object: object, Old: old}
		return nil
	}
	*w = Witness{Object: v}
	return nil
}

func (r *Report) conclude() {
	r.Findings = Merge(r.Findings)
	r.Verdict = VerdictCompatible
	for i := range r.Findings {
		switch r.Findings[i].Verdict {
		case VerdictIncompatible:
			r.Verdict = VerdictIncompatible
			return
		case VerdictUnknown:
			r.Verdict = VerdictUnknown
		}
	}
}

func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Version, b.Version),
		cmp.Compare(a.OldVersion, b.OldVersion),
		cmp.Compare(a.Role, b.Role),
		cmp.Compare(a.Pointer, b.Pointer),
		cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Text, b.Text),
	)
}

// Merge sorts findings and joins equal ones, as [Compare] does. It also accepts merged findings.
//
// Two findings are equal if version, code, verdict and text are equal, and
//
//   - one is about writers and one about stored objects, of one field, or
//   - they are about different fields, with equal roles, severities, Old and New.
//
// If Old or New is the text of a refusal or a removed value, it may differ. Findings with
// [CodeProved] and equal texts are joined even if their roles differ.
func Merge(findings []Finding) []Finding {
	all := Split(findings)
	slices.SortStableFunc(all, compareFindings)
	all = group(all, placeOf)
	for i := range all {
		all[i] = sortParts(all[i])
	}
	all = group(all, meaningOf)
	slices.SortStableFunc(all, compareFindings)
	return all
}

// Split undoes [Merge]: it returns each finding without Also, followed by the findings of its Also.
// Each is about one role and one field.
func Split(findings []Finding) []Finding {
	var out []Finding
	for _, f := range findings {
		also := f.Also
		f.Also = nil
		out = append(append(out, f), also...)
	}
	return out
}

// group joins findings with the same key: the first of them gets the others in Also.
func group(findings []Finding, key func(*Finding) string) []Finding {
	index := map[string]int{}
	var out []Finding
	for i := range findings {
		f := &findings[i]
		k := key(f)
		if at, ok := index[k]; ok {
			out[at].Also = append(out[at].Also, Split([]Finding{*f})...)
			continue
		}
		index[k] = len(out)
		out = append(out, *f)
	}
	return out
}

// sortParts sorts the parts of a merged finding by severity, the most severe first, then by role,
// writers first.
func sortParts(f Finding) Finding {
	parts := Split([]Finding{f})
	slices.SortStableFunc(parts, func(a, b Finding) int {
		order := []Severity{SeverityError, SeverityWarning, SeverityNote}
		return cmp.Or(cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity)), cmp.Compare(b.Role, a.Role))
	})
	f = parts[0]
	f.Also = parts[1:]
	return f
}

func statementOf(f *Finding) string {
	return fmt.Sprintf("%q %q %q %q %q", f.Version, f.OldVersion, f.Code, f.Verdict, f.Text)
}

// placeOf returns one key for all findings that say the same about one place. Writers and stored
// objects count as one role. For proofs, all roles count as one.
func placeOf(f *Finding) string {
	role := f.Role
	switch {
	case f.Code == CodeProved:
		role = ""
	case role == RoleStored:
		role = RoleWriters
	}
	return fmt.Sprintf("%s %q %q %q", statementOf(f), role, f.Field, f.Pointer)
}

// meaningOf returns what a finding and its witnesses say, without the place.
func meaningOf(f *Finding) string {
	text := ""
	for _, f := range Split([]Finding{*f}) {
		switch {
		case f.Witness == nil:
		case f.Old == "admitted" || f.Old == "read":
			f.New = "" // a refusal
		case f.New == "admitted" || f.New == absent:
			f.Old = "" // a refusal, or a removed value
		}
		text += fmt.Sprintf("%s %q %q %t %t %q %q\n", statementOf(&f), f.Role, f.Severity, f.Ratcheted, f.Witness != nil, f.Old, f.New)
	}
	return text
}
