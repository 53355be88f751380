package main

import (
	"regexp"
	"strconv"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/validation"
)

// The codes of what strict decoding finds.
const (
	codeUnknownField   = "UnknownField"
	codeDuplicateField = "DuplicateField"
	// codeBadRequest is the server's reason to refuse what it cannot decode.
	codeBadRequest = "BadRequest"
)

// record records the reasons of a verdict with their positions. err prevents a verdict.
func (v *verdict) record(err error, source *definition.Source) {
	v.line = v
	v.name = objectTitle(v.gvk.Kind, v.namespace, v.object)
	if err != nil {
		v.fail(err, source)
		return
	}
	if v.stored != nil {
		v.passed = admitted
	}
	if r := v.result; r != nil {
		if r.Refusal != nil {
			v.addRefusal(source)
		}
		v.addErrors(r.Errors, source)
		v.addErrors(v.invalid, source)
		v.addOmitted(r.Omitted+v.omitted, source)
		for _, w := range r.Warnings {
			v.add(levelWarning, codeWarning, w, source)
		}
	}
	for _, note := range v.notes {
		v.issues = append(v.issues, issue{level: levelNote, code: codeNote, text: note, position: v.start(source)})
	}
}

func (v *verdict) addErrors(errs validation.ErrorList, source *definition.Source) {
	for _, e := range errs {
		pointer := v.doc.Within + e.Pointer
		i := issue{level: levelError, code: string(e.Type), err: e, pointer: pointer, position: v.at(pointer, source), why: v.why[e]}
		if v.noValues {
			i.hide = v.explainer.HideValues
			i.err = i.hide(e)
		}
		v.issues = append(v.issues, i)
	}
}

// addRefusal adds the single complaints of a refusal, or the refusal itself.
func (v *verdict) addRefusal(source *definition.Source) {
	refusal := v.result.Refusal
	for _, detail := range refusal.Details {
		v.add(levelError, refusal.Reason, detail, source)
	}
	if len(refusal.Details) == 0 {
		v.add(levelError, refusal.Reason, refusal.Message, source)
	}
}

// fieldComplaint is a complaint of strict decoding about a field.
var fieldComplaint = regexp.MustCompile(`^(unknown|duplicate) field (".*")$`)

// warnedField is the field that a warning about metadata begins with.
var warnedField = regexp.MustCompile(`^metadata\.[^ :]+`)

// add adds an issue whose text names a field, or a line of the document, or neither.
func (v *verdict) add(level, code, text string, source *definition.Source) {
	i := issue{level: level, code: code, text: text, position: v.start(source), named: true}
	match := fieldComplaint.FindStringSubmatch(text)
	path := warnedField.FindString(text)
	switch {
	case match != nil:
		if i.code = codeUnknownField; match[1] == "duplicate" {
			i.code = codeDuplicateField
		} else if v.explained && level == levelError {
			i.why = v.explainer.UnknownField(text)
		}
		if unquoted, err := strconv.Unquote(match[2]); err == nil {
			path = unquoted
		}
	case path == "" && (level == levelError || lineIn(text) > 0):
		v.addComplaint(level, code, text, source)
		return
	}
	if path != "" {
		i.pointer = v.fieldPointer(path, source)
		i.position = v.at(i.pointer, source)
	}
	v.issues = append(v.issues, i)
}
