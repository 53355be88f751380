package main

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

// listItems returns the items of a list, as kubectl get -o yaml prints
// definitions, as documents of JSON. It reports whether the document is one.
func listItems(doc document) ([]document, bool) {
	data := doc.data
	if doc.yaml {
		var err error
		if data, err = yaml.YAMLToJSONStrict(data); err != nil {
			return nil, false
		}
	}
	var list struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if json.Unmarshal(data, &list) != nil || list.Kind != "List" && list.Kind != "CustomResourceDefinitionList" {
		return nil, false
	}
	items := make([]document, len(list.Items))
	for i, item := range list.Items {
		items[i] = doc
		items[i].data, items[i].yaml, items[i].within = item, false, fmt.Sprintf("/items/%d", i)
	}
	return items, true
}
