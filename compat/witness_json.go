package compat

import (
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// UnmarshalJSON reads what [Witness.MarshalJSON] returns.
func (w *Witness) UnmarshalJSON(data []byte) error {
	var v map[string]any
	if err := utiljson.Unmarshal(data, &v); err != nil {
		return err
	}
	old, isMap := v["old"].(map[string]any)
	object, isUpdate := v["new"].(map[string]any)
	if _, isObject := v["apiVersion"]; isMap && isUpdate && !isObject {
		*w = Witness{Object: object, Old: old}
		return nil
	}
	*w = Witness{Object: v}
	return nil
}
