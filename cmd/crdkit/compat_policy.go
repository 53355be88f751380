package main

import (
	"errors"
	"fmt"
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

func (a *acceptance) matches(f *compatFinding) bool {
	return a.Code == string(f.Code) && matches(a.Definition, f.Definition) && matches(a.Version, f.Version) &&
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
	r.Findings = slices.DeleteFunc(r.Findings, func(f compatFinding) bool { return p.severity[string(f.Code)] == severityOff })
	used := map[*acceptance]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		switch p.severity[string(f.Code)] {
		case levelError:
			f.Severity = compat.Error
		case levelWarning:
			f.Severity = compat.Warning
		case levelNote:
			f.Severity = compat.Info
		}
		for _, a := range p.accepted {
			if a.matches(f) {
				used[a] = true
				f.Accepted, f.Severity = a.Reason, compat.Info
				break
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(p.accepted), func(a *acceptance) bool { return used[a] })
}
