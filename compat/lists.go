package compat

// listFindings returns the findings about the list types and map types of one
// version.
func listFindings(*pair, *versionPair) []Finding { return nil }
