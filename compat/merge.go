package compat

import (
	"cmp"
	"fmt"
	"slices"
)

// Merge sorts findings, and makes one finding of those that say the same, as [Compare]
// does. Merged findings may be among them.
//
// Two findings say the same if version, code, verdict and text are equal, and
//
//   - one is about writers and one about stored objects, of one field, or
//   - they are about different fields, with the same roles, severities and answers.
//
// The answers are Old and New. What a refusal says and which value is removed do not matter,
// since the witnesses decide that. Proofs with the same text are one finding, whatever their
// roles are.
func Merge(findings []Finding) []Finding {
	all := Split(findings)
	slices.SortStableFunc(all, compareFindings)
	all = group(all, placeOf)
	for i := range all {
		all[i] = leading(all[i])
	}
	all = group(all, meaningOf)
	slices.SortStableFunc(all, compareFindings)
	return all
}

// Split undoes [Merge]: it returns each finding without its Also, and after it the findings
// of Also. Each is about one role and one field.
func Split(findings []Finding) []Finding {
	var out []Finding
	for _, f := range findings {
		also := f.Also
		f.Also = nil
		out = append(append(out, f), also...)
	}
	return out
}

// group makes one finding of those with the same key: the first one.
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

// leading returns a merged finding with the most severe part first, and of equal ones the
// part about writers.
func leading(f Finding) Finding {
	parts := Split([]Finding{f})
	slices.SortStableFunc(parts, func(a, b Finding) int {
		order := []Severity{Error, Warning, Note}
		return cmp.Or(cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity)), cmp.Compare(b.Role, a.Role))
	})
	f = parts[0]
	f.Also = parts[1:]
	return f
}

// statementOf returns what merged findings have in common.
func statementOf(f *Finding) string {
	return fmt.Sprintf("%q %q %q %q %q", f.Version, f.OldVersion, f.Code, f.Verdict, f.Text)
}

// placeOf returns what a finding is about. Writers and stored objects are one role of it, and
// so are all roles of a proof.
func placeOf(f *Finding) string {
	role := f.Role
	switch {
	case f.Code == Proved:
		role = ""
	case role == Stored:
		role = Writers
	}
	return fmt.Sprintf("%s %q %q %q", statementOf(f), role, f.Field, f.Pointer)
}

// meaningOf returns what a finding about one place says, without the place and what only
// its witnesses decide.
func meaningOf(f *Finding) string {
	text := ""
	for _, f := range Split([]Finding{*f}) {
		switch {
		case f.Witness == nil:
		case f.Old == "admitted" || f.Old == "read":
			f.New = "" // a refusal
		case f.New == "admitted" || f.New == absent:
			f.Old = "" // a refusal, or the value that is removed
		}
		text += fmt.Sprintf("%s %q %q %t %t %q %q\n", statementOf(&f), f.Role, f.Severity, f.Ratcheted, f.Witness != nil, f.Old, f.New)
	}
	return text
}
