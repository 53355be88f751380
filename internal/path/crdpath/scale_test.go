package crdpath

import (
	"fmt"
	"math"
	"testing"
)

func TestScalePathCheck(t *testing.T) {
	for _, tt := range []struct {
		name     string
		value    any // of the field, nil for none
		replicas string
		selector string
	}{
		{name: "nothing"},
		{name: "a number", value: int64(3), selector: `.spec.x: Invalid value: "": .spec.x accessor error: 3 is of the type int64, expected string`},
		{name: "the largest", value: int64(math.MaxInt32), selector: `.spec.x: Invalid value: "": .spec.x accessor error: 2147483647 is of the type int64, expected string`},
		{name: "too large", value: int64(math.MaxInt32) + 1, replicas: ".spec.x: Invalid value: 2147483648: should be less than or equal to 2147483647",
			selector: `.spec.x: Invalid value: "": .spec.x accessor error: 2147483648 is of the type int64, expected string`},
		{name: "negative", value: int64(-1), replicas: ".spec.x: Invalid value: -1: should be a non-negative integer",
			selector: `.spec.x: Invalid value: "": .spec.x accessor error: -1 is of the type int64, expected string`},
		{name: "text", value: "a=b", replicas: ".spec.x: Invalid value: 0: .spec.x accessor error: a=b is of the type string, expected int64"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := map[string]any{}
			if tt.value != nil {
				spec["x"] = tt.value
			}
			obj := map[string]any{"spec": spec}
			p := NewScalePath(".spec.x")
			for _, c := range []struct {
				what string
				err  error
				none bool
				want string
			}{
				{"CheckReplicas", p.CheckReplicas(obj), p.CheckReplicas(obj) == nil, tt.replicas},
				{"CheckSelector", p.CheckSelector(obj), p.CheckSelector(obj) == nil, tt.selector},
			} {
				got := ""
				if !c.none {
					got = fmt.Sprint(c.err)
				}
				if got != c.want {
					t.Errorf("%s: %s, want %s", c.what, got, c.want)
				}
			}
		})
	}
}
