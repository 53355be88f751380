package definition

import "strings"

// betaPointers says where a definition of v1beta1 has what one of v1 has
// elsewhere. An asterisk stands for the number of a version, and what is below a
// place is below the other as well.
var betaPointers = [...]struct{ v1, v1beta1 string }{
	{"/spec/versions/*/schema", "/spec/validation"},
	{"/spec/versions/*/subresources", "/spec/subresources"},
	{"/spec/versions/*/additionalPrinterColumns", "/spec/additionalPrinterColumns"},
	{"/spec/versions/*/selectableFields", "/spec/selectableFields"},
	{"/spec/versions/0/name", "/spec/version"},
	{"/spec/conversion/webhook/clientConfig", "/spec/conversion/webhookClientConfig"},
	{"/spec/conversion/webhook/conversionReviewVersions", "/spec/conversion/conversionReviewVersions"},
}

// betaPointer returns where a definition of v1beta1 may have what the pointer
// leads to in one of v1: the pointer to the part that is elsewhere, and the
// pointer to the whole. It reports whether there is another place.
func betaPointer(pointer string) (part, whole string, ok bool) {
	for _, p := range betaPointers {
		if rest, ok := cutPointer(pointer, p.v1); ok {
			return p.v1beta1, p.v1beta1 + rest, true
		}
	}
	return "", "", false
}

// cutPointer returns what of a pointer is below a place.
func cutPointer(pointer, location string) (string, bool) {
	if before, after, found := strings.Cut(location, "*"); found {
		rest, ok := strings.CutPrefix(pointer, before)
		if !ok {
			return "", false
		}
		_, rest, ok = strings.Cut(rest, "/")
		pointer, location = "/"+rest, after
		if !ok {
			return "", false
		}
	}
	rest, ok := strings.CutPrefix(pointer, location)
	return rest, ok && (rest == "" || rest[0] == '/')
}

// betaColumnPath returns the pointer with the older spelling of the path of a
// column.
func betaColumnPath(pointer string) string {
	if column, ok := strings.CutSuffix(pointer, "/jsonPath"); ok && strings.Contains(column, "/additionalPrinterColumns/") {
		return column + "/JSONPath"
	}
	return pointer
}
