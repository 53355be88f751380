package main

import "io"

// A checkLine is the output of -o json and -o jsonl for a definition.
type checkLine struct {
	lineOrigin
	Name     string         `json:"name"`
	Decided  bool           `json:"decided"`
	Accepted bool           `json:"accepted"`
	Errors   []checkError   `json:"errors"`
	Warnings []checkWarning `json:"warnings"`
	Notes    []checkNote    `json:"notes"`
}

type checkError struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Detail   string `json:"detail"`
	BadValue any    `json:"badValue"`
	Pointer  string `json:"pointer"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`

	Explanation *lineExplanation `json:"explanation,omitempty"`
}

type checkWarning struct {
	Text    string `json:"text"`
	Pointer string `json:"pointer"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

type checkNote struct {
	Code    string `json:"code"`
	Pointer string `json:"pointer"`
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

func checkLineOf(f *checkedDefinition) checkLine {
	l := checkLine{
		lineOrigin: originOf(f.doc), Name: f.name, Decided: f.err == nil, Accepted: f.verdict() == accepted,
		Errors: []checkError{}, Warnings: []checkWarning{}, Notes: []checkNote{},
	}
	for n, i := range f.issues {
		at := i.position
		switch {
		case f.report == nil, // an error of reading it
			i.level == levelError && n >= len(f.report.Errors): // a warning or note whose severity is error
			l.Errors = append(l.Errors, checkError{i.code, "", i.description(), nil, i.pointer, at.Line, at.Column, i.explanationLine()})
		case i.level == levelError:
			e := f.report.Errors[n] // they come first
			l.Errors = append(l.Errors, checkError{string(e.Type), e.Field, e.Detail, badValue(e.BadValue), i.pointer, at.Line, at.Column, i.explanationLine()})
		case i.level == levelWarning:
			l.Warnings = append(l.Warnings, checkWarning{i.description(), i.pointer, at.Line, at.Column})
		default:
			l.Notes = append(l.Notes, checkNote{i.code, i.pointer, i.description(), at.Line, at.Column})
		}
	}
	return l
}

// writeLine implements lineWriter.
func (f *checkedDefinition) writeLine(w io.Writer) error { return encodeJSON(w, checkLineOf(f), "") }
