package compat

// A Code is the subject of a finding. Codes do not change.
type Code string

// The codes of findings about schemas. Those with the name of a keyword are about
// a change of that keyword.
const (
	// Proved: nothing differs for the role.
	Proved Code = "proved"
	// Undecided: neither a proof nor a witness was found.
	Undecided Code = "undecided"
	// Refused: the new definition refuses what the old one admitted.
	Refused Code = "refused"
	// Pruned: the new definition removes a field that the old one kept.
	Pruned Code = "pruned"
	// Changed: the new definition stores or serves another value.
	Changed Code = "changed"
	// Defaulted: the new definition adds a value that the old one did not.
	Defaulted Code = "defaulted"
)
