package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/compat"
)

// A compatConfig is the part of .crdkit.yaml that only crdkit compat reads.
type compatConfig struct {
	// Accepted are findings that do not count.
	Accepted []*acceptance `json:"accepted"`
}

// An acceptance is a finding that does not count, for a reason. A field that is empty
// stands for any value.
type acceptance struct {
	Code       string `json:"code"`
	Definition string `json:"definition"`
	Version    string `json:"version"`
	Role       string `json:"role"`
	Field      string `json:"field"`
	Reason     string `json:"reason"`
}

func (a *acceptance) String() string {
	parts := []string{a.Code}
	for _, part := range []string{a.Definition, a.Version, a.Role, a.Field} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// check returns an error for an acceptance that accepts too much or nothing.
func (a *acceptance) check() error {
	if a == nil || a.Code == "" {
		return errors.New("code is missing")
	}
	if err := checkCode(a.Code, compatCodes()); err != nil {
		return err
	}
	if strings.TrimSpace(a.Reason) == "" {
		return fmt.Errorf("%s needs a reason", a)
	}
	return nil
}

// compatCodes returns the codes of all findings.
func compatCodes() []string {
	codes := []string{string(codeDefinitionAdded), string(codeDefinitionRemoved)}
	for _, code := range compat.Codes() {
		codes = append(codes, string(code))
	}
	return codes
}

// describeCompat returns the meaning of a code, "" for an unknown one.
func describeCompat(code string) string {
	switch compat.Code(code) {
	case codeDefinitionAdded:
		return "The definition is new"
	case codeDefinitionRemoved:
		return "The definition is removed"
	}
	return compat.Code(code).Description()
}

func (a *acceptance) matches(definition string, f *compat.Finding) bool {
	return a.Code == string(f.Code) && matches(a.Definition, definition) && matches(a.Version, f.Version) &&
		matches(a.Role, string(f.Role)) && matches(a.Field, f.Field)
}

func matches(want, got string) bool { return want == "" || want == got }

// A compatPolicy is what .crdkit.yaml says about findings.
type compatPolicy struct {
	severity map[string]string
	accepted []*acceptance
}

// apply changes the severities of findings by their codes, drops those that are off, and
// marks accepted ones. It returns the acceptances that accept nothing.
func (p *compatPolicy) apply(r *compatReport) []*acceptance {
	used := map[*acceptance]bool{}
	findings := []compatFinding{}
	for _, f := range r.Findings {
		if p.severity[string(f.Code)] != severityOff {
			findings = append(findings, p.judge(f, used)...)
		}
	}
	r.Findings = findings
	return slices.DeleteFunc(slices.Clone(p.accepted), func(a *acceptance) bool { return used[a] })
}

// judge returns a finding with its severity. If a part of it is accepted, that is a finding
// of its own, behind the rest.
func (p *compatPolicy) judge(f compatFinding, used map[*acceptance]bool) []compatFinding {
	byReason := map[string][]compat.Finding{}
	for _, part := range compat.Split([]compat.Finding{f.Finding}) {
		switch p.severity[string(f.Code)] {
		case levelError:
			part.Severity = compat.Error
		case levelWarning:
			part.Severity = compat.Warning
		case levelNote:
			part.Severity = compat.Info
		}
		reason := f.Accepted
		if i := slices.IndexFunc(p.accepted, func(a *acceptance) bool { return a.matches(f.Definition, &part) }); i >= 0 {
			used[p.accepted[i]] = true
			reason = p.accepted[i].Reason
		}
		if reason != "" {
			part.Severity = compat.Info
		}
		byReason[reason] = append(byReason[reason], part)
	}
	var out []compatFinding
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		for _, merged := range compat.Merge(byReason[reason]) {
			part := f
			part.Finding, part.Accepted = merged, reason
			out = append(out, part)
		}
	}
	return out
}
