package openapi

// An object is a JSON object under construction. Its methods set members and
// skip empty values.
type object map[string]any

func (o object) text(name, value string) {
	if value != "" {
		o[name] = value
	}
}

func (o object) flag(name string, value bool) {
	if value {
		o[name] = true
	}
}

func (o object) list(name string, value []string) {
	if len(value) > 0 {
		o[name] = value
	}
}

func number[T int64 | float64](o object, name string, value *T) {
	if value != nil {
		o[name] = *value
	}
}
