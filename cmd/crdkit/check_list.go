package main

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

// listItems returns the items of a list, such as the output of kubectl get -o
// yaml, as JSON documents. Other documents have none. A list with a duplicate
// key is an error, because it is ambiguous.
func listItems(doc inputDocument) ([]inputDocument, error) {
	var head struct {
		Kind string `json:"kind"`
	}
	if yaml.Unmarshal(doc.data, &head) != nil || head.Kind != "List" && head.Kind != "CustomResourceDefinitionList" {
		return nil, nil
	}
	data := doc.data
	if doc.yaml {
		var err error
		if data, err = yaml.YAMLToJSONStrict(data); err != nil {
			return nil, err
		}
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	items := make([]inputDocument, len(list.Items))
	for i, item := range list.Items {
		items[i] = doc
		items[i].data, items[i].yaml, items[i].within = item, false, fmt.Sprintf("/items/%d", i)
	}
	return items, nil
}
