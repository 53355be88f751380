package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// builtinJSON has the parts that the documents of all definitions share.
// Program internal/oracle/builtins generates it from the server's documents,
// and the oracle fails if it is outdated.
//
//go:embed builtin.json
var builtinJSON []byte

// builtins decodes builtinJSON once. Schemas and parameters stay encoded, so
// that documents share them.
var builtins = sync.OnceValues(func() (*builtin, error) {
	var b builtin
	if err := json.Unmarshal(builtinJSON, &b); err != nil {
		return nil, fmt.Errorf("openapi: the embedded builtin.json: %w", err)
	}
	return &b, nil
})

type builtin struct {
	Descriptions struct {
		APIVersion, Kind, Metadata       string
		EmbeddedAPIVersion, EmbeddedKind string
		ListMetadata                     string
	}
	// Parameters by action, and "every" for those of all actions, "path" for
	// those of paths, "body delete" and "body patch" for bodies.
	Parameters map[string][]sharedParameter
	V2, V3     map[string]json.RawMessage // schemas by name
}

// A sharedParameter is a parameter in the form of version 2, with the name
// under which a document shares it, "" if it does not.
type sharedParameter struct {
	Shared    string
	Parameter parameter
}

// A parameter has the members of both versions. Version 3 has type and
// uniqueItems in schema.
type parameter struct {
	Description string `json:"description,omitempty"`
	In          string `json:"in"`
	Name        string `json:"name"`
	Required    bool   `json:"required,omitempty"`
	Schema      any    `json:"schema,omitempty"`
	Type        string `json:"type,omitempty"`
	UniqueItems bool   `json:"uniqueItems,omitempty"`
}

const (
	metaTypes  = "io.k8s.apimachinery.pkg.apis.meta.v1."
	scaleTypes = "io.k8s.api.autoscaling.v1."
)

// isBuiltin reports whether a schema is one of Kubernetes' own types.
func isBuiltin(name string) bool {
	return strings.HasPrefix(name, metaTypes) || strings.HasPrefix(name, scaleTypes)
}
