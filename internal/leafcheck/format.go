package leafcheck

import "github.com/crdkit/crdkit/internal/format"

// format returns name if the server checks it as the format of values of these
// types, else "". A server uses the formats of the version before its own, so
// that it can be rolled back.
func (c *Config) format(name string, types []string) string {
	if c.EveryFormat {
		return name
	}
	typ := ""
	if len(types) == 1 {
		typ = types[0]
	}
	if !format.Supported(typ, name, c.Minor-1) {
		return ""
	}
	return name
}
