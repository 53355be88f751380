package check

import "github.com/crdkit/crdkit/internal/format"

// honoured returns name if a server of that minor version honours it as the
// format of values of these types, else "". A server judges by the formats of
// the version before its own, so that it can be rolled back.
func honoured(name string, types []string, minor int) string {
	typ := ""
	if len(types) == 1 {
		typ = types[0]
	}
	if !format.Supported(typ, name, minor-1) {
		return ""
	}
	return name
}
