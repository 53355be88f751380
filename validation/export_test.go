package validation

// Collecting returns a validator that collects the errors of an object for every
// verdict. The others have a fast verdict.
func Collecting(v *Validator) *Validator {
	w := *v
	w.collectOnly = true
	return &w
}
