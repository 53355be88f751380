package compat

// resourceFindings returns the findings about the definitions outside of their
// schemas.
func resourceFindings(*pair) []Finding { return nil }
