package suite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/nearname"
	"github.com/crdkit/crdkit/internal/pathstack"
)

// A keyFinder finds the keys of a suite that no field of its type has. Their values would be
// ignored, and with them cases that nobody would miss.
type keyFinder struct {
	source *definition.Source
	found  []unknownKey
}

type unknownKey struct {
	path string // with the key, such as "tests.onCreat"
	at   definition.Position
	near string // the nearest known key, "" for none
}

// unknownKeys returns the unknown keys of a suite, in the order of their paths.
func unknownKeys(content any, source *definition.Source) []unknownKey {
	f := &keyFinder{source: source}
	f.visit(content, reflect.TypeFor[spec](), "", "")
	return f.found
}

func (f *keyFinder) visit(value any, t reflect.Type, path, pointer string) {
	switch value := value.(type) {
	case map[string]any:
		if t.Kind() == reflect.Struct {
			f.object(value, keysOf(t), path, pointer)
		}
	case []any:
		if t.Kind() == reflect.Slice {
			for i, item := range value {
				n := strconv.Itoa(i)
				f.visit(item, t.Elem(), path+"["+n+"]", pointer+"/"+n)
			}
		}
	}
}

func (f *keyFinder) object(value map[string]any, known map[string]reflect.Type, path, pointer string) {
	for _, key := range slices.Sorted(maps.Keys(value)) {
		inner, below := strings.TrimPrefix(path+"."+key, "."), string(pathstack.AppendToken([]byte(pointer+"/"), key))
		if t, ok := known[key]; ok {
			f.visit(value[key], t, inner, below)
			continue
		}
		near, _ := nearname.Nearest(key, maps.Keys(known))
		f.found = append(f.found, unknownKey{path: inner, at: f.source.Position(below), near: near})
	}
}

// keysOf returns the types of the fields of a struct by their keys.
func keysOf(t reflect.Type) map[string]reflect.Type {
	keys := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		if key := field.Tag.Get("json"); key != "" {
			keys[key] = field.Type
		}
	}
	return keys
}

// run returns the error of the key.
func (k unknownKey) run(context.Context) (string, error) {
	text := fmt.Sprintf("line %d: a suite has no such key", k.at.Line)
	if k.near != "" {
		text += fmt.Sprintf("; the nearest one is %q", k.near)
	}
	return "", errors.New(text)
}

// addRepeatedKeys adds a case that cannot be run if keys are in a map of the suite twice, for
// the YAML library takes the last one.
func (s *Suites) addRepeatedKeys(name string, text []byte) {
	_, err := yaml.YAMLToJSONStrict(text)
	if err == nil {
		return
	}
	err = errors.New(strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "\n  ", ", "))
	line := 0
	if found := lineNumber.FindStringSubmatch(err.Error()); found != nil {
		line, _ = strconv.Atoi(found[1])
	}
	s.add(name, "repeated keys", line, func(context.Context) (string, error) { return "", err })
}

var lineNumber = regexp.MustCompile(`^line (\d+): `)
