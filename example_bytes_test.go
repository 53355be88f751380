package crdkit_test

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit"
)

// spelled is an object in the spelling of a client, with an unknown field.
const spelled = `{ "kind": "CronTab", "apiVersion": "example.com/v1",
  "metadata": { "namespace": "default", "name": "a", "generation": 1 },
  "spec": { "cronSpec": "* * * * *", "typo": true } }`

// CreateJSON returns the object as the server encodes it. The default is set, and the unknown
// field is dropped.
func ExampleVersion_CreateJSON_canonical() {
	v := compiledVersion("v1")
	out, _, err := v.CreateJSON(context.Background(), []byte(spelled))
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
	// Output:
	// {"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"generation":1,"name":"a","namespace":"default"},"spec":{"cronSpec":"* * * * *","replicas":1}}
}

// AppendTo reuses memory for the output.
func ExampleAppendTo() {
	v := compiledVersion("v1")
	var buf []byte
	for range 2 {
		out, _, err := v.CreateJSON(context.Background(), []byte(spelled), crdkit.AppendTo(buf[:0]))
		if err != nil {
			panic(err)
		}
		buf = out
	}
	fmt.Println(len(buf))
	// Output: 154
}

func ExampleVersion_ValidJSON() {
	v := compiledVersion("v1")
	fmt.Println(v.ValidJSON([]byte(spelled)))
	fmt.Println(v.ValidJSON([]byte(`{"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": {}}`)))
	// Output:
	// true
	// false
}
