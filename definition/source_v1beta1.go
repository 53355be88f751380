package definition

import "strings"

// betaPointers maps locations of a v1 definition to those of a v1beta1 definition. An
// asterisk stands for the index of a version. Everything below a location moves with it.
var betaPointers = [...]struct{ v1, v1beta1 string }{
	{"/spec/versions/*/schema", "/spec/validation"},
	{"/spec/versions/*/subresources", "/spec/subresources"},
	{"/spec/versions/*/additionalPrinterColumns", "/spec/additionalPrinterColumns"},
	{"/spec/versions/*/selectableFields", "/spec/selectableFields"},
	{"/spec/versions/0/name", "/spec/version"},
	{"/spec/conversion/webhook/clientConfig", "/spec/conversion/webhookClientConfig"},
	{"/spec/conversion/webhook/conversionReviewVersions", "/spec/conversion/conversionReviewVersions"},
}

// betaPointer returns where a definition of v1beta1 may have what the pointer leads to at
// v1: the pointer to the part that moves, and the whole pointer. It reports whether there
// is such a location.
func betaPointer(pointer string) (part, whole string, ok bool) {
	for _, p := range betaPointers {
		if rest, ok := cutPointer(pointer, p.v1); ok {
			return p.v1beta1, p.v1beta1 + rest, true
		}
	}
	return "", "", false
}

// cutPointer returns the rest of a pointer below a location.
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

// betaColumnPath returns the pointer with the v1beta1 spelling of a column path.
func betaColumnPath(pointer string) string {
	if column, ok := strings.CutSuffix(pointer, "/jsonPath"); ok && strings.Contains(column, "/additionalPrinterColumns/") {
		return column + "/JSONPath"
	}
	return pointer
}
